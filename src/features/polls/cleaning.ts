import type { Job } from '../../kernel/jobs/job.ts'
import { DAY_SECONDS, HOUR_MS } from '../../kernel/protocol/time.ts'
import { VOTES_KEPT_DAYS } from './limits.ts'
import type { PollContext } from './polls.ts'
import { pollRows } from './tables/polls.ts'

/** Votes that are forgotten in one transaction. */
const BATCH = 500

/** The job that forgets who chose what in polls that ended some time ago. */
export const forgettingJob = ({ storage, now }: PollContext): Job => ({
  name: 'forget votes',
  scope: 'leader',
  everyMs: HOUR_MS,
  async run({ signal }) {
    while (!signal.aborted) {
      const poll = await storage.of(pollRows).toForget(now() - VOTES_KEPT_DAYS * DAY_SECONDS)
      if (!poll) return
      await storage.write(`poll/${poll.id}`, (tx) => tx.of(pollRows).forgetVotes(poll.id, BATCH))
    }
  },
})
