import type { Dialect } from '../../../kernel/storage/engines/engine.ts'

/** What the operator has written about the server. */
export const SERVER_FACE_MIGRATION = ({ clustered }: Dialect) => [
  `create table server_text (
     name text not null primary key, value text not null, changed_at bigint not null, changed_by text not null) ${clustered}`,
]
