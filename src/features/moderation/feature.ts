import { feature } from '../../kernel/feature.ts'
import { MEMBER_MIGRATION } from './migrations/044-members.ts'
import { MODERATION_APPEALS } from './tables/appeals.ts'
import { STAFF } from './tables/staff.ts'

/** Reports, decisions, appeals, roles and erasures. */
export const moderation = feature({
  name: 'moderation',
  needs: ['mini-apps', 'moderation-records', 'registry'],
  tables: [MODERATION_APPEALS, STAFF],
  migrations: [{ id: 44, what: 'roles and appeals', statements: MEMBER_MIGRATION }],
  serve: () => import('./serve.ts'),
})
