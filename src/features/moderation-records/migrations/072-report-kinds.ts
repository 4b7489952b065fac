/** What a report says is wrong, which rule it names, and what was done about it. */
export const REPORT_KIND_MIGRATION = [
  'alter table moderation_report add column kind text',
  'alter table moderation_report add column rule text',
  'alter table moderation_report add column act text',
  "update moderation_report set kind = 'held' where reporter_fid = 0 and reason like 'Held for %'",
]
