import { join } from 'node:path'
import Type from 'typebox'
import { memoized } from '../../kernel/base/memoized.ts'
import type { Mode } from '../../kernel/base/setting.ts'
import { assetRoute } from '../../kernel/http/files/asset-route.ts'
import { pageLanguages, VARY_LANGUAGE } from '../../kernel/http/files/page-language.ts'
import {
  BUILT_WEB,
  createStaticFile,
  fileAnswer,
  PAGE_HEADERS,
  readStaticFiles,
  type StaticFile,
} from '../../kernel/http/files/static-files.ts'
import { anyTextParam, described, optional } from '../../kernel/http/input/params.ts'
import {
  type Answer,
  content,
  type RequestInfo,
  type Route,
  route,
} from '../../kernel/http/route.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import { type Face, type Faces, readingOf, sayIn, withFace } from '../server-face/port.ts'
import type { AppReader } from './app-reader.ts'
import { tagsOf, withTags } from './links/page-tags.ts'
import { isPage, isScreen, linkOfScreen, readPagePath } from './paths.ts'

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
  // Pages around mini apps: frames/frame-routes.ts.
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Asked again each time; with an etag, unchanged files are answered with 304. */
const CLIENT_HEADERS = {
  ...PAGE_HEADERS,
  'content-security-policy': POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'no-cache',
  vary: `accept, ${VARY_LANGUAGE}`,
}

const INDEX = 'index.html'
const TAGS = [{ name: 'Web client', description: 'Pages for people.' }]

type Pages = {
  /** Reads the content of a page as the client. */
  readonly readerFor: (request: RequestInfo) => AppReader
  readonly publicUrl: string | undefined
  readonly mode: Mode
  readonly faces: Pick<Faces, 'read'>
}

/** The web client. Every path that is not a file shows its start page, which reads the path itself. */
export function webRoutes({ readerFor, publicUrl, mode, faces }: Pages): Route[] {
  const files = readStaticFiles(CLIENT)
  const index = files.get(INDEX)
  if (!index) throw new Error('web/built/client/index.html is missing: npm run generate')
  const general = withMode(Buffer.from(index.bytes).toString(), mode)
  const languages = pageLanguages(files, { base: '/', loadsLater: true })
  const pagesOf = memoized((face: Face) => {
    return languages.each((inLanguage, language) => {
      const say = sayIn(language, face)
      const html = inLanguage(withFace(general, face, say))
      const { name } = readingOf(face, language.code)
      return { say, html, name, plainPage: createStaticFile(index.type, Buffer.from(html)) }
    })
  })
  const found = (file: StaticFile, request: RequestInfo, link?: string): Answer =>
    fileAnswer(file, request, { ...CLIENT_HEADERS, etag: file.etag, ...(link && { link }) })
  /**
   * The start page; the head of that of a person, a cast or a channel says what it shows. The status tells programs
   * that there is nothing; people read it on the page.
   */
  const startPage = async (path: string, request: RequestInfo, named?: string): Promise<Answer> => {
    const face = await faces.read()
    const language = languages.of(request, named, face.language)
    const { say, html, name, plainPage } = pagesOf(face).get(language)!
    if (isScreen(path)) return found(plainPage, request, linkOfScreen(path, publicUrl))
    const page = readPagePath(path)
    const tags = page && (await tagsOf(page, readerFor(request), say).catch(unlessUnavailable))
    if (tags === 'unknown') return found(plainPage, request)
    if (!tags) return fileAnswer(plainPage, request, CLIENT_HEADERS, 404)
    const tagged = withTags(html, tags, publicUrl, name)
    return found(createStaticFile(index.type, Buffer.from(tagged)), request)
  }
  return [
    assetRoute({ below: '', built: CLIENT, summary: 'A file of the web client', tags: TAGS }),
    route('GET /*', {
      callers: 'anyone',
      summary: 'The web client',
      description: 'Paths of pages are interpreted by the client.',
      params: { '*': described(optional(anyTextParam), 'The path of a page or of a file.') },
      reply: Type.String(),
      contentType: 'text/html',
      errors: ['not_found'],
      tags: TAGS,
      cost: 'lookup',
      query: { lang: described(optional(anyTextParam), 'A language, such as `de`.') },
      handler: async (_, { params, query, request }) => {
        const path = params['*'] ?? ''
        const file = files.get(path)
        if (file) return found(file, request)
        const { accept = '*/*' } = request.headers
        // A program that mistook the path should get an error, not a page.
        if (!(isPage(path) ? !ONLY_JSON.test(accept) : accept.includes('text/html'))) {
          throw new Rejection('not_found', `no route /${path}; ${WHERE_INTERFACES_ARE}`)
        }
        return startPage(path, request, query.lang)
      },
    }),
  ]
}

/** Who asks the front door for a path of an interface has left out its name. */
const WHERE_INTERFACES_ARE =
  'the interfaces are below /hub, /registry, /accounts, /platform and /app, such as /hub/v1/info'

const MOVED = ['apps', 'connect', 'sign-in']

/** `/~/apps`, `/~/connect` and `/~/sign-in` lead to the pages of the client platform, which people find where the rest is. */
export const movedPageRoute = (): Route =>
  route('GET /~/:page', {
    callers: 'anyone',
    summary: 'A page of the client platform',
    params: { page: described(anyTextParam, MOVED.join(', ')) },
    query: {
      token: described(optional(anyTextParam), 'The token of a request.'),
      channelToken: described(optional(anyTextParam), 'The token of a sign-in.'),
      fid: described(optional(anyTextParam), 'Whose apps to show.'),
    },
    reply: Type.String(),
    errors: ['not_found'],
    tags: TAGS,
    cost: 'lookup',
    handler: (_, { params: { page }, query }) => {
      if (!MOVED.includes(page)) throw new Rejection('not_found', `no route /~/${page}`)
      const given = Object.entries(query).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, value]],
      )
      const search = given.length === 0 ? '' : `?${new URLSearchParams(given)}`
      // Relative: a proxy may serve the front door below a path.
      const headers = { location: `../platform/~/${page}${search}`, 'cache-control': 'no-store' }
      return content('', 'text/plain', { status: 302, headers })
    },
  })

/** Robots that make previews of shared links accept anything, and a program that asks for data names JSON alone. */
const ONLY_JSON = /^\s*(?:application\/(?:[\w.+-]+\+)?json\s*(?:;[^,]*)?(?:,\s*|$))+$/i

/** A page whose content cannot be read now is taken to exist. */
function unlessUnavailable(error: unknown): 'unknown' {
  if (error instanceof Rejection && error.code === 'unavailable') return 'unknown'
  throw error
}

/** The page of a development network has helpers that no other has. */
const withMode = (html: string, mode: Mode): string =>
  mode === 'development'
    ? html.replace('</head>', '  <meta name="rookery-mode" content="development">\n  </head>')
    : html
