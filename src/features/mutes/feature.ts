import { feature } from '../../kernel/feature.ts'
import { MUTED_TERM_MIGRATION } from './migrations/044-muted-terms.ts'
import { MUTED_TERMS } from './tables/muted-terms.ts'

/** Accounts, channels and words that a user does not want to see. */
export const mutes = feature({
  name: 'mutes',
  needs: ['app-api', 'channels'],
  tables: [MUTED_TERMS],
  migrations: [{ id: 44, what: 'muted channels and words', statements: MUTED_TERM_MIGRATION }],
  serve: () => import('./serve.ts'),
})
