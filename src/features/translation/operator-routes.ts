import Type from 'typebox'
import type { Secrets } from '../../kernel/app-api/secrets.ts'
import { checkUrl } from '../../kernel/http/outgoing.ts'
import { bind, json, type Route, route } from '../../kernel/http/route.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import type { Storage } from '../../kernel/storage/storage.ts'
import { moderationLogRows } from '../moderation-records/port.ts'
import { FIELD, NAMES, type Place, rulesOf, TranslatorFault, targetOf } from './asking.ts'
import { MAX_MONTHLY, MIN_MONTHLY, USUAL_MONTHLY } from './limits.ts'
import { TRANSLATOR_OWNER } from './sealed-translator.ts'
import { TRANSLATOR_KINDS, type Translator, translatorRows } from './tables/translators.ts'
import type { Translations, TranslationsContext } from './translations.ts'

// The translator of the server, for who has the token of the operator: it may be in the network of the server, to which no account with
// a role has a way.

type Context = Pick<TranslationsContext, 'rules'> & {
  readonly storage: Storage
  readonly secrets: Secrets
  readonly translations: Translations
  /** Unix seconds. */
  readonly now: () => number
}

const TAGS = [{ name: 'Server', description: 'The program, its settings and its jobs.' }]
const MAX_KEY_CHARACTERS = 200
const MAX_ADDRESS_CHARACTERS = 200
const LOGGED_NAME = 'translator'
/** What is translated to see whether it works. */
const TRIAL = { text: 'Good morning', from: 'en', to: 'es' } as const

const TranslatorReply = Type.Object(
  {
    kind: Type.Union([Type.Enum(TRANSLATOR_KINDS), Type.Null()], {
      description: 'Null: there is none.',
    }),
    address: Type.Union([Type.String(), Type.Null()]),
    ownNetwork: Type.Boolean({ description: 'Whether it is in the network of the server.' }),
    hasKey: Type.Boolean({ description: 'The key itself is never shown.' }),
    monthly: Type.Integer({ description: 'Characters that may be sent in 30 days.' }),
    used: Type.Integer({ description: 'Those that were sent in the present 30 days.' }),
    changedAt: Type.Union([Type.Integer(), Type.Null()], { description: 'Unix seconds.' }),
    changedBy: Type.Union([Type.String(), Type.Null()]),
  },
  { $id: 'Translator' },
)

async function shown({ storage, translations }: Context) {
  const row = await storage.of(translatorRows).get()
  return {
    kind: row?.kind ?? null,
    address: row?.address ?? null,
    ownNetwork: row?.own_network === 1,
    hasKey: row !== undefined && row.secret.length > 0,
    monthly: row?.monthly ?? USUAL_MONTHLY,
    used: await translations.used(),
    changedAt: row?.changed_at ?? null,
    changedBy: row?.changed_by ?? null,
  }
}

const read = route('GET /server/translator', {
  callers: 'operator',
  summary: 'The service that translates casts for members',
  description: 'Null: there is none. Its key is never shown.',
  tags: TAGS,
  reply: TranslatorReply,
  errors: [],
  cost: 'lookup',
  handler: shown,
})

const BY = {
  reason: Type.Optional(Type.String({ minLength: 1, maxLength: 2_000 })),
  actor: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
}

/** The same translator, for which the key counts that is stored. */
const isSame = (row: Translator | undefined, { kind, address }: Pick<Place, 'kind' | 'address'>) =>
  row !== undefined && row.kind === kind && new URL(row.address).origin === new URL(address).origin

