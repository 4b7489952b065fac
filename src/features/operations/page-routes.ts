import { join } from 'node:path'
import Type from 'typebox'
import { memoized } from '../../kernel/base/memoized.ts'
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
import { type RequestInfo, type Route, route } from '../../kernel/http/route.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import { type Face, type Faces, sayIn, withFace } from '../server-face/port.ts'

const BUILT = join(BUILT_WEB, 'operator')

/** The page loads from here alone, speaks to this origin alone, and no other site may frame it. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const OPERATOR_HEADERS = {
  ...PAGE_HEADERS,
  'cache-control': 'no-cache',
  vary: VARY_LANGUAGE,
  'content-security-policy': POLICY,
  'cross-origin-opener-policy': 'same-origin',
}

const TAGS = [{ name: 'Page', description: 'The page of the operator.' }]

/**
 * The page of the operator. It holds nothing secret: what it shows it asks for with the token, or at the front door in the name of
 * the account of this browser, if that has the role operator. It says which server it is of.
 */
export function operatorPageRoutes(
  path: '/operator' | '/room',
  faces: Pick<Faces, 'read'> | undefined,
): Route[] {
  const files = readStaticFiles(BUILT)
  const index = files.get('index.html')
  if (!index) throw new Error('web/built/operator/index.html is missing: npm run generate')
  const html = Buffer.from(index.bytes).toString()
  // The front door alone has pictures.
  const languages = pageLanguages(files, { base: '/operator/' })
  const pagesOf = memoized((face: Face | undefined) => {
    const shown = face && (path === '/room' ? face : { ...face, picture: '', header: '' })
    return languages.each((inLanguage, language) => {
      const page = inLanguage(shown ? withFace(html, shown, sayIn(language, shown)) : html)
      return createStaticFile(index.type, Buffer.from(page))
    })
  })
  const page = (file: StaticFile, request: RequestInfo) =>
    fileAnswer(file, request, { ...OPERATOR_HEADERS, etag: file.etag })
  return [
    route(`GET ${path}`, {
      callers: 'anyone',
      summary: 'The page of the operator',
      description:
        path === '/room'
          ? 'For people, in a browser that has the key of an account with the role operator.'
          : 'For people, in a browser. It asks for the token, unless none is needed.',
      reply: Type.String(),
      contentType: 'text/html',
      tags: TAGS,
      errors: [],
      cost: 'lookup',
      query: { lang: described(optional(anyTextParam), 'A language, such as `de`.') },
      handler: async (_, { query, request }) => {
        const face = await faces?.read()
        const language = languages.of(request, query.lang, face?.language ?? '')
        return page(pagesOf(face).get(language)!, request)
      },
    }),
    route('GET /operator/:name', {
      callers: 'anyone',
      summary: 'A file beside the page of the operator',
      description: 'The icon, and the script that applies the theme.',
      params: { name: described(anyTextParam, 'The name of the file.') },
      reply: Type.String(),
      contentType: 'text/javascript',
      errors: ['not_found'],
      tags: TAGS,
      cost: 'lookup',
      handler: (_, { params, request }) => {
        const file = files.get(params.name)
        if (!file) throw new Rejection('not_found', `no file ${params.name}`)
        return page(file, request)
      },
    }),
    assetRoute({
      below: '/operator',
      built: BUILT,
      summary: 'A script or a style of the page of the operator',
      tags: TAGS,
    }),
  ]
}
