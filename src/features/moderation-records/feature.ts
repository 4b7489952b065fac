import { feature } from '../../kernel/feature.ts'
import { RECORD_MIGRATION } from './migrations/013-records.ts'
import { REPORT_ANSWER_MIGRATION } from './migrations/044-report-answers.ts'
import { REPORTED_ACCOUNT_MIGRATION } from './migrations/047-reports-by-account.ts'
import { MINI_APP_REPORT_MIGRATION } from './migrations/055-mini-app-reports.ts'
import { REPORT_KIND_MIGRATION } from './migrations/072-report-kinds.ts'
import { ANSWER_MIGRATION } from './migrations/073-answers.ts'
import { LOG_TIME_MIGRATION } from './migrations/076-log-by-time.ts'
import { DECISION_MIGRATION } from './migrations/078-decisions.ts'
import { REPORT_ANSWERS } from './tables/answers.ts'
import { MODERATION_LOG } from './tables/log.ts'
import { MODERATION_REPORTS } from './tables/reports.ts'

declare module '../../kernel/storage/locks.ts' {
  interface WholeKinds {
    reports: true
  }
}

/** What users report, and the log of what operators do. Several features write them. */
export const moderationRecords = feature({
  name: 'moderation-records',
  tables: [MODERATION_LOG, MODERATION_REPORTS, REPORT_ANSWERS],
  migrations: [
    { id: 13, what: 'moderation', statements: RECORD_MIGRATION },
    { id: 44, what: 'answers to reports', statements: REPORT_ANSWER_MIGRATION },
    { id: 47, what: 'reports by account', statements: REPORTED_ACCOUNT_MIGRATION },
    { id: 55, what: 'reports about mini apps', statements: MINI_APP_REPORT_MIGRATION },
    { id: 72, what: 'kinds of reports', statements: REPORT_KIND_MIGRATION },
    { id: 73, what: 'answers to many reports', statements: ANSWER_MIGRATION },
    { id: 76, what: 'the log of moderation by time', statements: LOG_TIME_MIGRATION },
    { id: 78, what: 'which decision answered a report', statements: DECISION_MIGRATION },
  ],
})
