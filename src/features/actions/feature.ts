import { feature } from '../../kernel/feature.ts'
import { checkActionCounts } from './check-counts.ts'
import { ACTION_MIGRATION } from './migrations/004-actions.ts'
import { ACTIONS, FEATURED_ACTIONS, INSTALLED_ACTIONS } from './tables/actions.ts'

declare module '../../kernel/storage/locks.ts' {
  interface PartKinds {
    action: true
  }
  interface WholeKinds {
    actions: true
  }
}

/** Programs on the web that act on a cast, offered under it. */
export const actions = feature({
  name: 'actions',
  tables: [ACTIONS, FEATURED_ACTIONS, INSTALLED_ACTIONS],
  migrations: [{ id: 4, what: 'actions', statements: ACTION_MIGRATION }],
  checks: [checkActionCounts],
  serve: () => import('./serve.ts'),
})
