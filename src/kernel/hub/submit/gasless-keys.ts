import { refusalOf } from '../../limits/exceeded.ts'
import { Quota } from '../../limits/quota.ts'
import { equalBytes, toHex } from '../../protocol/codec/bytes.ts'
import { KEY_REMOVAL, MAX_GASLESS_KEYS } from '../../protocol/kinds/gasless-key.ts'
import { invalid } from '../../protocol/kinds/rules.ts'
import { Rejection } from '../../protocol/rejection.ts'
import { ADDRESS_BYTES } from '../../protocol/sizes.ts'
import { MESSAGE_SETS } from '../../protocol/slots.ts'
import { networkTime } from '../../protocol/time.ts'
import { type KeyAddBody, type KeyRemoveBody, MessageType } from '../../protocol/wire/message_pb.js'
import { fromStored } from '../../storage/messages/message-rows.ts'
import type { StoredMessage } from '../../storage/messages/messages.ts'
import type { Reader, Writer } from '../../storage/storage.ts'
import type { GaslessKey, GaslessKeyNonces } from '../../storage/tables/gasless-keys.ts'
import type { Authority } from '../settings.ts'
import { bytesKey, type Candidate, type CheckedRow } from './candidate.ts'

/** Network seconds between two moves of a key's last use, so that not every message writes it. */
const LAST_USE_STEP_SECONDS = 300
/** KEY_ADD messages of a fid. */
const ADDS = { name: 'gasless key adds', windowMs: 60_000, max: 1 } as const

/** Who signed a message about a gasless key: 20-byte addresses. */
export type KeySigners = {
  /** Of the custody signature. */
  readonly custody: Uint8Array
  /** Of the app's request, and the fid that it names. KEY_ADD only. */
  readonly request?: { readonly fid: number; readonly address: Uint8Array }
}

/** Signers as Candidate.answer carries them: custody address, request address, request fid (4 bytes). */
export function encodeKeySigners({ custody, request }: KeySigners): Uint8Array {
  if (!request) return custody
  const fid = Buffer.alloc(4)
  fid.writeUInt32BE(request.fid)
  return Buffer.concat([custody, request.address, fid])
}

function decodeKeySigners(bytes: Uint8Array): KeySigners {
  const custody = bytes.subarray(0, ADDRESS_BYTES)
  if (bytes.length === ADDRESS_BYTES) return { custody }
  const address = bytes.subarray(ADDRESS_BYTES, 2 * ADDRESS_BYTES)
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return { custody, request: { fid: view.readUInt32BE(2 * ADDRESS_BYTES), address } }
}

export const isKeyMessage = ({ store }: Pick<CheckedRow, 'store'>): boolean =>
  store === MESSAGE_SETS.gaslessKeys

/** The key that a row of the set is about. */
export const keyOfSlot = (slot: Uint8Array): Uint8Array => slot.subarray(slot.length - 32)

/** What reading the state needs of a candidate. */
export type Sending = {
  readonly row: Pick<CheckedRow, 'fid' | 'signer' | 'type' | 'store' | 'slot'>
  readonly answer?: Uint8Array | undefined
}

type Terms = {
  /** What a stored KEY_ADD says of its key. */
  readonly scopes: readonly number[]
  readonly ttl: number
}

/** What the rules of gasless keys ask of a merge state. */
export type KeyHolders = {
  holder(slot: Uint8Array): StoredMessage | undefined
  isActiveKey(fid: number, key: Uint8Array): boolean
  usage(fid: number, store: number): number
  custody(fid: number): { readonly address: Uint8Array } | undefined
}

/** The gasless keys, nonces and limits that a batch touches; updated while the batch is decided. */
export class GaslessKeys {
  readonly #keys: Map<string, GaslessKey>
  readonly #nonces: Map<number, GaslessKeyNonces>
  readonly #adds: Quota
  readonly #changed = new Map<string, Uint8Array>()
  readonly #changedNonces = new Set<number>()
  readonly #nowMs: number

  private constructor(
    nowMs: number,
    keys: readonly GaslessKey[],
    nonces: readonly GaslessKeyNonces[],
    adds: Quota,
  ) {
    this.#nowMs = nowMs
    this.#keys = new Map(keys.map((row) => [bytesKey(row.key), row]))
    this.#nonces = new Map(nonces.map((row) => [row.fid, row]))
    this.#adds = adds
  }

