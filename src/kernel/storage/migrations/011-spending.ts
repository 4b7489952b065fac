import type { Dialect } from '../engines/engine.ts'

/** What was spent on behalf of others: sponsors' signatures that have paid, and the relayer's gas. */
export const SPENDING_MIGRATION = ({ bytes, clustered }: Dialect) => [
  // A sponsor's signature pays for one request. `signature` is the hash of what the sponsor signed.
  `create table sponsor_use (
     sponsor_fid bigint not null, signature ${bytes} not null, token ${bytes} not null,
     expires_at bigint not null, primary key (sponsor_fid, signature)) ${clustered}`,
  'create index sponsor_use_expiry on sponsor_use (expires_at)',
  // Gas of the transactions that the relayer made for a fid on a day (Unix days); fid 0 has the sum of all.
  `create table relay_gas (
     day bigint not null, fid bigint not null, gas bigint not null, primary key (day, fid)) ${clustered}`,
]
