import type { Sql } from '../engines/sql.ts'

/** A stored message. `id` is the id of the event that reported its merge. */
export type StoredMessage = {
  readonly id: number
  readonly fid: number
  readonly store: number
  readonly type: number
  /** Network seconds. */
  readonly timestamp: number
  readonly hash: Uint8Array
  /** Unique: the slot that this message occupies. */
  readonly slot: Uint8Array
  /** The key under which lists by target find it; adds only. */
  readonly target: Uint8Array | null
  readonly signer: Uint8Array
  readonly signature: Uint8Array
  readonly form: number
  /** The data bytes as they were hashed. */
  readonly data: Uint8Array
}

/** The values of a stored message with which statements insert it, in this order. */
export const MESSAGE_INPUT = {
  id: 'bigint',
  fid: 'bigint',
  store: 'bigint',
  type: 'bigint',
  timestamp: 'bigint',
  hash: 'bytea',
  slot: 'bytea',
  target: 'bytea',
  signer: 'bytea',
  signature: 'bytea',
  form: 'bigint',
  data: 'bytea',
} as const

/** Rows that follow from stored messages alone: whoever inserts or removes messages, these change with them. */
export type BesideMessages = {
  /** The number of the set whose messages have such rows. */
  readonly set: number
  insert(sql: Sql, messages: readonly StoredMessage[]): Promise<void>
  remove(sql: Sql, messages: readonly StoredMessage[]): Promise<void>
}
