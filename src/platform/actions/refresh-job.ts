import type { Job } from '../../jobs/job.ts'
import type { Catalogue } from './catalogue.ts'

const HOUR_MS = 3_600_000

/** Fetches documents again that are a day old, some each hour. Stops between two documents. */
export const refreshJob = (catalogue: Pick<Catalogue, 'refreshStale'>): Job => ({
  name: 'refresh actions',
  scope: 'leader',
  everyMs: HOUR_MS,
  run: ({ signal }) => catalogue.refreshStale(() => signal.aborted),
})
