import type { Dialect } from '../../../kernel/storage/engines/engine.ts'

/** Polls with the number of votes for each answer, and who chose what. */
export const POLL_MIGRATION = ({ clustered }: Dialect) => [
  `create table poll (
     id text not null primary key, question text not null, answers text not null,
     creator_fid bigint not null, created_at bigint not null, ends_at bigint not null,
     votes_state text not null,
     votes_1 bigint not null default 0, votes_2 bigint not null default 0,
     votes_3 bigint not null default 0, votes_4 bigint not null default 0,
     votes_5 bigint not null default 0, votes_6 bigint not null default 0) ${clustered}`,
  'create index poll_creator on poll (creator_fid, created_at)',
  'create index poll_end on poll (votes_state, ends_at)',
  `create table poll_vote (
     poll_id text not null, fid bigint not null, answer bigint not null, voted_at bigint not null,
     primary key (poll_id, fid)) ${clustered}`,
  'create index poll_vote_fid on poll_vote (fid)',
]
