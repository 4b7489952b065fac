import type { Dialect } from '../../../kernel/storage/engines/engine.ts'

/** Channels and words that members mute in every app. */
export const MUTED_TERM_MIGRATION = ({ clustered }: Dialect) => [
  `create table muted_term (
     fid bigint not null, kind text not null, term text not null, muted_at bigint not null,
     primary key (fid, kind, term)) ${clustered}`,
]
