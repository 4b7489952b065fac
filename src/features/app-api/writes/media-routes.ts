import Type from 'typebox'
import { appOf } from '../../../kernel/app-api/app-route.ts'
import { invalidField, SignerUuid } from '../../../kernel/app-api/bodies.ts'
import { boundedParam } from '../../../kernel/app-api/params.ts'
import { fileUpload } from '../../../kernel/http/input/file-upload.ts'
import { anyTextParam, described, optional, textParam } from '../../../kernel/http/input/params.ts'
import { bind, json, type RequestInfo, type Route, route } from '../../../kernel/http/route.ts'
import type { RejectionCode } from '../../../kernel/protocol/rejection.ts'
import type { UploadedMedia } from '../ports.ts'
import type { MediaContext } from './context.ts'

const TAGS = [{ name: 'Pictures', description: 'Pictures and videos of users.' }]
const MAX_ALT_CHARACTERS = 1_000
/** The bytes of the longest text in UTF-8. */
const MAX_ALT_BYTES = 4 * MAX_ALT_CHARACTERS
const MAX_SIGNER_CHARACTERS = 64

const MediaReply = Type.Object({
  url: Type.String({ description: 'For an embed, a profile or a channel.' }),
  small_url: Type.Optional(
    Type.String({
      description:
        'The small size of the picture, at most 480 pixels wide; of a video, of its poster.',
    }),
  ),
  content_type: Type.String(),
  bytes: Type.Integer({ description: 'That count against the room of the user.' }),
  width_px: Type.Integer(),
  height_px: Type.Integer(),
  duration_s: Type.Optional(Type.Number({ description: 'Of a video that says it.' })),
  alt_text: Type.String(),
  sensitive: Type.Boolean({ description: 'Whether clients show it only to those who ask for it.' }),
  warnings: Type.Array(Type.String(), {
    description: 'What the uploader should know, such as that a video may not play everywhere.',
  }),
})

const replyOf = (uploaded: UploadedMedia) => {
  const { url, smallUrl, type, bytes, width, height, durationMs, alt, sensitive, warnings } =
    uploaded
  return {
    url,
    ...(smallUrl && { small_url: smallUrl }),
    ...{ content_type: type, bytes, width_px: width, height_px: height },
    ...(durationMs > 0 && { duration_s: durationMs / 1_000 }),
    alt_text: alt,
    sensitive,
    warnings: [...warnings],
  }
}

const ERRORS: readonly RejectionCode[] = [
  'unauthorized',
  'unreadable_secret',
  'unauthorized.suspended',
  'not_found',
]

/** Uploads by apps, in the name of the users of their signers. */
export const mediaRoutes = (context: MediaContext): Route[] =>
  bind(context, [
    uploadRoute(context.media.maxBytes),
    posterRoute(context.media.maxPictureBytes),
    describeRoute,
  ])

/** Who uploads by a signer, and pays for the work. */
async function uploaderOf(
  { signers, platform }: MediaContext,
  signer: string,
  request: RequestInfo,
) {
  const { fid } = await signers.writingKey(appOf(request), signer)
  await platform.checkMayAct(fid)
  request.chargeTo(`fid:${fid}`)
  return { fid, consume: (spent: number) => request.consume(spent) }
}

const signerUuid = boundedParam(MAX_SIGNER_CHARACTERS, 'A signer of this app that was approved.')

const uploadRoute = (maxBytes: number) =>
  route('POST /v2/farcaster/media', {
    callers: 'app',
    summary: 'Upload a picture or a video',
    description:
      'JPEG, PNG, WebP, AVIF and GIF up to 12 MiB; MP4 and WebM up to a size that the operator sets. Pictures are turned ' +
      'upright, decoded and encoded again in two sizes; nothing else of the file is kept. What no cast, profile or channel ' +
      'uses is removed after a day.',
    tags: TAGS,
    query: {
      signer_uuid: signerUuid,
      alt_text: described(
        optional(textParam({ maxBytes: MAX_ALT_BYTES })),
        'What is to be seen, for those who cannot see it.',
      ),
    },
    ...fileUpload(maxBytes, ERRORS),
    reply: MediaReply,
    handler: async (context: MediaContext, { query, body, request }) => {
      const uploader = await uploaderOf(context, query.signerUuid, request)
      const { altText: alt = '' } = query
      return replyOf(await context.media.upload({ ...uploader, bytes: await body(), alt }))
    },
  })

const posterRoute = (maxBytes: number) =>
  route('PUT /v2/farcaster/media/poster', {
    callers: 'app',
    summary: 'Set the picture that stands for a video until it is played',
    description:
      'For a video that only this user has uploaded and that has none yet; otherwise nothing changes. The server decodes no ' +
      'videos, so the app that uploads one draws the picture.',
    tags: TAGS,
    query: { signer_uuid: signerUuid, url: described(anyTextParam, 'The address of the video.') },
    ...fileUpload(maxBytes, ERRORS),
    reply: MediaReply,
    handler: async (context: MediaContext, { query, body, request }) => {
      const uploader = await uploaderOf(context, query.signerUuid, request)
      const { url } = query
      return replyOf(await context.media.uploadPoster({ ...uploader, url, bytes: await body() }))
    },
  })

const describeRoute = route('PATCH /v2/farcaster/media', {
  callers: 'app',
  summary: 'Describe a picture or a video',
  description:
    'For a file that the same user has uploaded. What is left out stays as it is. Clients show a sensitive file only to ' +
    'those who ask for it. Where `descriptions` of `/v1/server` is `required`, `alt_text` cannot be emptied.',
  tags: TAGS,
  body: json(
    Type.Object({
      signer_uuid: SignerUuid,
      url: Type.String({ maxLength: 512 }),
      alt_text: Type.Optional(Type.String({ maxLength: MAX_ALT_CHARACTERS })),
      sensitive: Type.Optional(Type.Boolean()),
    }),
  ),
  reply: MediaReply,
  cost: { cpu: 'small', writes: 1 },
  errors: ['bad_request.validation_failure', ...ERRORS],
  handler: async (context: MediaContext, { body, request }) => {
    const { signers, platform, media, asksForDescriptions } = context
    const { fid } = await signers.writingKey(appOf(request), body.signer_uuid)
    await platform.checkMayAct(fid)
    const { url, alt_text: alt, sensitive } = body
    if (alt?.trim() === '' && (await asksForDescriptions())) {
      throw invalidField('alt_text', 'is empty, but this server asks for a description')
    }
    return replyOf(await media.describe(fid, url, { alt, sensitive }))
  },
})
