import type { Dialect } from '../../../kernel/storage/engines/engine.ts'

/** People who wait to be let in. */
export const JOIN_REQUEST_MIGRATION = ({ bytes, clustered }: Dialect) => [
  `create table join_request (
     address ${bytes} not null primary key, ticket_hash ${bytes} not null, called text not null, reason text not null,
     provider text not null, state text not null, answer text not null, asked_at bigint not null,
     decided_at bigint) ${clustered}`,
  'create unique index join_request_ticket on join_request (ticket_hash)',
  'create index join_request_state on join_request (state, asked_at)',
]
