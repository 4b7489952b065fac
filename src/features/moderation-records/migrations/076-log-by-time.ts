/** The log is asked for by days. */
export const LOG_TIME_MIGRATION = () => [
  'create index moderation_log_at on moderation_log (at, id)',
]
