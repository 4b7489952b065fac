import { refusalOf } from '../../limits/exceeded.ts'
import { Quota } from '../../limits/quota.ts'
import { equalBytes, toHex } from '../../protocol/codec/bytes.ts'
import {
  gaslessKeySlot,
  KEY_REMOVAL,
  keyOfSlot,
  MAX_GASLESS_KEYS,
} from '../../protocol/kinds/gasless-key.ts'
import { invalid } from '../../protocol/kinds/rules.ts'
import { Rejection } from '../../protocol/rejection.ts'
import { ADDRESS_BYTES } from '../../protocol/sizes.ts'
import { MESSAGE_SETS } from '../../protocol/slots.ts'
import { type KeyAddBody, type KeyRemoveBody, MessageType } from '../../protocol/wire/message_pb.js'
import { fromStored } from '../../storage/messages/message-rows.ts'
import type { StoredMessage } from '../../storage/messages/messages.ts'
import type { Reader, Storage, Writer } from '../../storage/storage.ts'
import type { GaslessKey, GaslessKeyNonces } from '../../storage/tables/gasless-keys.ts'
import type { Findings } from '../jobs/findings.ts'
import type { Candidate } from '../submit/candidate.ts'
import {
  type BatchReads,
  type Effects,
  type MergeState,
  Part,
  type PartOf,
  type Readable,
} from './effects.ts'

const NONCES: PartOf<KeyNonces> = { read: readNonces }

/** A KEY_ADD adds a key by which its author signs, and a KEY_REMOVE deletes the KEY_ADD. */
export const gaslessKeyEffects: Effects = {
  needs: (candidate) => ({
    custodies: [candidate.row.fid, requestFidOf(candidate) ?? candidate.row.fid],
  }),
  part: NONCES,
  asks(body) {
    const isRecovered =
      body.case === 'keyAddBody' ||
      (body.case === 'keyRemoveBody' && body.value.signatureType === KEY_REMOVAL.custody)
    return isRecovered ? 'keySigners' : undefined
  },
  aboutKey: ({ slot }) => keyOfSlot(slot),
  rules: [
    { check: ofAdd(checkNotMerged) },
    { checkNow: ofAdd(checkApp) },
    { check: ofAdd(checkOwner) },
    { checkNow: ofAdd(checkRoom) },
    { check: ofAdd(checkNonce) },
    { checkNow: ofAdd(countAdd) },
    { checkNow: ofRemove(checkRegistered) },
    { check: ofRemove(checkRemover) },
  ],
  decidesAlone: true,
  merged,
  async removed(tx, rows) {
    await tx.gaslessKeys.remove(rows.map(({ slot }) => keyOfSlot(slot)))
  },
  verify: checkKeyMessages,
  verifyRows: checkKeyRows,
}

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

/** The fid that a KEY_ADD's request names. */
function requestFidOf({ row, answer }: Candidate): number | undefined {
  if (row.type !== MessageType.KEY_ADD || !answer) return undefined
  return decodeKeySigners(answer).request?.fid
}

type NonceOf = 'user_nonce' | 'app_nonce'

/** The nonces and limits that messages of a batch use up. */
class KeyNonces extends Part {
  readonly #nonces: Map<number, GaslessKeyNonces>
  readonly #changed = new Set<number>()
  readonly #adds: Quota
  readonly #nowMs: number

  constructor(nonces: readonly GaslessKeyNonces[], adds: Quota, nowMs: number) {
    super()
    this.#nonces = new Map(nonces.map((row) => [row.fid, row]))
    this.#adds = adds
    this.#nowMs = nowMs
  }

  /** Throws a Rejection unless the nonce is greater than all before. */
  check(fid: number, of: NonceOf, nonce: number): void {
    const stored = this.#of(fid)[of]
    if (nonce > stored) return
    const text = `gasless-key nonce ${nonce} is not greater than stored nonce ${stored}`
    throw new Rejection('bad_request.conflict', text, { field: 'nonce' })
  }

  spend(fid: number, of: NonceOf, nonce: number): void {
    this.#nonces.set(fid, { ...this.#of(fid), [of]: nonce })
    this.#changed.add(fid)
  }

  /** Throws a Rejection when the fid has just added a key. */
  consumeAdd(fid: number): void {
    const exceeded = this.#adds.tryConsume(String(fid), ADDS, this.#nowMs)
    if (exceeded) throw refusalOf(exceeded, `fid ${fid} may add one gasless key a minute`)
  }

