import type { Dialect } from '../../../kernel/storage/engines/engine.ts'

/** Power badges: each set that was computed, and the accounts that the operator adds or excludes. */
export const BADGE_MIGRATION = ({ bytes, rowKey, clustered }: Dialect) => [
  // A run is claimed when its row appears, and done when computed_at is there: only then is it read.
  `create table badge_run (
     id ${rowKey}, due bigint not null, claimant text not null, leased_until bigint not null,
     computed_at bigint, summary text, fids ${bytes})`,
  // What the run found for each account that has any trust: records in order of their fids, many a row.
  `create table badge_score (
     run bigint not null, first_fid bigint not null, body ${bytes} not null,
     primary key (run, first_fid)) ${clustered}`,
  `create table badge_mark (
     fid bigint not null primary key, kind text not null, reason text not null,
     marked_at bigint not null) ${clustered}`,
]
