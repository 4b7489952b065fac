import { bytesOf } from '../../shared/bytes.ts'
import { fetchJson } from '../../shared/request.ts'
import { indexedStore } from '../act/indexed-store.ts'
import { open, seal } from './seal.ts'
import { ownerRequest } from './server.ts'
import { connectionOf } from './words.ts'

// The request for a lost account that this browser has made: it is shown where one signs in until it has come to an end. The words
// are kept only where their owner wants that, locked by a key that the browser uses and does not give out.

export type KeptRecovery = {
  /** The address of the new words. */
  readonly receiver: string
  readonly fid: number
  /** How the account is called. */
  readonly name: string
  readonly words?: { readonly key: CryptoKey; readonly sealed: string }
  /** Unix milliseconds, after which the request is worth nothing. */
  readonly until: number
}

const request = indexedStore('rookery-recovery', 'request')
/** One: another takes its place. */
const ONLY = 'newest'

/** Null: there is none. Without storage, as in some private windows, nothing is kept. */
export async function keptRecovery(): Promise<KeptRecovery | null> {
  const read = request<KeptRecovery | undefined>('readonly', (store) => store.get(ONLY))
  const kept = await read.catch(() => undefined)
  if (kept && !(kept.until > Date.now())) {
    await forgetRecovery()
    return null
  }
  return kept ?? null
}

/** With `words`, they are kept too. */
export async function keepRecovery(
  kept: Omit<KeptRecovery, 'words'>,
  words: string | undefined,
): Promise<void> {
  const locked = words === undefined ? undefined : await lock(words).catch(() => undefined)
  const row = { ...kept, ...(locked && { words: locked }) }
  await request('readwrite', (store) => store.put(row, ONLY)).catch(() => {})
}

export const forgetRecovery = (): Promise<unknown> =>
  request('readwrite', (store) => store.delete(ONLY)).catch(() => {})

/** The account has come to this key: nothing waits any more. */
export async function endRecovery(receiver: string): Promise<void> {
  if ((await keptRecovery())?.receiver === receiver) await forgetRecovery()
}

async function lock(words: string) {
  const aes = { name: 'AES-GCM', length: 256 }
  const key = await crypto.subtle.generateKey(aes, false, ['encrypt', 'decrypt'])
  return { key, sealed: await seal(words, key) }
}

/** The words, where they are kept. */
export const wordsOf = async ({ words }: KeptRecovery): Promise<string | undefined> =>
  words && open(bytesOf(words.sealed), words.key)

/** Takes the request back, in the name of the new words. */
export async function takeBack({ fid, receiver }: KeptRecovery, words: string): Promise<void> {
  const signed = await ownerRequest(connectionOf(words), fid, 'take back recovery')
  await fetchJson('/accounts/v1/recovery/take-back', {
    method: 'POST',
    body: { ...signed, receiver },
  })
}
