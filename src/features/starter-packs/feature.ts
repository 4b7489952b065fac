import { feature } from '../../kernel/feature.ts'
import { checkStarterPackCounts } from './check-counts.ts'
import { STARTER_PACK_MIGRATION } from './migrations/032-starter-packs.ts'
import { STARTER_PACK_MEMBERS, STARTER_PACKS } from './tables/starter-packs.ts'

/** Lists of accounts that a newcomer may follow at once. */
export const starterPacks = feature({
  name: 'starter-packs',
  tables: [STARTER_PACK_MEMBERS, STARTER_PACKS],
  migrations: [{ id: 32, what: 'starter packs', statements: STARTER_PACK_MIGRATION }],
  checks: [checkStarterPackCounts],
  serve: () => import('./serve.ts'),
})
