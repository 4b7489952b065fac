import Type from 'typebox'
import { appOf } from '../../kernel/app-api/app-route.ts'
import { HashText, unknownCast } from '../../kernel/app-api/bodies.ts'
import type { StoreContext } from '../../kernel/app-api/context.ts'
import { fidOfKey, nameOfKey } from '../../kernel/app-api/keys.ts'
import { hydrate } from '../../kernel/app-api/objects/hydrate.ts'
import type { ActorsPort } from '../../kernel/app-api/ports.ts'
import { bind, json, type Route, route } from '../../kernel/http/route.ts'
import { fromHex } from '../../kernel/protocol/codec/bytes.ts'
import { READABLE } from '../languages/port.ts'
import { NAMES } from './asking.ts'
import { OF_MEMBER } from './limits.ts'
import { TranslationReply } from './schemas.ts'
import type { Translations } from './translations.ts'

// A translation of a cast for a member. Only the text leaves the server: nothing says who reads it or who wrote it.

const TAGS = [{ name: 'Translations', description: 'Of casts, by a service of the operator.' }]

type Context = StoreContext & {
  readonly platform: ActorsPort
  readonly translations: Translations
}

const translate = route('POST /v2/farcaster/cast/translation', {
  callers: 'user of an app',
  summary: 'A translation of a cast',
  description: `For the user of the bearer token, of a cast that the user may see. Its text is sent to the translator that the operator has set up, and nothing else; \`not_supported\`: there is none. ${OF_MEMBER.max} an hour for one account, besides those that others have asked for within the hour.`,
  tags: TAGS,
  body: json(
    Type.Object({
      cast_hash: HashText,
      language: Type.Enum(READABLE, { description: 'The code of the wanted one, such as `de`.' }),
    }),
  ),
  reply: TranslationReply,
  errors: [
    'unauthorized.suspended',
    'bad_request.validation_failure',
    'bad_request.too_large',
    'not_found',
    'not_supported',
    'unavailable',
    'unavailable.overloaded',
  ],
  cost: { cpu: 'moderate', rows: 5, writes: 2 },
  handler: async (context: Context, { body, request }) => {
    const { platform, translations, storage } = context
    const { fid } = await platform.actorOf(request)
    const translator = await translations.translator()
    const [key] = await storage.appViews.castKeysOfHashes([fromHex(body.cast_hash)!])
    if (!key) throw unknownCast('cast_hash')
    const viewer = { app: appOf(request), viewer: fid }
    const [found, visible] = await Promise.all([
      hydrate(context, viewer, { casts: [key] }),
      storage.appViews.shownAmong(viewer, [fidOfKey(key)]),
    ])
    const cast = found.cast(key)
    const name = nameOfKey(key)
    if (!cast) translations.forget(name)
    if (!cast || !visible.has(fidOfKey(key))) throw unknownCast('cast_hash')
    const asked = { text: cast.text, from: cast.lang, to: body.language }
    const made = await translations.of(translator, { fid, name, ...asked })
    return {
      object: 'translation' as const,
      text: made.text,
      language: body.language,
      from: cast.lang ?? made.from ?? null,
      by: NAMES[translator.kind],
    }
  },
})

export const translationRoutes = (context: Context): Route[] => bind(context, [translate])
