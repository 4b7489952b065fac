import type { CompactState } from '../protocol/merge.ts'
import type { SignedMessage } from '../protocol/message.ts'
import { usernameKind } from '../protocol/names.ts'
import { compactSlotOf, slotOf, usernameProofSlot, verificationSlot } from '../protocol/slots.ts'
import { activeUnits, type Units } from '../protocol/storage-units.ts'
import { UserDataType } from '../protocol/wire/message_pb.js'
import type { Custody } from '../storage/accounts.ts'
import type { StoredMessage } from '../storage/messages.ts'
import type { StoredNameProof } from '../storage/name-proofs.ts'
import type { Reader } from '../storage/storage.ts'
import { fromStored } from './stored.ts'
import { primaryAddressOf } from './user-data.ts'

/** A message on its way into the store, with what had to be asked outside it. */
export type Candidate = {
  readonly message: SignedMessage
  /** For ENS and base names: the address that the name resolves to now. */
  readonly resolvedOwner?: Uint8Array | undefined
}

/** What the store says about everything a batch touches; kept up to date while the batch is decided. */
export type MergeState = {
  isRegistered(fid: number): boolean
  isActiveKey(fid: number, key: Uint8Array): boolean
  custody(fid: number): Custody | undefined
  units(fid: number): Units
  usage(fid: number, store: number): number
  addUsage(fid: number, store: number, change: number): void
  holder(slot: Uint8Array): StoredMessage | undefined
  setHolder(slot: Uint8Array, holder: StoredMessage | undefined): void
  compactState(fid: number, linkType: string): CompactState | undefined
  nameProof(name: string): StoredNameProof | undefined
}

/** Reads it all with one statement for each kind of thing, however many messages there are. */
export async function readMergeState(
  reader: Reader,
  candidates: readonly Candidate[],
  now: { unixSeconds: number; network: number },
): Promise<MergeState> {
  const messages = candidates.map((candidate) => candidate.message)
  const fids = [...new Set(messages.map((message) => message.fid))]
  const names = messages.flatMap(registryNameOf)
  const proofAuthors = messages.filter((m) => m.data.body.case === 'usernameProofBody')
  const [standings, rents, usages, holders, proofs, custodies] = await Promise.all([
    reader.accounts.signerStatuses(distinctSigners(messages)),
    reader.accounts.rents(fids),
    reader.messages.usage(fids),
    reader.messages.bySlots(distinctBytes(candidates.flatMap(slotsNeeded))),
    names.length === 0 ? [] : reader.nameProofs.byNames(names),
    proofAuthors.length === 0 ? [] : reader.accounts.custodies(proofAuthors.map((m) => m.fid)),
  ])

  const registered = new Set(standings.filter((s) => s.registered).map((s) => s.fid))
  const active = new Set(standings.filter((s) => s.active).map((s) => signerKey(s.fid, s.key)))
  const custodyOf = new Map(custodies.map((custody) => [custody.fid, custody]))
  const unitsOf = new Map(
    fids.map((fid) => {
      const own = rents.filter((rent) => rent.fid === fid)
      const periods = own.map((rent) => ({ rentedAt: rent.rented_at, units: rent.units }))
      return [fid, activeUnits(periods, now.unixSeconds, now.network)]
    }),
  )
  const counts = new Map(usages.map((usage) => [`${usage.fid}/${usage.store}`, usage.count]))
  const bySlot = new Map(holders.map((holder) => [bytesKey(holder.slot), holder]))
  const byName = new Map(proofs.map((proof) => [Buffer.from(proof.name).toString(), proof]))
  const compactStates = new Map<string, CompactState | undefined>()

  return {
    isRegistered: (fid) => registered.has(fid),
    isActiveKey: (fid, key) => active.has(signerKey(fid, key)),
    custody: (fid) => custodyOf.get(fid),
    units: (fid) => unitsOf.get(fid) ?? NO_UNITS,
    usage: (fid, store) => counts.get(`${fid}/${store}`) ?? 0,
    addUsage(fid, store, change) {
      const key = `${fid}/${store}`
      counts.set(key, (counts.get(key) ?? 0) + change)
    },
    holder: (slot) => bySlot.get(bytesKey(slot)),
    setHolder(slot, holder) {
      if (holder) bySlot.set(bytesKey(slot), holder)
      else bySlot.delete(bytesKey(slot))
    },
    compactState(fid, linkType) {
      const key = `${fid}/${linkType}`
      if (!compactStates.has(key)) {
        const holder = bySlot.get(bytesKey(compactSlotOf(fid, linkType)))
        compactStates.set(key, holder && compactStateOf(fromStored(holder)))
      }
      return compactStates.get(key)
    },
    nameProof: (name) => byName.get(name),
  }
}

const NO_UNITS: Units = { legacy: 0, u2024: 0, u2025: 0 }

/** The state that a LINK_COMPACT_STATE message declares. */
export function compactStateOf(message: SignedMessage): CompactState | undefined {
  const { body, timestamp } = message.data
  if (body.case !== 'linkCompactStateBody') return undefined
  return { timestamp, targets: new Set(body.value.targetFids.map(Number)) }
}

/** Every slot whose holder decides about this message, its own first. */
function slotsNeeded({ message, resolvedOwner }: Candidate): Uint8Array[] {
  const { fid } = message
  const { body } = message.data
  const own = slotOf(message)
  if (body.case === 'linkBody') return [own, compactSlotOf(fid, body.value.type)]
  if (body.case === 'userDataBody') {
    const { type, value } = body.value
    const address = primaryAddressOf(type, value)
    if (address) return [own, verificationSlot(fid, address)]
    if (type === UserDataType.USER_DATA_TYPE_USERNAME && value.endsWith('.eth')) {
      return [own, usernameProofSlot(value)]
    }
  }
  if (body.case === 'usernameProofBody' && resolvedOwner) {
    return [own, verificationSlot(fid, resolvedOwner)]
  }
  return [own]
}

/** The registry name that a USERNAME message claims, if it claims one. */
export function registryNameOf(message: SignedMessage): Uint8Array[] {
  const { body } = message.data
  if (body.case !== 'userDataBody' || body.value.type !== UserDataType.USER_DATA_TYPE_USERNAME)
    return []
  const { value } = body.value
  return value === '' || usernameKind(value) !== 'fname' ? [] : [Buffer.from(value)]
}

export const bytesKey = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')

const signerKey = (fid: number, key: Uint8Array) => `${fid}/${bytesKey(key)}`

function distinctSigners(messages: readonly SignedMessage[]) {
  const signers = new Map(
    messages.map(({ fid, signer }) => [signerKey(fid, signer), { fid, key: signer }]),
  )
  return [...signers.values()]
}

function distinctBytes(list: readonly Uint8Array[]): Uint8Array[] {
  return [...new Map(list.map((bytes) => [bytesKey(bytes), bytes])).values()]
}
