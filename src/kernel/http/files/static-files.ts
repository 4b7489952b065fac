import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { constants, gzipSync } from 'node:zlib'
import { type Answer, content, type RequestInfo } from '../route.ts'

/** The output of `npm run generate` from web/; committed, so that a server needs no build. */
export const BUILT_WEB = fileURLToPath(new URL('../../../../web/built', import.meta.url))

/** The types of files by their endings. */
export const FILE_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.txt': 'text/plain; charset=utf-8',
  '.proto': 'text/plain; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
}

/** The types that are worth compressing. */
const COMPRESSIBLE = /^(?:text|application)\/|\+xml$/

/** A file as it is sent. */
export type StaticFile = {
  readonly type: string
  readonly bytes: Uint8Array
  /** Undefined when compressing makes it no smaller. */
  readonly gzipped: Uint8Array | undefined
  /** Changes with the content. */
  readonly etag: string
}

/** The files of a directory by their names; files of unknown types and directories are left out. */
export function readStaticFiles(directory: string): Map<string, StaticFile> {
  const names = readdirSync(directory).filter((name) => FILE_TYPES[extname(name)] !== undefined)
  return new Map(
    names.map((name) => [
      name,
      createStaticFile(FILE_TYPES[extname(name)]!, readFileSync(join(directory, name))),
    ]),
  )
}

/** A file whose content is in memory. */
export function createStaticFile(type: string, bytes: Uint8Array): StaticFile {
  let gzipped: Uint8Array | undefined
  return {
    type,
    bytes,
    etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`,
    /** Built when first requested: most servers show no page. */
    get gzipped() {
      if (!COMPRESSIBLE.test(type)) return undefined
      gzipped ??= gzipSync(bytes, { level: constants.Z_BEST_COMPRESSION })
      return gzipped
    },
  }
}

/** Headers of every page, beside its content security policy. The address of a page may contain a token. */
export const PAGE_HEADERS = {
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
} as const

/** The name of an asset contains a hash of its content. */
export const ASSET_HEADERS = {
  'cache-control': 'public, max-age=31536000, immutable',
  'x-content-type-options': 'nosniff',
}

const GZIP = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:,|$))/

/** Sends a file, compressed for clients that accept it. */
export function fileAnswer(
  file: StaticFile,
  { headers: { 'accept-encoding': accepted } }: RequestInfo,
  { vary, ...headers }: Readonly<Record<string, string>>,
  status?: number,
): Answer {
  const gzipped = GZIP.test(String(accepted)) ? file.gzipped : undefined
  const sent = { ...headers, vary: vary ? `${vary}, accept-encoding` : 'accept-encoding' }
  if (!gzipped) return content(file.bytes, file.type, { headers: sent, status })
  return content(gzipped, file.type, { headers: { ...sent, 'content-encoding': 'gzip' }, status })
}
