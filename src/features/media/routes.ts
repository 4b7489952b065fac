import Type from 'typebox'
import { fileUpload } from '../../kernel/http/input/file-upload.ts'
import { anyTextParam, described, optional, textParam } from '../../kernel/http/input/params.ts'
import { PartedBody } from '../../kernel/http/parted-body.ts'
import {
  type Answer,
  bind,
  content,
  json,
  type RequestInfo,
  type Route,
  route,
} from '../../kernel/http/route.ts'

import { Rejection } from '../../kernel/protocol/rejection.ts'
import { MAX_ALT_CHARACTERS, type Media, type PublishedFile, type Uploaded } from './media.ts'

export type MediaContext = {
  readonly media: Media
  /** The fid that signed a request's bearer token; throws a Rejection for a suspended one. */
  readonly actorOf: (request: RequestInfo) => Promise<{ readonly fid: number }>
  /** Whether the operator asks that every picture and video is described. */
  readonly asksForDescriptions: () => Promise<boolean>
}

const TAGS = [{ name: 'Pictures', description: 'Pictures and videos of users.' }]
/** Bytes of an answer to a request for a part of a file; players ask for the next. */
const MAX_RANGE_BYTES = 2 * 1024 * 1024

/** Opened as a document, a file loads and runs nothing. Everybody may show it in a page of theirs. */
const FILE_HEADERS = {
  'cache-control': 'public, max-age=31536000, immutable',
  'content-security-policy': "default-src 'none'; sandbox",
  'cross-origin-resource-policy': 'cross-origin',
  'x-content-type-options': 'nosniff',
  'accept-ranges': 'bytes',
  'content-disposition': 'inline',
}

/** A file, for everybody. */
const file = route('GET /media/:name', {
  callers: 'anyone',
  summary: 'A picture or a video',
  description:
    'Its address is made of its content and never changes. Ranges of bytes may be asked for.',
  params: { name: described(anyTextParam, 'As it is in the answer to the upload.') },
  reply: Type.String(),
  contentType: 'image/jpeg',
  errors: ['not_found', 'unavailable'],
  tags: TAGS,
  cost: 'lookup',
  handler: async ({ media }: MediaContext, { params: { name }, request }) => {
    request.checkUnread()
    const found = await media.find(name)
    if (!found) throw new Rejection('not_found', `there is no file ${name}`)
    const headers = { ...FILE_HEADERS, etag: `"${name}"` }
    const isRange =
      request.headers['if-range'] === undefined || request.headers['if-range'] === headers.etag
    const range = isRange ? rangeOf(request.headers.range, found.length) : undefined
    if (range) return rangeAnswer(media, found, range, headers)
    return content(bodyOf(media, found, 0, found.length), found.type, { headers })
  },
})

const bodyOf = (media: Media, found: PublishedFile, from: number, to: number) =>
  new PartedBody(to - from, () => media.read(found, from, to))

/** Of a file; `to` is not included. Nothing is between them when the file has none of the bytes that were asked for. */
type Range = { readonly from: number; readonly to: number }

/** One range of bytes, or the last ones; others are answered with the whole file, as HTTP allows. */
function rangeOf(header: string | undefined, length: number): Range | undefined {
  const [, first = '', last = ''] = /^bytes=(\d{0,12})-(\d{0,12})$/.exec(header ?? '') ?? []
  if (first === '' && last === '') return undefined
  if (first === '') return { from: Math.max(0, length - Number(last)), to: length }
  if (last === '') return { from: Number(first), to: length }
  if (Number(last) < Number(first)) return undefined
  return { from: Number(first), to: Math.min(length, Number(last) + 1) }
}

function rangeAnswer(
  media: Media,
  found: PublishedFile,
  { from, to }: Range,
  headers: Readonly<Record<string, string>>,
): Answer {
  const { length } = found
  if (from >= to) {
    return content('', found.type, {
      status: 416,
      headers: { ...headers, 'content-range': `bytes */${length}` },
    })
  }
  const end = Math.min(to, from + MAX_RANGE_BYTES)
  return content(bodyOf(media, found, from, end), found.type, {
    status: 206,
    headers: { ...headers, 'content-range': `bytes ${from}-${end - 1}/${length}` },
  })
}

