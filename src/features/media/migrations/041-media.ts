import type { Dialect } from '../../../kernel/storage/engines/engine.ts'

/** Pictures and videos that users upload: what they are, who uploaded them, and their bytes unless these are in S3. */
export const MEDIA_MIGRATION = ({ bytes, clustered }: Dialect) => [
  `create table media (
     hash ${bytes} not null, object text not null, type text not null, small_type text,
     width bigint not null, height bigint not null, large_bytes bigint not null, small_bytes bigint not null,
     primary key (hash)) ${clustered}`,
  `create table media_upload (
     hash ${bytes} not null, fid bigint not null, alt text not null, bytes bigint not null,
     created_at bigint not null, checked_at bigint not null,
     primary key (hash, fid)) ${clustered}`,
  'create index media_upload_fid on media_upload (fid, hash)',
  'create index media_upload_checked on media_upload (checked_at, fid)',
  `create table media_garbage (object text not null, since bigint not null, primary key (object)) ${clustered}`,
  `create table media_part (
     object text not null, size text not null, part bigint not null, data ${bytes} not null,
     primary key (object, size, part))`,
]
