/** An account's rows are found without reading whole tables: for its export and its erasure. */
export const OWNER_MIGRATION = [
  'create index app_fid_of on app (fid)',
  'create index app_mute_fid on app_mute (fid)',
  'create index storage_lend_lender on storage_lend (lender)',
]