  /** Reads the state of these keys, and of what the candidates among them need. */
  static async read(
    reader: Pick<Reader, 'gaslessKeys' | 'quotas'>,
    keys: readonly Uint8Array[],
    candidates: readonly Sending[],
    nowMs: number,
  ): Promise<GaslessKeys> {
    const messages = candidates.filter(({ row }) => isKeyMessage(row))
    const fids = messages.map(({ row }) => String(row.fid))
    const [rows, used] = await Promise.all([
      keys.length === 0 ? [] : reader.gaslessKeys.ofKeys(keys),
      fids.length === 0 ? [] : reader.quotas.used(ADDS.name, fids),
    ])
    const parties = new Set([
      ...messages.flatMap((one) => [one.row.fid, requestFidOf(one) ?? one.row.fid]),
      ...(messages.length === 0 ? [] : rows.map((row) => row.request_fid)),
    ])
    const nonces = parties.size === 0 ? [] : await reader.gaslessKeys.nonces([...parties])
    return new GaslessKeys(nowMs, rows, nonces, new Quota(ADDS.name, used))
  }

  /**
   * Throws a Rejection unless the fid has this gasless key and may send such a message with it. `holder` is the message in
   * the slot of the key. When a mirrored hub took the message, the key had been used lately.
   */
  checkUse(
    { fid, signer, type }: Pick<CheckedRow, 'fid' | 'signer' | 'type'>,
    holder: StoredMessage | undefined,
    authority: Authority = 'own',
  ): void {
    const row = this.#keys.get(bytesKey(signer))
    if (!holder || !row || holder.fid !== fid || row.fid !== fid) throw unknownSigner(fid, signer)
    const { scopes, ttl } = termsOf(holder)
    if (!scopes.includes(type)) {
      const text = `message type ${type} is not in the scope of the gasless signer`
      throw new Rejection('bad_request.validation_failure', text, { field: 'data.type' })
    }
    const now = networkTime(this.#nowMs)
    if (authority === 'source' || row.last_used_at + ttl >= now) return
    const text = `gasless-key last_used_at expired: last used at ${row.last_used_at}, ttl ${ttl}, now ${now}`
    throw new Rejection('bad_request.unknown_signer', text, { field: 'signer' })
  }

  /** Notes that a merged message was signed with the key. */
  use({ signer, timestamp }: Pick<CheckedRow, 'signer' | 'timestamp'>): void {
    const row = this.#keys.get(bytesKey(signer))
    if (!row || timestamp <= row.last_used_at + LAST_USE_STEP_SECONDS) return
    this.#put({ ...row, last_used_at: timestamp })
  }

  /** Throws a Rejection when a message about a key may not be merged; otherwise the state is as after it. */
  merge(candidate: Candidate, state: KeyHolders, authority: Authority = 'own'): void {
    if (candidate.row.type === MessageType.KEY_ADD) this.#add(candidate, state, authority)
    else this.#remove(candidate, state, authority)
  }

  #add(candidate: Candidate, state: KeyHolders, authority: Authority): void {
    const { row, answer } = candidate
    const body = candidate.body.value as KeyAddBody
    const { custody, request } = decodeKeySigners(answer!)
    const { fid } = row
    const holder = state.holder(row.slot)
    if (holder && equalBytes(holder.hash, row.hash)) throw DUPLICATE
    // A mirror may have no account of the app, or one of another time: the source has compared them.
    const isOfApp = request && isCustody(state, request.fid, request.address)
    if (!request || (authority === 'own' && !isOfApp)) {
      const text = 'requestSigner does not match custody address of requestFid'
      throw invalid(text, 'keyAddBody.metadata')
    }
    if (!isCustody(state, fid, custody)) {
      throw invalid('invalid signature', 'keyAddBody.custodySignature')
    }
    if (state.isActiveKey(fid, body.key)) {
      throw invalid('key is already registered onchain for this fid', 'keyAddBody.key')
    }
    this.#checkHolder(fid, request.fid, body.key, holder)
    const isFull = state.usage(fid, MESSAGE_SETS.gaslessKeys) >= MAX_GASLESS_KEYS
    if (authority === 'own' && !holder && isFull) {
      throw invalid(`active-key cap exceeded: ${MAX_GASLESS_KEYS} keys per FID`, 'data.fid')
    }
    this.#checkNonce(fid, 'user_nonce', body.nonce)
    const exceeded = authority === 'own' && this.#adds.tryConsume(String(fid), ADDS, this.#nowMs)
    if (exceeded) throw refusalOf(exceeded, `fid ${fid} may add one gasless key a minute`)
    this.#spendNonce(fid, 'user_nonce', body.nonce)
    this.#put({ key: body.key, fid, request_fid: request.fid, last_used_at: row.timestamp })
  }

