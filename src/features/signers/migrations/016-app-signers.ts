import type { Dialect } from '../../../kernel/storage/engines/engine.ts'

/** Keys with which apps sign for their users. */
export const APP_SIGNER_MIGRATION = ({ bytes, clustered }: Dialect) => [
  // secret: sealed; null for keys that the app keeps itself, and after the key was removed.
  // request: the token of the signed key request.
  `create table app_signer (
     uuid text not null primary key, app text not null, public_key ${bytes} not null,
     managed bigint not null, status text not null, fid bigint, secret ${bytes}, request text,
     created_at bigint not null, changed_at bigint not null,
     check (status in ('generated', 'pending_approval', 'approved', 'revoked'))) ${clustered}`,
  'create unique index app_signer_key on app_signer (public_key, app)',
  'create index app_signer_app on app_signer (app, created_at)',
  `create index app_signer_waiting on app_signer (created_at)
     where status in ('generated', 'pending_approval')`,
]
