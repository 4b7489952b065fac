/** The metrics that the room of the operator shows, each with its last week. The page imports this list. */
export const SAMPLED_METRICS = [
  'rookery_accounts',
  'rookery_active_fids{window="day"}',
  'rookery_active_fids{window="week"}',
  'rookery_casts',
  'rookery_channels',
  'rookery_hub_queue_messages',
  'rookery_feed_subscriptions{position="live"}',
  'rookery_feed_subscriptions{position="behind"}',
  'rookery_views_lag_seconds',
  'rookery_views_set_aside',
  'rookery_webhook_waiting',
  'rookery_moderation_reports{state="open"}',
  'rookery_join_requests',
  'rookery_recovery_requests',
  'rookery_storage_bytes',
  'rookery_disk_quota_ratio',
  'rookery_hub_messages',
  'rookery_backup_bytes',
  'process_resident_memory_bytes',
  'rookery_job_leader',
] as const

/** Rows that gauges count when they are asked: reports, requests, what waits. Those of use are kept for a while. */
export const GAUGES_SCANNED = 40_000

export type SampledMetric = (typeof SAMPLED_METRICS)[number]
