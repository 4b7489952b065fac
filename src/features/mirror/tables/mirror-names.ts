import type { Sql } from '../../../kernel/storage/engines/sql.ts'
import { rowsOf } from '../../../kernel/storage/rows.ts'
import { KEPT } from '../../../kernel/storage/tables/duties.ts'
import { type RowOf, table } from '../../../kernel/storage/tables/table.ts'

/**
 * ENS names and basenames that the mirrored hub says people have. No list of a hub has the messages that prove them; a name
 * whose message is stored is not here.
 */
export const MIRROR_NAMES = table('mirror_name', {
  /** UTF-8. */
  name: { type: 'bytes', withheld: false, key: true },
  fid: { type: 'fid', erasure: KEPT.ownership, exported: true },
  /** 20 bytes. */
  owner: { type: 'bytes', withheld: false },
  timestamp: { type: 'seconds' },
  signature: { type: 'bytes', withheld: false },
  /** A UserNameType. */
  type: { type: 'integer' },
})
export type MirrorName = RowOf<typeof MIRROR_NAMES>

const MAX_NAMES_PER_FID = 100

const mirrorNameReader = (sql: Sql) => ({
  byNames: (names: readonly Uint8Array[]) => MIRROR_NAMES.findBy(sql, 'name', names),
  byName: (name: Uint8Array) => MIRROR_NAMES.find(sql, name),
  /** By name. */
  byFid: (fid: number) =>
    MIRROR_NAMES.select(sql, 'where fid = ? order by name limit (? + 0)', [fid, MAX_NAMES_PER_FID]),
  /** Those after a name, by name. */
  after: (name: Uint8Array, limit: number) =>
    MIRROR_NAMES.select(sql, 'where name > ? order by name limit (? + 0)', [name, limit]),
})

const mirrorNameWriter = (sql: Sql) => ({
  ...mirrorNameReader(sql),
  /** Says which names a person has, and no others. */
  async setNames(fid: number, names: readonly MirrorName[]): Promise<void> {
    const kept = names.slice(0, MAX_NAMES_PER_FID)
    await MIRROR_NAMES.removeBy(sql, 'fid', [fid])
    await MIRROR_NAMES.upsert(sql, kept)
  },
  remove: (names: readonly Uint8Array[]) => MIRROR_NAMES.removeBy(sql, 'name', names),
})

/** `storage.of(mirrorNameRows)` reads this table, and `tx.of(mirrorNameRows)` writes it. */
export const mirrorNameRows = rowsOf(mirrorNameReader, ({ sql }) => mirrorNameWriter(sql))
