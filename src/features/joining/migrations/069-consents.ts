import type { Dialect } from '../../../kernel/storage/engines/engine.ts'

/** What members have agreed to. */
export const CONSENT_MIGRATION = ({ clustered }: Dialect) => [
  `create table rules_consent (
     fid bigint not null primary key, version text not null, age bigint not null, agreed_at bigint not null) ${clustered}`,
]
