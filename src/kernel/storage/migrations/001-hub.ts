import type { Dialect } from '../engines/engine.ts'

/** Messages, events, accounts and the ledger. */
export const HUB_MIGRATION = ({ bytes, rowKey, clustered }: Dialect) => [
  // A row for each kind of writers, whose lock orders them; `value` is the newest id they gave.
  'create table lock (name text not null primary key, turns bigint not null, value bigint not null)',

  // A message's id is the id of the event that reported its merge.
  `create table message (
     id ${rowKey}, fid bigint not null, store bigint not null, type bigint not null,
     timestamp bigint not null, hash ${bytes} not null, slot ${bytes} not null, target ${bytes},
     signer ${bytes} not null, signature ${bytes} not null, form bigint not null, data ${bytes} not null)`,
  'create unique index message_slot on message (slot)',
  'create index message_order on message (fid, store, timestamp, hash)',
  'create index message_target on message (target, timestamp, hash, fid) where target is not null',
  // The client platform names casts by their hashes alone. 1: MESSAGE_TYPE_CAST_ADD.
  'create index message_cast on message (hash) where type = 1',
  `create table mention (
     mentioned bigint not null, timestamp bigint not null, hash ${bytes} not null,
     fid bigint not null, id bigint not null,
     primary key (mentioned, timestamp, hash, fid)) ${clustered}`,
  'create index mention_message on mention (id)',
  `create table usage (
     fid bigint not null, store bigint not null, count bigint not null,
     primary key (fid, store)) ${clustered}`,

  // message: the message's bytes once they have left the message table, else null.
  // deleted: the messages that the event's message replaced.
  `create table event (id ${rowKey}, type bigint not null, body ${bytes}, message ${bytes}, deleted ${bytes})`,

  `create table name_proof (
     name ${bytes} not null primary key, fid bigint not null, owner ${bytes} not null,
     timestamp bigint not null, signature ${bytes} not null) ${clustered}`,
  'create index name_proof_fid on name_proof (fid)',

  `create table chain_event (
     fid bigint not null, type bigint not null, block_number bigint not null,
     log_index bigint not null, body ${bytes} not null,
     primary key (fid, type, block_number, log_index)) ${clustered}`,
  `create table custody (
     fid bigint not null primary key, address ${bytes} not null,
     block_number bigint not null, log_index bigint not null, recovery ${bytes} not null,
     recovery_block bigint not null, recovery_log bigint not null) ${clustered}`,
  'create index custody_address on custody (address)',
  `create table signer (
     fid bigint not null, key ${bytes} not null, active bigint not null,
     block_number bigint not null, log_index bigint not null,
     primary key (fid, key)) ${clustered}`,
  `create table storage_rent (
     fid bigint not null, block_number bigint not null, log_index bigint not null,
     rented_at bigint not null, units bigint not null,
     primary key (fid, block_number, log_index)) ${clustered}`,

  `create table ledger_nonce (
     contract text not null, address ${bytes} not null, nonce bigint not null,
     primary key (contract, address)) ${clustered}`,
  // Events of accepted calls that wait for their confirmation time.
  `create table ledger_pending (seq ${rowKey}, confirm_at bigint not null, body ${bytes} not null)`,

  'create table cursor (name text not null primary key, value text not null)',
]
