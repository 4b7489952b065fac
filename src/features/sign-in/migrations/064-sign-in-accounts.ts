/** The sign-ins of an account are found without reading those of others. */
export const SIGN_IN_ACCOUNT_MIGRATION = [
  'create index sign_in_channel_fid on sign_in_channel (fid) where fid is not null',
]
