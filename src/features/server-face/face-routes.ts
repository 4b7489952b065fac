import { join } from 'node:path'
import Type from 'typebox'
import { LANGUAGE_CODES } from '../../kernel/base/languages/languages.ts'
import { VARY_LANGUAGE } from '../../kernel/http/files/page-language.ts'
import { BUILT_WEB, readStaticFiles } from '../../kernel/http/files/static-files.ts'
import { MUST_BE } from '../../kernel/http/input/body.ts'
import { fileUpload } from '../../kernel/http/input/file-upload.ts'
import { anyTextParam, described, optional } from '../../kernel/http/input/params.ts'
import {
  bind,
  content,
  json,
  jsonAnswer,
  type RequestInfo,
  type Route,
  route,
} from '../../kernel/http/route.ts'
import { type Faces, PICTURE_FIELDS, type PictureField } from './face.ts'
import { manifestOf } from './face-page.ts'
import {
  FACE_FIELDS,
  FACE_NAMES,
  type Face,
  type FaceField,
  rulesVersionOf,
  TRANSLATED,
  type TranslatedField,
} from './settings.ts'
import { sayToClient } from './speech.ts'
import { readingOf } from './translations.ts'

const TAGS = [{ name: 'Server', description: 'What a server says about itself.' }]
const MAX_REASON_CHARACTERS = 2_000
const MAX_ACTOR_CHARACTERS = 100
const MAX_PICTURE_BYTES = 8 * 1024 * 1024

const MANIFEST = 'manifest.webmanifest'

/** The manifest of the client as it is built, with its icons; nothing while the client is being built. */
function builtManifest(): object {
  const file = readStaticFiles(join(BUILT_WEB, 'client')).get(MANIFEST)
  return file ? JSON.parse(Buffer.from(file.bytes).toString()) : {}
}

const fieldsOf = <S extends Type.TSchema>(schema: S) =>
  Object.fromEntries(FACE_NAMES.map((name) => [name, schema])) as Record<FaceField, S>

/** The pattern is for documents and early refusals; FACE_FIELDS has the rule. */
const textOf = (name: FaceField) => {
  const { max: maxLength, pattern, what } = FACE_FIELDS[name]
  const text = Type.String({ maxLength, ...(pattern && { pattern, [MUST_BE]: what }) })
  return Type.Optional(Type.Union([text, Type.Null()]))
}

const FaceReply = Type.Object(fieldsOf(Type.String()), { $id: 'ServerFace' })
const ServerReply = Type.Object({
  ...fieldsOf(Type.String()),
  rulesVersion: Type.String({
    description:
      'The hash of the rules in the language of the server, to which members agree with `PUT /accounts/v1/consent`.',
  }),
  inLanguage: Type.String({ description: 'The code of the language of who asks.' }),
  originals: Type.Partial(
    Type.Object(
      Object.fromEntries(TRANSLATED.map((name) => [name, Type.String()])) as Record<
        TranslatedField,
        Type.TString
      >,
    ),
    {
      description:
        'The texts that are told in a translation into `inLanguage`, as they are in the language of the server. All others are in that.',
    },
  ),
})
const CACHED = { 'cache-control': 'public, max-age=60', vary: VARY_LANGUAGE }

/** What is said to who asks, in the language of the page, else of the browser. */
async function readFor(faces: Faces, request: Pick<RequestInfo, 'headers'>, named?: string) {
  const face = await faces.read()
  const say = sayToClient(request, named, face)
  return { say, reading: readingOf(face, say.language.code) }
}

const server = route('GET /v1/server', {
  callers: 'anyone',
  summary: 'What this server says about itself',
  description:
    'Name, description, picture, accent colour (one near the red of faults is shown as the nearest hue that is not), background and corners, and contact; rules and privacy in Markdown; a notice for everybody with its last day; the age in years that members say to have reached; `descriptions` is `required` where ' +
    'pictures and videos must be described; `language` is the code of the language of the server; `posts` is how posts are called here: one, many, the verb, passing one on, many of that, its past. Empty: not given.',
  tags: TAGS,
  reply: ServerReply,
  errors: [],
  cost: 'lookup',
  query: { lang: described(optional(anyTextParam), 'A language, such as `de`.') },
  handler: async (faces: Faces, { query, request }) => {
    const { reading } = await readFor(faces, request, query.lang)
    const rules = reading.originals.rules ?? reading.rules
    return jsonAnswer({ ...reading, rulesVersion: rulesVersionOf({ rules }) }, { headers: CACHED })
  },
})

