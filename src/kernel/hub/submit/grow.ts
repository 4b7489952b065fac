import { type GrowthTerms, growStorage } from '../../accounts/grow-storage.ts'
import { ALL_MESSAGE_SETS } from '../../protocol/kinds/kinds.ts'
import { Rejection } from '../../protocol/rejection.ts'
import { isLimited, missingUnits, unitCount, unitTypeAt } from '../../protocol/storage-units.ts'
import type { DiskUse } from '../../storage/disk-use.ts'
import type { EventLog } from '../../storage/messages/event-log.ts'
import type { Writer } from '../../storage/storage.ts'
import type { MergeState } from '../kinds/effects.ts'
import { effectsOf } from '../kinds/kinds.ts'
import type { Candidate } from './candidate.ts'

// On a ledger nothing that people wrote disappears by count: before a set of messages would be pruned, its author gets more
// storage. What bounds it is the disk quota of the server, and a share of it for each fid.

/** How storage grows in a batch. */
export type Growth = GrowthTerms & {
  /** The disk quota is used up: only messages that replace or remove others are taken. */
  readonly isFull: boolean
  /** Messages of all sets that one fid may keep. */
  readonly maxMessagesPerFid: number
  /** What a fid may merge in a day does not grow beyond that of so many units. */
  readonly maxDailyUnits: number
}

/** The part of the disk quota that one fid may fill: nobody alone stops the others. */
const FID_SHARE = 0.1
/** What a message takes with its indexes and its rows of the views: 544 bytes without these, by docs/performance.md. */
const BYTES_PER_MESSAGE = 1_000
/** What twenty units hold in all sets, which every fid may keep on the smallest server. */
const MIN_MESSAGES_PER_FID = 100_000
/** Beyond this unit count, those that a sign-up gives by default, storage is no reason to merge more in a day. */
const MIN_DAILY_UNITS = 20
/** Storage grows by at least this share of the units of a fid: every merge reads its rents, so they are to stay few. */
const LEAST_GROWTH = 0.25

export const growthOf = (
  terms: GrowthTerms & { readonly signupUnits: number },
  { share, quotaBytes = Number.POSITIVE_INFINITY }: DiskUse,
): Growth => ({
  ...terms,
  isFull: share >= 1,
  maxMessagesPerFid: Math.max(
    MIN_MESSAGES_PER_FID,
    Math.floor((quotaBytes * FID_SHARE) / BYTES_PER_MESSAGE),
  ),
  maxDailyUnits: Math.max(MIN_DAILY_UNITS, terms.signupUnits),
})

/** Rents units for the fids that would otherwise have too few for these messages. Returns whether it did. */
export async function growFor(
  tx: Writer,
  log: EventLog,
  state: MergeState,
  candidates: readonly Candidate[],
  growth: Growth & { readonly nowMs: number },
): Promise<boolean> {
  const units = growth.isFull ? NOBODY : unitsFor(state, candidates, growth)
  if (units.size > 0) await growStorage(tx, log, units, growth)
  return units.size > 0
}

const NOBODY: ReadonlyMap<number, number> = new Map()

function unitsFor(
  state: MergeState,
  candidates: readonly Candidate[],
  { nowMs, network, maxMessagesPerFid }: Growth & { readonly nowMs: number },
): Map<number, number> {
  const type = unitTypeAt(Math.floor(nowMs / 1_000), network)
  const added = candidates.filter(({ row }) => grows(row.store) && !state.holder(row.slot))
  const wanted = new Map<number, number>()
  for (const [fid, own] of Map.groupBy(added, ({ row }) => row.fid)) {
    const hasStorage = unitCount(state.storage.active(fid)) > 0
    if (!hasStorage || messagesOf(state, fid) >= maxMessagesPerFid) continue
    const held = state.storage.kept(fid)
    const missing = [...Map.groupBy(own, ({ row }) => row.store)].map(([set, { length }]) =>
      missingUnits(held, { set, count: state.usage(fid, set) + length, type }),
    )
    const needed = Math.max(...missing)
    if (needed === 0) continue
    wanted.set(fid, Math.max(needed, Math.ceil(unitCount(held) * LEAST_GROWTH)))
  }
  return wanted
}

const grows = (set: number): boolean => isLimited(set) && effectsOf(set).growsStorage !== false

const SET_NUMBERS = ALL_MESSAGE_SETS.map(({ number }) => number)

const messagesOf = (state: MergeState, fid: number): number =>
  SET_NUMBERS.reduce((sum, set) => sum + state.usage(fid, set), 0)

/** Throws when no further message has room, on the whole server. */
export function checkDisk({ isFull }: Growth): void {
  if (!isFull) return
  const text =
    'the disk quota of this server is used up: it takes only messages that remove or replace others, until the operator makes room'
  throw new Rejection('unavailable.storage_full', text)
}

/** An account that has grown as far as one may, in place of pruning it. */
export const fullAccount = (fid: number): Rejection => {
  const text = `fid ${fid} keeps as many messages as one account may on this server; remove some first`
  return new Rejection('bad_request.no_storage', text, { field: 'data.fid' })
}
