import type { Sql } from '../engines/sql.ts'
import { type RowOf, table } from './table.ts'

/** Events of accepted ledger calls that are not confirmed yet. */
export const LEDGER_PENDING = table('ledger_pending', {
  seq: { type: 'integer', key: true },
  confirm_at: { type: 'millis' },
  /** Encoded OnChainEvent. */
  body: { type: 'bytes' },
})
export type PendingEvent = RowOf<typeof LEDGER_PENDING>

/** The number of signatures that a contract of the ledger has accepted from an address. */
export const LEDGER_NONCES = table('ledger_nonce', {
  contract: { type: 'line', words: false, key: true },
  address: { type: 'bytes', key: true },
  nonce: { type: 'integer' },
})
export type Nonce = RowOf<typeof LEDGER_NONCES>
export type NonceOf = Omit<Nonce, 'nonce'>

export const ledgerReader = (sql: Sql) => ({
  async nonce(contract: string, address: Uint8Array): Promise<number> {
    return (await LEDGER_NONCES.find(sql, contract, address))?.nonce ?? 0
  },
  /** The nonces that are above 0. */
  nonces: (of: readonly NonceOf[]) => LEDGER_NONCES.findAll(sql, of),
  /** In the order of the calls. */
  pending: (limit: number) => LEDGER_PENDING.pageByKey(sql, undefined, limit),
  pendingCount: () => LEDGER_PENDING.count(sql),
})

export const ledgerWriter = (sql: Sql) => ({
  ...ledgerReader(sql),
  putNonces: (nonces: readonly Nonce[]) => LEDGER_NONCES.upsert(sql, nonces),
  async insertPending(events: readonly Omit<PendingEvent, 'seq'>[]): Promise<void> {
    const last = await LEDGER_PENDING.max(sql, 'seq')
    const rows = events.map((event, i) => ({ ...event, seq: last + 1 + i }))
    await LEDGER_PENDING.insert(sql, rows)
  },
  /** Deletes pending events up to and including this one. */
  async removePending(upToSeq: number): Promise<void> {
    await sql.all('delete from ledger_pending where seq <= ?', [upToSeq])
  },
})
