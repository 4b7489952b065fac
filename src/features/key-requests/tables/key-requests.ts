import { NO_BYTES } from '../../../kernel/protocol/sizes.ts'
import { listStatement, type Sql, type SqlValue } from '../../../kernel/storage/engines/sql.ts'
import { rowsOf } from '../../../kernel/storage/rows.ts'
import { KEPT, NOT_EXPORTED, WITHHELD } from '../../../kernel/storage/tables/duties.ts'
import {
  countOf,
  query,
  queryEach,
  type RowOf,
  table,
} from '../../../kernel/storage/tables/table.ts'

/** Requests of apps for a key of a user. All times are in Unix seconds. */
export const KEY_REQUEST_STATES = ['pending', 'approved', 'completed', 'denied', 'failed'] as const

export const KEY_REQUESTS = table('signed_key_request', {
  /** 24 random bytes. */
  token: { type: 'bytes', withheld: WITHHELD.secret, key: true },
  state: {
    type: 'line',
    values: KEY_REQUEST_STATES,
  },
  /** 32 bytes. */
  key: { type: 'bytes', withheld: false },
  /** The key as it was sent. */
  key_text: { type: 'line', words: false },
  request_fid: {
    type: 'fid',
    erasure: KEPT.ownership,
    exported: { not: 'A key of somebody else, which this app has asked for.' },
  },
  /** 20 bytes: the custody address of request_fid when the request was made. */
  request_signer: { type: 'bytes', withheld: false },
  signature: { type: 'bytes', withheld: false },
  deadline: { type: 'seconds' },
  redirect_url: { type: 'line', words: false, null: true },
  sponsor_fid: {
    type: 'fid',
    erasure: KEPT.bookkeeping,
    exported: NOT_EXPORTED.others,
    null: true,
  },
  created_at: { type: 'seconds' },
  /** When the request is deleted. */
  forget_at: { type: 'seconds' },
  /** The user whose key it is or will be. */
  user_fid: { type: 'fid', erasure: KEPT.ownership, exported: true, null: true },
  /** Why it failed, and the contract's error if there was one. */
  reason: { type: 'line', words: false, withheld: false, null: true },
  error_name: { type: 'line', words: false, null: true },
  /** When the user approved it, or when another process claimed the approval. */
  approved_at: { type: 'seconds', null: true },
  /** The custody address (20 bytes) that signed the approval. `add_*` are the fields that the user signed. */
  add_owner: { type: 'bytes', withheld: false, null: true },
  add_nonce: { type: 'integer', null: true },
  add_deadline: { type: 'seconds', null: true },
  add_signature: { type: 'bytes', withheld: false, null: true },
  /** 1 once the accounts have accepted the call. */
  handed: { type: 'flag' },
  /** Of a request for a gasless key: numbers of message types with commas between them, and seconds without use. */
  scopes: { type: 'line', words: false, null: true },
  ttl: { type: 'integer', null: true },
})
export type StoredKeyRequest = RowOf<typeof KEY_REQUESTS>

/** Whether no user approved it until its deadline. `now` is in Unix seconds; at the deadline itself it is in time. */
export const isExpired = (
  { state, deadline }: Pick<StoredKeyRequest, 'state' | 'deadline'>,
  now: number,
): boolean => state === 'pending' && deadline < now
export type KeyRequestState = StoredKeyRequest['state']

/** The approval that a user signed. The rest of the call is in the request. */
export type SignedAdd = {
  readonly [K in 'add_owner' | 'add_nonce' | 'add_deadline' | 'add_signature']: NonNullable<
    StoredKeyRequest[K]
  >
}

export const SPONSOR_CREDITS = table('sponsor_credit', {
  fid: { type: 'fid', erasure: KEPT.bookkeeping, exported: true, key: true, json: 'fid' },
  balance: { type: 'integer', json: 'balance' },
  reserved: {
    type: 'integer',
    json: 'reserved',
    description: 'The part set aside for approved requests.',
  },
})
export type Credit = RowOf<typeof SPONSOR_CREDITS>

/** The changes of each balance, numbered from 1 for each fid. */
export const SPONSOR_ENTRIES = table('sponsor_entry', {
  fid: { type: 'fid', erasure: KEPT.bookkeeping, exported: true, key: true },
  number: { type: 'integer', key: true, json: 'number' },
  amount: { type: 'integer', json: 'amount' },
  reason: { type: 'line', words: false, withheld: false, json: 'reason' },
  created_at: { type: 'seconds', json: 'createdAt' },
})
type CreditEntry = RowOf<typeof SPONSOR_ENTRIES>

/** Sponsors' signatures that have paid: each pays for one request. */
export const SPONSOR_USES = table('sponsor_use', {
  sponsor_fid: {
    type: 'fid',
    erasure: KEPT.bookkeeping,
    exported: NOT_EXPORTED.bookkeeping,
    key: true,
  },
  /** 32 bytes: Keccak-256 of the app's signature, which the sponsor signed. */
  signature: { type: 'bytes', key: true },
  /** The request that it paid for. */
  token: { type: 'bytes' },
  /** The deadline of the app's signature, which cannot be used after it. */
  expires_at: { type: 'seconds' },
})
type SponsorUse = RowOf<typeof SPONSOR_USES>

