/** The accounts about which there are reports. */
export const REPORTED_ACCOUNT_MIGRATION = [
  'create index moderation_report_fid on moderation_report (state, fid)',
]
