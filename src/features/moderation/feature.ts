import { feature } from '../../kernel/feature.ts'
import { MEMBER_MIGRATION } from './migrations/044-members.ts'
import { REPORTED_ACCOUNT_MIGRATION } from './migrations/047-reports-by-account.ts'
import { MINI_APP_REPORT_MIGRATION } from './migrations/055-mini-app-reports.ts'
import { STAFF } from './tables/staff.ts'

/** Reports, decisions, appeals, roles and erasures. */
export const moderation = feature({
  name: 'moderation',
  needs: ['mini-apps', 'registry'],
  tables: [STAFF],
  migrations: [
    { id: 47, what: 'reports by account', statements: REPORTED_ACCOUNT_MIGRATION },
    { id: 55, what: 'reports about mini apps', statements: MINI_APP_REPORT_MIGRATION },
    { id: 44, what: 'roles and appeals', statements: MEMBER_MIGRATION },
  ],
  serve: () => import('./serve.ts'),
})
