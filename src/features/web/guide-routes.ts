import { createHash } from 'node:crypto'
import { existsSync, globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { extname, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Parser } from 'htmlparser2'
import { LRUCache } from 'lru-cache'
import Type from 'typebox'
import {
  ASSET_HEADERS,
  createStaticFile,
  FILE_TYPES,
  fileAnswer,
  PAGE_HEADERS,
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

// The guide: pages that `npm run docs` builds from docs/ and that the npm package and the image contain.

const BUILT = fileURLToPath(new URL('../../../docs/.vitepress/dist', import.meta.url))
/** Compressing and hashing a file takes tens of milliseconds: those that are asked for again are in memory. */
const CACHE_BYTES = 8 * 1024 * 1024
/** A file and what is compressed of it. */
const COPIES = 2
const BELOW = '/docs/guide'
const PAGE = {
  callers: 'anyone',
  summary: 'A page of the guide',
  tags: [{ name: 'Guide', description: 'How to use, build and run.' }],
  reply: Type.String(),
  contentType: 'text/html',
  errors: ['not_found'],
  cost: 'lookup',
} as const

/** Files are read when they are asked for: few visitors read the guide, and it has megabytes. */
export function guideRoutes(built = BUILT): Route[] {
  const names = new Set(
    existsSync(built)
      ? globSync('**/*.*', { cwd: built }).map((name) => name.replaceAll(sep, '/'))
      : [],
  )
  const pages = new LRUCache<string, Page>({
    maxSize: CACHE_BYTES,
    sizeCalculation: ({ file }) => COPIES * (file.bytes.length + 1),
  })
  const answer = async (path: string, request: RequestInfo): Promise<Answer> => {
    const name = nameOf(names, path)
    if (name === undefined) return withoutPage(names, request)
    const page = pages.get(name) ?? (await readPage(built, name))
    pages.set(name, page)
    return fileAnswer(page.file, request, { ...page.headers, etag: page.file.etag })
  }
  return [
    route(`GET ${BELOW}`, {
      ...PAGE,
      handler: (_, { request }) => answer('', request),
    }),
    route(`GET ${BELOW}/*`, {
      ...PAGE,
      params: { '*': described(optional(anyTextParam), 'The path of a page or of a file.') },
      handler: (_, { params, request }) => answer(params['*'] ?? '', request),
    }),
  ]
}

type Page = { readonly file: StaticFile; readonly headers: Record<string, string> }

async function readPage(built: string, name: string): Promise<Page> {
  const bytes = await readFile(join(built, name))
  const file = createStaticFile(FILE_TYPES[extname(name)]!, bytes)
  const headers = name.startsWith('assets/') ? ASSET_HEADERS : pageHeaders(bytes.toString())
  return { file, headers }
}

/** The file of a path: itself, or the page of that name. */
function nameOf(names: ReadonlySet<string>, path: string): string | undefined {
  const candidates = [
    path,
    `${path}.html`,
    `${path.replace(/\/$/, '')}/index.html`,
    path === '' ? 'index.html' : '',
  ]
  const name = candidates.find((one) => names.has(one))
  return name !== undefined && FILE_TYPES[extname(name)] ? name : undefined
}

/** People read a page: the help of the web client where the guide is not built. Programs get an error. */
function withoutPage(names: ReadonlySet<string>, { headers }: RequestInfo): Answer {
  if (!headers.accept?.includes('text/html')) {
    throw new Rejection('not_found', messageOf(names))
  }
  if (names.size === 0)
    return content('', 'text/html', { status: 302, headers: { location: '/help' } })
  return content(NO_SUCH_PAGE, 'text/html; charset=utf-8', {
    status: 404,
    headers: { ...PAGE_HEADERS, 'content-security-policy': "default-src 'none'" },
  })
}

const NO_SUCH_PAGE = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>No such page</title></head>
<body><main><h1>The guide has no such page</h1>
<p><a href="${BELOW}/">The guide</a> · <a href="/help">Help</a></p></main></body>
</html>
`

const messageOf = (names: ReadonlySet<string>): string =>
  names.size === 0
    ? 'the guide is not built here: run "npm run docs" in a clone, or read docs/'
    : 'the guide has no such page'

/** A page runs its own scripts alone; those in the page itself by their hashes. Code in it is coloured by style attributes. */
function pageHeaders(html: string): Record<string, string> {
  const hashes = inlineScripts(html).map(
    (script) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`,
  )
  const policy = [
    "default-src 'none'",
    `script-src 'self' ${[...new Set(hashes)].join(' ')}`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ]
  return {
    ...PAGE_HEADERS,
    'content-security-policy': policy.join('; '),
    'cache-control': 'no-cache',
  }
}

function inlineScripts(html: string): string[] {
  const scripts: string[] = []
  let isInline = false
  const parser = new Parser({
    onopentag(name, { src }) {
      isInline = name === 'script' && src === undefined
      if (isInline) scripts.push('')
    },
    ontext(text) {
      if (isInline) scripts.push(scripts.pop() + text)
    },
    onclosetag() {
      isInline = false
    },
  })
  parser.end(html)
  return scripts
}
