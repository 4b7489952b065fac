/** When units end. Rents of before end as at the deployed hubs. */
export const STORAGE_END_MIGRATION = [
  'alter table storage_rent add column ends_at bigint not null default 0',
]
