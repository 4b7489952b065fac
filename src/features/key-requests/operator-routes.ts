import Type from 'typebox'
import { pageReply } from '../../kernel/http/input/paging.ts'
import { described, wordParam } from '../../kernel/http/input/params.ts'
import { json, type Route, route } from '../../kernel/http/route.ts'
import { cursor, fid, limit } from '../../kernel/platform/params.ts'
import { Fid, PageOf, Result, SingleLineText } from '../../kernel/platform/schemas.ts'
import { grantCredits, MAX_CREDITS } from './credits.ts'
import type { Needs } from './needs.ts'
import { KEY_REQUEST_STATES, keyRequestRows, type StoredKeyRequest } from './tables/key-requests.ts'
import { CREDIT_ENTRY_JSON, CREDIT_JSON } from './tables/published-json.ts'

const TAGS = [
  { name: 'Sponsors', description: 'The credits of those who pay for sponsored key requests.' },
]
const MAX_REASON_CHARACTERS = 200

const CreditJson = CREDIT_JSON.schema()
const Entry = CREDIT_ENTRY_JSON.schema()

const REQUESTS = [{ name: 'Key requests', description: 'What apps ask users for.' }]

/** Without token and signature, which are the app's. */
const KeyRequestJson = Type.Object({
  key: Type.String(),
  state: Type.String(),
  requestFid: Type.Integer({ description: 'The app.' }),
  userFid: Type.Optional(Type.Integer({ description: 'Who approved it.' })),
  isSponsored: Type.Boolean(),
  reason: Type.Optional(Type.String({ description: 'Why it failed.' })),
  createdAt: Type.Integer({ description: 'Unix seconds.' }),
  deadline: Type.Integer({ description: 'Unix seconds.' }),
})

const listKeyRequests = route('GET /platform/key-requests', {
  callers: 'operator',
  summary: 'Key requests in one state',
  description: 'Some of them when there are more than `limit`; the metrics count them all.',
  tags: REQUESTS,
  query: {
    state: described(wordParam(KEY_REQUEST_STATES), 'Which requests.'),
    limit: limit({ default: 100, max: 1_000 }),
  },
  reply: Type.Object({ requests: Type.Array(KeyRequestJson) }),
  errors: [],
  cost: 'list',
  handler: async ({ context }: Needs, { query: { state, limit } }) => {
    const rows = await context.storage.of(keyRequestRows).inState(state, undefined, limit)
    const newestFirst = rows.sort((a, b) => b.created_at - a.created_at)
    return { requests: newestFirst.map(keyRequestJson) }
  },
})

const grant = route('POST /platform/credits', {
  callers: 'operator',
  summary: 'Grant credits to a sponsor, or remove some with a negative amount',
  description: 'A sponsored request costs 100 credits once its key is there.',
  tags: TAGS,
  body: json(
    Type.Object({
      fid: Fid,
      amount: Type.Integer({ minimum: -MAX_CREDITS, maximum: MAX_CREDITS }),
      reason: SingleLineText({ minLength: 1, maxLength: MAX_REASON_CHARACTERS }),
    }),
  ),
  reply: Result(Type.Object({ credit: CreditJson })),
  errors: ['not_found', 'bad_request.validation_failure'],
  cost: 'write',
  handler: async ({ context }: Needs, { body }) => ({
    result: { credit: await grantCredits(context, body) },
  }),
})

const credits = route('GET /platform/credits', {
  callers: 'operator',
  summary: 'The credits of a sponsor',
  description: 'The balance, and every change of it, the newest first.',
  tags: TAGS,
  query: { fid, limit: limit({ default: 100, max: 1_000 }), cursor: cursor('n') },
  reply: PageOf(Type.Object({ credit: CreditJson, entries: Type.Array(Entry) })),
  errors: [],
  cost: 'list',
  handler: async ({ context }: Needs, { query }) => {
    const keyRequests = context.storage.of(keyRequestRows)
    const credit = (await keyRequests.credit(query.fid)) ?? {
      fid: query.fid,
      balance: 0,
      reserved: 0,
    }
    const before = query.cursor && Number(query.cursor[0])
    const rows = await keyRequests.creditEntries(query.fid, before, query.limit + 1)
    return pageReply(
      rows,
      query.limit,
      ({ number }) => [number],
      (entries) => ({
        credit,
        entries: entries.map(CREDIT_ENTRY_JSON.of),
      }),
    )
  },
})

/** Key requests and the credits of sponsors, on the operations interface. */
export const operatorKeyRequestRoutes: readonly Route<Needs>[] = [listKeyRequests, grant, credits]

const keyRequestJson = (request: StoredKeyRequest) => ({
  key: request.key_text,
  state: request.state,
  requestFid: request.request_fid,
  ...(request.user_fid !== null && { userFid: request.user_fid }),
  isSponsored: request.sponsor_fid !== null,
  ...(request.reason !== null && { reason: request.reason }),
  createdAt: request.created_at,
  deadline: request.deadline,
})
