import { type NewestFirst, readNewestFirst } from './newest-first.ts'
import { listStatement, type Sql } from './sql.ts'

export type BlockPair = { readonly blocker: number; readonly blocked: number }

export type Block = BlockPair & {
  /** Unix seconds. */
  readonly created_at: number
}

export interface BlockReader {
  /** Newest first, those of a second by blocker and blocked; those after a block, by one blocker. */
  list(
    page: { blocker?: number | undefined; after?: Block | undefined },
    limit: number,
  ): Promise<Block[]>
  /** Those of the pairs that are blocks. */
  among(pairs: readonly BlockPair[]): Promise<BlockPair[]>
  countOf(blocker: number): Promise<number>
  count(): Promise<number>
}

export interface BlockWriter extends BlockReader {
  /** Leaves blocks that are there as they are; says how many were not. */
  insert(blocks: readonly Block[]): Promise<number>
  remove(pair: BlockPair): Promise<void>
}

const PAIR = { blocker: 'bigint', blocked: 'bigint' } as const
const AMONG = listStatement(
  PAIR,
  `select b.blocker, b.blocked from input i
     join block b on b.blocker = i.blocker and b.blocked = i.blocked`,
)
const INSERT = listStatement(
  { ...PAIR, created_at: 'bigint' },
  `insert into block (blocker, blocked, created_at)
   select blocker, blocked, created_at from input where true
   on conflict (blocker, blocked) do nothing returning blocker`,
)

const NEWEST: NewestFirst = {
  table: 'block',
  columns: 'blocker, blocked, created_at',
  time: 'created_at',
  ties: ['blocker', 'blocked'],
}

export function blockReader(sql: Sql): BlockReader {
  const count = async (text: string, parameters: number[]) => {
    const [row] = await sql.all(text, parameters)
    return Number(row?.n ?? 0)
  }
  return {
    async list({ blocker, after }, limit) {
      const position = after && [after.created_at, after.blocker, after.blocked]
      return (await readNewestFirst(
        sql,
        NEWEST,
        { blocker },
        position,
        limit,
      )) as unknown as Block[]
    },
    async among(pairs) {
      return (await sql.each(AMONG, pairs)) as unknown as BlockPair[]
    },
    countOf: (blocker) => count('select count(*) as n from block where blocker = ?', [blocker]),
    count: () => count('select count(*) as n from block', []),
  }
}

export function blockWriter(sql: Sql): BlockWriter {
  return {
    ...blockReader(sql),
    insert: async (blocks) => (await sql.each(INSERT, blocks)).length,
    async remove({ blocker, blocked }) {
      await sql.all('delete from block where blocker = ? and blocked = ?', [blocker, blocked])
    },
  }
}
