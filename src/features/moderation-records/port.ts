export { ENDED_BY, MODERATION_ACTIONS, type ModerationAction } from './actions.ts'
export { REASONS, reasonTold, withRule } from './reasons.ts'
export { answerRows, type ReportAnswer } from './tables/answers.ts'
export {
  MAX_READ_ENTRIES,
  MAX_SEARCHED_ENTRIES,
  type ModerationEntry,
  moderationLogRows,
} from './tables/log.ts'
export {
  MAX_ACTOR_ROWS,
  MAX_COUNTED_ENTRIES,
  MAX_COUNTED_REPORTS,
  MAX_SCANNED_ENTRIES,
  reportStatisticRows,
  STATISTICS_WEEK_SECONDS,
} from './tables/report-statistics.ts'
export {
  ACTS,
  type Act,
  COMPLAINTS,
  REPORT_KINDS,
  type Report,
  type ReportKind,
  reportRows,
  UNANSWERED,
} from './tables/reports.ts'
