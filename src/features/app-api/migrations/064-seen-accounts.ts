/** What an account has seen is found without reading whole tables. */
export const SEEN_ACCOUNT_MIGRATION = ['create index app_seen_fid on app_seen (fid)']
