import type { Dialect } from '../engines/engine.ts'

/** The right to do something that only one of all processes may do, for a limited time. */
export const LEASE_MIGRATION = ({ clustered }: Dialect) => [
  `create table lease (
     name text not null primary key, holder text not null, epoch bigint not null,
     expires_at bigint not null) ${clustered}`,
]
