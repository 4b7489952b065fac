import { feature } from '../../kernel/feature.ts'
import { MEMBER_MIGRATION } from './migrations/044-members.ts'
import { STAFF } from './tables/staff.ts'

/** Reports, decisions, appeals, roles and erasures. */
export const moderation = feature({
  name: 'moderation',
  tables: [STAFF],
  migrations: [{ id: 44, what: 'mutes, roles and appeals', statements: MEMBER_MIGRATION }],
})
