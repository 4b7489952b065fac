import type { Sql } from './sql.ts'
import { type After, type Key, type RowOf, table } from './table.ts'

export const BLOCKS = table('block', {
  blocker: { type: 'fid', key: true, json: 'blockerFid' },
  blocked: { type: 'fid', key: true, json: 'blockedFid' },
  created_at: { type: 'seconds', json: 'createdAt' },
})
export type Block = RowOf<typeof BLOCKS>
type BlockPair = Key<typeof BLOCKS.fields>

const ORDER = { time: 'created_at', ties: ['blocker', 'blocked'] } as const
const NEWEST = BLOCKS.newestFirst(ORDER)
const PUBLISHED = BLOCKS.newestFirst({ ...ORDER, publishedFids: ['blocker'] })

type BlockList = {
  readonly blocker?: number | undefined
  readonly blocked?: number | undefined
  readonly after?: After
}

export const blockReader = (sql: Sql) => ({
  /** By (created_at desc, blocker, blocked), of one blocker, of one blocked fid or of all. */
  list: ({ blocker, blocked, after }: BlockList, limit: number) =>
    NEWEST(sql, { blocker, blocked }, after, limit),
  /** The same without the blocks of accounts that moderation hides. */
  published: ({ blocker, after }: BlockList, limit: number) =>
    PUBLISHED(sql, { blocker }, after, limit),
  /** Those of the pairs that are blocks. */
  among: (pairs: readonly BlockPair[]) => BLOCKS.findAll(sql, pairs),
  countOf: (blocker: number) => BLOCKS.count(sql, 'where blocker = ?', [blocker]),
  count: () => BLOCKS.count(sql),
})

export const blockWriter = (sql: Sql) => ({
  ...blockReader(sql),
  /** Adds blocks and returns the number that are new; existing ones keep their time. */
  insert: async (blocks: readonly Block[]) => (await BLOCKS.insertNew(sql, blocks)).length,
  async remove(pair: BlockPair): Promise<void> {
    await BLOCKS.remove(sql, [pair])
  },
})
