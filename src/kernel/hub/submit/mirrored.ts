import { checkLease, type LeaseTerm } from '../../jobs/job.ts'
import { equalBytes } from '../../protocol/codec/bytes.ts'
import { KINDS } from '../../protocol/kinds/kinds.ts'
import { Rejection } from '../../protocol/rejection.ts'
import { EventLog } from '../../storage/messages/event-log.ts'
import type { Writer } from '../../storage/storage.ts'
import { removeMessages } from '../removal.ts'
import type { Candidate } from './candidate.ts'
import { mergeBatch } from './merge.ts'
import { type PackedBatch, packBatch, unpackBatch } from './message-batch.ts'
import type { MergeContext, Outcome } from './run.ts'
import type { Vouched } from './vouched-key.ts'

// What a mirrored hub has done, to be done here in the same order.

/** A message that the mirrored hub does not have any more. Nothing happens when it is not stored. */
export type Removal = {
  readonly slot: Uint8Array
  readonly hash: Uint8Array
  readonly reason: 'prune' | 'revoke'
  /** Only if it was stored by an event up to this id. */
  readonly maxId?: number
}

/** Messages that are merged, and then messages that are removed. */
export type MirrorPart = { readonly rows: PackedBatch; readonly removals: readonly Removal[] }

export type MirrorTerms = {
  /** Must still run when the transaction is committed. */
  readonly lease: LeaseTerm | undefined
  readonly vouched?: Vouched | undefined
  /** The mirrored hub has these links together with a compact state that leaves them out. */
  readonly besideCompactStates?: boolean | undefined
  /** What `Upstream.writeNote` gets in the same transaction. */
  readonly note?: unknown
}

export type MirrorStep =
  | { readonly merge: Candidate }
  | { readonly remove: Removal & { readonly fid: number } }

/** Sets in which a message may take the slot of another author's. */
const SHARED_SETS: ReadonlySet<number | undefined> = new Set(
  KINDS.flatMap(({ isSlotShared, set }) => (isSlotShared ? set?.number : [])),
)

/**
 * Groups steps: within a part all messages are merged before any is removed. Messages of an author who has lost one before
 * begin a new part, because the loss may have made room for them.
 */
export function partsOf(steps: readonly MirrorStep[]): MirrorPart[] {
  const parts: { candidates: Candidate[]; removals: Removal[]; losers: Set<number> }[] = []
  for (const step of steps) {
    let part = parts.at(-1)
    const begins =
      part === undefined ||
      ('merge' in step &&
        part.losers.size > 0 &&
        (part.losers.has(step.merge.row.fid) || SHARED_SETS.has(step.merge.row.store)))
    if (begins) {
      part = { candidates: [], removals: [], losers: new Set() }
      parts.push(part)
    }
    if ('merge' in step) part!.candidates.push(step.merge)
    else {
      part!.removals.push(step.remove)
      part!.losers.add(step.remove.fid)
    }
  }
  return parts.map(({ candidates, removals }) => ({ rows: packBatch(candidates), removals }))
}

/** Steps as they are given to the thread that merges. */
export type StepsRequest = MirrorTerms & {
  readonly parts: readonly MirrorPart[]
  /** Whether a step was refused before, so that it is in no part. */
  readonly isRefused: boolean
  readonly nowMs: number
}

/** Limits are left to the hub that has stored the messages. */
export type StepsContext = Pick<MergeContext, 'nowMs' | 'network' | 'storageEnds' | 'upstream'>

/** Applies the steps of a request in the caller's transaction. Returns the outcomes of the messages, in order. */
export async function applySteps(
  tx: Writer,
  { parts, nowMs, lease, note, isRefused, vouched, besideCompactStates }: StepsRequest,
  context: StepsContext,
): Promise<Outcome[]> {
  if (lease) await checkLease(tx, lease)
  const terms = { ...context, limits: undefined, vouched, besideCompactStates }
  const log = new EventLog(tx, nowMs)
  const outcomes: Outcome[] = []
  for (const { rows, removals } of parts) {
    outcomes.push(...(await mergeBatch(tx, unpackBatch(rows), terms, log)))
    await removeListed(tx, removals, log)
  }
  if (note !== undefined) {
    const areSettled = !isRefused && outcomes.every(isSettled)
    const done = { areSettled, areMerged: outcomes.every((one) => !(one instanceof Rejection)) }
    await context.upstream?.writeNote(tx, note, done)
  }
  return outcomes
}

/** Removes what is still stored of these messages. */
async function removeListed(
  tx: Writer,
  removals: readonly Removal[],
  log: EventLog,
): Promise<void> {
  if (removals.length === 0) return
  const rows = await tx.messages.bySlots(removals.map(({ slot }) => slot))
  for (const reason of ['prune', 'revoke'] as const) {
    const of = removals.filter((one) => one.reason === reason)
    const removed = rows.filter((row) =>
      of.some(
        ({ hash, maxId = Number.MAX_SAFE_INTEGER }) =>
          row.id <= maxId && equalBytes(row.hash, hash),
      ),
    )
    await removeMessages(tx, log, removed, reason)
  }
  await log.flush()
}

/** Whether an outcome needs no further attention: the message is stored, now or already. */
const isSettled = (outcome: Outcome): boolean =>
  !(outcome instanceof Rejection) || outcome.code === 'bad_request.duplicate'
