import { randomBytes } from 'node:crypto'
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { toHex } from '../protocol/codec/bytes.ts'
import { isPrivateKey, readPrivateKey } from '../protocol/crypto/secp256k1.ts'

const OWNER_ONLY = 0o600

/**
 * The keys of a server that are files in its data directory, each unless the setting beside it holds the key. Every backup
 * has all of these files, and docs/operating.md lists them. Data that a lost key protects are lost with it.
 */
export const KEY_FILES = {
  registry: { file: 'registry.key', variable: 'ROOKERY_REGISTRY_KEY' },
  signer: { file: 'signer.key', variable: 'ROOKERY_SIGNER_SECRET' },
} as const

/** The names of these files. */
export const KEY_FILE_NAMES: readonly string[] = Object.values(KEY_FILES).map(({ file }) => file)

/** What a key protects is stored, and the key is missing or another one. The message says what to do. */
export class LostKeyError extends Error {}

/** The 32-byte key of this server in a file, created when missing. Only the file's owner can read it. */
export function loadServerKey(file: string): { key: Uint8Array; isNew: boolean } {
  const found = findServerKey(file)
  if (found) return { key: found, isNew: false }
  const key = newPrivateKey()
  const isNew = writeKeyFile(file, key)
  return isNew ? { key, isNew } : loadServerKey(file)
}

function newPrivateKey(): Uint8Array {
  const key = Uint8Array.from(randomBytes(32))
  return isPrivateKey(key) ? key : newPrivateKey()
}

/** The key in a file; undefined when there is no such file. */
export function findServerKey(file: string): Uint8Array | undefined {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  const key = readPrivateKey(text.trim())
  if (!key) throw new Error(`${file} does not hold a private key: 0x and 64 hex digits`)
  return key
}

/** Creates the file atomically; returns false when another process was first. */
function writeKeyFile(file: string, key: Uint8Array): boolean {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, `${toHex(key)}\n`, { mode: OWNER_ONLY, flush: true })
  try {
    linkSync(draft, file)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return false
  } finally {
    rmSync(draft)
  }
}