const manifestRoute = (general: object) =>
  route('GET /manifest.webmanifest', {
    callers: 'anyone',
    summary: 'The manifest of the web client',
    tags: TAGS,
    reply: Type.String(),
    contentType: 'application/manifest+json',
    errors: [],
    cost: 'lookup',
    query: { lang: described(optional(anyTextParam), 'A language, such as `de`.') },
    handler: async (faces: Faces, { query, request }) => {
      const { say, reading } = await readFor(faces, request, query.lang)
      const manifest = manifestOf(reading, general, say)
      return content(JSON.stringify(manifest), 'application/manifest+json', { headers: CACHED })
    },
  })

export const faceRoutes = (faces: Faces): Route[] =>
  bind(faces, [server, manifestRoute(builtManifest())])

const TextsReply = Type.Object({
  texts: FaceReply,
  settings: Type.Object(fieldsOf(Type.String()), {
    description: 'What the settings say, which counts where nothing else was written.',
  }),
  translations: Type.Array(
    Type.Object({
      language: Type.String(),
      field: Type.Enum(TRANSLATED),
      text: Type.String(),
      isOutdated: Type.Boolean({
        description:
          'It belongs to an earlier text in the language of the server, and the present one is shown instead.',
      }),
    }),
  ),
})

async function textsOf(faces: Faces, { translations: _, ...texts }: Face) {
  const { translations: __, ...settings } = faces.settings
  return { texts, settings, translations: await faces.translations() }
}

const read = route('GET /server/texts', {
  callers: 'operator',
  summary: 'What the server says about itself, and what its settings say',
  description: 'What was written in the room of the operator counts instead of the settings.',
  tags: TAGS,
  reply: TextsReply,
  errors: [],
  cost: 'lookup',
  handler: async (faces: Faces) => textsOf(faces, await faces.read()),
})

const write = route('PUT /server/texts', {
  callers: 'operator',
  summary: 'Change what the server says about itself',
  description: `Only the fields that are given; null lets the setting count again. With \`language\` they are translations of ${TRANSLATED.join(', ')}, and null removes one. In force in every process within a second.`,
  tags: TAGS,
  body: json(
    Type.Object({
      texts: Type.Object(
        Object.fromEntries(FACE_NAMES.map((name) => [name, textOf(name)])) as Record<
          FaceField,
          ReturnType<typeof textOf>
        >,
        { additionalProperties: false },
      ),
      language: Type.Optional(
        Type.Enum(LANGUAGE_CODES, {
          description:
            'Language of the given texts, which are then stored as translations. Without it they are the texts in the language of the server.',
        }),
      ),
      reason: Type.Optional(Type.String({ minLength: 1, maxLength: MAX_REASON_CHARACTERS })),
      actor: Type.Optional(Type.String({ minLength: 1, maxLength: MAX_ACTOR_CHARACTERS })),
    }),
  ),
  reply: TextsReply,
  errors: ['bad_request.validation_failure', 'bad_request.conflict'],
  cost: 'write',
  handler: async (faces: Faces, { body: { reason = 'edited', actor = 'operator', ...body } }) =>
    textsOf(faces, await faces.change({ ...body, reason, actor })),
})

const SHAPES: Readonly<Record<PictureField, string>> = {
  picture: 'square',
  header: 'three times as wide as high',
}

const pictureRoute = (field: PictureField) =>
  route(`PUT /server/${field}`, {
    callers: 'operator',
    summary: `Change the ${field === 'header' ? 'header picture' : 'picture'} of the server`,
    description: `JPEG, PNG, WebP, AVIF or GIF up to 8 MiB, ${SHAPES[field]} at best. It is encoded again without metadata and kept while it is used.`,
    tags: TAGS,
    ...fileUpload(MAX_PICTURE_BYTES),
    reply: TextsReply,
    handler: async (faces: Faces, { body, request }) => {
      const consume = (charged: number) => request.consume(charged)
      // Of an account with a role, as its calls have it.
      const { actor = 'operator' } = body as { readonly actor?: string }
      const change = { actor, reason: 'uploaded a picture', consume }
      return textsOf(faces, await faces.changePicture(field, { ...change, bytes: await body() }))
    },
  })

export const operatorFaceRoutes = (faces: Faces): Route[] =>
  bind(faces, [read, write, ...PICTURE_FIELDS.map(pictureRoute)])
