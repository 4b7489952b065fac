import { IDS_PER_TURN } from '../protocol/shards.ts'

// Where data have several shards, the rows of a fid name its shard, so that an engine that spreads tables over
// machines finds them. Statements say where a shard belongs in comments, which one shard leaves as they are:
//
//   insert into usage (/*shard,*/ fid) select /*shard of fid,*/ fid ... on conflict (fid /*, shard*/)
//   select ... from usage u where u.fid = ? /*and shard u*/

/** The tables whose rows have a shard, with their keys. */
export const SHARDED_TABLES = {
  message: ['id'],
  event: ['id'],
  mention: ['mentioned', 'timestamp', 'hash', 'fid'],
  usage: ['fid', 'store'],
  chain_event: ['fid', 'type', 'block_number', 'log_index'],
  custody: ['fid'],
  signer: ['fid', 'key'],
  storage_rent: ['fid', 'block_number', 'log_index'],
} as const

/**
 * Each message rewrites its author's rows of these. Transactions of several shards overlap, so old versions stay for
 * longer; a page that has room for the next ones needs no new entries of its indexes.
 */
const REWRITTEN_TABLES = ['usage', 'quota'] as const

/**
 * What data with several shards have besides the tables of all data. An engine that spreads tables over machines
 * takes only keys that contain the shard.
 */
export const SHARD_SCHEMA: readonly string[] = [
  ...Object.entries(SHARDED_TABLES).flatMap(([table, key]) => [
    `alter table ${table} add column shard smallint not null`,
    `alter table ${table} drop constraint ${table}_pkey`,
    `alter table ${table} add primary key (${key.join(', ')}, shard)`,
  ]),
  'drop index message_slot',
  'create unique index message_slot on message (slot, shard)',
  ...REWRITTEN_TABLES.map((table) => `alter table ${table} set (fillfactor = 50)`),
]

const texts = new Map<string, Map<string, string>>()

/** A statement with its shards; of a transaction that is restricted to one shard it names that one alone. */
export function withShardNames(text: string, shards: number, shard: number | undefined): string {
  if (!text.includes('/*')) return text
  const known = texts.getOrInsertComputed(`${shards}/${shard}`, () => new Map())
  return known.getOrInsertComputed(text, () => namedIn(text, shards, shard))
}

const namedIn = (text: string, shards: number, shard: number | undefined): string =>
  text
    .replaceAll('/*shard,*/', 'shard,')
    .replaceAll('/*, shard*/', ', shard')
    .replaceAll('/*shard of fid,*/', `${shard ?? shardOfFidSql(shards)},`)
    .replaceAll('/*shard of id,*/', `${shard ?? shardOfIdSql},`)
    .replace(/\/\*and shard (\w+)\*\//g, shard === undefined ? '' : `and $1.shard = ${shard}`)

/** The rule of `shardOfId`, for several shards. */
export const shardOfIdSql = `(id % ${IDS_PER_TURN} + 1)`

/** The rule of `shardOfFid` in PostgreSQL's words. */
export const shardOfFidSql = (shards: number): string =>
  `('x' || encode(substring(sha256(decode(lpad(to_hex(fid % 4294967296), 8, '0'), 'hex')) for 4), 'hex')
    )::bit(32)::bigint % ${shards} + 1`
