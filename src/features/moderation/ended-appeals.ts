import { equalBytes } from '../../kernel/protocol/codec/bytes.ts'
import { NO_BYTES } from '../../kernel/protocol/sizes.ts'
import type { Writer } from '../../kernel/storage/storage.ts'
import { ENDED_BY, type ModerationEntry } from '../moderation-records/port.ts'
import type { Decision } from './resolving.ts'
import { type Appeal, appealRows } from './tables/appeals.ts'

// Appeals whose decision is taken back without an answer to them: nothing is left to decide, so they have their answer.

/** Answered appeals that are kept; older ones are deleted. */
export const MAX_ANSWERED_APPEALS = 10_000

type Given = Decision & { readonly outcome: NonNullable<Appeal['outcome']> }

/** Writes the answer to an appeal. */
export async function putAnswer(
  tx: Writer,
  appeal: Appeal,
  { actor, reason, outcome }: Given,
  now: number,
): Promise<Appeal> {
  const answered: Appeal = {
    ...{ ...appeal, outcome, answer: reason, answered_by: actor },
    ...{ state: 'answered', answered_at: now },
  }
  await tx.of(appealRows).put(answered)
  await tx.of(appealRows).trim(MAX_ANSWERED_APPEALS)
  return answered
}

type Ending = Pick<ModerationEntry, 'action' | 'fid' | 'cast_hash' | 'name'>

/**
 * Answers the open appeals against what a decision takes back, with its reason, which the account is told. A suspension whose time is
 * over was not taken back, nor was a hold that ends with a hidden cast.
 */
export async function answerEnded(
  tx: Writer,
  ending: Ending,
  decision: Decision,
  now: number,
): Promise<void> {
  if (ending.fid === null || decision.actor === 'server' || !TAKING_BACK.has(ending.action)) return
  for (const appeal of await tx.of(appealRows).openOf(ending.fid)) {
    if (takesBack(ending, appeal)) {
      await putAnswer(tx, appeal, { ...decision, outcome: 'reversed' }, now)
    }
  }
}

/** `hide` ends a hold, and takes nothing back. */
const TAKING_BACK: ReadonlySet<string> = new Set(
  Object.values(ENDED_BY)
    .flatMap((ends) => ends ?? [])
    .filter((action) => action !== 'hide'),
)

function takesBack({ action, name, cast_hash }: Ending, appeal: Appeal): boolean {
  if (!ENDED_BY[appeal.action]?.includes(action)) return false
  if (appeal.action === 'warn') return Number(name) === appeal.decision
  return appeal.cast_hash === null || equalBytes(appeal.cast_hash, cast_hash ?? NO_BYTES)
}
