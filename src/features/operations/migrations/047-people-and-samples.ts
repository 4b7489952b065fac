import type { Dialect } from '../../../kernel/storage/engines/engine.ts'

/** What the room of the operator shows: the numbers of the last week, and the accounts about which there are reports. */
export const PEOPLE_MIGRATION = ({ clustered }: Dialect) => [
  `create table metric_sample (
     at bigint not null, numbers text not null, primary key (at)) ${clustered}`,
  'create index moderation_report_fid on moderation_report (state, fid)',
]
