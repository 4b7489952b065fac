import type { Dialect } from '../../../kernel/storage/engines/engine.ts'

/** Messages that were held for review and are shown: who they concern has yet to be told. */
export const SHOWN_MIGRATION = ({ clustered }: Dialect) => [
  `create table push_shown (id bigint not null primary key) ${clustered}`,
]