const FAIL_OF_OTHERS = listStatement(
  { fid: 'bigint', address: 'bytea', reason: 'text', forget_at: 'bigint' },
  `update signed_key_request set state = 'failed', reason = i.reason, forget_at = i.forget_at
     from input i
    where request_fid = i.fid and state = 'pending' and request_signer <> i.address`,
)

/** The balance of a sponsor, the sum of its entries, and the number of requests with reserved credits. */
type SponsorSums = {
  readonly fid: number
  readonly balance: number
  readonly reserved: number
  readonly entered: number
  readonly approved: number
}
const MISCOUNTED = `select * from (
    select c.fid, c.balance, c.reserved,
      (select cast(coalesce(sum(e.amount), 0) as bigint)
         from sponsor_entry e where e.fid = c.fid) as entered,
      (select count(*) from signed_key_request r
        where r.state = 'approved' and r.sponsor_fid = c.fid) as approved
    from sponsor_credit c) as summed
  where balance <> entered or (reserved = 0) <> (approved = 0) order by fid limit (? + 0)`

export function keyRequestReader(sql: Sql) {
  const countUpTo = (limit: number, condition: string, value: SqlValue) =>
    countOf(
      sql,
      `select count(*) as n from
         (select token from signed_key_request where ${condition} limit (? + 0)) as counted`,
      [value, limit],
    )
  return {
    /** Sponsors whose balance differs from their entries, or whose reserve has no approved request. */
    miscounted: (limit: number) => query<SponsorSums>(sql, MISCOUNTED, [limit]),
    byToken: (token: Uint8Array) => KEY_REQUESTS.find(sql, token),
    byTokens: (tokens: readonly Uint8Array[]) => KEY_REQUESTS.findBy(sql, 'token', tokens),
    byKeys: (keys: readonly Uint8Array[]) => KEY_REQUESTS.findBy(sql, 'key', keys),
    /** Requests in a state with a greater token, by token. */
    inState: (state: KeyRequestState, after: Uint8Array = NO_BYTES, limit: number) =>
      KEY_REQUESTS.select(sql, 'where state = ? and token > ? order by token limit (? + 0)', [
        state,
        after,
        limit,
      ]),
    /** The number of requests of a fid, counted up to `limit`. */
    countOf: (requestFid: number, limit: number) => countUpTo(limit, 'request_fid = ?', requestFid),
    /** The number of requests for a key, counted up to `limit`. */
    countOfKey: (key: Uint8Array, limit: number) => countUpTo(limit, 'key = ?', key),
    credit: (fid: number) => SPONSOR_CREDITS.find(sql, fid),
    /** The request that this signature of a sponsor has paid for, if any. */
    sponsorUse: (sponsorFid: number, signature: Uint8Array) =>
      SPONSOR_USES.first(sql, 'where sponsor_fid = ? and signature = ?', [sponsorFid, signature]),
    /** The changes of a balance before a number, newest first. */
    creditEntries: (fid: number, before = Number.MAX_SAFE_INTEGER, limit: number) =>
      SPONSOR_ENTRIES.select(
        sql,
        'where fid = ? and number < ? order by number desc limit (? + 0)',
        [fid, before, limit],
      ),
  }
}

/** The present owner of a fid, and the error of requests that another address signed for it. */
type NewOwner = {
  readonly fid: number
  readonly address: Uint8Array
  readonly reason: string
  readonly forget_at: number
}

export const keyRequestWriter = (sql: Sql, onChange: () => void) => ({
  ...keyRequestReader(sql),
  /** Adds requests or replaces those with the same tokens. */
  put(requests: readonly StoredKeyRequest[]) {
    if (requests.length > 0) onChange()
    return KEY_REQUESTS.upsert(sql, requests)
  },
  /** Fails pending requests not signed by the fid's current owner. May affect many rows. */
  async failOfOthers(owners: readonly NewOwner[]): Promise<void> {
    if (owners.length > 0) onChange()
    await queryEach(sql, FAIL_OF_OTHERS, owners)
  },
  /** Deletes at most `limit` expired requests and returns the number deleted. */
  async forget(now: number, limit: number): Promise<number> {
    const rows = await KEY_REQUESTS.removeWhere(
      sql,
      `token in (select token from signed_key_request where forget_at <= ?
                  order by forget_at limit (? + 0))`,
      [now, limit],
    )
    if (rows.length > 0) onChange()
    await SPONSOR_USES.removeWhere(sql, 'expires_at < ?', [now])
    return rows.length
  },
  addSponsorUse: (use: SponsorUse) => SPONSOR_USES.insert(sql, [use]),
  removeSponsorUse: (use: Pick<SponsorUse, 'sponsor_fid' | 'signature'>) =>
    SPONSOR_USES.remove(sql, [use]),
  putCredit: (credit: Credit) => SPONSOR_CREDITS.upsert(sql, [credit]),
  addCreditEntry: (entry: CreditEntry) => SPONSOR_ENTRIES.insert(sql, [entry]),
})

/** `storage.of(keyRequestRows)` reads these tables, and `tx.of(keyRequestRows)` writes them. */
export const keyRequestRows = rowsOf(keyRequestReader, ({ sql, changes }) =>
  keyRequestWriter(sql, () => changes.topics.add('key requests')),
)
