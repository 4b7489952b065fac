import type { Dialect } from '../../../kernel/storage/engines/engine.ts'

/** Signed key requests and the credits of sponsors. Times are in Unix seconds. */
export const KEY_REQUEST_MIGRATION = ({ bytes, clustered }: Dialect) => [
  // The columns add_* are what the user signed when approving; handed: it has reached the accounts.
  `create table signed_key_request (
     token ${bytes} not null primary key, state text not null, key ${bytes} not null,
     key_text text not null, request_fid bigint not null, request_signer ${bytes} not null,
     signature ${bytes} not null, deadline bigint not null, redirect_url text, sponsor_fid bigint,
     created_at bigint not null, forget_at bigint not null, user_fid bigint, reason text,
     error_name text, approved_at bigint, add_owner ${bytes}, add_nonce bigint, add_deadline bigint, add_signature ${bytes},
     handed bigint not null) ${clustered}`,
  'create index signed_key_request_key on signed_key_request (key)',
  'create index signed_key_request_fid on signed_key_request (request_fid, state)',
  'create index signed_key_request_state on signed_key_request (state, token)',
  'create index signed_key_request_end on signed_key_request (forget_at)',
  // reserved: the part of the balance that goes with requests which are approved.
  `create table sponsor_credit (
     fid bigint not null primary key, balance bigint not null, reserved bigint not null,
     check (reserved >= 0 and balance >= reserved)) ${clustered}`,
  `create table sponsor_entry (
     fid bigint not null, number bigint not null, amount bigint not null, reason text not null,
     created_at bigint not null, primary key (fid, number)) ${clustered}`,
]
