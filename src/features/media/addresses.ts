import { fromHex, toHex } from '../../kernel/protocol/codec/bytes.ts'
import type { MediaSize, StoredMedia } from './tables/media.ts'

// Addresses of files: `/media/<hash>.<extension>`, and `/media/<hash>-small.<extension>`. They never change.

/** Below the front door. */
export const MEDIA_PATH = '/media/'

const EXTENSIONS: Readonly<Record<string, string>> = {
  'image/jpeg': 'jpg',
  'image/webp': 'webp',
  'image/gif': 'gif',
  'image/png': 'png',
  'video/mp4': 'mp4',
  'video/webm': 'webm',
}
const FILE = /^([0-9a-f]{64})(-small)?\.[a-z0-9]{3,4}$/
const IN_TEXT = /\/media\/([0-9a-f]{64})(?:-small)?\.[a-z0-9]{3,4}/g

type Named = Pick<StoredMedia, 'hash' | 'type' | 'small_type'>

/** The name of a file in its address; undefined for a size that there is not. */
export function fileName({ hash, type, small_type }: Named, size: MediaSize): string | undefined {
  const found = size === 'large' ? type : small_type
  const suffix = size === 'large' ? '' : '-small'
  return found === null ? undefined : `${toHex(hash).slice(2)}${suffix}.${EXTENSIONS[found]}`
}

/**
 * Whether a file has this name. That of its small picture may have the extension of any picture: a page that knows one address
 * can write the other.
 */
export function isNameOf(media: Named, size: MediaSize, name: string): boolean {
  const own = fileName(media, size)
  if (size === 'large' || own === undefined) return own === name
  return /\.(?:jpg|webp|gif|png)$/.test(name)
}

/** What a name of a file names; its extension is not looked at. */
export function parseFileName(name: string): { hash: Uint8Array; size: MediaSize } | undefined {
  const [, hash, small] = FILE.exec(name) ?? []
  return hash ? { hash: fromHex(`0x${hash}`)!, size: small ? 'small' : 'large' } : undefined
}

/** The hashes, in hex, of all files whose addresses are in a text, whatever the host. */
export const hashesIn = (text: string): string[] =>
  [...text.matchAll(IN_TEXT)].map(([, hash]) => hash!)

/** The hash of the file at an address, whatever the host. */
export function hashAt(url: string): Uint8Array | undefined {
  const [hash] = hashesIn(url)
  return hash ? fromHex(`0x${hash}`) : undefined
}
