import type { Dialect } from '../../../kernel/storage/engines/engine.ts'

/** What the operator has written about the server, and which member made an invite. */
export const SERVER_FACE_MIGRATION = ({ clustered }: Dialect) => [
  `create table server_text (
     name text not null primary key, value text not null, changed_at bigint not null, changed_by text not null) ${clustered}`,
  'alter table invite add column inviter bigint',
  'create index invite_inviter on invite (inviter)',
]
