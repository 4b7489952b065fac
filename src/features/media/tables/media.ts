import { PART_BYTES } from '../../../kernel/http/parted-body.ts'
import type { Sql, SqlValue } from '../../../kernel/storage/engines/sql.ts'
import { listStatement } from '../../../kernel/storage/engines/sql.ts'
import { isListedFid } from '../../../kernel/storage/reads/published.ts'
import { rowsOf } from '../../../kernel/storage/rows.ts'
import { countRows, rowCount, type Total } from '../../../kernel/storage/tables/row-counts.ts'
import { query, queryEach, type RowOf, table } from '../../../kernel/storage/tables/table.ts'

/** Pictures and videos by the SHA-256 hash of what is stored of them. */
export const MEDIA = table('media', {
  hash: { type: 'bytes', key: true },
  /** The name under which its bytes are kept. */
  object: { type: 'line', words: false },
  /** The media type of the file. */
  type: { type: 'line', words: false },
  /** The media type of its small picture, or of the picture that stands for a video; null when there is none. */
  small_type: { type: 'line', words: false, null: true },
  /** In pixels; 0 when not known. */
  width: { type: 'integer' },
  height: { type: 'integer' },
  large_bytes: { type: 'integer' },
  small_bytes: { type: 'integer' },
  /** Of a video, in milliseconds; 0 when not known. */
  duration_ms: { type: 'integer' },
  /** From which clients draw a blurred preview; null where none was made. */
  thumbhash: { type: 'bytes', null: true },
})
export type StoredMedia = RowOf<typeof MEDIA>

/** Who uploaded a file: it is kept while one of them uses it. */
export const MEDIA_UPLOADS = table('media_upload', {
  hash: { type: 'bytes', withheld: false, key: true },
  fid: { type: 'fid', erasure: { by: 'media' }, exported: true, key: true },
  /** What is to be seen, for those who cannot see it; may be empty. */
  alt: { type: 'text', words: true },
  /** Whether it is to be shown only to those who ask for it. */
  sensitive: { type: 'flag' },
  bytes: { type: 'integer' },
  created_at: { type: 'seconds' },
  /** When it was last found to be used, or uploaded. */
  checked_at: { type: 'seconds' },
})
export type MediaUpload = RowOf<typeof MEDIA_UPLOADS>

/** Objects that are being written or removed: no file has them, and what is left of them is removed. */
export const MEDIA_GARBAGE = table('media_garbage', {
  object: { type: 'line', words: false, key: true },
  /** When writing began; 0 for what was removed. */
  since: { type: 'seconds' },
})

/** Bytes of files, unless they are kept in S3. */
export const MEDIA_PARTS = table('media_part', {
  object: { type: 'line', words: false, key: true },
  size: { type: 'line', key: true, values: ['large', 'small'] },
  part: { type: 'integer', key: true },
  data: { type: 'bytes' },
})
export type MediaSize = RowOf<typeof MEDIA_PARTS>['size']

/**
 * A part is read in rows of this size: the library for PostgreSQL reads bytes as hexadecimal text, and V8 keeps texts beyond
 * 128 KiB until it collects the whole heap. See docs/decisions/0419-parts-of-files-are-read-in-slices.md.
 */
export const SLICE_BYTES = 16 * 1024
const SLICES = Array.from({ length: PART_BYTES / SLICE_BYTES }, (_, n) => `(${n})`)
const SLICES_OF_PART = `with slice (n) as (values ${SLICES.join()})
  select substr(data, 1 + n * ${SLICE_BYTES}, ${SLICE_BYTES}) as data from media_part, slice
  where object = ? and size = ? and part = ? and length(data) > n * ${SLICE_BYTES} order by n`

const UPLOADS_OF = listStatement(
  { hash: 'bytea', fid: 'bigint' },
  `select m.hash, m.type, m.width, m.height, m.duration_ms, m.large_bytes,
     m.small_type, m.thumbhash, u.fid, u.alt, u.sensitive
     from input i join media_upload u on u.hash = i.hash and u.fid = i.fid
     join media m on m.hash = u.hash`,
)
/** An uploaded file as its uploader described it. */
export type DescribedMedia = Pick<
  StoredMedia,
  'hash' | 'type' | 'width' | 'height' | 'duration_ms' | 'large_bytes' | 'small_type' | 'thumbhash'
> &
  Pick<MediaUpload, 'fid' | 'alt' | 'sensitive'>

export const MEDIA_TOTALS: readonly Total[] = [
  { name: 'media', actual: 'select count(*) from media', part: 'all/media' },
  {
    name: 'media_bytes',
    actual: 'select cast(coalesce(sum(large_bytes + small_bytes), 0) as bigint) from media',
    part: 'all/media',
  },
]

