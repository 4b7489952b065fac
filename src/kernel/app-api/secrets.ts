import { join } from 'node:path'
import { findServerKey, KEY_FILES, LostKeyError, loadServerKey } from '../base/server-key.ts'
import type { Logger } from '../http/logger.ts'
import { Rejection } from '../protocol/rejection.ts'
import type { SealedRows, SealedSecret } from '../storage/sealed-rows.ts'
import type { Reader, Storage } from '../storage/storage.ts'
import { Sealer, UnreadableSecretError } from './sealing.ts'

// The secrets of signers, webhooks, the mail server and the translator in the store, and the key that opens them. The key is never replaced while
// secrets are sealed with it.

const { file: KEY_FILE, variable: KEY_VARIABLE } = KEY_FILES.signer
const ROWS_PER_PAGE = 1_000
/** Secrets of each kind that are opened at start, which takes 0.1 s. `rookery verify` opens all. */
const MAX_OPENED_AT_START = 10_000
/** Why a webhook is switched off whose secret cannot be opened. */
export const LOST_SECRET_FAULT = 'its secret cannot be opened, because the server has lost the key'

/** A store, and its rows with secrets. */
export type SealedStore<S extends Pick<Reader, 'of'> = Pick<Reader, 'of'>> = {
  readonly storage: S
  readonly sealed: readonly SealedRows[]
}
export type SealingKey = { readonly key: Uint8Array; readonly name: string }
export type SecretCount = { readonly sealed: number; readonly unreadable: number }

/** The key of the settings, or that of the first of these directories that has one. */
export function findSealingKey(
  signerSecret: Uint8Array | undefined,
  directories: readonly string[],
): SealingKey | undefined {
  if (signerSecret) return { key: signerSecret, name: KEY_VARIABLE }
  for (const name of directories.map((directory) => join(directory, KEY_FILE))) {
    const key = findServerKey(name)
    if (key) return { key, name }
  }
  return undefined
}

/** Tries to open the secrets of a store, at most `most` of each kind. */
export async function countSecrets(
  { storage, sealed }: SealedStore,
  key: SealingKey | undefined,
  most = Number.POSITIVE_INFINITY,
): Promise<SecretCount> {
  const sealer = sealerOf(key)
  const count = { sealed: 0, unreadable: 0 }
  for (const rows of sealed) {
    for await (const page of pagesOf(rows, storage, most)) {
      count.sealed += page.length
      count.unreadable += page.filter((one) => !openWith(sealer, one)).length
    }
  }
  return count
}

/** An error message with advice when some secrets cannot be opened. */
export function secretFault(
  { sealed, unreadable }: SecretCount,
  key: SealingKey | undefined,
): string | undefined {
  if (unreadable === 0) return undefined
  const why = key
    ? `${key.name} is not the key that they were sealed with`
    : `their key, ${KEY_FILE}, is missing`
  return (
    `${unreadable} of ${sealed} secrets of signers, webhooks, the mail server and the translator cannot be opened: ${why}. Put the ${KEY_FILE} of the ` +
    `server that made them into the data directory, or set ${KEY_VARIABLE} to that key. If it is lost, ` +
    'rookery verify --forget-secrets gives these secrets up: users approve their signers again, apps ' +
    'create their webhooks again, and you set up the mail server and the translator again.'
  )
}

/** Gives up the secrets that cannot be opened. Returns how many there were. */
export async function forgetUnreadable(
  { storage, sealed }: SealedStore<Pick<Storage, 'of' | 'write'>>,
  key: SealingKey | undefined,
): Promise<number> {
  const sealer = sealerOf(key)
  let forgotten = 0
  for (const rows of sealed) {
    for await (const page of pagesOf(rows, storage)) {
      const lost = page.filter((one) => !openWith(sealer, one))
      if (lost.length > 0)
        await rows.giveUp(
          storage,
          lost.map(({ id }) => id),
        )
      forgotten += lost.length
    }
  }
  return forgotten
}

type SecretsContext = SealedStore & {
  readonly signerSecret: Uint8Array | undefined
  readonly dataDir: string
  readonly log: Pick<Logger, 'warn'>
}

export class Secrets {
  readonly #context: SecretsContext
  #sealer: Sealer | undefined

  constructor(context: SecretsContext) {
    this.#context = context
  }

  async seal(secret: Uint8Array, owner: readonly Uint8Array[]): Promise<Uint8Array> {
    return (await this.#getSealer()).seal(secret, owner)
  }

  /** 32 bytes that follow from the key and a name. */
  async derive(name: string): Promise<Uint8Array> {
    return (await this.#getSealer()).derive(name)
  }

  /** Undefined when it cannot be opened. */
  open(sealed: Uint8Array, owner: readonly Uint8Array[]): Uint8Array | undefined {
    return openWith(this.#findSealer(), { secret: sealed, owner })
  }

  /** Throws a LostKeyError when stored secrets cannot be opened. To be called before requests are served. */
  async check(): Promise<void> {
    const key = this.#findKey()
    const fault = secretFault(await countSecrets(this.#context, key, MAX_OPENED_AT_START), key)
    if (fault !== undefined) throw new LostKeyError(fault)
  }

  #findKey(): SealingKey | undefined {
    return findSealingKey(this.#context.signerSecret, [this.#context.dataDir])
  }

  #findSealer(): Sealer | undefined {
    this.#sealer ??= sealerOf(this.#findKey())
    return this.#sealer
  }

  /** The key is made with the first secret of a store. */
  async #getSealer(): Promise<Sealer> {
    const found = this.#findSealer()
    if (found) return found
    const { dataDir, log } = this.#context
    // Another process may have sealed something since the start, with a key of its own.
    if ((await countSecrets(this.#context, undefined, 1)).sealed > 0) {
      throw new Rejection('unavailable', `the server has no ${KEY_FILE}; its operator can help`)
    }
    const file = join(dataDir, KEY_FILE)
    const { key, isNew } = loadServerKey(file)
    if (isNew) log.warn({ file }, 'made a key that encrypts secrets of apps; keep a copy of it')
    this.#sealer ??= new Sealer(key)
    return this.#sealer
  }
}

/** The refusal of a call that needs a secret that cannot be opened. */
export const unreadableSecret = (advice: string, field: string): Rejection =>
  new Rejection('unreadable_secret', `${LOST_SECRET_FAULT}: ${advice}`, { field })

const sealerOf = (key: SealingKey | undefined): Sealer | undefined => key && new Sealer(key.key)

function openWith(
  sealer: Sealer | undefined,
  { secret, owner }: Omit<SealedSecret, 'id'>,
): Uint8Array | undefined {
  try {
    return sealer?.open(secret, owner)
  } catch (error) {
    if (error instanceof UnreadableSecretError) return undefined
    throw error
  }
}

async function* pagesOf(
  rows: SealedRows,
  storage: Pick<Reader, 'of'>,
  most = Number.POSITIVE_INFINITY,
): AsyncGenerator<SealedSecret[]> {
  for (let after = '', left = most; left > 0; ) {
    const page = await rows.read(storage, after, Math.min(ROWS_PER_PAGE, left))
    if (page.length === 0) return
    yield page
    after = page.at(-1)!.id
    left -= page.length
  }
}
