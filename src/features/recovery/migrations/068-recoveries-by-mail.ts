/** Moves that began with a link in a mail: 1. */
export const RECOVERY_BY_MAIL_MIGRATION = () => [
  'alter table recovery add column by_mail bigint not null default 0',
]