  override async write(tx: Writer): Promise<void> {
    const nonces = [...this.#changed].map((fid) => this.#of(fid))
    if (nonces.length > 0) await tx.gaslessKeys.putNonces(nonces)
    if (this.#adds.changed.length > 0) await tx.quotas.put(this.#adds.changed)
  }

  #of(fid: number): GaslessKeyNonces {
    return this.#nonces.get(fid) ?? { fid, user_nonce: 0, app_nonce: 0 }
  }
}

async function readNonces(
  reader: Reader,
  candidates: readonly Candidate[],
  { terms, senders }: BatchReads,
): Promise<KeyNonces> {
  const fids = candidates.map(({ row }) => String(row.fid))
  const [used, { keys }] = await Promise.all([reader.quotas.used(ADDS.name, fids), senders])
  const parties = candidates.flatMap((one) => [
    one.row.fid,
    requestFidOf(one) ?? one.row.fid,
    keys.find(keyOfSlot(one.row.slot))?.request_fid ?? one.row.fid,
  ])
  const nonces = await reader.gaslessKeys.nonces([...new Set(parties)])
  return new KeyNonces(nonces, new Quota(ADDS.name, used), terms.nowMs)
}

type KeyCheck<Body> = (candidate: Candidate, body: Body, state: MergeState) => void

function ofAdd(check: KeyCheck<KeyAddBody>) {
  return (candidate: Candidate, state: MergeState): void => {
    if (candidate.body.case === 'keyAddBody') check(candidate, candidate.body.value, state)
  }
}

function ofRemove(check: KeyCheck<KeyRemoveBody>) {
  return (candidate: Candidate, state: MergeState): void => {
    if (candidate.body.case === 'keyRemoveBody') check(candidate, candidate.body.value, state)
  }
}

function checkNotMerged({ row }: Candidate, _body: KeyAddBody, state: MergeState): void {
  const holder = state.holder(row.slot)
  if (holder && equalBytes(holder.hash, row.hash)) throw DUPLICATE
}

/** Not checked by a mirror, which may not have the account of the app, or may have an older state of it; its source has checked this. */
function checkApp({ answer }: Candidate, _body: KeyAddBody, state: MergeState): void {
  const { request } = decodeKeySigners(answer!)
  if (!request || !isCustody(state, request.fid, request.address)) throw OTHER_APP
}

function checkOwner({ row, answer }: Candidate, { key }: KeyAddBody, state: MergeState): void {
  const { custody, request } = decodeKeySigners(answer!)
  if (!request) throw OTHER_APP
  const { fid } = row
  if (!isCustody(state, fid, custody)) {
    throw invalid('invalid signature', 'keyAddBody.custodySignature')
  }
  if (state.isActiveKey(fid, key)) {
    throw invalid('key is already registered onchain for this fid', 'keyAddBody.key')
  }
  const holder = state.holder(row.slot)
  if (holder) checkHolder(holder, { fid, requestFid: request.fid, key: state.keys.find(key) })
}

/** Throws unless the KEY_ADD that has the key is of the same fid, for the same app. */
function checkHolder(
  holder: StoredMessage,
  by: { readonly fid: number; readonly requestFid: number; readonly key: GaslessKey | undefined },
): void {
  if (holder.fid !== by.fid) {
    throw invalid('key is already claimed by a different fid', 'keyAddBody.key')
  }
  if (by.key?.request_fid === by.requestFid) return
  const text = 'key is already registered for this fid by a different requesting fid'
  throw invalid(text, 'keyAddBody.metadata')
}

function checkRoom({ row }: Candidate, _body: KeyAddBody, state: MergeState): void {
  const isFull = state.usage(row.fid, MESSAGE_SETS.gaslessKeys) >= MAX_GASLESS_KEYS
  if (!isFull || state.holder(row.slot)) return
  throw invalid(`active-key cap exceeded: ${MAX_GASLESS_KEYS} keys per FID`, 'data.fid')
}

function checkNonce({ row }: Candidate, { nonce }: KeyAddBody, state: MergeState): void {
  state.part(NONCES).check(row.fid, 'user_nonce', nonce)
}

function countAdd({ row }: Candidate, _body: KeyAddBody, state: MergeState): void {
  state.part(NONCES).consumeAdd(row.fid)
}

function checkRegistered({ row }: Candidate, { key }: KeyRemoveBody, state: MergeState): void {
  if (state.keys.find(key) && state.holder(row.slot)?.fid === row.fid) return
  throw invalid('key is not registered for this fid', 'keyRemoveBody.key')
}

function checkRemover({ row, answer }: Candidate, body: KeyRemoveBody, state: MergeState): void {
  const { fid } = row
  const key = state.keys.find(body.key)
  if (!key || state.holder(row.slot)?.fid !== fid) throw NOT_KNOWN
  if (isBySelf(body)) {
    if (!equalBytes(row.signer, body.key)) throw invalid('invalid signature', 'signer')
    state.part(NONCES).check(key.request_fid, 'app_nonce', body.nonce)
  } else {
    if (!isCustody(state, fid, decodeKeySigners(answer!).custody)) {
      throw invalid('invalid signature', 'keyRemoveBody.signature')
    }
    state.part(NONCES).check(fid, 'user_nonce', body.nonce)
  }
}

const isBySelf = (body: KeyRemoveBody): boolean => body.signatureType === KEY_REMOVAL.self

/** A KEY_REMOVE only deletes the KEY_ADD: its event keeps its bytes. */
function merged(_id: number, candidate: Candidate, state: MergeState): 'stored' | 'event' {
  const { row, answer } = candidate
  const { fid, timestamp } = row
  const nonces = state.part(NONCES)
  if (row.type === MessageType.KEY_ADD) {
    const { key, nonce } = candidate.body.value as KeyAddBody
    nonces.spend(fid, 'user_nonce', nonce)
    const request_fid = decodeKeySigners(answer!).request!.fid
    state.keys.put({ key, fid, request_fid, last_used_at: timestamp })
    return 'stored'
  }
  const body = candidate.body.value as KeyRemoveBody
  if (isBySelf(body)) nonces.spend(state.keys.find(body.key)!.request_fid, 'app_nonce', body.nonce)
  else nonces.spend(fid, 'user_nonce', body.nonce)
  state.keys.remove(body.key)
  return 'event'
}

const DUPLICATE = new Rejection('bad_request.duplicate', 'message has already been merged')

const OTHER_APP = invalid(
  'requestSigner does not match custody address of requestFid',
  'keyAddBody.metadata',
)

/** A mirror knows no key that was added before it followed the hub, so there is none to remove. */
const NOT_KNOWN = new Rejection('bad_request.duplicate', 'the key is not stored here')

const isCustody = (state: MergeState, fid: number, address: Uint8Array): boolean => {
  const custody = state.custody(fid)
  return custody !== undefined && equalBytes(custody.address, address)
}

const KEYS_PER_STEP = 500
const WORD_BYTES = 32

/** Compares the rows of gasless keys with the KEY_ADD messages that they belong to. */
async function checkKeyRows(storage: Storage, found: Findings): Promise<void> {
  for (let after = new Uint8Array(0); ; ) {
    const keys = await storage.gaslessKeys.after(after, KEYS_PER_STEP)
    if (keys.length === 0) return
    const messages = await storage.messages.bySlots(keys.map(({ key }) => gaslessKeySlot(key)))
    for (const row of keys) checkKey(row, messages, found)
    after = new Uint8Array(keys.at(-1)!.key)
  }
}

function checkKey(row: GaslessKey, messages: readonly StoredMessage[], found: Findings): void {
  const message = messages.find(({ slot }) => equalBytes(slot, gaslessKeySlot(row.key)))
  if (!message) found.add('gasless key', `${toHex(row.key)} has no KEY_ADD message`)
  else if (message.fid !== row.fid) {
    found.add(
      'gasless key',
      `${toHex(row.key)} is of fid ${row.fid}, its message of ${message.fid}`,
    )
  } else checkTerms(row, message, found)
}

function checkTerms(row: GaslessKey, message: StoredMessage, found: Findings): void {
  const { body } = fromStored(message).data
  if (body.case !== 'keyAddBody') return
  const asked = requestFidIn(body.value.metadata)
  if (asked !== row.request_fid) {
    found.add('gasless key', `${toHex(row.key)} is for app ${row.request_fid}, not ${asked}`)
  }
  if (row.last_used_at < message.timestamp) {
    found.add('gasless key', `${toHex(row.key)} was last used before it was added`)
  }
}

/**
 * The fid of an app's request, which was checked when the key was added: the first field of a tuple in ABI encoding. Read
 * here, because viem would be loaded in the thread of backups, too.
 */
function requestFidIn(metadata: Uint8Array): number | undefined {
  const view = new DataView(metadata.buffer, metadata.byteOffset, metadata.byteLength)
  const numberAt = (at: number) =>
    at + WORD_BYTES <= metadata.length ? view.getUint32(at + WORD_BYTES - 4) : undefined
  const tuple = numberAt(0)
  return tuple === undefined ? undefined : numberAt(tuple)
}

/** Reports KEY_ADD messages without the row of their key, and nonces that are used and may be used again. */
async function checkKeyMessages(
  storage: Storage,
  rows: readonly Readable[],
  found: Findings,
): Promise<void> {
  const added = rows.filter(({ row }) => row.type === MessageType.KEY_ADD)
  if (added.length === 0) return
  const [keys, nonces] = await Promise.all([
    storage.gaslessKeys.ofKeys(added.map(({ row }) => keyOfSlot(row.slot))),
    storage.gaslessKeys.nonces([...new Set(added.map(({ row }) => row.fid))]),
  ])
  for (const { row, message } of added) {
    const name = `key ${toHex(keyOfSlot(row.slot))} of fid ${row.fid}`
    const hasRow = keys.some(({ key }) => equalBytes(gaslessKeySlot(key), row.slot))
    if (!hasRow) found.add('gasless key', `${name} has a KEY_ADD message and no row`)
    const { body } = message.data
    const used = nonces.find(({ fid }) => fid === row.fid)?.user_nonce ?? 0
    if (body.case === 'keyAddBody' && body.value.nonce > used) {
      found.add('gasless key', `${name} has nonce ${body.value.nonce}, the stored one is ${used}`)
    }
  }
}
