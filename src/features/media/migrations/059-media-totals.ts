/** Keeps how many files there are and their bytes, and finds the bytes of an account in an index: every upload asks for both. */
export const MEDIA_TOTAL_MIGRATION = [
  `insert into row_total (name, change, value)
     select 'media', 0, count(*) from media
     union all select 'media_bytes', 0,
       cast(coalesce(sum(large_bytes + small_bytes), 0) as bigint) from media`,
  'drop index media_upload_fid',
  'create index media_upload_fid on media_upload (fid, hash, bytes)',
]
