import { feature } from '../../kernel/feature.ts'
import { FORK_MIGRATION } from './migrations/065-fork.ts'
import { FORK_ACCOUNTS } from './tables/fork-accounts.ts'

/** Accounts of another network, read when they are asked for, beside those of a development network. */
export const fork = feature({
  name: 'fork',
  needs: ['mirror'],
  tables: [FORK_ACCOUNTS],
  migrations: [{ id: 65, what: 'accounts of a forked network', statements: FORK_MIGRATION }],
})
