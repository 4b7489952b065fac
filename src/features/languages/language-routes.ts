import Type from 'typebox'
import type { StoreContext } from '../../kernel/app-api/context.ts'
import type { ActorsPort } from '../../kernel/app-api/ports.ts'
import { LANGUAGE_CODES, type Language, languageOf } from '../../kernel/base/languages/languages.ts'
import { languageFor } from '../../kernel/http/language.ts'
import { bind, json, type Route, route } from '../../kernel/http/route.ts'
import type { RejectionCode } from '../../kernel/protocol/rejection.ts'
import { OwnLanguageReply } from './schemas.ts'
import { type AccountLanguage, accountLanguageRows } from './tables/account-languages.ts'

// The language of a member, which follows the account to each device.

const TAGS = [{ name: 'Languages', description: 'In which members read the pages.' }]
const PATH = '/v2/farcaster/language/own'

type Context = Pick<StoreContext, 'storage' | 'nowMs'> & {
  readonly platform: ActorsPort
  readonly ofServer: () => Promise<Language>
}

const errors: readonly RejectionCode[] = [
  'unauthorized.suspended',
  'bad_request.validation_failure',
]

const answerOf = (row: AccountLanguage | undefined) => ({
  object: 'language' as const,
  language: row?.is_chosen ? row.language : null,
  written: row?.language ?? null,
})

const read = route(`GET ${PATH}`, {
  callers: 'user of an app',
  summary: 'The language of the user',
  description: 'The user is that of the bearer token.',
  tags: TAGS,
  reply: OwnLanguageReply,
  errors,
  cost: { cpu: 'small', rows: 1 },
  handler: async ({ storage, platform }: Context, { request }) => {
    const { fid } = await platform.actorOf(request)
    return answerOf(await storage.of(accountLanguageRows).find(fid))
  },
})

const write = route(`PUT ${PATH}`, {
  callers: 'user of an app',
  summary: 'Choose the language of the user',
  description:
    'For the user of the bearer token, on every device, and in what the server writes to the user. null: as each browser says; the server then writes in the language that this request asks for (`Accept-Language`).',
  tags: TAGS,
  body: json(
    Type.Object({
      language: Type.Union([Type.Enum(LANGUAGE_CODES), Type.Null()], {
        description: 'A code, such as `de`.',
      }),
    }),
  ),
  reply: OwnLanguageReply,
  errors,
  cost: { cpu: 'small', writes: 1 },
  handler: async ({ storage, platform, nowMs, ofServer }: Context, { body, request }) => {
    const { fid } = await platform.actorOf(request)
    const chosen = languageOf(body.language ?? undefined)
    const asked = { 'accept-language': request.headers['accept-language'] }
    const { code } = chosen ?? languageFor(asked, undefined, await ofServer())
    const row: AccountLanguage = {
      ...{ fid, language: code, is_chosen: chosen ? 1 : 0 },
      changed_at: Math.floor(nowMs() / 1_000),
    }
    await storage.write(`fid/${fid}`, (tx) => tx.of(accountLanguageRows).put(row))
    return answerOf(row)
  },
})

export const languageRoutes = (context: Context): Route[] => bind(context, [read, write])
