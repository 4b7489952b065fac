import type { Dialect } from '../engines/engine.ts'

/** Row counts that transactions keep, because counting a large table takes seconds. */
export const ROW_COUNT_MIGRATION = ({ clustered }: Dialect) => [
  `create table row_count (name text not null primary key, value bigint not null) ${clustered}`,
  `insert into row_count (name, value)
     select 'message', count(*) from message
     union all select 'custody', count(*) from custody
     union all select 'name_proof', count(*) from name_proof`,
]
