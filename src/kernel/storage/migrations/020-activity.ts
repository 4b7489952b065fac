import type { Dialect } from '../engines/engine.ts'

/**
 * The hour of each fid's newest message, and the number of casts: what the operator is told about use. Hours, so
 * that a fid that writes much changes its row once an hour.
 */
export const ACTIVITY_MIGRATION = ({ clustered }: Dialect) => [
  `create table active_fid (fid bigint not null primary key, hour bigint not null) ${clustered}`,
  `insert into active_fid (fid, hour)
     select fid, max(timestamp) / 3600 from message group by fid`,
  'create index active_fid_hour on active_fid (hour)',
  `insert into row_total (name, change, value)
     select 'cast', 0, count(*) from message where store = 1 and type = 1`,
]
