import type { Dialect } from '../engines/engine.ts'

/** How far a chain is followed. */
export const CHAIN_MIGRATION = ({ bytes, clustered }: Dialect) => [
  // What is followed under a name, as it was when that began: other settings do not fit these data.
  `create table chain_source (
     name text not null primary key, chain_id bigint not null, start_block bigint not null,
     contracts text not null) ${clustered}`,
  // The newest blocks that were read: the last of each range, and those with events in them.
  `create table chain_block (
     source text not null, number bigint not null, hash ${bytes} not null,
     timestamp bigint not null, primary key (source, number)) ${clustered}`,
  // Fids whose registration left the chain, with who had registered: what they said may still be here.
  `create table orphaned_fid (fid bigint not null primary key, address ${bytes} not null) ${clustered}`,
  // Finds what a block that is no longer on the chain had brought.
  'create index chain_event_block on chain_event (block_number)',
]
