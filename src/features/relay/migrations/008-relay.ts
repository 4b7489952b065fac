import type { Dialect } from '../../../kernel/storage/engines/engine.ts'

/** Transactions that this server sends. */
export const RELAY_MIGRATION = ({ bytes, rowKey, clustered }: Dialect) => [
  // A call to be made, once, and the nonce of `sender` it is made with. `call` is a hash of recipient and
  // data. `owner` and `key` are empty for one that only fills a gap between nonces.
  `create table relay (
     id ${rowKey}, call ${bytes} not null unique, contract text not null, owner ${bytes} not null,
     key ${bytes} not null, deadline bigint not null, recipient ${bytes} not null, data ${bytes} not null,
     sender ${bytes} not null, nonce bigint not null, gas bigint not null, created_at bigint not null,
     reported bigint not null, finished_at bigint, error text, unique (sender, nonce))`,
  'create index relay_unfinished on relay (contract, owner) where finished_at is null',
  // Each time it was signed: the same call and nonce with another fee, or with another nonce. Fees in wei.
  `create table relay_attempt (
     hash ${bytes} not null primary key, relay bigint not null, nonce bigint not null,
     max_fee bigint not null, tip bigint not null, signed_at bigint not null, raw ${bytes} not null) ${clustered}`,
  'create index relay_attempt_relay on relay_attempt (relay)',
]
