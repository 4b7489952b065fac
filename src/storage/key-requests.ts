import { listStatement, type Sql, type SqlValue } from './sql.ts'

export type KeyRequestState = 'pending' | 'approved' | 'completed' | 'denied' | 'failed'

/** What a user signed to approve a request: the rest of the call is in the request. */
export type SignedAdd = {
  /** 20 bytes: the custody address that signed. */
  readonly add_owner: Uint8Array
  readonly add_nonce: number
  /** Unix seconds. */
  readonly add_deadline: number
  readonly add_signature: Uint8Array
}

/** A signed key request. All times are in Unix seconds. */
export type StoredKeyRequest = {
  /** 24 random bytes. */
  readonly token: Uint8Array
  readonly state: KeyRequestState
  /** 32 bytes. */
  readonly key: Uint8Array
  /** The key as it was sent. */
  readonly key_text: string
  readonly request_fid: number
  /** 20 bytes: the custody address of request_fid when it asked. */
  readonly request_signer: Uint8Array
  readonly signature: Uint8Array
  readonly deadline: number
  readonly redirect_url: string | null
  readonly sponsor_fid: number | null
  readonly created_at: number
  /** When the request is deleted. */
  readonly forget_at: number
  /** Whose key it is or will be. */
  readonly user_fid: number | null
  /** Why it failed, and the contract's error if there was one. */
  readonly reason: string | null
  readonly error_name: string | null
  /** When the user approved it, or who took it over later did. */
  readonly approved_at: number | null
  /** 1 once the accounts have taken the call. */
  readonly handed: 0 | 1
} & { readonly [K in keyof SignedAdd]: SignedAdd[K] | null }

export type Credit = {
  readonly fid: number
  readonly balance: number
  /** The part of the balance that goes with requests which are approved and not completed. */
  readonly reserved: number
}

/** One change of a balance, numbered from 1 for each fid. */
export type CreditEntry = {
  readonly fid: number
  readonly number: number
  readonly amount: number
  readonly reason: string
  readonly created_at: number
}

export interface KeyRequestReader {
  byToken(token: Uint8Array): Promise<StoredKeyRequest | undefined>
  byTokens(tokens: readonly Uint8Array[]): Promise<StoredKeyRequest[]>
  byKeys(keys: readonly Uint8Array[]): Promise<StoredKeyRequest[]>
  /** Requests in a state whose token is greater, by token. */
  inState(
    state: KeyRequestState,
    after: Uint8Array | undefined,
    limit: number,
  ): Promise<StoredKeyRequest[]>
  /** How many requests a fid has here, counted to `limit`. */
  countOf(requestFid: number, limit: number): Promise<number>
  /** How many requests there are for a key, counted to `limit`. */
  countOfKey(key: Uint8Array, limit: number): Promise<number>
  credit(fid: number): Promise<Credit | undefined>
  /** The newest first, those before a number. */
  creditEntries(fid: number, before: number | undefined, limit: number): Promise<CreditEntry[]>
}

export interface KeyRequestWriter extends KeyRequestReader {
  /** Writes requests whole, in place of what is there under their tokens. */
  put(requests: readonly StoredKeyRequest[]): Promise<void>
  /** Fails what waits for a user and was not signed by who holds the fid now; an app may have a lot of it. */
  failOfOthers(
    owners: readonly {
      readonly fid: number
      readonly address: Uint8Array
      readonly reason: string
      readonly forget_at: number
    }[],
  ): Promise<void>
  /** Deletes at most `limit` requests whose time is over; says how many it were. */
  forget(now: number, limit: number): Promise<number>
  putCredit(credit: Credit): Promise<void>
  addCreditEntry(entry: CreditEntry): Promise<void>
}

const COLUMNS = {
  token: 'bytea',
  state: 'text',
  key: 'bytea',
  key_text: 'text',
  request_fid: 'bigint',
  request_signer: 'bytea',
  signature: 'bytea',
  deadline: 'bigint',
  redirect_url: 'text',
  sponsor_fid: 'bigint',
  created_at: 'bigint',
  forget_at: 'bigint',
  user_fid: 'bigint',
  reason: 'text',
  error_name: 'text',
  approved_at: 'bigint',
  add_owner: 'bytea',
  add_nonce: 'bigint',
  add_deadline: 'bigint',
  add_signature: 'bytea',
  handed: 'bigint',
} as const
const NAMES = Object.keys(COLUMNS).join(', ')
const CHANGING = Object.keys(COLUMNS).filter((name) => name !== 'token')

