import { MAX_ROWS_REPORTED, type RowCheck } from '../../kernel/storage/tables/schema.ts'
import { pollRows } from './tables/polls.ts'

/** Reports polls whose counts differ from their votes. */
export const checkPollCounts: RowCheck = async (storage, found) => {
  for (const { id, counted, votes } of await storage.of(pollRows).miscounted(MAX_ROWS_REPORTED)) {
    found('poll count', `${id} counts ${counted} votes of ${votes}`)
  }
}
