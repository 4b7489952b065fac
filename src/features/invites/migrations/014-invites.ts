import type { Dialect } from '../../../kernel/storage/engines/engine.ts'

/** Invites to register: the hash of the code, how often it may still be used, and until when (Unix ms). */
export const INVITE_MIGRATION = ({ bytes, clustered }: Dialect) => [
  `create table invite (
     code_hash ${bytes} not null primary key, label text not null, uses bigint not null,
     uses_left bigint not null, created_at bigint not null, expires_at bigint not null) ${clustered}`,
]
