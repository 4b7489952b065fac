import { indexedStore } from './indexed-store.ts'

// The keys with which this browser signs messages, one for each account. They never leave the browser: the
// browser itself signs with a key that scripts cannot read, where it can.

export type BrowserKey = {
  readonly fid: number
  readonly publicKey: Uint8Array
  sign(bytes: Uint8Array): Promise<Uint8Array>
}

/** A seed where the browser has no Ed25519 of its own, or no secure context. */
type Stored = { readonly publicKey: Uint8Array; readonly secret: CryptoKey | Uint8Array }

const request = indexedStore('rookery', 'keys')
const ALGORITHM = 'Ed25519'
const SEED_BYTES = 32
/** What comes before the seed in PKCS #8. */
const PKCS8_PREFIX = '302e020100300506032b657004220420'

export type NewKey = Omit<BrowserKey, 'fid'> & {
  /** Remembers it as the key of an account in this browser. */
  keepFor(fid: number): Promise<void>
}

export async function createKey(): Promise<NewKey> {
  const stored =
    (await createInBrowser()) ??
    (await keyOfSeed(crypto.getRandomValues(new Uint8Array(SEED_BYTES))))
  return newKey(stored)
}

/** A key whose seed is public, of a development network. */
export async function importKey(seed: Uint8Array): Promise<NewKey> {
  return newKey(await keyOfSeed(seed))
}

/** The key of an account in this browser, if it has one. */
export async function findKey(fid: number): Promise<BrowserKey | undefined> {
  const stored = await request<Stored | undefined>('readonly', (store) => store.get(fid)).catch(
    () => inMemory.get(fid),
  )
  const found = stored ?? inMemory.get(fid)
  return found && { fid, publicKey: found.publicKey, sign: signerOf(found) }
}

export async function forgetKey(fid: number): Promise<void> {
  inMemory.delete(fid)
  await request('readwrite', (store) => store.delete(fid)).catch(() => {})
}

/** Where the browser stores nothing, as in some private windows, a key lives as long as the page. */
const inMemory = new Map<number, Stored>()

const newKey = (stored: Stored): NewKey => ({
  publicKey: stored.publicKey,
  sign: signerOf(stored),
  keepFor: async (fid) => {
    inMemory.set(fid, stored)
    await request('readwrite', (store) => store.put(stored, fid)).catch(() => {})
  },
})

async function createInBrowser(): Promise<Stored | undefined> {
  try {
    const pair = (await crypto.subtle.generateKey(ALGORITHM, false, [
      'sign',
      'verify',
    ])) as CryptoKeyPair
    const publicKey = new Uint8Array(await crypto.subtle.exportKey('raw', pair.publicKey))
    return { publicKey, secret: pair.privateKey }
  } catch {
    return undefined
  }
}

async function keyOfSeed(seed: Uint8Array): Promise<Stored> {
  const { ed25519 } = await import('@noble/curves/ed25519.js')
  const publicKey = ed25519.getPublicKey(seed)
  const prefix = Uint8Array.from(PKCS8_PREFIX.match(/../g)!, (pair) => Number.parseInt(pair, 16))
  try {
    const encoded = new Uint8Array([...prefix, ...seed])
    const secret = await crypto.subtle.importKey('pkcs8', encoded, ALGORITHM, false, ['sign'])
    return { publicKey, secret }
  } catch {
    return { publicKey, secret: seed }
  }
}

const signerOf =
  ({ secret }: Stored) =>
  async (bytes: Uint8Array): Promise<Uint8Array> => {
    const copy = new Uint8Array(bytes)
    if (!(secret instanceof Uint8Array)) {
      return new Uint8Array(await crypto.subtle.sign(ALGORITHM, secret, copy))
    }
    const { ed25519 } = await import('@noble/curves/ed25519.js')
    return ed25519.sign(copy, secret)
  }
