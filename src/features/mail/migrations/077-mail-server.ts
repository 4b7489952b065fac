import type { Dialect } from '../../../kernel/storage/engines/engine.ts'

/** The mail server that the operator has set up in the room. */
export const MAIL_SERVER_MIGRATION = ({ bytes, clustered }: Dialect) => [
  // secret: the sealed password.
  `create table mail_server (
     name text not null primary key, host text not null, port bigint not null, tls text not null, login text not null,
     secret ${bytes} not null, sender text not null, changed_at bigint not null, changed_by text not null) ${clustered}`,
]
