import { isLimited, limitOf } from '../../protocol/storage-units.ts'
import { EventLog } from '../../storage/messages/event-log.ts'
import type { Writer } from '../../storage/storage.ts'
import type { MergeState } from '../kinds/effects.ts'
import { effectsOf } from '../kinds/kinds.ts'
import { revokeLostClaims } from '../removal.ts'
import type { Candidate } from './candidate.ts'
import { growFor } from './grow.ts'
import { readMergeState } from './merge-state.ts'
import { OldestFirst } from './oldest-first.ts'
import { FidQuota, readUsedQuotas } from './quota.ts'
import { listKey, type MergeContext, type Oldest, type Outcome, Run } from './run.ts'

/**
 * Merges checked messages whose signatures are valid, in order, in the caller's transaction. Every
 * message gets its own outcome; a refused message changes nothing. The number of statements does not
 * depend on the size of the batch. A transaction that writes other events, too, gives its log: ids are given once.
 */
export async function mergeBatch(
  tx: Writer,
  candidates: readonly Candidate[],
  context: MergeContext,
  log = new EventLog(tx, context.nowMs),
): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for (const run of runsOf(candidates)) {
    for (let rest = run; rest.length > 0; ) {
      const decided = await mergeRun(tx, log, rest, context)
      outcomes.push(...decided)
      rest = rest.slice(decided.length)
    }
  }
  return outcomes
}

/** Splits a batch into runs that are decided in memory and then written. Some messages are a run by themselves. */
function runsOf(candidates: readonly Candidate[]): Candidate[][] {
  const runs: Candidate[][] = []
  let open: Candidate[] | undefined
  for (const candidate of candidates) {
    if (effectsOf(candidate.row.store).isAlone) {
      runs.push([candidate])
      open = undefined
    } else if (open) open.push(candidate)
    else {
      open = [candidate]
      runs.push(open)
    }
  }
  return runs
}

/**
 * Merges the candidates up to the first one that depends on what the others cause in the database.
 * Returns the outcomes of those it merged, at least one.
 */
async function mergeRun(
  tx: Writer,
  log: EventLog,
  candidates: readonly Candidate[],
  context: MergeContext,
): Promise<Outcome[]> {
  const { nowMs, growth } = context
  const isOwn = context.authority === 'own'
  const [found, used] = await Promise.all([
    readMergeState(tx, candidates, context),
    isOwn ? readUsedQuotas(tx, [...new Set(candidates.map(({ row }) => String(row.fid)))]) : [],
  ])
  const hasGrown = growth && (await growFor(tx, log, found, candidates, { ...growth, nowMs }))
  const state = hasGrown ? await readMergeState(tx, candidates, context) : found
  const oldest = isOwn && !growth ? await readOldest(tx, state, candidates) : NOTHING_TO_PRUNE
  const run = new Run({ state, oldest, quota: new FidQuota(used), log, context })
  const outcomes: Outcome[] = []
  for (const candidate of candidates) {
    if (run.mustEndBefore(candidate)) break
    outcomes.push(run.merge(candidate))
  }
  await run.write(tx)
  const [first] = candidates
  if (first && outcomes[0] && 'id' in outcomes[0]) {
    await effectsOf(first.row.store).afterMerge?.(tx, first)
  }
  await revokeLostClaims(tx, log, run.losses)
  await log.flush()
  return outcomes
}

const NOTHING_TO_PRUNE: Oldest = new Map()

/** Bounds what one run prunes when a limit has shrunk; the prune job removes the rest in batches. */
const MAX_PRUNED_PER_RUN = 1_000

/** Reads the oldest messages of each (fid, store) that this run may fill beyond its limit. */
async function readOldest(
  tx: Writer,
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
  const rows = lists.length === 0 ? [] : await tx.messages.oldest(lists)
  return new Map(
    lists.map((list) => {
      const { fid, store } = list
      const own = rows.filter((row) => row.fid === fid && row.store === store)
      return [listKey(list), new OldestFirst(own, own.length === state.usage(fid, store))]
    }),
  )
}
