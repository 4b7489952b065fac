import { listStatement, type Sql } from './sql.ts'

/** An event of an accepted ledger call that is not confirmed yet. */
export type PendingEvent = {
  readonly seq: number
  /** Unix ms. */
  readonly confirm_at: number
  /** Encoded OnChainEvent. */
  readonly body: Uint8Array
}

export type NonceOf = { readonly contract: string; readonly address: Uint8Array }
export type Nonce = NonceOf & { readonly nonce: number }

export interface LedgerReader {
  nonce(contract: string, address: Uint8Array): Promise<number>
  /** Those that are above 0. */
  nonces(of: readonly NonceOf[]): Promise<Nonce[]>
  /** In the order of the calls, at most `limit`. */
  pending(limit: number): Promise<PendingEvent[]>
  pendingCount(): Promise<number>
}

export interface LedgerWriter extends LedgerReader {
  putNonces(nonces: readonly Nonce[]): Promise<void>
  insertPending(events: readonly Omit<PendingEvent, 'seq'>[]): Promise<void>
  /** Forgets pending events up to and including this one. */
  removePending(upToSeq: number): Promise<void>
}

const NONCES = listStatement(
  { contract: 'text', address: 'bytea' },
  `select n.* from input i join ledger_nonce n
     on n.contract = i.contract and n.address = i.address`,
)
const PUT_NONCES = listStatement(
  { contract: 'text', address: 'bytea', nonce: 'bigint' },
  `insert into ledger_nonce (contract, address, nonce)
   select contract, address, nonce from input where true
   on conflict (contract, address) do update set nonce = excluded.nonce`,
)
const INSERT_PENDING = listStatement(
  { seq: 'bigint', confirm_at: 'bigint', body: 'bytea' },
  `insert into ledger_pending (seq, confirm_at, body) select seq, confirm_at, body from input`,
)

export function ledgerReader(sql: Sql): LedgerReader {
  return {
    async nonce(contract, address) {
      const [row] = await sql.all(
        'select nonce from ledger_nonce where contract = ? and address = ?',
        [contract, address],
      )
      return (row?.nonce as number | undefined) ?? 0
    },
    async nonces(of) {
      return (await sql.each(NONCES, of)) as unknown as Nonce[]
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
    async putNonces(nonces) {
      await sql.each(PUT_NONCES, nonces)
    },
    async insertPending(events) {
      const [row] = await sql.all('select coalesce(max(seq), 0) as seq from ledger_pending')
      const last = row?.seq as number
      await sql.each(
        INSERT_PENDING,
        events.map((event, i) => ({ ...event, seq: last + 1 + i })),
      )
    },
    async removePending(upToSeq) {
      await sql.all('delete from ledger_pending where seq <= ?', [upToSeq])
    },
  }
}
