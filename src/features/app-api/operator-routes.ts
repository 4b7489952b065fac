import Type from 'typebox'
import type { Apps } from '../../kernel/app-api/apps.ts'
import { invalid } from '../../kernel/app-api/params.ts'
import type { Param } from '../../kernel/http/input/params.ts'
import { bind, json, type Route, route } from '../../kernel/http/route.ts'
import { fromHex, toHex } from '../../kernel/protocol/codec/bytes.ts'
import { MAX_FID } from '../../kernel/protocol/sizes.ts'
import type { AppKey, StoredApp } from '../../kernel/storage/tables/apps.ts'

const TAGS = [{ name: 'Apps', description: 'Apps of the app API, and their keys.' }]
const KEY_ID = '^0x[0-9a-f]{64}$'
const UUID = '^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
const MAX_NAME_CHARACTERS = 64
const MAX_LIMIT = 1_000_000_000

const limit = (what: string) =>
  Type.Optional(
    Type.Integer({ minimum: 1, maximum: MAX_LIMIT, description: `${what} a minute and key.` }),
  )
const LIMITS = {
  readLimit: limit('Reads'),
  writeLimit: limit('Writes'),
  searchLimit: limit('Searches'),
}
const App = {
  uuid: Type.String({ pattern: UUID }),
  name: Type.String(),
  fid: Type.Integer({ description: 'The account that the app acts for.' }),
  createdAt: Type.Integer({ description: 'Unix seconds.' }),
  ...LIMITS,
}
const Key = Type.String({ description: 'Shown once: only its hash is stored.' })
const KeyReply = Type.Object({
  id: Type.String({ pattern: KEY_ID, description: 'Names the key; it is no secret.' }),
  createdAt: Type.Integer({ description: 'Unix seconds.' }),
  revokedAt: Type.Optional(Type.Integer({ description: 'Unix seconds.' })),
})

const nameParam = (pattern: string, description: string, words: string): Param<string> => ({
  schema: { type: 'string', pattern },
  description,
  parse: (text, field) => {
    if (new RegExp(pattern).test(text)) return text
    throw invalid(field, `must be ${words}`)
  },
})
type OperatorContext = {
  readonly apps: Apps
}

/** For the operations interface: apps and their keys. */
export const operatorAppRoutes = (context: OperatorContext): Route[] =>
  bind(context, [createApp, listApps, createKey, revokeKey])

const NewApp = Type.Object(
  {
    name: Type.String({
      minLength: 1,
      maxLength: MAX_NAME_CHARACTERS,
      pattern: '^[^\\u0000-\\u001f\\u007f]*$',
    }),
    fid: Type.Integer({ minimum: 1, maximum: MAX_FID }),
    ...LIMITS,
  },
  { additionalProperties: false },
)

const createApp = route('POST /app/apps', {
  callers: 'operator',
  tags: TAGS,
  summary: 'Create an app with its first key',
  description: 'The key is shown once. Signers, mutes, bans and webhooks belong to the app.',
  body: json(NewApp),
  reply: Type.Object({ ...App, key: Key }),
  errors: ['bad_request.validation_failure', 'bad_request.conflict'],
  cost: 'write',
  handler: async ({ apps }: OperatorContext, { body }) => {
    const { app, key } = await apps.create(body)
    return { ...appJson(app), key }
  },
})

const listApps = route('GET /app/apps', {
  callers: 'operator',
  tags: TAGS,
  summary: 'The apps and the ids of their keys',
  description: 'In the order of their creation, revoked keys included.',
  reply: Type.Object({
    apps: Type.Array(Type.Object({ ...App, keys: Type.Array(KeyReply) })),
  }),
  errors: [],
  cost: 'lookup',
  handler: async ({ apps }: OperatorContext) => ({
    apps: (await apps.list()).map(({ app, keys }) => ({
      ...appJson(app),
      keys: keys.map(keyJson),
    })),
  }),
})

const createKey = route('POST /app/apps/:uuid/keys', {
  callers: 'operator',
  tags: TAGS,
  summary: 'Create another key of an app',
  description: 'The key is shown once. The other keys of the app stay in force.',
  params: { uuid: nameParam(UUID, 'The app.', 'the uuid of an app') },
  reply: Type.Object({ key: Key }),
  errors: ['not_found'],
  cost: 'write',
  handler: async ({ apps }: OperatorContext, { params: { uuid } }) => ({
    key: await apps.addKey(uuid),
  }),
})

const revokeKey = route('DELETE /app/keys/:id', {
  callers: 'operator',
  tags: TAGS,
  summary: 'Revoke a key',
  description: 'Within a second no process accepts it. What belongs to the app stays.',
  params: { id: nameParam(KEY_ID, 'The id of the key.', '0x and 64 hex digits') },
  reply: Type.Object({ revoked: Type.String() }),
  errors: ['not_found'],
  cost: 'write',
  handler: async ({ apps }: OperatorContext, { params: { id } }) => {
    await apps.revoke(fromHex(id)!)
    return { revoked: id }
  },
})

const appJson = (app: StoredApp) => ({
  uuid: app.uuid,
  name: app.name,
  fid: app.fid,
  createdAt: app.created_at,
  ...(app.read_limit !== null && { readLimit: app.read_limit }),
  ...(app.write_limit !== null && { writeLimit: app.write_limit }),
  ...(app.search_limit !== null && { searchLimit: app.search_limit }),
})

const keyJson = ({ hash, created_at, revoked_at }: AppKey) => ({
  id: toHex(hash),
  createdAt: created_at,
  ...(revoked_at !== null && { revokedAt: revoked_at }),
})
