import { fromBinary } from '@bufbuild/protobuf'
import { decodeSignedKeyRequestMetadata } from '../protocol/crypto/key-request-metadata.ts'
import { MAX_FID } from '../protocol/sizes.ts'
import { OnChainEventSchema } from '../protocol/wire/onchain_event_pb.js'
import type { StoredMessage } from '../storage/messages/messages.ts'
import type { Storage } from '../storage/storage.ts'

// The app that requested the key that signed a message. It never changes until other data take the place of these, so it is cached.

type Signed = Pick<StoredMessage, 'fid' | 'signer'>

/** Keys that are cached, about 150 bytes each. */
const MAX_KEYS = 100_000
/** Active keys of a user that are read at a time; an account has at most 1,000. */
const KEYS_PER_PAGE = 1_000

export class KeyApps {
  readonly #accounts: Storage['accounts']
  readonly #gaslessKeys: Storage['gaslessKeys']
  readonly #resets: Storage['resets']
  #known = new Map<string, number | undefined>()
  #knownAt = 0

  constructor({
    accounts,
    gaslessKeys,
    resets,
  }: Pick<Storage, 'accounts' | 'gaslessKeys' | 'resets'>) {
    this.#accounts = accounts
    this.#gaslessKeys = gaslessKeys
    this.#resets = resets
  }

  /** Looks up the apps of keys that are not known yet, with at most two statements. */
  async learn(signed: readonly Signed[]): Promise<void> {
    const resets = this.#resets()
    if (resets !== this.#knownAt) this.#known = new Map()
    this.#knownAt = resets
    const known = this.#known
    const unknown = signed.filter((one) => !this.#known.has(nameOf(one)))
    if (unknown.length === 0) return
    const keys = new Map(unknown.map((one) => [nameOf(one), { fid: one.fid, key: one.signer }]))
    const apps = new Map<string, number | undefined>()
    for (const { fid, key, body } of await this.#accounts.addingEvents([...keys.values()])) {
      apps.set(nameOf({ fid, signer: key }), addedKey(body)?.app)
    }
    const rest = [...keys].flatMap(([name, { key }]) => (apps.has(name) ? [] : [key]))
    const gasless = rest.length === 0 ? [] : await this.#gaslessKeys.ofKeys(rest)
    for (const { fid, key, request_fid } of gasless) {
      const name = nameOf({ fid, signer: key })
      if (keys.has(name) && !apps.has(name)) apps.set(name, request_fid)
    }
    for (const name of keys.keys()) put(known, name, apps.get(name))
  }

  /** The fid of the app; undefined when the key names none. `learn` must have been called with it. */
  appOf(signed: Signed): number | undefined {
    return this.#known.get(nameOf(signed))
  }

  /** The active keys of a user that this app requested. */
  async keysOf(fid: number, app: number): Promise<Uint8Array[]> {
    const keys: Uint8Array[] = []
    for (let token: Uint8Array | undefined; ; ) {
      const page = { size: KEYS_PER_PAGE, token, reverse: false }
      const { items, next } = await this.#accounts.listActiveSigners(fid, page)
      const added = items.flatMap(({ body }) => addedKey(body) ?? [])
      keys.push(...added.filter((one) => one.app === app).map(({ key }) => key))
      if (!next) return keys
      token = next
    }
  }
}

function put(known: Map<string, number | undefined>, key: string, app: number | undefined): void {
  if (known.size >= MAX_KEYS) known.delete(known.keys().next().value!)
  known.set(key, app)
}

const nameOf = ({ fid, signer }: Signed): string =>
  `${fid}/${Buffer.from(signer.buffer, signer.byteOffset, signer.length).toString('latin1')}`

/** The key that an event added, and the app that its metadata name. */
function addedKey(body: Uint8Array) {
  const event = fromBinary(OnChainEventSchema, body)
  if (event.body.case !== 'signerEventBody') return undefined
  const { key, metadata } = event.body.value
  const requester = decodeSignedKeyRequestMetadata(metadata)?.requestFid
  const isFid = requester !== undefined && requester >= 1n && requester <= BigInt(MAX_FID)
  return { key, app: isFid ? Number(requester) : undefined }
}
