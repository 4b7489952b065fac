import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import Type from 'typebox'
import { createStaticFile, fileAnswer, type StaticFile } from '../files/static-files.ts'
import { type Answer, content, type RequestInfo, type Route, route } from '../route.ts'

/** An OpenAPI document that the reference shows. */
export type ReferenceSource = {
  readonly title: string
  /** In the address of its operations. */
  readonly slug: string
  /** An address on the same origin. */
  readonly url: string
}

/** Only the page's own files and requests to its own origin; its script makes styles. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join('; ')

const HEADERS = {
  'cache-control': 'no-cache',
  'content-security-policy': POLICY,
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

/** Nothing is asked of other sites, and what would lead there is not shown. */
const CONFIGURATION = {
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
  documentDownloadType: 'json',
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
}

const JAVASCRIPT = 'text/javascript; charset=utf-8'
/** Copied from the package of the component by `npm run generate`, with the notice of its licence inside. */
const SCRIPT = fileURLToPath(new URL('../../../../web/reference/scalar.js.gz', import.meta.url))

/** The same for all interfaces of a process, and read when first requested. */
let script: StaticFile | undefined

function loadScript(): StaticFile {
  const gzipped = readFileSync(SCRIPT)
  let bytes: Uint8Array | undefined
  return {
    type: JAVASCRIPT,
    etag: createStaticFile(JAVASCRIPT, gzipped).etag,
    gzipped,
    /** Made when first requested: nearly every browser takes it compressed. */
    get bytes() {
      bytes ??= gunzipSync(gzipped)
      return bytes
    },
  }
}

export type Reference = {
  readonly title: string
  /** What is shown to a request that came below a prefix of the front door. */
  readonly sources: (basePath: string) => readonly ReferenceSource[]
}

/** `/docs` and its files: the reference of some OpenAPI documents. */
export function referenceRoutes({ title, sources }: Reference): Route[] {
  const declare = (
    name: string,
    contentType: string,
    answer: (request: RequestInfo) => Answer,
  ): Route =>
    route(`GET /docs${name}`, {
      callers: 'anyone',
      summary: 'The API reference, or one of its files',
      reply: Type.String(),
      contentType,
      errors: [],
      cost: 'lookup',
      handler: (_, { request }) => answer(request),
    })
  return [
    declare('', 'text/html', ({ basePath }) =>
      content(pageOf(title, basePath), 'text/html; charset=utf-8', { headers: HEADERS }),
    ),
    declare('/start.js', 'text/javascript', ({ basePath }) =>
      content(startScript(sources(basePath)), JAVASCRIPT, { headers: HEADERS }),
    ),
    declare('/scalar.js', 'text/javascript', (request) => {
      script ??= loadScript()
      return fileAnswer(script, request, { ...HEADERS, etag: script.etag })
    }),
  ]
}

const pageOf = (title: string, basePath: string): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${title}: API reference</title>
    <link rel="icon" href="data:,">
  </head>
  <body>
    <div id="reference"></div>
    <noscript>The API reference needs JavaScript. Programs read openapi.json.</noscript>
    <script src="${basePath}/docs/scalar.js"></script>
    <script src="${basePath}/docs/start.js"></script>
  </body>
</html>
`

const startScript = (sources: readonly ReferenceSource[]): string =>
  `Scalar.createApiReference('#reference', ${JSON.stringify({ ...CONFIGURATION, sources })})\n`
