import { feature } from '../../kernel/feature.ts'
import { BADGE_MIGRATION } from './migrations/006-badges.ts'
import { BADGE_SET_MIGRATION } from './migrations/028-badge-set.ts'
import { BADGE_SETTINGS } from './settings.ts'
import { BADGE_MARKS, BADGE_RUNS, BADGE_SCORES } from './tables/badges.ts'

declare module '../../kernel/storage/locks.ts' {
  interface WholeKinds {
    badges: true
  }
}

/** Power badges: who is active and followed by others who are. */
export const badges = feature({
  name: 'badges',
  tables: [BADGE_MARKS, BADGE_RUNS, BADGE_SCORES],
  migrations: [
    { id: 6, what: 'power badges', statements: BADGE_MIGRATION },
    { id: 28, what: 'one set of badges', statements: BADGE_SET_MIGRATION },
  ],
  settings: [BADGE_SETTINGS],
  serve: () => import('./serve.ts'),
})
