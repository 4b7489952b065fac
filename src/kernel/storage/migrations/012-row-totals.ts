import type { Dialect } from '../engines/engine.ts'

/**
 * Replaces `row_count`, whose rows kept their keys: under a long snapshot each transaction had to look
 * through all the versions that earlier ones had left. Here a row moves to a new key with each change.
 */
export const ROW_TOTAL_MIGRATION = ({ clustered }: Dialect) => [
  `create table row_total (
     name text not null, change bigint not null, value bigint not null,
     primary key (name, change)) ${clustered}`,
  `insert into row_total (name, change, value)
     select 'message', 0, count(*) from message
     union all select 'custody', 0, count(*) from custody
     union all select 'name_proof', 0, count(*) from name_proof`,
  'drop table row_count',
]
