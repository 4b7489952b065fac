import { listStatement, type Sql } from './sql.ts'

/** What is followed under a name. */
export type ChainSource = {
  readonly name: string
  readonly chain_id: number
  readonly start_block: number
  /** Their names and addresses as one text, which is compared and shown. */
  readonly contracts: string
}

export type ChainBlock = {
  readonly number: number
  readonly hash: Uint8Array
  /** Unix seconds. */
  readonly timestamp: number
}

export interface ChainReader {
  sources(): Promise<ChainSource[]>
  /** The block up to which a source was read. */
  newest(source: string): Promise<ChainBlock | undefined>
  /** The newest blocks that are remembered, at most `limit`, newest first. */
  blocks(source: string, limit: number): Promise<ChainBlock[]>
}

export interface ChainWriter extends ChainReader {
  putSource(source: ChainSource): Promise<void>
  insertBlocks(source: string, blocks: readonly ChainBlock[]): Promise<void>
  removeBlocksAfter(source: string, number: number): Promise<void>
  /** Forgets all but the newest `kept`. */
  pruneBlocks(source: string, kept: number): Promise<void>
}

const INSERT_BLOCKS = listStatement(
  { source: 'text', number: 'bigint', hash: 'bytea', timestamp: 'bigint' },
  `insert into chain_block (source, number, hash, timestamp)
   select source, number, hash, timestamp from input`,
)
const NEWEST =
  'select number, hash, timestamp from chain_block where source = ? order by number desc limit ?'

export function chainReader(sql: Sql): ChainReader {
  const blocks = async (source: string, limit: number) =>
    (await sql.all(NEWEST, [source, limit])) as unknown as ChainBlock[]
  return {
    async sources() {
      return (await sql.all('select * from chain_source order by name')) as unknown as ChainSource[]
    },
    newest: async (source) => (await blocks(source, 1))[0],
    blocks,
  }
}

export function chainWriter(sql: Sql): ChainWriter {
  return {
    ...chainReader(sql),
    async putSource({ name, chain_id, start_block, contracts }) {
      await sql.all(
        `insert into chain_source (name, chain_id, start_block, contracts) values (?, ?, ?, ?)
         on conflict (name) do update set chain_id = excluded.chain_id,
           start_block = excluded.start_block, contracts = excluded.contracts`,
        [name, chain_id, start_block, contracts],
      )
    },
    async insertBlocks(source, blocks) {
      const rows = blocks.map(({ number, hash, timestamp }) => ({
        source,
        number,
        hash,
        timestamp,
      }))
      if (rows.length > 0) await sql.each(INSERT_BLOCKS, rows)
    },
    async removeBlocksAfter(source, number) {
      await sql.all('delete from chain_block where source = ? and number > ?', [source, number])
    },
    async pruneBlocks(source, kept) {
      await sql.all(
        `delete from chain_block where source = ? and number <=
           (select number from chain_block where source = ? order by number desc limit 1 offset ?)`,
        [source, source, kept],
      )
    },
  }
}
