export {
  MODERATION_ACTIONS,
  type ModerationAction,
  type ModerationEntry,
  moderationLogRows,
} from './tables/log.ts'
export { type Report, reportRows } from './tables/reports.ts'
