/** What an app asks for that wants a gasless key: the types of messages, and the time without use after which it ends. */
export const GASLESS_REQUEST_MIGRATION = [
  'alter table signed_key_request add column scopes text',
  'alter table signed_key_request add column ttl bigint',
]
