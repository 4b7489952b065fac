import type { Job } from '../../kernel/jobs/job.ts'
import { DAY_SECONDS, MINUTE_MS } from '../../kernel/protocol/time.ts'
import { VOTES_KEPT_DAYS } from './limits.ts'
import type { PollContext } from './polls.ts'
import { pollRows } from './tables/polls.ts'

/** Votes that one transaction deletes: other votes in the same poll wait for it. */
export const BATCH = 500

/** The job that deletes the votes of polls that are deleted, or that ended some time ago. */
export const cleaningJob = ({ storage, now }: PollContext): Job => ({
  name: 'votes of polls',
  scope: 'leader',
  everyMs: MINUTE_MS,
  async run({ signal }) {
    while (!signal.aborted) {
      const poll = await storage.of(pollRows).toForget(now() - VOTES_KEPT_DAYS * DAY_SECONDS)
      if (!poll) return
      await storage.write(`poll/${poll.id}`, (tx) => tx.of(pollRows).forgetVotes(poll.id, BATCH))
    }
  },
})
