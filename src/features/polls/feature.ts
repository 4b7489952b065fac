import { feature } from '../../kernel/feature.ts'
import { checkPollCounts } from './check-counts.ts'
import { POLL_MIGRATION } from './migrations/065-polls.ts'
import { POLL_VOTES, POLLS } from './tables/polls.ts'

declare module '../../kernel/storage/locks.ts' {
  interface PartKinds {
    poll: true
  }
}

/** Questions with a few answers that members ask in casts, as snaps that this server serves. */
export const polls = feature({
  name: 'polls',
  needs: ['languages', 'server-face', 'snaps', 'web'],
  tables: [POLL_VOTES, POLLS],
  migrations: [{ id: 65, what: 'polls', statements: POLL_MIGRATION }],
  checks: [checkPollCounts],
  serve: () => import('./serve.ts'),
})
