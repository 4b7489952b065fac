import type { Module } from '../module.ts'
import { WORD_TABLES } from '../storage/engines/word-index.ts'
import type { Views } from './port.ts'
import type { ViewsRequest, ViewsResponse } from './thread-requests.ts'

/** An erasure is tried again later when the views are further behind. */
const WAIT_MS = 10_000
/**
 * A pass may continue a merge that had copied words before they were deleted. Those are left out by the next pass, which
 * does nothing when there are none.
 */
const PASSES = 2

/**
 * Removes what the views keep of an account whose messages are gone from the store: words, places, and what deliveries
 * about its casts have of them, of events up to `upTo`. They wait on: the sender drops creations, and receivers are told of
 * deletions. Resolves to false when the views do not have these events yet.
 * `ask` is answered by the thread of the views: other requests wait for a part of a pass at most.
 */
export const eraseFrom =
  (
    views: Pick<Views, 'passed'>,
    ask: (request: ViewsRequest) => Promise<ViewsResponse>,
  ): NonNullable<Module['erase']> =>
  async (fid, upTo, signal) => {
    if (!(await views.passed(upTo, WAIT_MS))) return false
    await ask({ kind: 'erase', fid, upTo })
    for (const table of WORD_TABLES) {
      for (let pass = 0; pass < PASSES; pass++) {
        for (let begins = true, count = 1; count > 0; begins = false) {
          signal.throwIfAborted()
          count = (await ask({ kind: 'merge words', table, begins })).count ?? 0
        }
      }
    }
    return true
  }
