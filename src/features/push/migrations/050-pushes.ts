import type { Dialect } from '../../../kernel/storage/engines/engine.ts'

/** Devices that people want to be told on, what waits to be sent to them, and the key that signs it. */
export const PUSH_MIGRATION = ({ bytes, clustered }: Dialect) => [
  `create table push_device (
     id text not null primary key, fid bigint not null, signer ${bytes} not null, endpoint text not null,
     public_key ${bytes} not null, secret ${bytes} not null, kinds text not null, name text not null,
     failures bigint not null, created_at bigint not null, pushed_at bigint) ${clustered}`,
  'create index push_device_fid on push_device (fid)',
  `create table push_waiting (
     id text not null primary key, device text not null, fid bigint not null, actor bigint, payload text not null,
     topic text not null, attempts bigint not null, due bigint not null, expires_at bigint not null) ${clustered}`,
  'create index push_waiting_due on push_waiting (due)',
  'create index push_waiting_device on push_waiting (device)',
  `create table push_key (
     name text not null primary key, public_key ${bytes} not null, private_key ${bytes} not null,
     created_at bigint not null) ${clustered}`,
]
