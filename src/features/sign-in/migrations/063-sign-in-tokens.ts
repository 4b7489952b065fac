/** Channels of sign-ins keep no address of their page any more, because it contains the token. */
export const SIGN_IN_TOKEN_MIGRATION = [
  // First, so that the embedded store overwrites the bytes (secure_delete).
  "update sign_in_channel set url = ''",
  'alter table sign_in_channel drop column url',
]
