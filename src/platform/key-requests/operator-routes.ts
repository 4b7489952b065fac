import Type from 'typebox'
import { pageReply } from '../../http/paging.ts'
import { json, type Route, route } from '../../http/route.ts'
import { CREDIT_ENTRY_JSON, CREDIT_JSON } from '../../storage/published-json.ts'
import type { PlatformContext } from '../context.ts'
import { cursor, fid, limit } from '../params.ts'
import { Fid, PageOf, Result, SingleLineText } from '../schemas.ts'
import { grantCredits, MAX_CREDITS } from './credits.ts'

const TAGS = [
  { name: 'Sponsors', description: 'The credits of those who pay for sponsored key requests.' },
]
const MAX_REASON_CHARACTERS = 200

const CreditJson = CREDIT_JSON.schema()
const Entry = CREDIT_ENTRY_JSON.schema()

/** The credits of sponsors, on the operations interface. */
export const operatorKeyRequestRoutes = (context: PlatformContext): Route[] => [
  route(
    {
      method: 'POST',
      path: '/platform/credits',
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
    },
    async ({ body }) => ({ result: { credit: await grantCredits(context, body) } }),
  ),
  route(
    {
      method: 'GET',
      path: '/platform/credits',
      summary: 'The credits of a sponsor',
      description: 'The balance, and every change of it, the newest first.',
      tags: TAGS,
      query: { fid, limit: limit({ default: 100, max: 1_000 }), cursor: cursor('n') },
      reply: PageOf(Type.Object({ credit: CreditJson, entries: Type.Array(Entry) })),
    },
    async ({ query }) => {
      const { keyRequests } = context.storage
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
  ),
]