const BY_TOKENS = listStatement(
  { token: 'bytea' },
  'select r.* from input i join signed_key_request r on r.token = i.token',
)
const BY_KEYS = listStatement(
  { key: 'bytea' },
  'select r.* from input i join signed_key_request r on r.key = i.key',
)
const FAIL_OF_OTHERS = listStatement(
  { fid: 'bigint', address: 'bytea', reason: 'text', forget_at: 'bigint' },
  `update signed_key_request set state = 'failed', reason = i.reason, forget_at = i.forget_at
     from input i
    where request_fid = i.fid and state = 'pending' and request_signer <> i.address`,
)
const PUT = listStatement(
  COLUMNS,
  `insert into signed_key_request (${NAMES}) select ${NAMES} from input where true
   on conflict (token) do update set
   ${CHANGING.map((name) => `${name} = excluded.${name}`).join(', ')}`,
)

export function keyRequestReader(sql: Sql): KeyRequestReader {
  const requests = async (rows: Promise<unknown[]>) => (await rows) as StoredKeyRequest[]
  const countWhere = async (condition: string, value: SqlValue, limit: number) => {
    const [row] = await sql.all(
      `select count(*) as n from
         (select token from signed_key_request where ${condition} limit ?) as counted`,
      [value, limit],
    )
    return Number(row!.n)
  }
  return {
    async byToken(token) {
      const [row] = await requests(
        sql.all('select * from signed_key_request where token = ?', [token]),
      )
      return row
    },
    byTokens: (tokens) =>
      requests(
        sql.each(
          BY_TOKENS,
          tokens.map((token) => ({ token })),
        ),
      ),
    byKeys: (keys) =>
      requests(
        sql.each(
          BY_KEYS,
          keys.map((key) => ({ key })),
        ),
      ),
    inState: (state, after = NO_BYTES, limit) =>
      requests(
        sql.all(
          `select * from signed_key_request where state = ? and token > ?
            order by token limit ?`,
          [state, after, limit],
        ),
      ),
    countOf: (fid, limit) => countWhere('request_fid = ?', fid, limit),
    countOfKey: (key, limit) => countWhere('key = ?', key, limit),
    async credit(fid) {
      const [row] = await sql.all('select * from sponsor_credit where fid = ?', [fid])
      return row as Credit | undefined
    },
    async creditEntries(fid, before = Number.MAX_SAFE_INTEGER, limit) {
      const rows = await sql.all(
        `select * from sponsor_entry where fid = ? and number < ?
          order by number desc limit ?`,
        [fid, before, limit],
      )
      return rows as CreditEntry[]
    },
  }
}

const NO_BYTES = new Uint8Array(0)

export function keyRequestWriter(sql: Sql): KeyRequestWriter {
  return {
    ...keyRequestReader(sql),
    async put(requests) {
      if (requests.length > 0) await sql.each(PUT, requests)
    },
    async failOfOthers(owners) {
      if (owners.length > 0) await sql.each(FAIL_OF_OTHERS, owners)
    },
    async forget(now, limit) {
      const rows = await sql.all(
        `delete from signed_key_request where token in
           (select token from signed_key_request where forget_at <= ? order by forget_at limit ?)
         returning token`,
        [now, limit],
      )
      return rows.length
    },
    async putCredit({ fid, balance, reserved }) {
      await sql.all(
        `insert into sponsor_credit (fid, balance, reserved) values (?, ?, ?)
         on conflict (fid) do update set balance = excluded.balance, reserved = excluded.reserved`,
        [fid, balance, reserved],
      )
    },
    async addCreditEntry({ fid, number, amount, reason, created_at }) {
      await sql.all(
        `insert into sponsor_entry (fid, number, amount, reason, created_at)
         values (?, ?, ?, ?, ?)`,
        [fid, number, amount, reason, created_at],
      )
    },
  }
}
