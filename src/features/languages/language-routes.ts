import Type from 'typebox'
import type { StoreContext } from '../../kernel/app-api/context.ts'
import type { ActorsPort } from '../../kernel/app-api/ports.ts'
import { LANGUAGE_CODES, type Language, languageOf } from '../../kernel/base/languages/languages.ts'
import { languageFor } from '../../kernel/http/language.ts'
import { bind, json, type Route, route } from '../../kernel/http/route.ts'
import type { RejectionCode } from '../../kernel/protocol/rejection.ts'
import type { Reader } from '../../kernel/storage/storage.ts'
import { READABLE } from './readable.ts'
import { OwnLanguageReply } from './schemas.ts'
import { type AccountLanguage, accountLanguageRows } from './tables/account-languages.ts'
import { readingLanguageRows } from './tables/reading-languages.ts'

// The language of a member, which follows the account to each device.

const TAGS = [{ name: 'Languages', description: 'In which members read the pages, and posts.' }]
const PATH = '/v2/farcaster/language/own'

type Context = Pick<StoreContext, 'storage' | 'nowMs'> & {
  readonly platform: ActorsPort
  readonly ofServer: () => Promise<Language>
}

const errors: readonly RejectionCode[] = [
  'unauthorized.suspended',
  'bad_request.validation_failure',
]

async function answerTo({ of }: Pick<Reader, 'of'>, fid: number) {
  const row = await of(accountLanguageRows).find(fid)
  return {
    object: 'language' as const,
    language: row?.is_chosen ? row.language : null,
    written: row?.language ?? null,
    reads: await of(readingLanguageRows).of(fid),
  }
}

const read = route(`GET ${PATH}`, {
  callers: 'user of an app',
  summary: 'The language of the user',
  description: 'The user is that of the bearer token.',
  tags: TAGS,
  reply: OwnLanguageReply,
  errors,
  cost: { cpu: 'small', rows: 2 },
  handler: async ({ storage, platform }: Context, { request }) => {
    const { fid } = await platform.actorOf(request)
    return answerTo(storage, fid)
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
    return answerTo(storage, fid)
  },
})

/** Twice what all languages take. */
const MAX_READING_BYTES = 1_024

const writeReads = route('PUT /v2/farcaster/language/reading', {
  callers: 'user of an app',
  summary: 'Choose the languages in which the user reads posts',
  description:
    'For the user of the bearer token, on every device. Clients fold posts of strangers in other languages (`lang` of casts) in lists for everybody, and offer to translate them; none are left out of any answer. Nobody else learns of it.',
  tags: TAGS,
  body: json(
    Type.Object({
      languages: Type.Array(Type.Enum(READABLE), {
        maxItems: READABLE.length,
        uniqueItems: true,
        description: 'Codes, such as `de`; empty: all languages.',
      }),
    }),
    { maxBytes: MAX_READING_BYTES },
  ),
  reply: OwnLanguageReply,
  errors,
  cost: { cpu: 'small', rows: 2, writes: 1 },
  handler: async ({ storage, platform, nowMs }: Context, { body: { languages }, request }) => {
    const { fid } = await platform.actorOf(request)
    await storage.write(`fid/${fid}`, (tx) => {
      const rows = tx.of(readingLanguageRows)
      const changed_at = Math.floor(nowMs() / 1_000)
      return languages.length === 0
        ? rows.remove(fid)
        : rows.put({ fid, languages: languages.join(','), changed_at })
    })
    return answerTo(storage, fid)
  },
})

export const languageRoutes = (context: Context): Route[] =>
  bind(context, [read, write, writeReads])
