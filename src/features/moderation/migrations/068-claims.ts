import type { Dialect } from '../../../kernel/storage/engines/engine.ts'

/** Which moderator looks at which case. */
export const CLAIM_MIGRATION = ({ clustered }: Dialect) => [
  `create table case_claim (
     report_id bigint not null primary key, fid bigint, actor text not null, word text, taken_at bigint not null,
     ends_at bigint not null) ${clustered}`,
  'create index case_claim_fid on case_claim (fid)',
  'create index case_claim_end on case_claim (ends_at)',
]
