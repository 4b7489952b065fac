import type { Dialect } from '../../../kernel/storage/engines/engine.ts'

/** Sign In With Farcaster: channels of the relay, spent nonces, and the keys that sign tokens. All times in Unix ms. */
export const SIGN_IN_MIGRATION = ({ bytes, clustered }: Dialect) => [
  `create table sign_in_channel (
     token_hash ${bytes} not null primary key, state text not null, client text not null, request text not null,
     url text not null, ip text not null, user_agent text not null, origin text,
     message text, signature text, auth_method text, fid bigint,
     created_at bigint not null, expires_at bigint not null) ${clustered}`,
  'create index sign_in_channel_client on sign_in_channel (client, created_at)',
  'create index sign_in_channel_created on sign_in_channel (created_at)',
  `create table sign_in_nonce (
     nonce text not null primary key, fid bigint not null, expires_at bigint not null) ${clustered}`,
  'create index sign_in_nonce_fid on sign_in_nonce (fid)',
  'create index sign_in_nonce_expires on sign_in_nonce (expires_at)',
  `create table sign_in_key (
     kid text not null primary key, private_jwk text not null, created_at bigint not null) ${clustered}`,
]
