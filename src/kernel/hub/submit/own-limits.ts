import { Rejection } from '../../protocol/rejection.ts'
import { isLimited, limitOf, unitCount } from '../../protocol/storage-units.ts'
import { type StoredMessage, storedBytes } from '../../storage/messages/messages.ts'
import type { Reader, Writer } from '../../storage/storage.ts'
import type { UsedQuota } from '../../storage/tables/quotas.ts'
import type { MergeState } from '../kinds/effects.ts'
import { effectsOf } from '../kinds/kinds.ts'
import type { Candidate, CheckedRow } from './candidate.ts'
import { checkDisk, fullAccount, type Growth } from './grow.ts'
import { OldestFirst } from './oldest-first.ts'
import { FidQuota, readUsedQuotas } from './quota.ts'

type LimitsOf = {
  readonly state: MergeState
  /** What the authors have merged today. */
  readonly used: readonly UsedQuota[]
  /** Where storage grows in place of pruning by count: on a ledger of this server. */
  readonly growth: Growth | undefined
  readonly nowMs: number
}

/** The oldest messages of the lists that a run may fill, by `listKey`. */
type Oldest = ReadonlyMap<number, OldestFirst>

/**
 * How much each author may send and keep: what this hub decides for its own people, and another hub for those whose messages it
 * has stored. Updated while a batch is decided.
 */
export class OwnLimits {
  readonly #state: MergeState
  readonly #growth: Growth | undefined
  readonly #nowMs: number
  readonly #quota: FidQuota
  readonly #oldest: Oldest

  private constructor({ state, used, growth, nowMs }: LimitsOf, oldest: Oldest) {
    this.#state = state
    this.#growth = growth
    this.#nowMs = nowMs
    this.#quota = new FidQuota(used)
    this.#oldest = oldest
  }

  static async read(
    reader: Pick<Reader, 'messages'>,
    candidates: readonly Candidate[],
    of: LimitsOf,
  ): Promise<OwnLimits> {
    const oldest = of.growth ? NOTHING_TO_PRUNE : await readOldest(reader, of.state, candidates)
    return new OwnLimits(of, oldest)
  }

  /** Throws when the author has no storage, or when the message would be pruned at once. */
  checkRoom(checked: CheckedRow, holder: StoredMessage | undefined): void {
    const { storage } = this.#state
    const { fid, store } = checked
    if (unitCount(storage.active(fid)) === 0) throw noStorage('no storage')
    if (holder) return
    const growth = this.#growth
    if (growth) checkDisk(growth)
    const units = storage.kept(fid)
    const usage = this.#state.usage(fid, store)
    if (!isLimited(store)) {
      const limit = effectsOf(store).limit?.(units)
      if (limit && usage >= limit.count) throw noStorage(limit.what)
      return
    }
    if (usage < limitOf(units, store)) return
    if (growth) throw fullAccount(fid)
    if (this.#listOf(checked)?.isBeforeAll(checked)) {
      throw new Rejection('bad_request.prunable', 'message would be pruned')
    }
  }

  /** Counts a merge. Throws when the author has merged as much as one may in a day. */
  consume(checked: CheckedRow): void {
    const { fid } = checked
    const held = unitCount(this.#state.storage.kept(fid))
    const units = this.#growth ? Math.min(held, this.#growth.maxDailyUnits) : held
    this.#quota.consume(fid, { units, bytes: storedBytes(checked) }, this.#nowMs)
  }

  /** Notes that a message takes its slot, or leaves it. */
  stored(row: StoredMessage): void {
    this.#listOf(row)?.add(row)
  }

  unstored(row: StoredMessage): void {
    this.#listOf(row)?.delete(row)
  }

  /** The oldest message of a list that is longer than its limit. It must leave its slot before this is asked again. */
  excess({ fid, store }: CheckedRow): StoredMessage | undefined {
    const list = this.#listOf({ fid, store })
    if (!list || this.#state.usage(fid, store) <= limitOf(this.#state.storage.kept(fid), store)) {
      return undefined
    }
    return list.first
  }

  async write(tx: Pick<Writer, 'quotas'>): Promise<void> {
    await tx.quotas.put(this.#quota.changed)
  }

  #listOf(row: { readonly fid: number; readonly store: number }): OldestFirst | undefined {
    return this.#oldest.get(listKey(row))
  }
}

/** What the authors of these messages have merged today. */
export const readUsed = (
  reader: Pick<Reader, 'quotas'>,
  candidates: readonly Candidate[],
): Promise<UsedQuota[]> =>
  readUsedQuotas(reader, [...new Set(candidates.map(({ row }) => String(row.fid)))])

const NOTHING_TO_PRUNE: Oldest = new Map()

/** Bounds what one run prunes when a limit has shrunk; the prune job removes the rest in batches. */
const MAX_PRUNED_PER_RUN = 1_000

/** Reads the oldest messages of each (fid, store) that this run may fill beyond its limit. */
async function readOldest(
  reader: Pick<Reader, 'messages'>,
  state: MergeState,
  candidates: readonly Candidate[],
): Promise<Oldest> {
  const incoming = new Map<number, { fid: number; store: number; count: number }>()
  for (const { row } of candidates) {
    const { fid, store } = row
    incoming.getOrInsertComputed(listKey(row), () => ({ fid, store, count: 0 })).count++
  }
  const lists = [...incoming.values()].flatMap(({ fid, store, count }) => {
    const limit = limitOf(state.storage.kept(fid), store)
    const excess = state.usage(fid, store) + count - limit
    if (!isLimited(store) || limit === 0 || excess <= 0) return []
    // Each message of the run may also replace one of the oldest.
    return [{ fid, store, excess: Math.min(excess, MAX_PRUNED_PER_RUN) + count }]
  })
  const rows = lists.length === 0 ? [] : await reader.messages.oldest(lists)
  return new Map(
    lists.map((list) => {
      const { fid, store } = list
      const own = rows.filter((row) => row.fid === fid && row.store === store)
      return [listKey(list), new OldestFirst(own, own.length === state.usage(fid, store))]
    }),
  )
}

/** Above the number of every set. */
const MAX_SETS = 256

/** A number, since a map makes each new text unique first. */
const listKey = (row: { fid: number; store: number }): number => row.fid * MAX_SETS + row.store

const noStorage = (text: string) => new Rejection('bad_request.no_storage', text)
