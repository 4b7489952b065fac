import { feature } from '../../kernel/feature.ts'
import { MEMBER_MIGRATION } from './migrations/044-members.ts'
import { LIMIT_MIGRATION } from './migrations/065-limits.ts'
import { CLAIM_MIGRATION } from './migrations/068-claims.ts'
import { HELD_MIGRATION } from './migrations/069-held.ts'
import { NEWCOMER_MIGRATION } from './migrations/071-newcomers.ts'
import { MODERATION_APPEALS } from './tables/appeals.ts'
import { CASE_CLAIMS } from './tables/claims.ts'
import { HELD_CASTS, HELD_TERMS } from './tables/held.ts'
import { ACCOUNT_LIMITS, REACHES_STRANGERS, SUSPENSION_ENDS } from './tables/limits.ts'
import { NEWCOMER_RULES } from './tables/newcomers.ts'
import { MODERATION_NOTES } from './tables/notes.ts'
import { STAFF } from './tables/staff.ts'

/** Reports, decisions, appeals, roles and erasures. */
export const moderation = feature({
  name: 'moderation',
  needs: ['mini-apps', 'moderation-records', 'registry'],
  tables: [
    ACCOUNT_LIMITS,
    CASE_CLAIMS,
    HELD_CASTS,
    HELD_TERMS,
    MODERATION_APPEALS,
    MODERATION_NOTES,
    NEWCOMER_RULES,
    STAFF,
    SUSPENSION_ENDS,
  ],
  shown: { toStrangers: REACHES_STRANGERS },
  screensMessages: true,
  migrations: [
    { id: 44, what: 'roles and appeals', statements: MEMBER_MIGRATION },
    { id: 65, what: 'limits, ends of suspensions and notes', statements: LIMIT_MIGRATION },
    { id: 68, what: 'cases that a moderator has taken', statements: CLAIM_MIGRATION },
    { id: 69, what: 'casts that wait for a moderator', statements: HELD_MIGRATION },
    { id: 71, what: 'what new accounts may send', statements: NEWCOMER_MIGRATION },
  ],
  serve: () => import('./serve.ts'),
})
