import type { Sql } from '../engines/sql.ts'
import { KEPT, NOT_EXPORTED } from './duties.ts'
import { type NewRowOf, type RowOf, table } from './table.ts'

/** The settings of a followed chain when it was first followed; other ones would not fit the data. */
export const CHAIN_SOURCES = table('chain_source', {
  name: { type: 'line', words: false, key: true },
  chain_id: { type: 'integer' },
  start_block: { type: 'integer' },
  /** Names and addresses of the contracts as one string, which is compared and shown. */
  contracts: { type: 'text', words: false },
})
export type ChainSource = RowOf<typeof CHAIN_SOURCES>

/** The newest blocks that were read: the last one of each range, and those with events. */
export const CHAIN_BLOCKS = table('chain_block', {
  source: { type: 'line', words: false, key: true },
  number: { type: 'integer', key: true },
  hash: { type: 'bytes' },
  timestamp: { type: 'seconds' },
})
export type ChainBlock = Omit<NewRowOf<typeof CHAIN_BLOCKS>, 'source'>

/** Fids whose registration was removed by a reorg, with the address that had registered them. */
export const REORGED_FIDS = table('orphaned_fid', {
  fid: { type: 'fid', erasure: KEPT.ownership, exported: NOT_EXPORTED.bookkeeping, key: true },
  address: { type: 'bytes' },
})
type ReorgedFid = RowOf<typeof REORGED_FIDS>

export function chainReader(sql: Sql) {
  const blocks = async (source: string, limit: number): Promise<ChainBlock[]> => {
    const rest = 'where source = ? order by number desc limit (? + 0)'
    const rows = await CHAIN_BLOCKS.select(sql, rest, [source, limit])
    return rows.map(({ source: _, ...block }) => block)
  }
  return {
    /** By name. */
    sources: () => CHAIN_SOURCES.select(sql, 'order by name'),
    /** The block up to which a source was read. */
    newest: async (source: string) => (await blocks(source, 1))[0],
    /** The newest stored blocks, newest first. */
    blocks,
    /** Those of these fids whose registration was removed by a reorg. */
    reorgedFids: (fids: readonly number[]) => REORGED_FIDS.findBy(sql, 'fid', fids),
  }
}

export const chainWriter = (sql: Sql) => ({
  ...chainReader(sql),
  putSource: (source: ChainSource) => CHAIN_SOURCES.upsert(sql, [source]),
  insertBlocks: (source: string, blocks: readonly ChainBlock[]) =>
    CHAIN_BLOCKS.insert(
      sql,
      blocks.map((block) => ({ ...block, source })),
    ),
  async removeBlocksAfter(source: string, number: number): Promise<void> {
    await sql.all('delete from chain_block where source = ? and number > ?', [source, number])
  },
  /** Deletes all but the newest `kept` blocks of a source. */
  async pruneBlocks(source: string, kept: number): Promise<void> {
    await sql.all(
      `delete from chain_block where source = ? and number <=
         (select number from chain_block where source = ? order by number desc limit 1 offset ?)`,
      [source, source, kept],
    )
  },
  putReorgedFids: (fids: readonly ReorgedFid[]) => REORGED_FIDS.upsert(sql, fids),
  async removeReorgedFids(fids: readonly number[]): Promise<void> {
    await REORGED_FIDS.removeBy(sql, 'fid', fids)
  },
})
