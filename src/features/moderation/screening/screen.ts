import { moderationEvents } from '../../../kernel/hub/moderation-events.ts'
import type { Candidate } from '../../../kernel/hub/submit/candidate.ts'
import type { Screen, Screening, ScreenTerms } from '../../../kernel/hub/submit/screen.ts'
import { toHex } from '../../../kernel/protocol/codec/bytes.ts'
import { SECOND_MS } from '../../../kernel/protocol/time.ts'
import type { Writer } from '../../../kernel/storage/storage.ts'
import { POLL_TABLE, type PollTexts, pollIdsIn, pollTexts } from '../../polls/port.ts'
import { contentIn } from '../cast-text.ts'
import { type HeldTerm, heldRows } from '../tables/held.ts'
import { newcomerRows } from '../tables/newcomers.ts'
import { staffRows } from '../tables/staff.ts'
import { matcherOfList, type TermMatcher, termInCast } from './held-terms.ts'
import { newcomerLimits } from './newcomers.ts'

/** Refuses what new accounts may not send, and hides what moderators want to see first, in the transaction that stores casts. */
export const screenCasts: Screen = async (tx, candidates, terms) => {
  const casts = candidates.filter(({ body }) => body.case === 'castAddBody')
  const removes = candidates.some(({ body }) => body.case === 'castRemoveBody')
  if (casts.length === 0)
    return removes ? { stored: (_, merged) => noteDeleted(tx, merged, terms) } : undefined
  const [held, rule] = await Promise.all([tx.of(heldRows).terms(), tx.of(newcomerRows).rule()])
  const limits = rule && (await newcomerLimits(tx, rule, casts, terms))
  const hold = held.length === 0 ? undefined : heldForReview(tx, held, terms)
  if (!limits && !hold && !removes) return undefined
  return {
    ...(limits && { admit: limits.admit }),
    async stored(log, merged) {
      await limits?.write()
      await hold?.(log, merged)
      if (removes) await noteDeleted(tx, merged, terms)
    },
  }
}

const matcherOf = matcherOfList()

/**
 * Hides casts with a word or a domain of the list, in what they say and in polls that they carry; not those of accounts with a role, who decide about them. A job puts them into
 * the queue of the moderators: reports are written under another lock.
 */
function heldForReview(
  tx: Writer,
  terms: readonly HeldTerm[],
  { nowMs, tables }: ScreenTerms,
): NonNullable<Screening['stored']> {
  const matcher = matcherOf(terms)
  const now = Math.floor(nowMs / SECOND_MS)
  return async (log, merged) => {
    const polls = tables.has(POLL_TABLE) ? await pollsIn(tx, merged) : undefined
    const found = merged.flatMap((one) => heldIn(one, matcher, polls))
    if (found.length === 0) return
    const staff = await tx.of(staffRows).ofFids([...new Set(found.map(({ fid }) => fid))])
    for (const { hash, fid, term } of found) {
      if (staff.some((member) => member.fid === fid)) continue
      const stored = await tx.messages.castByHash(hash)
      if (!stored || (await tx.moderation.hiddenCast(hash))) continue
      await tx.moderation.hideCast({ hash, fid, hidden_at: now })
      await tx.of(heldRows).putCasts([{ hash, fid, term, held_at: now, state: 'new' }])
      moderationEvents.hide(log, [stored])
    }
  }
}

/** Has the job look at held casts that their authors have deleted: there is nothing left to decide about. */
async function noteDeleted(
  tx: Writer,
  merged: readonly Candidate[],
  { nowMs }: ScreenTerms,
): Promise<void> {
  const targets = merged.flatMap(({ row: { fid }, body }) =>
    body.case === 'castRemoveBody' ? [{ fid, hash: body.value.targetHash }] : [],
  )
  if (targets.length === 0) return
  // Anybody may send a remove that names the cast of somebody else: it deletes nothing.
  const removers = new Set(targets.map(({ fid, hash }) => `${fid} ${toHex(hash)}`))
  const held = await tx.of(heldRows).castsAmong(targets.map(({ hash }) => hash))
  const held_at = Math.floor(nowMs / SECOND_MS)
  for (const one of held) {
    if (!removers.has(`${one.fid} ${toHex(one.hash)}`)) continue
    if (await tx.messages.castByHash(one.hash)) continue
    await tx.of(heldRows).putCasts([{ ...one, held_at, state: 'new' }])
  }
}

/** What the polls of this server say that casts carry, by their ids. */
async function pollsIn(tx: Writer, casts: readonly Candidate[]) {
  const ids = casts.flatMap(({ body }) =>
    body.case === 'castAddBody' ? pollIdsIn(contentIn(body.value).urls) : [],
  )
  return ids.length === 0 ? undefined : pollTexts(tx, ids)
}

function heldIn(
  { row: { hash, fid }, body }: Candidate,
  matcher: TermMatcher,
  polls: PollTexts | undefined,
) {
  if (body.case !== 'castAddBody') return []
  const term = termInCast(contentIn(body.value), matcher, polls)
  return term === undefined ? [] : [{ hash, fid, term }]
}
