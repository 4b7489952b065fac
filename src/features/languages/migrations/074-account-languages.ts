import type { Dialect } from '../../../kernel/storage/engines/engine.ts'

/** The languages of members. */
export const ACCOUNT_LANGUAGE_MIGRATION = ({ clustered }: Dialect) => [
  `create table account_language (
     fid bigint not null primary key, language text not null, is_chosen bigint not null,
     changed_at bigint not null) ${clustered}`,
]
