import { BytesMap } from '../../base/bytes-map.ts'
import type { StoredMessage } from '../../storage/messages/messages.ts'
import type { Reader } from '../../storage/storage.ts'
import type { BatchReads, MergeState, MergeTerms, Needs, Part, PartOf } from '../kinds/effects.ts'
import { byEffects, effectsOf } from '../kinds/kinds.ts'
import type { Candidate } from './candidate.ts'
import { readSenders } from './senders.ts'
import { StorageUnits } from './storage-units.ts'

/** Reads the state with one statement for each table, however many messages there are. */
export async function readMergeState(
  reader: Reader,
  candidates: readonly Candidate[],
  terms: MergeTerms,
): Promise<MergeState> {
  const rows = candidates.map((candidate) => candidate.row)
  const fids = [...new Set(rows.map((row) => row.fid))]
  const needs = needsOf(candidates)
  const clock = { ...terms, now: Math.floor(terms.nowMs / 1_000) }
  const senders = readSenders(reader, rows, terms.nowMs)
  const storage = StorageUnits.read(reader, [...fids, ...needs.units], clock)
  const [sent, held, usages, holders, proofs, told, custodies, parts] = await Promise.all([
    senders,
    storage,
    reader.messages.usage(fids),
    // Their own slots are nearly always different, and to find that out costs more than to look for some twice.
    reader.messages.bySlots([...rows.map(({ slot }) => slot), ...distinct(needs.slots)]),
    needs.names.length === 0 ? [] : reader.nameProofs.byNames(needs.names),
    needs.toldNames.length > 0 && terms.upstream
      ? reader.of(terms.upstream.names).byNames(needs.toldNames)
      : [],
    needs.custodies.length === 0 ? [] : reader.accounts.custodies(needs.custodies),
    readParts(reader, candidates, { terms, senders, storage }),
  ])

  const { keyHolders, ...senderState } = sent
  const custodyOf = new Map(custodies.map((custody) => [custody.fid, custody]))
  const counts = new Map(usages.map(({ fid, store, count }) => [countKey(fid, store), count]))
  const bySlot = new BytesMap<StoredMessage>()
  for (const holder of [...holders, ...keyHolders]) bySlot.set(holder.slot, holder)
  const byName = new Map(proofs.map((proof) => [Buffer.from(proof.name).toString(), proof]))
  const toldNames = new Map(told.map((row) => [Buffer.from(row.name).toString(), row]))
  const findPart = <P extends Part>(of: PartOf<P>) => parts.get(of) as P | undefined

  return {
    ...senderState,
    custody: (fid) => custodyOf.get(fid),
    storage: held,
    usage: (fid, store) => counts.get(countKey(fid, store)) ?? 0,
    addUsage(fid, store, change) {
      const key = countKey(fid, store)
      counts.set(key, (counts.get(key) ?? 0) + change)
    },
    holder: (slot) => bySlot.get(slot),
    setHolder: (slot, holder) => bySlot.set(slot, holder),
    nameProof: (name) => byName.get(name),
    toldName: (name) => toldNames.get(name),
    findPart,
    part: (of) => findPart(of)!,
    parts: [...parts.values()],
  }
}

/** Above the number of every set. */
const MAX_SETS = 256

const countKey = (fid: number, store: number): number => fid * MAX_SETS + store

type AllNeeds = { readonly [K in keyof Required<Needs>]: NonNullable<Needs[K]>[number][] }

/** What the messages need, by the table that has it. */
function needsOf(candidates: readonly Candidate[]): AllNeeds {
  const all: AllNeeds = { slots: [], units: [], custodies: [], names: [], toldNames: [] }
  for (const candidate of candidates) {
    const needs = effectsOf(candidate.row.store).needs?.(candidate)
    if (!needs) continue
    if (needs.slots) all.slots.push(...needs.slots)
    if (needs.units) all.units.push(...needs.units)
    if (needs.custodies) all.custodies.push(...needs.custodies)
    if (needs.names) all.names.push(...needs.names)
    if (needs.toldNames) all.toldNames.push(...needs.toldNames)
  }
  return all
}

/** Each slot once. */
function distinct(slots: readonly Uint8Array[]): Uint8Array[] {
  const seen = new BytesMap<true>()
  return slots.filter((slot) => {
    if (seen.get(slot)) return false
    seen.set(slot, true)
    return true
  })
}

/** Reads the rows of the kinds that are among the messages. */
async function readParts(
  reader: Reader,
  candidates: readonly Candidate[],
  batch: BatchReads,
): Promise<ReadonlyMap<PartOf<Part>, Part>> {
  const read = byEffects(candidates, ({ row }) => row.store).flatMap(([{ part }, own]) =>
    part ? [part.read(reader, own, batch).then((rows) => [part, rows] as const)] : [],
  )
  return new Map(await Promise.all(read))
}
