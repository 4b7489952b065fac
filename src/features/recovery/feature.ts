import { feature } from '../../kernel/feature.ts'
import { RECOVERY_MIGRATION } from './migrations/051-recoveries.ts'
import { RECOVERY_KEY_MIGRATION } from './migrations/062-recovery-keys.ts'
import { RECOVERY_BY_MAIL_MIGRATION } from './migrations/068-recoveries-by-mail.ts'
import { RECOVERY_DUE_MIGRATION } from './migrations/072-due.ts'
import { RECOVERY_SETTINGS } from './settings.ts'
import { RECOVERIES } from './tables/recoveries.ts'

/** Moving an account to a new key by the operator, after a waiting time. */
export const recovery = feature({
  name: 'recovery',
  needs: ['app-api', 'moderation-records', 'operations'],
  tables: [RECOVERIES],
  migrations: [
    { id: 51, what: 'recovery service', statements: RECOVERY_MIGRATION },
    {
      id: 62,
      what: 'recovery requests by account',
      statements: RECOVERY_KEY_MIGRATION,
    },
    { id: 68, what: 'recoveries by mail', statements: RECOVERY_BY_MAIL_MIGRATION },
    { id: 72, what: 'recoveries that are due', statements: RECOVERY_DUE_MIGRATION },
  ],
  settings: [RECOVERY_SETTINGS],
  serve: () => import('./serve.ts'),
})
