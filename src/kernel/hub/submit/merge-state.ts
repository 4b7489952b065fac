import { BytesMap } from '../../base/bytes-map.ts'
import { equalBytes } from '../../protocol/codec/bytes.ts'
import type { CompactState } from '../../protocol/merge.ts'
import {
  compactSlotOfLink,
  gaslessKeySlot,
  MESSAGE_SETS,
  usernameProofSlot,
  verificationSlot,
} from '../../protocol/slots.ts'
import { type HeldUnits, type StorageTerms, unitCount } from '../../protocol/storage-units.ts'
import { type MessageData, UserDataType } from '../../protocol/wire/message_pb.js'
import { fromStored } from '../../storage/messages/message-rows.ts'
import type { StoredMessage } from '../../storage/messages/messages.ts'
import type { Reader } from '../../storage/storage.ts'
import type { Custody, ModerationStatus, SignerOf } from '../../storage/tables/accounts.ts'
import type { StoredNameProof } from '../../storage/tables/name-proofs.ts'
import type { ToldName, Upstream } from '../../storage/upstream.ts'
import type { Candidate } from './candidate.ts'
import { GaslessKeys, isKeyMessage, keyOfSlot, requestFidOf, type Sending } from './gasless-keys.ts'
import { ethereumNameOf, registryNameOf } from './outside.ts'
import { StorageLends } from './storage-lends.ts'
import { primaryAddressOf } from './user-data.ts'

/** What the store holds about everything a batch touches; updated while the batch is decided. */
export type MergeState = SenderState & {
  custody(fid: number): Custody | undefined
  /** Whether units of the fid count now: without any its messages are refused. */
  hasStorage(fid: number): boolean
  /** Units that limit how many messages are kept: units in their grace time count. */
  units(fid: number): HeldUnits
  readonly lends: StorageLends
  usage(fid: number, store: number): number
  addUsage(fid: number, store: number, change: number): void
  setHolder(slot: Uint8Array, holder: StoredMessage | undefined): void
  /** The compact state of a link's fid and link type, by the link's slot. */
  compactState(linkSlot: Uint8Array): CompactState | undefined
  nameProof(name: string): StoredNameProof | undefined
  /** An ENS name or basename that another hub says somebody has. */
  toldName(name: string): ToldName | undefined
}

/** What the store holds about those who send messages. */
export type SenderState = {
  isRegistered(fid: number): boolean
  /** Whether a transaction has added the key. */
  isActiveKey(fid: number, key: Uint8Array): boolean
  /** Whether a transaction has ever added the key. */
  isKnownKey(fid: number, key: Uint8Array): boolean
  readonly gaslessKeys: GaslessKeys
  /** What moderation says about new messages of a registered fid. */
  moderation(fid: number): ModerationStatus | undefined
  /** The stored message that occupies a slot. */
  holder(slot: Uint8Array): StoredMessage | undefined
}

/** Reads the state with one statement for each table, however many messages there are. */
export async function readMergeState(
  reader: Reader,
  candidates: readonly Candidate[],
  now: StorageTerms & { readonly nowMs: number; readonly upstream?: Upstream | undefined },
): Promise<MergeState> {
  const rows = candidates.map((candidate) => candidate.row)
  const fids = [...new Set(rows.map((row) => row.fid))]
  const profiles = candidates.filter(({ row }) => row.store === MESSAGE_SETS.userData)
  const names = profiles.flatMap(({ body }) => registryNameOf(body))
  const ethereumNames = profiles.flatMap(({ body }) => ethereumNameOf(body))
  const unixSeconds = Math.floor(now.nowMs / 1_000)
  const [senders, lends, usages, holders, proofs, told, custodies] = await Promise.all([
    readSenders(reader, candidates, now.nowMs),
    StorageLends.read(reader, candidates, { ...now, now: unixSeconds }),
    reader.messages.usage(fids),
    // Their own slots are nearly always different, and to find that out costs more than to look for some twice.
    reader.messages.bySlots([...rows.map(({ slot }) => slot), ...otherSlotsOf(candidates)]),
    names.length === 0 ? [] : reader.nameProofs.byNames(names),
    ethereumNames.length > 0 && now.upstream
      ? reader.of(now.upstream.names).byNames(ethereumNames)
      : [],
    readCustodies(reader, candidates),
  ])

  const custodyOf = new Map(custodies.map((custody) => [custody.fid, custody]))
  const counts = new Map(usages.map(({ fid, store, count }) => [countKey(fid, store), count]))
  const bySlot = new BytesMap<StoredMessage>()
  for (const holder of [...holders, ...senders.keyHolders]) bySlot.set(holder.slot, holder)
  const byName = new Map(proofs.map((proof) => [Buffer.from(proof.name).toString(), proof]))
  const toldNames = new Map(told.map((row) => [Buffer.from(row.name).toString(), row]))
  const compactStates = new BytesMap<{ readonly state: CompactState | undefined }>()

  return {
    isRegistered: senders.isRegistered,
    isActiveKey: senders.isActiveKey,
    isKnownKey: senders.isKnownKey,
    gaslessKeys: senders.gaslessKeys,
    moderation: senders.moderation,
    custody: (fid) => custodyOf.get(fid),
    hasStorage: (fid) => unitCount(lends.active(fid)) > 0,
    units: (fid) => lends.kept(fid),
    lends,
    usage: (fid, store) => counts.get(countKey(fid, store)) ?? 0,
    addUsage(fid, store, change) {
      const key = countKey(fid, store)
      counts.set(key, (counts.get(key) ?? 0) + change)
    },
    holder: (slot) => bySlot.get(slot),
    setHolder: (slot, holder) => bySlot.set(slot, holder),
    compactState(linkSlot) {
      const slot = compactSlotOfLink(linkSlot)
      const known = compactStates.get(slot)
      if (known) return known.state
      const holder = bySlot.get(slot)
      const state = holder && compactStateOf(fromStored(holder).data)
      compactStates.set(slot, { state })
      return state
    },
    nameProof: (name) => byName.get(name),
    toldName: (name) => toldNames.get(name),
  }
}

