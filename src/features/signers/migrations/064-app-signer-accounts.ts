/** The keys of an account are found without reading those of others. */
export const APP_SIGNER_ACCOUNT_MIGRATION = [
  'create index app_signer_fid on app_signer (fid) where fid is not null',
]
