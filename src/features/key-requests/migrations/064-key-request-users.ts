/** The key requests of an account are found without reading those of others. */
export const KEY_REQUEST_USER_MIGRATION = [
  'create index signed_key_request_user on signed_key_request (user_fid) where user_fid is not null',
]
