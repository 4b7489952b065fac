import Type from 'typebox'
import { memoized } from '../../../kernel/base/memoized.ts'
import { assetRoute } from '../../../kernel/http/files/asset-route.ts'
import { pageLanguages, VARY_LANGUAGE } from '../../../kernel/http/files/page-language.ts'
import {
  BUILT_WEB,
  createStaticFile,
  fileAnswer,
  PAGE_HEADERS,
  readStaticFiles,
} from '../../../kernel/http/files/static-files.ts'
import { anyTextParam, described, optional } from '../../../kernel/http/input/params.ts'
import { type RequestInfo, type Route, route } from '../../../kernel/http/route.ts'
import { type Face, sayIn, withFace } from '../../server-face/port.ts'

/**
 * A page loads everything from here, and no other site may frame it, where visitors could be tricked into
 * clicking (clickjacking). Wallet icons are data URLs.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const APPROVAL_HEADERS = {
  ...PAGE_HEADERS,
  'cache-control': 'no-store',
  vary: VARY_LANGUAGE,
  'content-security-policy': POLICY,
}

const TAGS = [
  {
    name: 'Pages',
    description: 'Pages for people, on which they connect and disconnect apps, and sign in.',
  },
]
const Html = Type.String({ description: 'A page for people.' })
const token = described(optional(anyTextParam), 'The token of a request.')
const lang = described(optional(anyTextParam), 'A language, such as `de`.')
const fid = described(optional(anyTextParam), 'Whose apps to show before a wallet is connected.')

type Asked = {
  readonly query: { readonly lang: string | undefined }
  readonly request: RequestInfo
}

/** The pages on which users connect apps to their accounts, disconnect them, and sign in to apps. They say whose they are. */
export function pageRoutes(readFace: () => Promise<Face | undefined>): Route[] {
  const pages = readStaticFiles(BUILT_WEB)
  const languages = pageLanguages(pages, { base: './' })
  const page = (name: string) => {
    const file = pages.get(name)
    if (!file) throw new Error(`web/built/${name} is missing: npm run generate`)
    const html = Buffer.from(file.bytes).toString()
    const faced = memoized((face: Face | undefined) =>
      languages.each((inLanguage, language) => {
        const shown = inLanguage(face ? withFace(html, face, sayIn(language, face)) : html)
        return createStaticFile(file.type, Buffer.from(shown))
      }),
    )
    return async (_: unknown, { query, request }: Asked) => {
      const face = await readFace()
      const language = languages.of(request, query.lang, face?.language ?? '')
      return fileAnswer(faced(face).get(language)!, request, APPROVAL_HEADERS)
    }
  }
  return [
    route('GET /~/connect', {
      callers: 'anyone',
      summary: 'The page to approve or decline a key request',
      description:
        'For people, in a browser. The address comes from the `approvalUrl` of a request.',
      query: { token, lang },
      reply: Html,
      contentType: 'text/html',
      tags: TAGS,
      errors: [],
      cost: 'lookup',
      handler: page('connect.html'),
    }),
    route('GET /~/sign-in', {
      callers: 'anyone',
      summary: 'The page to approve or decline a sign-in',
      description: 'For people, in a browser. The address comes from the `url` of a channel.',
      query: { channelToken: described(optional(anyTextParam), 'The token of a channel.'), lang },
      reply: Html,
      contentType: 'text/html',
      tags: TAGS,
      errors: [],
      cost: 'lookup',
      handler: page('sign-in.html'),
    }),
    route('GET /~/apps', {
      callers: 'anyone',
      summary: 'The page with the apps of an account',
      description: 'For people, in a browser. Apps can be removed there.',
      query: { fid, lang },
      reply: Html,
      contentType: 'text/html',
      tags: TAGS,
      errors: [],
      cost: 'lookup',
      handler: page('apps.html'),
    }),
    assetRoute({ below: '/~', built: BUILT_WEB, summary: 'A file of the pages', tags: TAGS }),
  ]
}