const MediaReply = Type.Object({
  url: Type.String({ description: 'For an embed, a profile or a channel.' }),
  smallUrl: Type.Optional(
    Type.String({
      description:
        'The small size of the picture, at most 480 pixels wide; of a video, of its poster.',
    }),
  ),
  contentType: Type.String(),
  bytes: Type.Integer({ description: 'That count against the room of the account.' }),
  width: Type.Integer(),
  height: Type.Integer(),
  durationSeconds: Type.Optional(Type.Number({ description: 'Of a video that says it.' })),
  altText: Type.String(),
  sensitive: Type.Boolean({ description: 'Whether clients show it only to those who ask for it.' }),
  warnings: Type.Array(Type.String(), {
    description: 'What the uploader should know, such as that a video may not play everywhere.',
  }),
})

const resultOf = (uploaded: Uploaded) => {
  const { url, smallUrl, type, bytes, width, height, durationMs, alt, sensitive, warnings } =
    uploaded
  return {
    result: {
      url,
      ...(smallUrl && { smallUrl }),
      contentType: type,
      ...{ bytes, width, height },
      ...(durationMs > 0 && { durationSeconds: durationMs / 1_000 }),
      altText: alt,
      sensitive,
      warnings: [...warnings],
    },
  }
}

const upload = (maxBytes: number) =>
  route('POST /v1/media', {
    callers: 'user',
    summary: 'Upload a picture or a video',
    description:
      'JPEG, PNG, WebP, AVIF and GIF up to 12 MiB; MP4 and WebM up to a size that the operator sets. Pictures are turned upright, ' +
      'decoded and encoded again in two sizes; nothing else of the file is kept. What no cast, profile or channel uses is removed after a day.',
    tags: TAGS,
    query: {
      altText: described(
        optional(textParam({ maxBytes: 4 * MAX_ALT_CHARACTERS })),
        'What is to be seen, for those who cannot see it.',
      ),
    },
    ...fileUpload(maxBytes, ['unauthorized.suspended']),
    reply: Type.Object({ result: MediaReply }),
    handler: async (
      { media, actorOf }: MediaContext,
      { body, query: { altText = '' }, request },
    ) => {
      const { fid } = await actorOf(request)
      const consume = (bytes: number) => request.consume(bytes)
      return resultOf(await media.upload({ fid, bytes: await body(), alt: altText, consume }))
    },
  })

const describe = route('PATCH /v1/media', {
  callers: 'user',
  summary: 'Describe a picture or a video',
  description:
    'For a file that the same account has uploaded. What is left out stays as it is. Clients show a sensitive file only to ' +
    'those who ask for it. Where `descriptions` of `/v1/server` is `required`, `altText` cannot be emptied.',
  tags: TAGS,
  body: json(
    Type.Object({
      url: Type.String({ maxLength: 512 }),
      altText: Type.Optional(Type.String({ maxLength: MAX_ALT_CHARACTERS })),
      sensitive: Type.Optional(Type.Boolean()),
    }),
  ),
  reply: Type.Object({ result: MediaReply }),
  errors: ['unauthorized.suspended', 'bad_request.validation_failure', 'not_found'],
  cost: 'write',
  handler: async (
    { media, actorOf, asksForDescriptions }: MediaContext,
    { body: { url, altText: alt, sensitive }, request },
  ) => {
    const { fid } = await actorOf(request)
    if (alt?.trim() === '' && (await asksForDescriptions())) {
      const text = 'altText is empty, but this server asks for a description'
      throw new Rejection('bad_request.validation_failure', text, { field: 'altText' })
    }
    return resultOf(await media.describe(fid, url, { alt, sensitive }))
  },
})

const poster = (maxBytes: number) =>
  route('PUT /v1/media/poster', {
    callers: 'user',
    summary: 'Set the picture that stands for a video until it is played',
    description:
      'For a video that only this account has uploaded and that has none yet; otherwise nothing changes. The server decodes no ' +
      'videos, so the browser or app that uploads one draws the picture.',
    tags: TAGS,
    query: { url: described(anyTextParam, 'The address of the video.') },
    ...fileUpload(maxBytes, ['unauthorized.suspended', 'not_found']),
    reply: Type.Object({ result: MediaReply }),
    handler: async ({ media, actorOf }: MediaContext, { body, query: { url }, request }) => {
      const { fid } = await actorOf(request)
      const consume = (bytes: number) => request.consume(bytes)
      return resultOf(await media.uploadPoster({ fid, url, bytes: await body(), consume }))
    },
  })

export const fileRoutes = (context: MediaContext): Route[] => bind(context, [file])

/** For clients whose requests are signed by a key of the fid. */
export const uploadRoutes = (context: MediaContext): Route[] =>
  bind(context, [upload(context.media.maxBytes), describe, poster(context.media.maxPictureBytes)])
