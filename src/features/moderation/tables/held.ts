import type { Sql } from '../../../kernel/storage/engines/sql.ts'
import { hasHash } from '../../../kernel/storage/messages/messages.ts'
import { rowsOf } from '../../../kernel/storage/rows.ts'
import { WITHHELD } from '../../../kernel/storage/tables/duties.ts'
import { countOf, query, type RowOf, table } from '../../../kernel/storage/tables/table.ts'

export const TERM_KINDS = ['word', 'domain'] as const

/** Words and domains: casts with one of them are hidden until a moderator has looked. */
export const HELD_TERMS = table('held_term', {
  kind: { type: 'line', values: TERM_KINDS, key: true },
  /** Words in the order in which they stand, or a domain in its ASCII form. */
  term: { type: 'line', words: false, key: true },
  /** Who added it, as the log names actors. */
  added_by: { type: 'line', words: false },
  added_at: { type: 'seconds' },
})
export type HeldTerm = RowOf<typeof HELD_TERMS>

/** Casts that are hidden because of a term, until they are decided about. */
export const HELD_CASTS = table('held_cast', {
  hash: { type: 'bytes', withheld: false, key: true },
  fid: { type: 'fid', erasure: 'delete', exported: true },
  /** For which term. */
  term: { type: 'line', words: false, withheld: WITHHELD.private },
  held_at: { type: 'seconds' },
  /**
   * `new` until it is in the queue of the moderators, and again when its author has deleted it. `shown`: it
   * was decided to show it while its account was hidden; nobody has been told of it yet.
   */
  state: { type: 'line', values: ['new', 'queued', 'shown'] },
})
export type HeldCast = RowOf<typeof HELD_CASTS>

/** All of them are read with each batch of casts that is merged. */
export const MAX_TERMS = 500

const NEW = `where state = 'new'
  and fid not in (select fid from held_cast where state = 'queued' group by fid having count(*) >= ?)
  and (select 1 from account_moderation a where a.fid = held_cast.fid and a.hidden = 1) is null
  order by held_at, hash limit (? + 0)`
const GONE = `where (select 1 from message m where ${hasHash('held_cast.hash')}) is null
  order by hash limit (? + 0)`

/** Each is the end of an index. */
const STATE = `select (select max(id) from moderation_log) as decided,
  (select max(held_at) from held_cast where state = 'new') as held`

/** What changes when there may be casts to queue: the newest entry of the log, and when the newest cast that waits came. */
export type HeldState = { readonly decided: number | null; readonly held: number | null }

export const heldReader = (sql: Sql) => ({
  terms: () => HELD_TERMS.select(sql, 'order by kind, term limit (? + 0)', [MAX_TERMS]),
  term: ({ kind, term }: Pick<HeldTerm, 'kind' | 'term'>) => HELD_TERMS.find(sql, kind, term),
  state: async () => (await query<HeldState>(sql, STATE, []))[0]!,
  termCount: () => HELD_TERMS.count(sql),
  /** A cast that nobody has decided about. */
  async cast(hash: Uint8Array): Promise<HeldCast | undefined> {
    const found = await HELD_CASTS.find(sql, hash)
    return found?.state === 'shown' ? undefined : found
  },
  /**
   * Casts that are not in the queue yet, the oldest first; without those of accounts that have as many there as may be, and of
   * hidden accounts, which nobody sees anyway.
   */
  newCasts: (maxQueued: number, limit: number) => HELD_CASTS.select(sql, NEW, [maxQueued, limit]),
  castsAmong: (hashes: readonly Uint8Array[]) => HELD_CASTS.findBy(sql, 'hash', hashes),
  /** Casts that are not stored any more, whether they are in the queue or not. */
  goneCasts: (limit: number) => HELD_CASTS.select(sql, GONE, [limit]),
  /** Those that wait, counted up to `limit`. */
  castCount: (limit: number) =>
    countOf(
      sql,
      "select count(*) as n from (select 1 as one from held_cast where state <> 'shown' limit (? + 0)) c",
      [limit],
    ),
  /** Of an account. */
  count: (fid: number, state: HeldCast['state']) =>
    HELD_CASTS.count(sql, 'where fid = ? and state = ?', [fid, state]),
})

export const heldWriter = (sql: Sql) => ({
  ...heldReader(sql),
  addTerm: (term: HeldTerm) => HELD_TERMS.upsert(sql, [term]),
  removeTerm: (key: Pick<HeldTerm, 'kind' | 'term'>) => HELD_TERMS.remove(sql, [key]),
  putCasts: (casts: readonly HeldCast[]) => HELD_CASTS.upsert(sql, casts),
  removeCast: (hash: Uint8Array) => HELD_CASTS.remove(sql, [{ hash }]),
})

/** `storage.of(heldRows)` reads these tables, and `tx.of(heldRows)` writes them. */
export const heldRows = rowsOf(heldReader, ({ sql }) => heldWriter(sql))
