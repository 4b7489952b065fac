import type { Dialect } from '../../../kernel/storage/engines/engine.ts'

/** Addresses of members, links that count once, and mails that wait. Times in Unix ms. */
export const MAIL_MIGRATION = ({ bytes, clustered }: Dialect) => [
  `create table mail_address (
     fid bigint not null primary key, address text not null, custody ${bytes} not null,
     confirmed_at bigint not null, refused_at bigint) ${clustered}`,
  'create unique index mail_address_address on mail_address (address)',
  `create table mail_link (
     hash ${bytes} not null primary key, fid bigint not null, purpose text not null, address text not null,
     custody ${bytes} not null, expires_at bigint not null) ${clustered}`,
  'create index mail_link_fid on mail_link (fid)',
  'create index mail_link_expires on mail_link (expires_at)',
  `create table mail_waiting (
     id text not null primary key, fid bigint not null, address text not null, kind text not null,
     content text not null, attempts bigint not null, due bigint not null, queued_at bigint not null,
     expires_at bigint not null) ${clustered}`,
  'create index mail_waiting_due on mail_waiting (due)',
  'create index mail_waiting_fid on mail_waiting (fid)',
]
