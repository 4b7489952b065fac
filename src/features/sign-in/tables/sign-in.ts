import type { Sql } from '../../../kernel/storage/engines/sql.ts'
import { rowsOf } from '../../../kernel/storage/rows.ts'
import { NOT_EXPORTED, WITHHELD } from '../../../kernel/storage/tables/duties.ts'
import { type RowOf, table } from '../../../kernel/storage/tables/table.ts'

/** Channels of the Sign In With Farcaster relay. */
export const SIGN_IN_CHANNELS = table('sign_in_channel', {
  /** 32 bytes. Only the hash of the token is stored, so that who reads the database cannot answer for an app. */
  token_hash: { type: 'bytes', withheld: WITHHELD.secret, key: true },
  state: { type: 'line', values: ['pending', 'completed', 'declined'] },
  /** Who is counted as one client: an IPv4 address or an IPv6 /48. Channels of earlier versions have a /64. */
  client: { type: 'line', words: false, withheld: WITHHELD.others },
  /** JSON of what the app asks the user to sign. */
  request: { type: 'text', words: true },
  ip: { type: 'line', words: true },
  user_agent: { type: 'line', words: true },
  /** The web page that made the channel, as its browser says; null for a server. */
  origin: { type: 'line', words: false, null: true },
  message: { type: 'text', words: true, null: true },
  /** 0x hex. */
  signature: { type: 'line', words: false, withheld: false, null: true },
  auth_method: { type: 'line', values: ['custody', 'authAddress'], null: true },
  fid: { type: 'fid', erasure: 'delete', exported: true, null: true },
  created_at: { type: 'millis' },
  expires_at: { type: 'millis' },
})
export type StoredSignInChannel = RowOf<typeof SIGN_IN_CHANNELS>

/** What a user has signed. */
export type SignedIn = {
  readonly message: string
  readonly signature: string
  readonly authMethod: NonNullable<StoredSignInChannel['auth_method']>
  readonly fid: number
}

/** Nonces of Quick Auth that have counted. */
export const SIGN_IN_NONCES = table('sign_in_nonce', {
  nonce: { type: 'line', words: false, key: true },
  fid: { type: 'fid', erasure: 'delete', exported: NOT_EXPORTED.bookkeeping },
  expires_at: { type: 'millis' },
})

/** The RSA key that signs tokens of Quick Auth. */
export const SIGN_IN_KEYS = table('sign_in_key', {
  kid: { type: 'line', words: false, key: true },
  private_jwk: { type: 'text', words: false },
  created_at: { type: 'millis' },
})
export type StoredSignInKey = RowOf<typeof SIGN_IN_KEYS>

export const signInReader = (sql: Sql) => ({
  /** A channel that has not expired by `now`. */
  channel: (tokenHash: Uint8Array, now: number) =>
    SIGN_IN_CHANNELS.first(sql, 'where token_hash = ? and expires_at > ?', [tokenHash, now]),
  /** The key that signs; undefined before the first one is made. */
  key: () => SIGN_IN_KEYS.first(sql, ''),
  /** All keys, of which there is one at most unless the store is damaged. */
  keys: (limit: number) => SIGN_IN_KEYS.select(sql, 'order by kid limit (? + 0)', [limit]),
  noncesOf: (fid: number, now: number) =>
    SIGN_IN_NONCES.count(sql, 'where fid = ? and expires_at > ?', [fid, now]),
})

export const signInWriter = (sql: Sql) => ({
  ...signInReader(sql),
  /** Adds a channel, and drops the oldest ones of its client beyond `maxOfClient`. */
  async open(channel: StoredSignInChannel, maxOfClient: number): Promise<void> {
    await SIGN_IN_CHANNELS.insert(sql, [channel])
    const newest =
      'select token_hash from sign_in_channel where client = ? order by created_at desc limit (? + 0)'
    await SIGN_IN_CHANNELS.removeWhere(sql, `client = ? and token_hash not in (${newest})`, [
      channel.client,
      channel.client,
      maxOfClient,
    ])
  },
  /** Completes a pending channel. False when it is not pending any more. */
  async complete(tokenHash: Uint8Array, signed: SignedIn, now: number): Promise<boolean> {
    const rows = await sql.all(
      `update sign_in_channel set state = 'completed', message = ?, signature = ?, auth_method = ?, fid = ?
        where token_hash = ? and state = 'pending' and expires_at > ? returning state`,
      [signed.message, signed.signature, signed.authMethod, signed.fid, tokenHash, now],
    )
    return rows.length > 0
  },
  /** Declines a pending channel. False when it is not pending any more. */
  async decline(tokenHash: Uint8Array): Promise<boolean> {
    const rows = await sql.all(
      `update sign_in_channel set state = 'declined'
        where token_hash = ? and state = 'pending' returning state`,
      [tokenHash],
    )
    return rows.length > 0
  },
  /** Removes a completed channel, and returns whether this call did. */
  async take(tokenHash: Uint8Array): Promise<boolean> {
    const condition = "token_hash = ? and state = 'completed'"
    return (await SIGN_IN_CHANNELS.removeWhere(sql, condition, [tokenHash])).length > 0
  },
  /** Spends a nonce. False when it was spent before. */
  async spend(nonce: string, fid: number, expiresAt: number): Promise<boolean> {
    const rows = [{ nonce, fid, expires_at: expiresAt }]
    return (await SIGN_IN_NONCES.insertNew(sql, rows)).length > 0
  },
  /** Makes this the only key. */
  async replaceKey(key: StoredSignInKey): Promise<void> {
    await SIGN_IN_KEYS.removeWhere(sql, 'kid <> ?', [key.kid])
    await SIGN_IN_KEYS.insert(sql, [key])
  },
  /** Deletes what has expired, and the oldest channels beyond `maxChannels`. */
  async collect(now: number, maxChannels: number): Promise<void> {
    await sql.all('delete from sign_in_nonce where expires_at <= ?', [now])
    await sql.all('delete from sign_in_channel where expires_at <= ?', [now])
    await sql.all(
      `delete from sign_in_channel where created_at <=
         (select created_at from sign_in_channel order by created_at desc limit 1 offset ?)`,
      [maxChannels],
    )
  },
})

/** `storage.of(signInRows)` reads these tables, and `tx.of(signInRows)` writes them. */
export const signInRows = rowsOf(signInReader, ({ sql }) => signInWriter(sql))
