import type { Dialect } from '../../../kernel/storage/engines/engine.ts'

/** The numbers of the last week. */
export const SAMPLE_MIGRATION = ({ clustered }: Dialect) => [
  `create table metric_sample (
     at bigint not null, numbers text not null, primary key (at)) ${clustered}`,
]
