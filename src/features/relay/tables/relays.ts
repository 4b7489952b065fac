import { listStatement, type Sql, type SqlValue } from '../../../kernel/storage/engines/sql.ts'
import { rowsOf } from '../../../kernel/storage/rows.ts'
import { KEPT, NOT_EXPORTED } from '../../../kernel/storage/tables/duties.ts'
import {
  query,
  queryEach,
  type RowOf,
  rowsWith,
  table,
} from '../../../kernel/storage/tables/table.ts'

/** Contract calls that are made with transactions of this server. */
export const RELAYS = table('relay', {
  id: { type: 'integer', key: true },
  /** Identifies the call: a hash of recipient and data. */
  call: { type: 'bytes' },
  /** The contract that counts the owner's signatures for it. */
  contract: { type: 'line', words: false },
  /** Empty, like `key`, for a transaction that only fills a gap between nonces. */
  owner: { type: 'bytes' },
  key: { type: 'bytes' },
  deadline: { type: 'seconds' },
  recipient: { type: 'bytes' },
  data: { type: 'bytes' },
  sender: { type: 'bytes' },
  nonce: { type: 'integer' },
  gas: { type: 'integer' },
  created_at: { type: 'millis' },
  /** 1 once its failure was reported, which may be before its nonce is used. */
  reported: { type: 'flag' },
  finished_at: { type: 'millis', null: true },
  error: { type: 'text', words: false, null: true },
})
export type Relay = RowOf<typeof RELAYS>
export type NewRelay = Omit<Relay, 'id' | 'reported' | 'finished_at' | 'error'>

/** Every signed transaction for a call: the same call and nonce with another fee, or with another nonce. */
export const RELAY_ATTEMPTS = table('relay_attempt', {
  hash: { type: 'bytes', key: true },
  relay: { type: 'integer' },
  nonce: { type: 'integer' },
  /** Wei for a unit of gas. */
  max_fee: { type: 'integer' },
  tip: { type: 'integer' },
  signed_at: { type: 'millis' },
  raw: { type: 'bytes' },
})
export type RelayAttempt = RowOf<typeof RELAY_ATTEMPTS>

/** Gas that the relayer has spent for a fid on a day (Unix days); fid 0 has the sum of all. */
export const RELAY_GAS = table('relay_gas', {
  day: { type: 'integer', key: true },
  fid: {
    type: 'integer',
    erasure: KEPT.bookkeeping,
    exported: NOT_EXPORTED.bookkeeping,
    key: true,
  },
  gas: { type: 'integer' },
})

const ATTEMPTS = listStatement(
  { relay: 'bigint' },
  'select a.* from input i join relay_attempt a on a.relay = i.relay order by a.nonce, a.signed_at, a.max_fee',
)
const REOPEN = listStatement(
  { hash: 'bytea' },
  `update relay set finished_at = null where id in
     (select a.relay from input i join relay_attempt a on a.hash = i.hash)`,
)

export function relayReader(sql: Sql) {
  const one = (where: string, ...parameters: SqlValue[]) =>
    RELAYS.first(sql, `where ${where}`, parameters)
  return {
    find: (call: Uint8Array) => one('call = ?', call),
    get: async (id: number): Promise<Relay> => (await RELAYS.find(sql, id))!,
    /**
     * An unfinished call with a signature of this owner for this contract that is still valid at `since` (Unix
     * seconds).
     */
    underWay: (contract: string, owner: Uint8Array, since: number) =>
      one(
        'contract = ? and owner = ? and finished_at is null and deadline >= ? limit 1',
        contract,
        owner,
        since,
      ),
    /** The unfinished calls of a sender, by nonce. */
    unfinished: (sender: Uint8Array, limit: number) =>
      RELAYS.select(sql, 'where finished_at is null and sender = ? order by nonce limit (? + 0)', [
        sender,
        limit,
      ]),
    unfinishedCount: () => RELAYS.count(sql, 'where finished_at is null'),
    /** The greatest nonce that this server assigned to a sender. */
    async newestNonce(sender: Uint8Array): Promise<number | undefined> {
      const text = 'select max(nonce) as nonce from relay where sender = ?'
      const [row] = await query<{ nonce: number | null }>(sql, text, [sender])
      return row?.nonce ?? undefined
    },
    /** Gas spent for a fid on a day; for fid 0, in all. */
    async gasOn(day: number, fid: number): Promise<number> {
      const row = await RELAY_GAS.first(sql, 'where day = ? and fid = ?', [day, fid])
      return row?.gas ?? 0
    },
    byNonce: (sender: Uint8Array, nonce: number) => one('sender = ? and nonce = ?', sender, nonce),
    /** Oldest first. */
    attempts: (relays: readonly number[]) =>
      queryEach<RelayAttempt, typeof ATTEMPTS.columns>(sql, ATTEMPTS, rowsWith('relay', relays)),
  }
}

export const relayWriter = (sql: Sql) => ({
  ...relayReader(sql),
  /** Returns the id of the new call. */
  async insert(relay: NewRelay): Promise<number> {
    const id = (await RELAYS.max(sql, 'id')) + 1
    await RELAYS.insert(sql, [{ ...relay, id, reported: 0, finished_at: null, error: null }])
    return id
  },
  insertAttempt: (attempt: RelayAttempt) => RELAY_ATTEMPTS.insert(sql, [attempt]),
  putNonce: (id: number, nonce: number) => RELAYS.update(sql, ['nonce'], [{ id, nonce }]),
  report: (id: number, error: string) =>
    RELAYS.update(sql, ['reported', 'error'], [{ id, reported: 1, error }]),
  finish: (id: number, finished_at: number, error: string | null) =>
    RELAYS.update(sql, ['finished_at', 'error'], [{ id, finished_at, error }]),
  /** Marks the calls that ended with one of these transactions as unfinished. */
  async reopen(hashes: readonly Uint8Array[]): Promise<void> {
    await queryEach(sql, REOPEN, rowsWith('hash', hashes))
  },
  /** Replaces the gas of these days and fids, and deletes that of earlier days. */
  async putGas(rows: readonly RowOf<typeof RELAY_GAS>[]): Promise<void> {
    await RELAY_GAS.upsert(sql, rows)
    const earliest = Math.min(...rows.map(({ day }) => day))
    await RELAY_GAS.removeWhere(sql, 'day < ?', [earliest])
  },
  /** Deletes a failed call, so that it can be made again. */
  async remove(id: number): Promise<void> {
    await RELAY_ATTEMPTS.removeBy(sql, 'relay', [id])
    await RELAYS.remove(sql, [{ id }])
  },
  /** Deletes calls that were finished before a time (Unix ms), with their transactions. */
  async prune(before: number): Promise<void> {
    const finished = 'finished_at is not null and finished_at < ?'
    await sql.all(
      `delete from relay_attempt where relay in (select id from relay where ${finished})`,
      [before],
    )
    await sql.all(`delete from relay where ${finished}`, [before])
  },
})

/** `storage.of(relayRows)` reads these tables, and `tx.of(relayRows)` writes them. */
export const relayRows = rowsOf(relayReader, ({ sql }) => relayWriter(sql))
