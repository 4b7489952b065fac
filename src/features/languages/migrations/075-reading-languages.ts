import type { Dialect } from '../../../kernel/storage/engines/engine.ts'

/** The languages in which members read posts. */
export const READING_LANGUAGE_MIGRATION = ({ clustered }: Dialect) => [
  `create table reading_language (
     fid bigint not null primary key, languages text not null, changed_at bigint not null) ${clustered}`,
]
