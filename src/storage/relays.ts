import { listStatement, type Sql } from './sql.ts'

/** A call that is made with a transaction of ours. Times in Unix ms, the deadline in seconds. */
export type Relay = {
  readonly id: number
  /** Tells calls apart: a hash of recipient and data. */
  readonly call: Uint8Array
  /** Which contract counts the owner's signatures for it. */
  readonly contract: string
  readonly owner: Uint8Array
  readonly key: Uint8Array
  readonly deadline: number
  readonly recipient: Uint8Array
  readonly data: Uint8Array
  readonly sender: Uint8Array
  readonly nonce: number
  readonly gas: number
  readonly created_at: number
  /** 1 once its failure was told, which may be before its nonce is used. */
  readonly reported: number
  readonly finished_at: number | null
  readonly error: string | null
}

export type NewRelay = Omit<Relay, 'id' | 'reported' | 'finished_at' | 'error'>

/** One signed transaction for a call. */
export type RelayAttempt = {
  readonly hash: Uint8Array
  readonly relay: number
  readonly nonce: number
  /** Wei for a unit of gas. */
  readonly max_fee: number
  readonly tip: number
  readonly signed_at: number
  readonly raw: Uint8Array
}

export interface RelayReader {
  find(call: Uint8Array): Promise<Relay | undefined>
  get(id: number): Promise<Relay>
  /** An unfinished call with a signature of this owner for this contract that holds at `since` (Unix seconds). */
  underWay(contract: string, owner: Uint8Array, since: number): Promise<Relay | undefined>
  /** Those of a sender, by nonce. */
  unfinished(sender: Uint8Array, limit: number): Promise<Relay[]>
  unfinishedCount(): Promise<number>
  /** The highest nonce that a sender was given here. */
  newestNonce(sender: Uint8Array): Promise<number | undefined>
  byNonce(sender: Uint8Array, nonce: number): Promise<Relay | undefined>
  /** Oldest first. */
  attempts(relays: readonly number[]): Promise<RelayAttempt[]>
}

export interface RelayWriter extends RelayReader {
  /** Its id. */
  insert(relay: NewRelay): Promise<number>
  insertAttempt(attempt: RelayAttempt): Promise<void>
  putNonce(id: number, nonce: number): Promise<void>
  report(id: number, error: string): Promise<void>
  finish(id: number, at: number, error: string | null): Promise<void>
  /** Makes calls unfinished that ended with one of these transactions. */
  reopen(hashes: readonly Uint8Array[]): Promise<void>
  /** Makes way for a call that failed and is made again. */
  remove(id: number): Promise<void>
  /** Forgets what was finished before, with its attempts. */
  prune(before: number): Promise<void>
}

const ATTEMPTS = listStatement(
  { relay: 'bigint' },
  'select a.* from input i join relay_attempt a on a.relay = i.relay order by a.nonce, a.signed_at, a.max_fee',
)

const REOPEN = listStatement(
  { hash: 'bytea' },
  `update relay set finished_at = null where id in
     (select a.relay from input i join relay_attempt a on a.hash = i.hash)`,
)

export function relayReader(sql: Sql): RelayReader {
  const one = async (where: string, ...parameters: (string | number | Uint8Array)[]) => {
    const [row] = await sql.all(`select * from relay where ${where}`, parameters)
    return row as Relay | undefined
  }
  return {
    find: (call) => one('call = ?', call),
    get: async (id) => (await one('id = ?', id))!,
    underWay: (contract, owner, since) =>
      one(
        'contract = ? and owner = ? and finished_at is null and deadline >= ? limit 1',
        contract,
        owner,
        since,
      ),
    async unfinished(sender, limit) {
      const rows = await sql.all(
        'select * from relay where finished_at is null and sender = ? order by nonce limit ?',
        [sender, limit],
      )
      return rows as unknown as Relay[]
    },
    async unfinishedCount() {
      const [row] = await sql.all('select count(*) as n from relay where finished_at is null')
      return Number(row?.n ?? 0)
    },
    async newestNonce(sender) {
      const [row] = await sql.all('select max(nonce) as nonce from relay where sender = ?', [
        sender,
      ])
      return (row?.nonce as number | null) ?? undefined
    },
    byNonce: (sender, nonce) => one('sender = ? and nonce = ?', sender, nonce),
    async attempts(relays) {
      const rows = await sql.each(
        ATTEMPTS,
        relays.map((relay) => ({ relay })),
      )
      return rows as unknown as RelayAttempt[]
    },
  }
}

export function relayWriter(sql: Sql): RelayWriter {
  return {
    ...relayReader(sql),
    async insert(relay) {
      const [row] = await sql.all('select coalesce(max(id), 0) as id from relay')
      const id = (row?.id as number) + 1
      const { call, contract, owner, key, deadline, recipient, data } = relay
      const { sender, nonce, gas, created_at } = relay
      await sql.all(
        `insert into relay (id, call, contract, owner, key, deadline, recipient, data, sender, nonce, gas,
           created_at, reported) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0)`,
        [id, call, contract, owner, key, deadline, recipient, data, sender, nonce, gas, created_at],
      )
      return id
    },
    async insertAttempt({ hash, relay, nonce, max_fee, tip, signed_at, raw }) {
      await sql.all(
        `insert into relay_attempt (hash, relay, nonce, max_fee, tip, signed_at, raw)
         values (?, ?, ?, ?, ?, ?, ?)`,
        [hash, relay, nonce, max_fee, tip, signed_at, raw],
      )
    },
    async putNonce(id, nonce) {
      await sql.all('update relay set nonce = ? where id = ?', [nonce, id])
    },
    async report(id, error) {
      await sql.all('update relay set reported = 1, error = ? where id = ?', [error, id])
    },
    async finish(id, at, error) {
      await sql.all('update relay set finished_at = ?, error = ? where id = ?', [at, error, id])
    },
    async reopen(hashes) {
      const rows = hashes.map((hash) => ({ hash }))
      if (rows.length > 0) await sql.each(REOPEN, rows)
    },
    async remove(id) {
      await sql.all('delete from relay_attempt where relay = ?', [id])
      await sql.all('delete from relay where id = ?', [id])
    },
    async prune(before) {
      await sql.all(
        `delete from relay_attempt where relay in
           (select id from relay where finished_at is not null and finished_at < ?)`,
        [before],
      )
      await sql.all('delete from relay where finished_at is not null and finished_at < ?', [before])
    },
  }
}
