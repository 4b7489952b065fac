import Type from 'typebox'
import { VARY_LANGUAGE } from '../../kernel/http/files/page-language.ts'
import { described, type Param, textParam } from '../../kernel/http/input/params.ts'
import { MAX_URL_CHARACTERS } from '../../kernel/http/outgoing.ts'
import {
  content,
  jsonAnswer,
  type RequestInfo,
  type Route,
  route,
} from '../../kernel/http/route.ts'
import type { Say } from '../../kernel/http/translator.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import { PreviewedSnap } from '../snaps/port.ts'
import type { Pictures } from './pictures/pictures.ts'
import type { Previews } from './previews/previews.ts'
import { siteUrl, URL_FIELD } from './remote/site-files.ts'

/** The widths that may be asked for. Without a fixed list, callers could have each picture made in thousands of sizes. */
const WIDTHS = [96, 192, 640, 1_280] as const

const widthParam: Param<number> = {
  schema: { type: 'integer', enum: WIDTHS },
  description: 'The greatest width in pixels. The height is at most twice that.',
  parse: (text, field) => {
    const width = WIDTHS.find((one) => String(one) === text)
    if (width) return width
    throw new Rejection(
      'bad_request.invalid_param',
      `${field} must be one of ${WIDTHS.join(', ')}`,
      {
        field,
      },
    )
  },
}

const urlParam = described(
  textParam({ maxBytes: MAX_URL_CHARACTERS }),
  'An https URL at a public address.',
)

const TAGS = [{ name: 'Other sites', description: 'What people link to.' }]

/** A re-encoded picture is harmless; opened as a document it may still load and run nothing. */
const PICTURE_HEADERS = {
  'cache-control': 'public, max-age=86400',
  'content-security-policy': "default-src 'none'; sandbox",
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
}
const EXTENSIONS = { 'image/jpeg': 'jpg', 'image/webp': 'webp' } as const

const PREVIEW_HEADERS = {
  'cache-control': 'public, max-age=3600',
  'cross-origin-resource-policy': 'same-origin',
}

/** Once an operator blocks the host of a snap, browsers show its card no longer than this. */
const SNAP_HEADERS = { ...PREVIEW_HEADERS, 'cache-control': 'public, max-age=60' }

/** Who has voted in a poll of this server looks at the result next, in their language. */
const OWN_HEADERS = { ...PREVIEW_HEADERS, 'cache-control': 'no-cache', vary: VARY_LANGUAGE }

/** A picture for the pages of an origin: of the front door, and of the port of the client platform. */
export const pictureRoute = (pictures: Pictures): Route =>
  route('GET /picture', {
    callers: 'anyone',
    undocumented: true,
    summary: 'A picture of another site, resized',
    description:
      'JPEG, PNG, GIF (its first frame) and WebP are decoded, shrunk and encoded again as JPEG or WebP. ' +
      'The other site does not learn who looks at it. For the pages of this origin only.',
    query: { [URL_FIELD]: urlParam, width: widthParam },
    reply: Type.String(),
    contentType: 'image/jpeg',
    errors: ['bad_request.validation_failure', 'unauthorized', 'rate_limited'],
    cost: { cpu: 'medium' },
    tags: TAGS,
    handler: async (_, { query: { url, width }, request }) => {
      checkSameSite(request)
      const { ip } = request
      const consume = (bytes: number) => request.consume(bytes)
      const { bytes, type, etag } = await pictures.get({ url: siteUrl(url), width, ip, consume })
      const disposition = `inline; filename="picture.${EXTENSIONS[type]}"`
      return content(bytes, type, {
        headers: { ...PICTURE_HEADERS, 'content-disposition': disposition, etag },
      })
    },
  })

/** Files of other sites for the pages of this origin. */
export const siteRoutes = (
  pictures: Pictures,
  previews: Previews,
  sayTo: (request: RequestInfo) => Promise<Say>,
): Route[] => [
  pictureRoute(pictures),
  route('GET /preview', {
    callers: 'anyone',
    summary: 'What a link leads to',
    description:
      'The title, description, picture and site name that a page states about itself. ' +
      'Show the picture through `/picture`. For the pages of this origin only.',
    query: { [URL_FIELD]: urlParam },
    reply: Type.Object({
      kind: Type.Union([Type.Literal('page'), Type.Literal('picture')]),
      url: Type.String(),
      contentType: Type.String({ description: 'As the site states it.' }),
      title: Type.Optional(Type.String()),
      description: Type.Optional(Type.String()),
      picture: Type.Optional(Type.String()),
      site: Type.String(),
      miniApp: Type.Optional(
        Type.Object(
          {
            title: Type.String({ description: 'On the button.' }),
            name: Type.String(),
            imageUrl: Type.String(),
            aspectRatio: Type.Enum(['1:1', '3:2']),
            url: Type.String({ description: 'What the button opens.' }),
            splashImageUrl: Type.Optional(Type.String()),
            splashBackgroundColor: Type.Optional(Type.String()),
          },
          { description: 'The card of a mini app, if the page is one.' },
        ),
      ),
      snap: Type.Optional(PreviewedSnap),
    }),
    errors: ['bad_request.validation_failure', 'unauthorized', 'not_found', 'rate_limited'],
    cost: { cpu: 'medium' },
    tags: TAGS,
    handler: async (_, { query: { url }, request }) => {
      checkSameSite(request)
      const consume = (bytes: number) => request.consume(bytes)
      const asked = { url: siteUrl(url), ip: request.ip, consume, say: () => sayTo(request) }
      const { isOwn, ...preview } = await previews.get(asked)
      const kept = preview.snap ? SNAP_HEADERS : PREVIEW_HEADERS
      return jsonAnswer(preview, { headers: isOwn ? OWN_HEADERS : kept })
    },
  }),
]

/** Refuses requests by pages of other sites, which browsers mark with a header. */
function checkSameSite({ headers }: RequestInfo): void {
  if (headers['sec-fetch-site'] !== 'cross-site') return
  throw new Rejection('unauthorized', 'files of other sites are for the pages of this origin only')
}