/** Above the number of every set. */
const MAX_SETS = 256

const countKey = (fid: number, store: number): number => fid * MAX_SETS + store

/** The compact state that a LINK_COMPACT_STATE message declares; undefined for other messages. */
export function compactStateOf({
  timestamp,
  body,
}: Pick<MessageData, 'timestamp' | 'body'>): CompactState | undefined {
  if (body.case !== 'linkCompactStateBody') return undefined
  return { timestamp, targets: new Set(body.value.targetFids.map(Number)) }
}

/** The slots besides its own whose occupants decide about this message. */
function otherSlotsNeeded(candidate: Candidate): Uint8Array[] {
  const { fid, store, slot } = candidate.row
  if (store === MESSAGE_SETS.links) return [compactSlotOfLink(slot)]
  if (store === MESSAGE_SETS.userData && candidate.body.case === 'userDataBody') {
    const { type, value } = candidate.body.value
    const address = primaryAddressOf(type, value)
    if (address) return [verificationSlot(fid, address)]
    if (type === UserDataType.USER_DATA_TYPE_USERNAME && value.endsWith('.eth')) {
      return [usernameProofSlot(value)]
    }
  }
  if (store === MESSAGE_SETS.usernameProofs && candidate.answer) {
    return [verificationSlot(fid, candidate.answer)]
  }
  return []
}

/** Each other slot once. */
function otherSlotsOf(candidates: readonly Candidate[]): Uint8Array[] {
  const seen = new BytesMap<true>()
  const slots: Uint8Array[] = []
  for (const candidate of candidates) {
    for (const slot of otherSlotsNeeded(candidate)) {
      if (seen.get(slot)) continue
      seen.set(slot, true)
      slots.push(slot)
    }
  }
  return slots
}

/** Reads who sends these messages. Gasless keys are read only for messages whose key no transaction has added. */
export async function readSenders(
  reader: Pick<Reader, 'accounts' | 'messages' | 'gaslessKeys' | 'quotas'>,
  candidates: readonly Sending[],
  nowMs: number,
): Promise<Omit<SenderState, 'holder'> & { readonly keyHolders: readonly StoredMessage[] }> {
  const rows = candidates.map(({ row }) => row)
  const signers = await reader.accounts.signerStatuses(signersOf(rows))
  const byFid = Map.groupBy(signers, ({ fid }) => fid)
  const statusOf = (fid: number, key: Uint8Array) =>
    byFid.get(fid)?.find((one) => equalBytes(one.key, key))
  const isActiveKey = (fid: number, key: Uint8Array) => statusOf(fid, key)?.active ?? false
  const keys = rows.flatMap((row) =>
    isKeyMessage(row) ? keyOfSlot(row.slot) : isActiveKey(row.fid, row.signer) ? [] : row.signer,
  )
  const [keyHolders, gaslessKeys] = await Promise.all([
    keys.length === 0 ? [] : reader.messages.bySlots(keys.map(gaslessKeySlot)),
    GaslessKeys.read(reader, keys, candidates, nowMs),
  ])
  return {
    isRegistered: (fid) => byFid.get(fid)?.[0]?.registered ?? false,
    isActiveKey,
    isKnownKey: (fid, key) => statusOf(fid, key)?.known ?? false,
    gaslessKeys,
    moderation: (fid) => byFid.get(fid)?.[0]?.moderation,
    keyHolders,
  }
}

/** The custody addresses that name proofs and messages about gasless keys are compared with. */
async function readCustodies(
  reader: Pick<Reader, 'accounts'>,
  candidates: readonly Candidate[],
): Promise<Custody[]> {
  const fids = candidates.flatMap((candidate) => {
    const { fid, store } = candidate.row
    const isCompared = store === MESSAGE_SETS.usernameProofs || isKeyMessage(candidate.row)
    return isCompared ? [fid, requestFidOf(candidate) ?? fid] : []
  })
  return fids.length === 0 ? [] : reader.accounts.custodies(fids)
}

/** The author of each message and its key, without repetition. */
function signersOf(rows: readonly Sending['row'][]): SignerOf[] {
  const keysOf = new Map<number, Uint8Array[]>()
  const signers: SignerOf[] = []
  for (const row of rows) {
    const { fid } = row
    // Whoever sends a message about a gasless key: what matters is whether a transaction has added that key.
    const key = isKeyMessage(row) ? keyOfSlot(row.slot) : row.signer
    const keys = keysOf.getOrInsertComputed(fid, () => [])
    if (keys.some((one) => equalBytes(one, key))) continue
    keys.push(key)
    signers.push({ fid, key })
  }
  return signers
}
