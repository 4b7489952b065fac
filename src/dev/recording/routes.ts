import Type from 'typebox'
import { route } from '../../kernel/http/route.ts'
import { DEV_TAGS, type DevContext } from '../context.ts'
import { KINDS } from './session.ts'

const Entry = Type.Object(
  { at: Type.String(), kind: Type.Enum([...KINDS]), path: Type.String() },
  { $comment: 'Open: each kind has fields of its own.' },
)

const recording = route('GET /dev/recording', {
  callers: 'anyone',
  summary: 'What this network has told apps',
  description:
    'Webhooks, mini-app events and sign-ins since the start or the last reset, the newest 1,000 and at most 8 MiB, without ' +
    'keys, tokens and signatures. `rookery dev replay` sends them again.',
  reply: Type.Object({ entries: Type.Array(Entry) }),
  tags: DEV_TAGS,
  errors: [],
  cost: 'lookup',
  handler: async ({ recorder }: DevContext) => ({ entries: recorder.list() }),
})

export const RECORDING_ROUTES = [recording]
