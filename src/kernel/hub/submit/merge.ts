import { EventLog } from '../../storage/messages/event-log.ts'
import type { Writer } from '../../storage/storage.ts'
import { effectsOf } from '../kinds/kinds.ts'
import { revokeLostClaims } from '../removal.ts'
import type { Candidate } from './candidate.ts'
import { growFor } from './grow.ts'
import { readMergeState } from './merge-state.ts'
import { OwnLimits, readUsed } from './own-limits.ts'
import { type MergeContext, type Outcome, Run } from './run.ts'

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
  const { nowMs } = context
  const growth = context.limits?.growth
  const [found, used, screening] = await Promise.all([
    readMergeState(tx, candidates, context),
    context.limits && readUsed(tx, candidates),
    context.screening,
  ])
  const hasGrown = growth && (await growFor(tx, log, found, candidates, { ...growth, nowMs }))
  const state = hasGrown ? await readMergeState(tx, candidates, context) : found
  const limits = used && (await OwnLimits.read(tx, candidates, { state, used, growth, nowMs }))
  const run = new Run({ state, limits, screening, log, context })
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
