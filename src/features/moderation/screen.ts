import { moderationEvents } from '../../kernel/hub/moderation-events.ts'
import type { Candidate } from '../../kernel/hub/submit/candidate.ts'
import type { Screen } from '../../kernel/hub/submit/screen.ts'
import { termMatcher } from './held-terms.ts'
import { heldRows } from './tables/held.ts'

/**
 * Hides casts with a word or a domain of the list, in the transaction that stores them. A job puts them into the queue of the
 * moderators: reports are written under another lock.
 */
export const heldForReview: Screen = async (tx, candidates) => {
  if (!candidates.some(isCast)) return undefined
  const terms = await tx.of(heldRows).terms()
  if (terms.length === 0) return undefined
  const matcher = termMatcher(terms)
  return async (log, merged, now) => {
    for (const { row, body } of merged) {
      if (body.case !== 'castAddBody') continue
      const { text, embeds } = body.value
      const urls = embeds.flatMap(({ embed }) => (embed.case === 'url' ? embed.value : []))
      const term = matcher.find(text, urls)
      const { hash, fid } = row
      const stored = term === undefined ? undefined : await tx.messages.castByHash(hash)
      if (term === undefined || !stored || (await tx.moderation.hiddenCast(hash))) continue
      await tx.moderation.hideCast({ hash, fid, hidden_at: now })
      await tx.of(heldRows).putCasts([{ hash, fid, term, held_at: now, state: 'new' }])
      moderationEvents.hide(log, [stored])
    }
  }
}

const isCast = ({ body }: Candidate): boolean => body.case === 'castAddBody'
