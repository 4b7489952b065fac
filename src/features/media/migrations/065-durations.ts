/** How long videos are. That of those which are kept already is not known. */
export const MEDIA_DURATION_MIGRATION = [
  'alter table media add column duration_ms bigint not null default 0',
]
