/** Which member made an invite. */
export const MEMBER_INVITE_MIGRATION = [
  'alter table invite add column inviter bigint',
  'create index invite_inviter on invite (inviter)',
]
