/** Whether authors ask that a file is shown only to those who want to see it. */
export const SENSITIVE_FILE_MIGRATION = [
  'alter table media_upload add column sensitive bigint not null default 0',
]
