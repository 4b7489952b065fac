import type { Dialect } from '../../../kernel/storage/engines/engine.ts'

/** Fids that are registered in advance, for the users of apps. */
export const APP_FID_MIGRATION = ({ clustered }: Dialect) => [
  `create table app_fid (
     id text not null, app text not null, fid bigint, reserved_until bigint not null, primary key (id)) ${clustered}`,
  'create unique index app_fid_fid on app_fid (fid)',
]
