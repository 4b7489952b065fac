/** Whether who follows the link of an invite reads which member made it. */
export const NAMED_INVITE_MIGRATION = [
  'alter table invite add column is_named bigint not null default 1',
]
