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

/** A fid whose registration left the chain, and who had registered it. */
export type OrphanedFid = { readonly fid: number; readonly address: Uint8Array }

export interface ChainReader {
  sources(): Promise<ChainSource[]>
  /** The block up to which a source was read. */
  newest(source: string): Promise<ChainBlock | undefined>
  /** The newest blocks that are remembered, at most `limit`, newest first. */
  blocks(source: string, limit: number): Promise<ChainBlock[]>
  /** Those of these fids that are orphaned. */
  orphans(fids: readonly number[]): Promise<OrphanedFid[]>
}

export interface ChainWriter extends ChainReader {
  putSource(source: ChainSource): Promise<void>
  insertBlocks(source: string, blocks: readonly ChainBlock[]): Promise<void>
  removeBlocksAfter(source: string, number: number): Promise<void>
  /** Forgets all but the newest `kept`. */
  pruneBlocks(source: string, kept: number): Promise<void>
  putOrphans(orphans: readonly OrphanedFid[]): Promise<void>
  removeOrphans(fids: readonly number[]): Promise<void>
}

const INSERT_BLOCKS = listStatement(
  { source: 'text', number: 'bigint', hash: 'bytea', timestamp: 'bigint' },
  `insert into chain_block (source, number, hash, timestamp)
   select source, number, hash, timestamp from input`,
)
const ORPHANS = listStatement(
  { fid: 'bigint' },
  'select o.* from input i join orphaned_fid o on o.fid = i.fid',
)
const PUT_ORPHANS = listStatement(
  { fid: 'bigint', address: 'bytea' },
  `insert into orphaned_fid (fid, address) select fid, address from input where true
   on conflict (fid) do update set address = excluded.address`,
)
const REMOVE_ORPHANS = listStatement(
  { fid: 'bigint' },
  'delete from orphaned_fid where fid in (select fid from input)',
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
    async orphans(fids) {
      const rows = fids.map((fid) => ({ fid }))
      return (await sql.each(ORPHANS, rows)) as unknown as OrphanedFid[]
    },
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
    async putOrphans(orphans) {
      const rows = orphans.map(({ fid, address }) => ({ fid, address }))
      if (rows.length > 0) await sql.each(PUT_ORPHANS, rows)
    },
    async removeOrphans(fids) {
      const rows = fids.map((fid) => ({ fid }))
      if (rows.length > 0) await sql.each(REMOVE_ORPHANS, rows)
    },
  }
}
