import type { Sql } from '../../../kernel/storage/engines/sql.ts'
import { rowsOf } from '../../../kernel/storage/rows.ts'
import { NOT_EXPORTED } from '../../../kernel/storage/tables/duties.ts'
import { type After, type RowOf, table } from '../../../kernel/storage/tables/table.ts'

/** Casts that a member keeps. A row stays when its cast is hidden or deleted: the list says that it is not available. */
export const BOOKMARKS = table('bookmark', {
  fid: { type: 'fid', erasure: 'delete', exported: true, key: true },
  cast_hash: { type: 'bytes', withheld: false, key: true },
  author_fid: { type: 'fid', erasure: 'delete', exported: NOT_EXPORTED.others, key: true },
  saved_at: { type: 'millis' },
})
export type Bookmark = RowOf<typeof BOOKMARKS>

/** Casts that one member may keep: each addition counts them. */
export const MAX_BOOKMARKS = 2_000

const NEWEST = BOOKMARKS.newestFirst({ time: 'saved_at', ties: ['author_fid', 'cast_hash'] })

export const bookmarkReader = (sql: Sql) => ({
  /** Those of a member, by (saved_at desc, author_fid, cast_hash). */
  newest: (fid: number, after: After, limit: number) => NEWEST(sql, { fid }, after, limit),
  /** That of one cast, whoever wrote it. */
  of: (fid: number, hash: Uint8Array) =>
    BOOKMARKS.select(sql, 'where fid = ? and cast_hash = ?', [fid, hash]),
  /** The casts of all of a member, in no order. */
  hashes: async (fid: number): Promise<Uint8Array[]> =>
    (await BOOKMARKS.select(sql, 'where fid = ? limit (? + 0)', [fid, MAX_BOOKMARKS])).map(
      ({ cast_hash }) => cast_hash,
    ),
  count: (fid: number) => BOOKMARKS.count(sql, 'where fid = ?', [fid]),
})

export const bookmarkWriter = (sql: Sql) => ({
  ...bookmarkReader(sql),
  /** An existing one keeps its time. */
  add: (bookmark: Bookmark) => BOOKMARKS.insertNew(sql, [bookmark]),
  remove: (fid: number, hash: Uint8Array) =>
    BOOKMARKS.removeWhere(sql, 'fid = ? and cast_hash = ?', [fid, hash]),
})

/** `storage.of(bookmarkRows)` reads this table, and `tx.of(bookmarkRows)` writes it. */
export const bookmarkRows = rowsOf(bookmarkReader, ({ sql }) => bookmarkWriter(sql))