export const mediaReader = (sql: Sql) => ({
  /** A file that was uploaded by an account that moderation neither hides nor erases. */
  published: (hash: Uint8Array) =>
    MEDIA.first(
      sql,
      `where hash = ? and exists (select 1 from media_upload u
         where u.hash = media.hash and ${isListedFid('u.fid')}
           and not exists (select 1 from moderation_task t where t.fid = u.fid and t.kind = 'erase'))`,
      [hash],
    ),
  find: (hash: Uint8Array) => MEDIA.find(sql, hash),
  upload: (hash: Uint8Array, fid: number) => MEDIA_UPLOADS.find(sql, hash, fid),
  /** Files with what their uploaders say about them. */
  described: (keys: readonly Pick<MediaUpload, 'hash' | 'fid'>[]) =>
    queryEach<DescribedMedia, typeof UPLOADS_OF.columns>(sql, UPLOADS_OF, keys),
  /** Uploads of an account in the order of their hashes, after one. */
  uploadsOf: (fid: number, after: Uint8Array | undefined, limit: number) =>
    MEDIA_UPLOADS.select(
      sql,
      `where fid = ? ${after ? 'and hash > ?' : ''} order by hash limit (? + 0)`,
      [fid, ...(after ? [after] : []), limit],
    ),
  /** Accounts that uploaded a file. */
  async uploadersOf(hash: Uint8Array, limit: number): Promise<number[]> {
    const rows = await MEDIA_UPLOADS.select(sql, 'where hash = ? order by fid limit (? + 0)', [
      hash,
      limit,
    ])
    return rows.map(({ fid }) => fid)
  },
  uploadCount: (hash: Uint8Array) => MEDIA_UPLOADS.count(sql, 'where hash = ?', [hash]),
  /** Bytes that an account has uploaded and that are kept. */
  bytesOf: (fid: number) =>
    sumOf(sql, 'select sum(bytes) as n from media_upload where fid = ?', [fid]),
  /** Files and bytes that are kept in all. */
  totals: async () => ({
    files: await rowCount(sql, 'media'),
    bytes: await rowCount(sql, 'media_bytes'),
  }),
  /** Accounts with uploads that were last looked at up to a time. */
  async fidsToCheck(checkedUpTo: number, limit: number): Promise<number[]> {
    const text = 'select distinct fid from media_upload where checked_at <= ? limit (? + 0)'
    return (await query<{ fid: number }>(sql, text, [checkedUpTo, limit])).map(({ fid }) => fid)
  },
  async part(
    object: string,
    size: MediaSize,
    part: number,
  ): Promise<RowOf<typeof MEDIA_PARTS> | undefined> {
    const slices = await query<{ data: Uint8Array }>(sql, SLICES_OF_PART, [object, size, part])
    if (slices.length === 0) return undefined
    return { object, size, part, data: Buffer.concat(slices.map(({ data }) => data)) }
  },
  /** Bytes that are kept of an object. */
  partBytes: (object: string, size: MediaSize) =>
    sumOf(sql, 'select sum(length(data)) as n from media_part where object = ? and size = ?', [
      object,
      size,
    ]),
  /** Files in the order of their hashes, after one. */
  files: (after: Uint8Array | undefined, limit: number) =>
    MEDIA.pageByKey(sql, after && [after], limit),
  /** The oldest objects that are garbage since a time. */
  garbage: (since: number, limit: number) =>
    MEDIA_GARBAGE.select(sql, 'where since <= ? order by since limit (? + 0)', [since, limit]),
})

export const mediaWriter = (sql: Sql) => ({
  ...mediaReader(sql),
  /** Stores the row of a new file. */
  async add(media: StoredMedia): Promise<void> {
    await MEDIA.insert(sql, [media])
    await count(sql, media, 1)
  },
  putUpload: (upload: MediaUpload) => MEDIA_UPLOADS.upsert(sql, [upload]),
  /** Notes when uploads of an account were looked at. */
  checked: (uploads: readonly Pick<MediaUpload, 'hash' | 'fid' | 'checked_at'>[]) =>
    MEDIA_UPLOADS.update(sql, ['checked_at'], uploads),
  removeUploads: (hash: Uint8Array, fids: readonly number[]) =>
    MEDIA_UPLOADS.remove(
      sql,
      fids.map((fid) => ({ hash, fid })),
    ),
  /** Removes the row of a stored file. */
  async remove(media: StoredMedia): Promise<void> {
    await MEDIA.remove(sql, [media])
    await count(sql, media, -1)
  },
  /** Gives a stored file another small picture. */
  async setSmall(
    media: StoredMedia,
    small: Pick<StoredMedia, 'small_type' | 'small_bytes' | 'thumbhash'>,
  ) {
    await MEDIA.update(sql, ['small_type', 'small_bytes', 'thumbhash'], [{ ...media, ...small }])
    await countRows(sql, 'media_bytes', small.small_bytes - media.small_bytes)
  },
  putGarbage: (garbage: RowOf<typeof MEDIA_GARBAGE>) => MEDIA_GARBAGE.upsert(sql, [garbage]),
  removeGarbage: (object: string) => MEDIA_GARBAGE.remove(sql, [{ object }]),
  removeParts: (object: string) => MEDIA_PARTS.removeBy(sql, 'object', [object]),
  putPart: (part: RowOf<typeof MEDIA_PARTS>) => MEDIA_PARTS.upsert(sql, [part]),
})

async function count(sql: Sql, { large_bytes, small_bytes }: StoredMedia, files: 1 | -1) {
  await countRows(sql, 'media', files)
  await countRows(sql, 'media_bytes', files * (large_bytes + small_bytes))
}

async function sumOf(sql: Sql, text: string, parameters: readonly SqlValue[]): Promise<number> {
  const [row] = await query<{ n: number | null }>(sql, text, parameters)
  return Number(row?.n ?? 0)
}

/** `storage.of(mediaRows)` reads these tables, and `tx.of(mediaRows)` writes them. */
export const mediaRows = rowsOf(mediaReader, ({ sql }) => mediaWriter(sql))
