import type { Dialect } from '../../../kernel/storage/engines/engine.ts'

/** The service that translates for members. */
export const TRANSLATOR_MIGRATION = ({ bytes, clustered }: Dialect) => [
  // secret: the sealed key.
  `create table translator (
     name text not null primary key, kind text not null, address text not null, own_network bigint not null,
     secret ${bytes} not null, monthly bigint not null, changed_at bigint not null, changed_by text not null) ${clustered}`,
]
