import type { Services } from '../../app.ts'
import { described, textParam } from '../../kernel/http/input/params.ts'
import { MAX_URL_CHARACTERS } from '../../kernel/http/outgoing.ts'
import { type Route, route } from '../../kernel/http/route.ts'
import { Report, reportOn } from './report.ts'

const TAGS = [{ name: 'Development', description: 'Helpers that only a development network has.' }]

/** What developers of mini apps ask of their network. `web` is the address of the front door. */
export const miniAppRoutes = (services: Services, web: () => string): Route[] => [
  route('GET /dev/mini-app-report', {
    callers: 'anyone',
    summary: 'What is wrong about a mini app, and how to mend it',
    description:
      'Its manifest, the signature of its author, the card of its page, and the headers that decide whether a frame shows it. The ' +
      'page may be on this machine.',
    query: {
      url: described(
        textParam({ maxBytes: MAX_URL_CHARACTERS }),
        'A page of the app, such as http://localhost:3000.',
      ),
    },
    reply: Report,
    errors: ['bad_request.invalid_param'],
    cost: { cpu: 'large' },
    tags: TAGS,
    handler: (_, { query }) => reportOn(services, query.url, web()),
  }),
]
