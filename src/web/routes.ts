import { join } from 'node:path'
import Type from 'typebox'
import { assetRoute } from '../http/asset-route.ts'
import { anyTextParam, described, optional } from '../http/params.ts'
import { type Answer, type RequestInfo, type Route, route } from '../http/route.ts'
import {
  BUILT_WEB,
  createStaticFile,
  fileAnswer,
  PAGE_HEADERS,
  readStaticFiles,
  type StaticFile,
} from '../http/static-files.ts'
import { allowRelay, nameRelay, type WalletRelay } from '../http/wallet-relay.ts'
import { Rejection } from '../protocol/rejection.ts'
import type { Mode } from '../setting.ts'
import type { AppReader } from './app-reader.ts'
import { tagsOf, withTags } from './links/page-tags.ts'
import { readPagePath } from './paths.ts'

/** The build of web/client: index.html and files beside it, and hashed files in assets/. */
const CLIENT = join(BUILT_WEB, 'client')

/**
 * The client loads scripts and styles from here alone and speaks to this origin alone. Pictures of other
 * sites come through this origin too. No other site may frame it (clickjacking).
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "media-src 'self' blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Asked again each time; unchanged files are answered with 304. */
const revalidated = (file: StaticFile, relay: WalletRelay | undefined) => ({
  ...PAGE_HEADERS,
  'content-security-policy': allowRelay(POLICY, relay),
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'no-cache',
  etag: file.etag,
})

const INDEX = 'index.html'
const TAGS = [{ name: 'Web client', description: 'Pages for people.' }]

type Pages = {
  /** Reads what a page shows, in the name of the client. */
  readonly readerFor: (request: RequestInfo) => AppReader
  readonly publicUrl: string | undefined
  readonly mode: Mode
  readonly walletRelay: WalletRelay | undefined
}

/** The web client. Every path that is not a file shows its start page, which reads the path itself. */
export function webRoutes({ readerFor, publicUrl, mode, walletRelay }: Pages): Route[] {
  const files = readStaticFiles(CLIENT)
  const index = files.get(INDEX)
  if (!index) throw new Error('web/built/client/index.html is missing: npm run generate')
  const html = nameRelay(withMode(Buffer.from(index.bytes).toString(), mode), walletRelay)
  const plainPage = createStaticFile(index.type, Buffer.from(html))
  /** The start page; the head of that of a person, a cast or a channel says what it shows. */
  const startPage = async (path: string, request: RequestInfo): Promise<Answer> => {
    const page = readPagePath(path)
    const tags = page && (await tagsOf(page, readerFor(request)))
    const file = tags
      ? createStaticFile(index.type, Buffer.from(withTags(html, tags, publicUrl)))
      : plainPage
    return fileAnswer(file, request, revalidated(file, walletRelay))
  }
  return [
    assetRoute({ below: '', built: CLIENT, summary: 'A file of the web client', tags: TAGS }),
    route(
      {
        method: 'GET',
        path: '/*',
        summary: 'The web client',
        description: 'Paths of pages are interpreted by the client.',
        params: { '*': described(optional(anyTextParam), 'The path of a page or of a file.') },
        reply: Type.String(),
        contentType: 'text/html',
        errors: ['not_found'],
        tags: TAGS,
      },
      async ({ params, request }) => {
        const path = params['*'] ?? ''
        const file = files.get(path)
        if (file) return fileAnswer(file, request, revalidated(file, walletRelay))
        // A program that mistook the path should get an error, not a page.
        if (path !== '' && !request.headers.accept?.includes('text/html')) {
          throw new Rejection('not_found', `no route /${path}`)
        }
        return startPage(path, request)
      },
    ),
  ]
}

/** The page of a development network has helpers that no other has. */
const withMode = (html: string, mode: Mode): string =>
  mode === 'development'
    ? html.replace('</head>', '  <meta name="rookery-mode" content="development">\n  </head>')
    : html
