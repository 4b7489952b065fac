import { join } from 'node:path'
import Type from 'typebox'
import { assetRoute } from '../../../kernel/http/files/asset-route.ts'
import {
  BUILT_WEB,
  createStaticFile,
  fileAnswer,
  PAGE_HEADERS,
  readStaticFiles,
} from '../../../kernel/http/files/static-files.ts'
import { anyTextParam, described } from '../../../kernel/http/input/params.ts'
import { type RequestInfo, type Route, route } from '../../../kernel/http/route.ts'
import { Rejection } from '../../../kernel/protocol/rejection.ts'
import { appOrigin, isOwnOrigin } from './app-origin.ts'

/** The build of web/frame. */
const FRAME = join(BUILT_WEB, 'frame')
const INDEX = 'index.html'
const TAGS = [{ name: 'Web client', description: 'Pages for people.' }]

export type FramePorts = {
  readonly allowLoopback: boolean
  /** Whether the settings and the operator allow the app of a domain. */
  readonly mayOpen: (domain: string) => boolean | Promise<boolean>
  /** Hosts and ports of this server. */
  readonly ownHosts: () => readonly string[]
  readonly ownPorts: () => readonly string[]
}

/**
 * The page around a mini app. The client frames this page, which frames the app: so the policy of the client names no other
 * site, and the policy of this page names one. An app cannot lead its frame to another origin and have answers sent there.
 */
export function frameRoutes(ports: FramePorts): Route[] {
  const index = readStaticFiles(FRAME).get(INDEX)
  if (!index) throw new Error('web/built/frame/index.html is missing: npm run generate')
  const html = Buffer.from(index.bytes).toString()
  return [
    assetRoute({
      below: '/frame',
      built: FRAME,
      summary: 'A file of the page around mini apps',
      tags: TAGS,
    }),
    route('GET /frame/:domain', {
      callers: 'anyone',
      summary: 'The page around a mini app',
      description:
        'For frames of the web client only. Its policy allows pages of the app’s origin.',
      params: {
        domain: described(
          anyTextParam,
          'The domain of the app; its host and port on this machine.',
        ),
      },
      reply: Type.String(),
      contentType: 'text/html',
      errors: ['not_found'],
      tags: TAGS,
      cost: 'lookup',
      handler: async (_, { params: { domain }, request }) => {
        const origin = await getOrigin(domain, request, ports)
        const meta = `  <meta name="app-origin" content="${origin}">\n  </head>`
        const page = createStaticFile(index.type, Buffer.from(html.replace('</head>', meta)))
        return fileAnswer(page, request, headersFor(origin))
      },
    }),
  ]
}

async function getOrigin(
  domain: string,
  { headers }: RequestInfo,
  { allowLoopback, mayOpen, ownHosts, ownPorts }: FramePorts,
): Promise<string> {
  const origin = appOrigin(domain, { allowLoopback })
  const hosts = [...ownHosts(), ...(headers.host ? [headers.host] : [])]
  const isOpen =
    origin && !isOwnOrigin(origin, { hosts, ports: ownPorts() }) && (await mayOpen(domain))
  if (isOpen) return origin
  throw new Rejection('not_found', `no mini app ${domain.slice(0, MAX_SHOWN_CHARACTERS)}`)
}

const MAX_SHOWN_CHARACTERS = 80

/** Not kept: the operator may remove the app at any time. */
const headersFor = (origin: string) => ({
  ...PAGE_HEADERS,
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    `frame-src ${origin}`,
    "frame-ancestors 'self'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; '),
  'cache-control': 'no-store',
})
