import type { CompactState } from '../protocol/merge.ts'
import {
  compactSlotOfLink,
  MESSAGE_SETS,
  usernameProofSlot,
  verificationSlot,
} from '../protocol/slots.ts'
import { activeUnits, type Units } from '../protocol/storage-units.ts'
import { type MessageData, UserDataType } from '../protocol/wire/message_pb.js'
import type { Custody, ModerationStatus } from '../storage/accounts.ts'
import type { StoredMessage } from '../storage/messages.ts'
import type { StoredNameProof } from '../storage/name-proofs.ts'
import type { Reader } from '../storage/storage.ts'
import { bytesKey, type Candidate } from './candidate.ts'
import { MergeMemory } from './merge-memory.ts'
import { registryNameOf } from './outside.ts'
import { fromStored } from './stored.ts'
import { primaryAddressOf } from './user-data.ts'

/** What the store holds about everything a batch touches; updated while the batch is decided. */
export type MergeState = {
  isRegistered(fid: number): boolean
  isActiveKey(fid: number, key: Uint8Array): boolean
  /** What moderation says about new messages of a registered fid. */
  moderation(fid: number): ModerationStatus | undefined
  custody(fid: number): Custody | undefined
  units(fid: number): Units
  usage(fid: number, store: number): number
  addUsage(fid: number, store: number, change: number): void
  /** The stored message that occupies a slot. */
  holder(slot: Uint8Array): StoredMessage | undefined
  setHolder(slot: Uint8Array, holder: StoredMessage | undefined): void
  /** The compact state of a link's fid and link type, by the link's slot. */
  compactState(linkSlot: Uint8Array): CompactState | undefined
  nameProof(name: string): StoredNameProof | undefined
}

/** For reads outside of merges. */
const NOTHING_REMEMBERED = new MergeMemory()

/**
 * Reads the state with one statement for each table, however many messages there are. What `memory` has is not read
 * again, and the counts of messages are kept in it.
 */
export async function readMergeState(
  reader: Reader,
  candidates: readonly Candidate[],
  now: { unixSeconds: number; network: number },
  memory = NOTHING_REMEMBERED,
): Promise<MergeState> {
  const rows = candidates.map((candidate) => candidate.row)
  const fids = [...new Set(rows.map((row) => row.fid))]
  const profiles = candidates.filter(({ row }) => row.store === MESSAGE_SETS.userData)
  const names = profiles.flatMap(({ body }) => registryNameOf(body))
  const proofAuthors = rows.filter((row) => row.store === MESSAGE_SETS.usernameProofs)
  const [signers, rents, usages, holders, proofs, custodies] = await Promise.all([
    memory.signers(
      reader,
      rows.map(({ fid, signer }) => ({ fid, key: signer })),
    ),
    memory.rents(reader, fids),
    memory.usage(reader, fids),
    // Their own slots are nearly always different, and to find that out costs more than to look for some twice.
    reader.messages.bySlots([
      ...rows.map(({ slot }) => slot),
      ...distinctBytes(candidates.flatMap(otherSlotsNeeded)),
    ]),
    names.length === 0 ? [] : reader.nameProofs.byNames(names),
    proofAuthors.length === 0 ? [] : reader.accounts.custodies(proofAuthors.map((row) => row.fid)),
  ])

  const registered = new Set(signers.filter((s) => s.registered).map((s) => s.fid))
  const active = new Set(signers.filter((s) => s.active).map((s) => signerKey(s.fid, s.key)))
  const moderationOf = new Map(signers.map(({ fid, moderation }) => [fid, moderation]))
  const custodyOf = new Map(custodies.map((custody) => [custody.fid, custody]))
  const unitsOf = new Map(
    fids.map((fid) => {
      const own = rents.get(fid) ?? []
      const periods = own.map((rent) => ({ rentedAt: rent.rented_at, units: rent.units }))
      return [fid, activeUnits(periods, now.unixSeconds, now.network)]
    }),
  )
  const bySlot = new Map(holders.map((holder) => [bytesKey(holder.slot), holder]))
  const byName = new Map(proofs.map((proof) => [Buffer.from(proof.name).toString(), proof]))
  const compactStates = new Map<string, CompactState | undefined>()

  return {
    isRegistered: (fid) => registered.has(fid),
    isActiveKey: (fid, key) => active.has(signerKey(fid, key)),
    moderation: (fid) => moderationOf.get(fid),
    custody: (fid) => custodyOf.get(fid),
    units: (fid) => unitsOf.get(fid) ?? NO_UNITS,
    usage: (fid, store) => usages.get(fid)?.get(store) ?? 0,
    addUsage(fid, store, change) {
      const counts = usages.get(fid)
      // The author of a name proof that another one's replaces may have no message in the batch.
      if (!counts) memory.forgetUsage(fid)
      else counts.set(store, (counts.get(store) ?? 0) + change)
    },
    holder: (slot) => bySlot.get(bytesKey(slot)),
    setHolder(slot, holder) {
      if (holder) bySlot.set(bytesKey(slot), holder)
      else bySlot.delete(bytesKey(slot))
    },
    compactState(linkSlot) {
      const key = bytesKey(compactSlotOfLink(linkSlot))
      if (!compactStates.has(key)) {
        const holder = bySlot.get(key)
        compactStates.set(key, holder && compactStateOf(fromStored(holder).data))
      }
      return compactStates.get(key)
    },
    nameProof: (name) => byName.get(name),
  }
}

const NO_UNITS: Units = { legacy: 0, u2024: 0, u2025: 0 }

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
  if (store === MESSAGE_SETS.usernameProofs && candidate.resolvedOwner) {
    return [verificationSlot(fid, candidate.resolvedOwner)]
  }
  return []
}

const signerKey = (fid: number, key: Uint8Array) => `${fid}/${bytesKey(key)}`

function distinctBytes(list: readonly Uint8Array[]): Uint8Array[] {
  return [...new Map(list.map((bytes) => [bytesKey(bytes), bytes])).values()]
}
