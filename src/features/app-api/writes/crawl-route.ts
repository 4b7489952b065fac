import Type from 'typebox'
import { invalidField } from '../../../kernel/app-api/bodies.ts'
import { snapJson } from '../../../kernel/app-api/objects/embedded-snaps.ts'
import { EmbedSnap } from '../../../kernel/app-api/schemas.ts'
import { described, textParam } from '../../../kernel/http/input/params.ts'
import { MAX_URL_CHARACTERS } from '../../../kernel/http/outgoing.ts'
import { route } from '../../../kernel/http/route.ts'
import type { CrawlContext } from './context.ts'

const TAGS = [{ name: 'Casts', description: 'Casts and threads.' }]

const Metadata = Type.Object({
  _status: Type.Literal('RESOLVED'),
  content_type: Type.String(),
  content_length: Type.Null(),
  html: Type.Optional(
    Type.Object({
      ogTitle: Type.Optional(Type.String()),
      ogDescription: Type.Optional(Type.String()),
      ogSiteName: Type.String(),
      ogUrl: Type.String(),
      ogImage: Type.Optional(Type.Array(Type.Object({ url: Type.String() }))),
    }),
  ),
  image: Type.Optional(
    Type.Object(
      { width_px: Type.Optional(Type.Integer()), height_px: Type.Optional(Type.Integer()) },
      { description: 'There when the URL is that of a picture, without its size.' },
    ),
  ),
  snap: Type.Optional(EmbedSnap),
})

/** What a URL leads to, by the reader of link previews with its bounds. */
export const crawlRoute = route('GET /v2/farcaster/cast/embed/crawl', {
  callers: 'app',
  summary: 'What a URL leads to',
  description:
    'The title, description, site and picture that a page states about itself. Only https at public addresses is read.',
  tags: TAGS,
  query: { url: described(textParam({ maxBytes: MAX_URL_CHARACTERS }), 'An https URL.') },
  reply: Type.Object({ metadata: Metadata }),
  errors: ['bad_request.validation_failure', 'rate_limited', 'unavailable.overloaded'],
  cost: { cpu: 'medium' },
  handler: async ({ previews }: CrawlContext, { query, request }) => {
    if (!URL.canParse(query.url)) throw invalidField('url', 'must be a URL')
    const url = new URL(query.url)
    // Fragments are not sent; without them a page is kept once.
    url.hash = ''
    const consume = (bytes: number) => request.consume(bytes)
    const preview = await previews.get({ url, ip: request.ip, consume })
    const { kind, contentType, title, description, picture, site } = preview
    const html = {
      ...(title && { ogTitle: title }),
      ...(description && { ogDescription: description }),
      ...{ ogSiteName: site, ogUrl: preview.url },
      ...(picture && { ogImage: [{ url: picture }] }),
    }
    const found = kind === 'page' ? { html } : { image: {} }
    const metadata = {
      _status: 'RESOLVED' as const,
      content_type: contentType,
      content_length: null,
    }
    const snap = preview.snap && { snap: snapJson(preview.snap) }
    return { metadata: { ...metadata, ...found, ...snap } }
  },
})