  #remove(candidate: Candidate, state: KeyHolders, authority: Authority): void {
    const { row, answer } = candidate
    const body = candidate.body.value as KeyRemoveBody
    const { fid } = row
    const key = this.#keys.get(bytesKey(body.key))
    if (!key || state.holder(row.slot)?.fid !== fid) {
      if (authority === 'source') throw NOT_KNOWN
      throw invalid('key is not registered for this fid', 'keyRemoveBody.key')
    }
    if (body.signatureType === KEY_REMOVAL.self) {
      if (!equalBytes(row.signer, body.key)) throw invalid('invalid signature', 'signer')
      this.#checkNonce(key.request_fid, 'app_nonce', body.nonce)
      this.#spendNonce(key.request_fid, 'app_nonce', body.nonce)
    } else {
      if (!isCustody(state, fid, decodeKeySigners(answer!).custody)) {
        throw invalid('invalid signature', 'keyRemoveBody.signature')
      }
      this.#checkNonce(fid, 'user_nonce', body.nonce)
      this.#spendNonce(fid, 'user_nonce', body.nonce)
    }
    this.#keys.delete(bytesKey(body.key))
    this.#changed.set(bytesKey(body.key), body.key)
  }

  async write(tx: Pick<Writer, 'gaslessKeys' | 'quotas'>): Promise<void> {
    const removed = [...this.#changed].flatMap(([id, key]) => (this.#keys.has(id) ? [] : key))
    const changed = [...this.#changed.keys()].flatMap((id) => this.#keys.get(id) ?? [])
    const nonces = [...this.#changedNonces].map((fid) => this.#noncesOf(fid))
    if (removed.length > 0) await tx.gaslessKeys.remove(removed)
    if (changed.length > 0) await tx.gaslessKeys.put(changed)
    if (nonces.length > 0) await tx.gaslessKeys.putNonces(nonces)
    if (this.#adds.changed.length > 0) await tx.quotas.put(this.#adds.changed)
  }

  #checkHolder(
    fid: number,
    requestFid: number,
    key: Uint8Array,
    holder: StoredMessage | undefined,
  ): void {
    if (!holder) return
    if (holder.fid !== fid) {
      throw invalid('key is already claimed by a different fid', 'keyAddBody.key')
    }
    if (this.#keys.get(bytesKey(key))?.request_fid === requestFid) return
    const text = 'key is already registered for this fid by a different requesting fid'
    throw invalid(text, 'keyAddBody.metadata')
  }

  #put(row: GaslessKey): void {
    const id = bytesKey(row.key)
    this.#keys.set(id, row)
    this.#changed.set(id, row.key)
  }

  #noncesOf(fid: number): GaslessKeyNonces {
    return this.#nonces.get(fid) ?? { fid, user_nonce: 0, app_nonce: 0 }
  }

  #checkNonce(fid: number, of: 'user_nonce' | 'app_nonce', nonce: number): void {
    const stored = this.#noncesOf(fid)[of]
    if (nonce > stored) return
    const text = `gasless-key nonce ${nonce} is not greater than stored nonce ${stored}`
    throw new Rejection('bad_request.conflict', text, { field: 'nonce' })
  }

  #spendNonce(fid: number, of: 'user_nonce' | 'app_nonce', nonce: number): void {
    this.#nonces.set(fid, { ...this.#noncesOf(fid), [of]: nonce })
    this.#changedNonces.add(fid)
  }
}

const DUPLICATE = new Rejection('bad_request.duplicate', 'message has already been merged')

/** A mirror knows no key that was added before it followed the hub, so there is none to remove. */
const NOT_KNOWN = new Rejection('bad_request.duplicate', 'the key is not stored here')

export const unknownSigner = (fid: number, signer: Uint8Array): Rejection =>
  new Rejection(
    'bad_request.unknown_signer',
    `invalid signer: signer ${toHex(signer)} not found for fid ${fid}`,
    { field: 'signer' },
  )

/** The fid that a KEY_ADD's request names. */
export function requestFidOf({ row, answer }: Sending): number | undefined {
  if (row.type !== MessageType.KEY_ADD || !answer) return undefined
  return decodeKeySigners(answer).request?.fid
}

function termsOf(holder: StoredMessage): Terms {
  const { body } = fromStored(holder).data
  return body.case === 'keyAddBody' ? body.value : { scopes: [], ttl: 0 }
}

const isCustody = (state: KeyHolders, fid: number, address: Uint8Array): boolean => {
  const custody = state.custody(fid)
  return custody !== undefined && equalBytes(custody.address, address)
}
