import { linkBlockOf } from '../../protocol/block-links.ts'
import { linkSet } from '../../protocol/kinds/link.ts'
import { unixMsOf } from '../../protocol/time.ts'
import { insertStatement, listStatement, type Sql, updateStatement } from '../engines/sql.ts'
import type { BesideMessages, StoredMessage } from '../messages/stored-message.ts'
import { KEPT, NOT_EXPORTED } from './duties.ts'
import { type After, type Key, queryEach, type RowOf, table } from './table.ts'

/** Blocks: made by a call of the client platform, by a link of type `block`, or by both. */
export const BLOCKS = table('block', {
  blocker: { type: 'fid', erasure: KEPT.choice, exported: true, key: true, json: 'blockerFid' },
  blocked: {
    type: 'fid',
    erasure: KEPT.others,
    exported: NOT_EXPORTED.others,
    key: true,
    json: 'blockedFid',
  },
  /** The earlier of the two times. */
  created_at: { type: 'seconds', json: 'createdAt' },
  /** When it was made by a call of the platform. */
  platform_at: { type: 'seconds', null: true },
  /** The time of the link. */
  link_at: { type: 'seconds', null: true },
})
export type StoredBlock = RowOf<typeof BLOCKS>
export type Block = Pick<StoredBlock, 'blocker' | 'blocked' | 'created_at'>
type BlockPair = Key<typeof BLOCKS.fields>

const ORDER = { time: 'created_at', ties: ['blocker', 'blocked'] } as const
const NEWEST = BLOCKS.newestFirst(ORDER)
const PUBLISHED = BLOCKS.newestFirst({ ...ORDER, publishedFids: ['blocker'] })

type BlockList = {
  readonly blocker?: number | undefined
  readonly blocked?: number | undefined
  readonly after?: After
}

type Source = 'platform_at' | 'link_at'
const PAIR = { blocker: 'bigint', blocked: 'bigint' } as const
const EARLIER = (a: string, b: string) => `case when ${a} < ${b} then ${a} else ${b} end`

/** An existing block of the same source keeps its time when it is of the platform; a link has that of its message. */
const insertBy = (source: Source, rest: string) =>
  insertStatement(
    'block',
    { ...PAIR, created_at: 'bigint' },
    {
      also: { [source]: 'created_at' },
      rest: `on conflict (blocker, blocked) do update set ${source} = excluded.${source},
        created_at = ${EARLIER('excluded.created_at', 'block.created_at')} ${rest} returning blocker`,
    },
  )
const INSERT = {
  platform_at: insertBy('platform_at', 'where block.platform_at is null'),
  link_at: insertBy('link_at', ''),
}
// First the update, which locks the row: of two that remove the two sources at once, the second deletes it.
const forget = (source: Source, other: Source) =>
  updateStatement(
    'block',
    PAIR,
    () => `${source} = null, created_at = coalesce(${other}, created_at)`,
    ({ blocker, blocked }) => `block.blocker = ${blocker} and block.blocked = ${blocked}`,
  )
const FORGET = {
  platform_at: forget('platform_at', 'link_at'),
  link_at: forget('link_at', 'platform_at'),
}
const DELETE = listStatement(
  PAIR,
  `delete from block where (blocker, blocked) in (select blocker, blocked from input)
     and platform_at is null and link_at is null`,
)

export const blockReader = (sql: Sql) => ({
  /** By (created_at desc, blocker, blocked), of one blocker, of one blocked fid or of all. */
  list: ({ blocker, blocked, after }: BlockList, limit: number) =>
    NEWEST(sql, { blocker, blocked }, after, limit),
  /** The same without the blocks of accounts that moderation hides. */
  published: ({ blocker, after }: BlockList, limit: number) =>
    PUBLISHED(sql, { blocker }, after, limit),
  /** Those of the pairs that are blocks. */
  among: (pairs: readonly BlockPair[]) => BLOCKS.findAll(sql, pairs),
  /** Blocks that a fid made by calls of the platform. */
  countOf: (blocker: number) =>
    BLOCKS.count(sql, 'where blocker = ? and platform_at is not null', [blocker]),
  count: () => BLOCKS.count(sql),
})

export const blockWriter = (sql: Sql) => ({
  ...blockReader(sql),
  /** Adds blocks of the platform and returns the number that are new; existing ones keep their time. */
  insert: async (blocks: readonly Block[]) =>
    (await queryEach(sql, INSERT.platform_at, distinctInOrder(blocks))).length,
  /** Removes a block of the platform. One by a link stays. */
  async remove(pair: BlockPair): Promise<void> {
    await sql.each(FORGET.platform_at, [pair])
    await sql.each(DELETE, [pair])
  },
})

/** The blocks of stored links, which end with the links. */
export const LINK_BLOCKS: BesideMessages = {
  set: linkSet.number,
  async insert(sql, links) {
    const blocks = blocksOf(links)
    if (blocks.length > 0) await sql.each(INSERT.link_at, distinctInOrder(blocks))
  },
  async remove(sql, links) {
    const blocks = distinctInOrder(blocksOf(links))
    if (blocks.length === 0) return
    await sql.each(FORGET.link_at, blocks)
    await sql.each(DELETE, blocks)
  },
}

const blocksOf = (links: readonly StoredMessage[]): Block[] =>
  links.flatMap((link) => {
    const pair = linkBlockOf(link)
    return pair ? [{ ...pair, created_at: unixMsOf(link.timestamp) / 1000 }] : []
  })

/** Sorted, so that two transactions cannot deadlock. */
const distinctInOrder = (blocks: readonly Block[]): Block[] =>
  [...new Map(blocks.map((block) => [`${block.blocker}/${block.blocked}`, block])).values()].sort(
    (a, b) => a.blocker - b.blocker || a.blocked - b.blocked,
  )
