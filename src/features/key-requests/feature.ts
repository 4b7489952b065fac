import { feature } from '../../kernel/feature.ts'
import { checkCredits } from './check-credits.ts'
import { KEY_REQUEST_MIGRATION } from './migrations/005-key-requests.ts'
import { GASLESS_REQUEST_MIGRATION } from './migrations/034-gasless-requests.ts'
import { KEY_REQUEST_USER_MIGRATION } from './migrations/064-key-request-users.ts'
import { KEY_REQUEST_SETTINGS } from './settings.ts'
import {
  KEY_REQUEST_STATES,
  KEY_REQUESTS,
  SPONSOR_CREDITS,
  SPONSOR_ENTRIES,
  SPONSOR_USES,
} from './tables/key-requests.ts'

/** Requests of apps for keys that their users approve. */
export const keyRequests = feature({
  name: 'key-requests',
  tables: [KEY_REQUESTS, SPONSOR_CREDITS, SPONSOR_ENTRIES, SPONSOR_USES],
  migrations: [
    { id: 34, what: 'requests for gasless keys', statements: GASLESS_REQUEST_MIGRATION },
    { id: 5, what: 'signed key requests', statements: KEY_REQUEST_MIGRATION },
    { id: 64, what: 'rows by account', statements: KEY_REQUEST_USER_MIGRATION },
  ],
  settings: [KEY_REQUEST_SETTINGS],
  counted: [
    {
      name: 'rookery_key_requests',
      help: 'Requests for keys of apps by state, as long as they are kept',
      label: 'state',
      rows: Object.fromEntries(
        KEY_REQUEST_STATES.map((state) => [state, `signed_key_request where state = '${state}'`]),
      ),
    },
  ],
  checks: [checkCredits],
  serve: () => import('./serve.ts'),
})
