import type { Dialect } from '../../../kernel/storage/engines/engine.ts'

/** Casts that members keep to read again. */
export const BOOKMARK_MIGRATION = ({ bytes, clustered }: Dialect) => [
  `create table bookmark (
     fid bigint not null, author_fid bigint not null, cast_hash ${bytes} not null,
     saved_at bigint not null, primary key (fid, cast_hash, author_fid)) ${clustered}`,
  'create index bookmark_newest on bookmark (fid, saved_at desc, author_fid, cast_hash)',
  'create index bookmark_author on bookmark (author_fid)',
]
