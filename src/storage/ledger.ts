import type { Sql } from './sql.ts'

/** An event of an accepted ledger call that is not confirmed yet. */
export type PendingEvent = {
  readonly seq: number
  /** Unix ms. */
  readonly confirm_at: number
  /** Encoded OnChainEvent. */
  readonly body: Uint8Array
}

export interface LedgerReader {
  nonce(contract: string, address: Uint8Array): Promise<number>
  /** In the order of the calls, at most `limit`. */
  pending(limit: number): Promise<PendingEvent[]>
  pendingCount(): Promise<number>
}

export interface LedgerWriter extends LedgerReader {
  putNonce(contract: string, address: Uint8Array, nonce: number): Promise<void>
  insertPending(events: readonly Omit<PendingEvent, 'seq'>[]): Promise<void>
  /** Forgets pending events up to and including this one. */
  removePending(upToSeq: number): Promise<void>
}

export function ledgerReader(sql: Sql): LedgerReader {
  return {
    async nonce(contract, address) {
      const [row] = await sql.all(
        'select nonce from ledger_nonce where contract = ? and address = ?',
        [contract, address],
      )
      return (row?.nonce as number | undefined) ?? 0
    },
    async pending(limit) {
      const rows = await sql.all('select * from ledger_pending order by seq limit ?', [limit])
      return rows as unknown as PendingEvent[]
    },
    async pendingCount() {
      const [row] = await sql.all('select count(*) as n from ledger_pending')
      return Number(row?.n ?? 0)
    },
  }
}

export function ledgerWriter(sql: Sql): LedgerWriter {
  return {
    ...ledgerReader(sql),
    async putNonce(contract, address, nonce) {
      await sql.all(
        `insert into ledger_nonce (contract, address, nonce) values (?, ?, ?)
         on conflict (contract, address) do update set nonce = excluded.nonce`,
        [contract, address, nonce],
      )
    },
    async insertPending(events) {
      for (const { confirm_at, body } of events) {
        await sql.all(
          `insert into ledger_pending (seq, confirm_at, body)
           select coalesce(max(seq), 0) + 1, cast(? as bigint), ? from ledger_pending`,
          [confirm_at, body],
        )
      }
    },
    async removePending(upToSeq) {
      await sql.all('delete from ledger_pending where seq <= ?', [upToSeq])
    },
  }
}
