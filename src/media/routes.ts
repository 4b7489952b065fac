import Type from 'typebox'
import { fileUpload } from '../http/input/file-upload.ts'
import { anyTextParam, described, optional, textParam } from '../http/input/params.ts'
import { type Answer, content, json, type RequestInfo, type Route } from '../http/route.ts'
import { routesFor } from '../http/route-for.ts'
import { Rejection } from '../protocol/rejection.ts'
import { MAX_ALT_CHARACTERS, type Media, type PublishedFile, type Uploaded } from './media.ts'

export type MediaContext = {
  readonly media: Media
  /** The fid that signed a request's bearer token; throws a Rejection for a suspended one. */
  readonly actorOf: (request: RequestInfo) => Promise<{ readonly fid: number }>
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

const { route: mediaRoute } = routesFor<MediaContext>()

/** A file, for everybody. */
const file = mediaRoute(
  {
    method: 'GET',
    path: '/media/:name',
    summary: 'A picture or a video',
    description:
      'Its address is made of its content and never changes. Ranges of bytes may be asked for.',
    params: { name: described(anyTextParam, 'As it is in the answer to the upload.') },
    reply: Type.String(),
    contentType: 'image/jpeg',
    errors: ['not_found', 'unavailable'],
    tags: TAGS,
  },
  async ({ media }, { params: { name }, request }) => {
    const found = await media.find(name)
    if (!found) throw new Rejection('not_found', `there is no file ${name}`)
    const headers = { ...FILE_HEADERS, etag: `"${name}"` }
    const range =
      request.headers['if-range'] === undefined || request.headers['if-range'] === headers.etag
    const from = range ? startOf(request.headers.range) : undefined
    if (from === undefined) return content(await bytesOf(media, found), found.type, { headers })
    return partOf(media, found, from, headers)
  },
)

async function bytesOf(media: Media, found: PublishedFile, from?: number, to?: number) {
  const bytes = await media.read(found, from, to)
  if (bytes) return bytes
  throw new Rejection('not_found', 'the file was removed')
}

type Range = { readonly from: number; readonly to: number | undefined }

/** One range of bytes, not of the last ones; others are answered with the whole file, as HTTP allows. */
function startOf(header: string | undefined): Range | undefined {
  const [, from, to] = /^bytes=(\d{1,12})-(\d{0,12})$/.exec(header ?? '') ?? []
  if (from === undefined || (to && Number(to) < Number(from))) return undefined
  return { from: Number(from), to: to ? Number(to) + 1 : undefined }
}

async function partOf(
  media: Media,
  found: PublishedFile,
  { from, to = from + MAX_RANGE_BYTES }: Range,
  headers: Readonly<Record<string, string>>,
): Promise<Answer> {
  const { length } = found
  if (from >= length) {
    return content('', found.type, {
      status: 416,
      headers: { ...headers, 'content-range': `bytes */${length}` },
    })
  }
  const end = Math.min(to, from + MAX_RANGE_BYTES, length)
  const bytes = await bytesOf(media, found, from, end)
  const range = `bytes ${from}-${from + bytes.length - 1}/${length}`
  return content(bytes, found.type, {
    status: 206,
    headers: { ...headers, 'content-range': range },
  })
}

const MediaReply = Type.Object({
  url: Type.String({ description: 'For an embed, a profile or a channel.' }),
  smallUrl: Type.Optional(
    Type.String({ description: 'A picture of at most 480 pixels in width.' }),
  ),
  contentType: Type.String(),
  bytes: Type.Integer({ description: 'That count against the room of the account.' }),
  width: Type.Integer(),
  height: Type.Integer(),
  altText: Type.String(),
})

const resultOf = ({ url, smallUrl, type, bytes, width, height, alt }: Uploaded) => ({
  result: {
    url,
    ...(smallUrl && { smallUrl }),
    contentType: type,
    bytes,
    width,
    height,
    altText: alt,
  },
})

const upload = (maxBytes: number) =>
  mediaRoute(
    {
      method: 'POST',
      path: '/v1/media',
      summary: 'Upload a picture or a video',
      description:
        'JPEG, PNG, WebP and GIF up to 8 MiB; MP4 and WebM up to a size that the operator sets. Pictures are turned upright, ' +
        'decoded and encoded again in two sizes; nothing else of the file is kept. What no cast, profile or channel uses is removed after a day.',
      tags: TAGS,
      query: {
        altText: described(
          optional(textParam({ maxBytes: 4 * MAX_ALT_CHARACTERS })),
          'What is to be seen, for those who cannot see it.',
        ),
      },
      ...fileUpload(maxBytes, ['unauthenticated', 'unauthorized.suspended']),
      reply: Type.Object({ result: MediaReply }),
    },
    async ({ media, actorOf }, { body, query: { altText = '' }, request }) => {
      const { fid } = await actorOf(request)
      const consume = (bytes: number) => request.consume(bytes)
      return resultOf(await media.upload({ fid, bytes: body, alt: altText, consume }))
    },
  )

const describe = mediaRoute(
  {
    method: 'PATCH',
    path: '/v1/media',
    summary: 'Describe a picture or a video',
    description: 'For a file that the same account has uploaded.',
    tags: TAGS,
    body: json(
      Type.Object({
        url: Type.String({ maxLength: 512 }),
        altText: Type.String({ maxLength: MAX_ALT_CHARACTERS }),
      }),
    ),
    reply: Type.Object({ result: MediaReply }),
    errors: [
      'unauthenticated',
      'unauthorized.suspended',
      'bad_request.validation_failure',
      'not_found',
    ],
  },
  async ({ media, actorOf }, { body: { url, altText }, request }) => {
    const { fid } = await actorOf(request)
    return resultOf(await media.describe(fid, url, altText))
  },
)

export const fileRoutes = (context: MediaContext): Route[] => [file(context)]

/** For clients whose requests are signed by a key of the fid. */
export const uploadRoutes = (context: MediaContext): Route[] => [
  upload(context.media.maxBytes)(context),
  describe(context),
]