const write = route('PUT /server/translator', {
  callers: 'operator',
  summary: 'Set up the service that translates casts for members',
  description:
    'In force at once in every process. Two words are translated first: an address or a key that does not work is refused. Without `key` that of the same server stays. It is kept sealed, and never shown or logged.',
  tags: TAGS,
  body: json(
    Type.Object({
      kind: Type.Enum(TRANSLATOR_KINDS, { description: 'Its interface.' }),
      address: Type.String({
        maxLength: MAX_ADDRESS_CHARACTERS,
        description: 'What its paths begin with, such as https://api-free.deepl.com.',
      }),
      ownNetwork: Type.Optional(
        Type.Boolean({
          description:
            'It is in the network of the server: http, any port and private addresses are allowed. Else it must be a public https address.',
        }),
      ),
      key: Type.Optional(
        Type.String({
          maxLength: MAX_KEY_CHARACTERS,
          pattern: '^[\\x21-\\x7e]*$',
          description: 'Empty: it needs none.',
        }),
      ),
      monthly: Type.Optional(Type.Integer({ minimum: MIN_MONTHLY, maximum: MAX_MONTHLY })),
      ...BY,
    }),
  ),
  reply: TranslatorReply,
  errors: ['bad_request.validation_failure'],
  cost: 'write',
  handler: async (context: Context, { body }) => {
    const { storage, secrets, translations, rules, now } = context
    const { kind, actor = 'operator', reason } = body
    const before = await storage.of(translatorRows).get()
    const place = { kind, address: addressOf(body.address), own_network: body.ownNetwork ? 1 : 0 }
    checkUrl(targetOf(place), rulesOf(place as Place, rules))
    const key = body.key ?? (isSame(before, place) ? translations.keyOf(before!) : '')
    if (kind === 'deepl' && key === '') {
      throw new Rejection('bad_request.validation_failure', 'DeepL needs a key', { field: 'key' })
    }
    await tryOut(translations, { ...place, key } as Place)
    const secret =
      key === '' ? new Uint8Array(0) : await secrets.seal(Buffer.from(key), TRANSLATOR_OWNER)
    const at = now()
    const monthly = body.monthly ?? before?.monthly ?? USUAL_MONTHLY
    await storage.write('hub', async (tx) => {
      const row = { ...place, secret, monthly, changed_at: at, changed_by: actor }
      await tx.of(translatorRows).put(row as Omit<Translator, 'name'>)
      const what = `${NAMES[kind]} at ${place.address}, ${monthly} characters in 30 days`
      await log(tx, { at, actor, what, reason })
    })
    translations.changed()
    return shown(context)
  },
})

/** The address as a parser writes it, without what is no part of one. */
function addressOf(text: string): string {
  const url = URL.parse(text.trim())
  if (!url || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '') {
    const why = 'address must be an http or https address, such as https://api-free.deepl.com'
    throw new Rejection('bad_request.validation_failure', why, { field: FIELD })
  }
  return url.href.replace(/\/$/, '')
}

/** Translates two words when the settings are saved, so that the operator is told at once what is wrong. */
async function tryOut(translations: Translations, place: Place): Promise<void> {
  try {
    await translations.ask(place, TRIAL)
  } catch (error) {
    if (!(error instanceof TranslatorFault)) throw error
    throw new Rejection('bad_request.validation_failure', error.message, { field: FIELD })
  }
}

const remove = route('DELETE /server/translator', {
  callers: 'operator',
  summary: 'Have nothing translated any more',
  description: 'Its key is removed. Members are offered their own translators.',
  tags: TAGS,
  body: json(Type.Object(BY)),
  reply: TranslatorReply,
  errors: [],
  cost: 'write',
  handler: async (context: Context, { body }) => {
    const { actor = 'operator', reason } = body as { actor?: string; reason?: string }
    await context.storage.write('hub', async (tx) => {
      await tx.of(translatorRows).remove()
      await log(tx, { at: context.now(), actor, what: 'none', reason })
    })
    context.translations.changed()
    return shown(context)
  },
})

type Entry = {
  readonly at: number
  readonly actor: string
  readonly what: string
  readonly reason: string | undefined
}

async function log(
  tx: Parameters<Parameters<Storage['write']>[1]>[0],
  { at, actor, what, reason }: Entry,
): Promise<void> {
  const entry = { at, actor, fid: null, cast_hash: null, name: LOGGED_NAME, action: 'set' } as const
  await tx
    .of(moderationLogRows)
    .add({ ...entry, reason: reason === undefined ? what : `${what}: ${reason}` })
}

export const operatorTranslationRoutes = (context: Context): Route[] =>
  bind(context, [read, write, remove])
