import { moderationEvents } from '../../../kernel/hub/moderation-events.ts'
import type { Candidate } from '../../../kernel/hub/submit/candidate.ts'
import type { Screen, Screening } from '../../../kernel/hub/submit/screen.ts'
import { SECOND_MS } from '../../../kernel/protocol/time.ts'
import type { Writer } from '../../../kernel/storage/storage.ts'
import { contentIn } from '../cast-text.ts'
import { type HeldTerm, heldRows } from '../tables/held.ts'
import { newcomerRows } from '../tables/newcomers.ts'
import { staffRows } from '../tables/staff.ts'
import { termMatcher } from './held-terms.ts'
import { newcomerLimits } from './newcomers.ts'

/** Refuses what new accounts may not send, and hides what moderators want to see first, in the transaction that stores casts. */
export const screenCasts: Screen = async (tx, candidates, terms) => {
  const casts = candidates.filter(({ body }) => body.case === 'castAddBody')
  if (casts.length === 0) return undefined
  const [held, rule] = await Promise.all([tx.of(heldRows).terms(), tx.of(newcomerRows).rule()])
  const limits = rule && (await newcomerLimits(tx, rule, casts, terms))
  const hold = held.length === 0 ? undefined : heldForReview(tx, held, terms.nowMs)
  if (!limits && !hold) return undefined
  return {
    ...(limits && { admit: limits.admit }),
    async stored(log, merged) {
      await limits?.write()
      await hold?.(log, merged)
    },
  }
}

/**
 * Hides casts with a word or a domain of the list; not those of accounts with a role, who decide about them. A job puts them into
 * the queue of the moderators: reports are written under another lock.
 */
function heldForReview(
  tx: Writer,
  terms: readonly HeldTerm[],
  nowMs: number,
): NonNullable<Screening['stored']> {
  const matcher = termMatcher(terms)
  const now = Math.floor(nowMs / SECOND_MS)
  return async (log, merged) => {
    const found = merged.flatMap((one) => heldIn(one, matcher))
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

function heldIn({ row: { hash, fid }, body }: Candidate, matcher: ReturnType<typeof termMatcher>) {
  if (body.case !== 'castAddBody') return []
  const { text, urls, parentUrls } = contentIn(body.value)
  const term = matcher.find(text, [...urls, ...parentUrls])
  return term === undefined ? [] : [{ hash, fid, term }]
}
