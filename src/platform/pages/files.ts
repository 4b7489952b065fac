import { readdirSync, readFileSync } from 'node:fs'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

/** The output of `npm run generate` from web/; committed, so that a server needs no build. */
const BUILT = fileURLToPath(new URL('../../../web/built', import.meta.url))

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** A file as it is sent. */
export type PageFile = {
  readonly type: string
  readonly bytes: Uint8Array
  readonly gzipped: Uint8Array
}

/** The built files of a directory by their names. */
export function readPageFiles(directory: 'pages' | 'assets'): Map<string, PageFile> {
  const path = directory === 'pages' ? BUILT : `${BUILT}/assets`
  const names = readdirSync(path).filter((name) => TYPES[extname(name)] !== undefined)
  return new Map(names.map((name) => [name, fileAt(`${path}/${name}`)]))
}

function fileAt(path: string): PageFile {
  const bytes = readFileSync(path)
  let gzipped: Uint8Array | undefined
  return {
    type: TYPES[extname(path)]!,
    bytes,
    /** Built when first requested: most servers show no page. */
    get gzipped() {
      gzipped ??= gzipSync(bytes)
      return gzipped
    },
  }
}
