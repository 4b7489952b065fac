// Rows of messages of the embedded store, without columns that it can compute (docs/design/submits.md).

import { HASH_BYTES, MAX_FID, NO_BYTES } from '../../protocol/sizes.ts'
import type { Engine } from '../engines/engine.ts'
import { insertStatement, listStatement, type Sql } from '../engines/sql.ts'
import { COMPUTED_SLOTS, HASH_KEY_BYTES, WHOLE_HASH } from '../migrations/024-narrow-messages.ts'
import { signerNumbers } from './signer-numbers.ts'
import { MESSAGE_INPUT, type StoredMessage } from './stored-message.ts'

/** Where the fid ends in slots, after their set. */
const FID_END = 5

/** Hashes that begin like this one. */
const beginsLike = (key: string, hash: string) => `${key}
  between substr(${hash}, 1, ${HASH_KEY_BYTES})
    and cast(substr(${hash}, 1, ${HASH_KEY_BYTES}) || x'${'ff'.repeat(HASH_BYTES)}' as blob)`

const INSERT = insertStatement('message', MESSAGE_INPUT)

const INSERT_NARROW = {
  columns: MESSAGE_INPUT,
  text: '',
  rowText: `insert into message
     (id, fid, store, type, timestamp, hash, kept_slot, target, signer, signature, form, data, whole_hash)
   values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12,
     exists (select 1 from message n where n.fid = ?2 and n.store = ?3 and n.timestamp = ?5
       and n.${beginsLike('hash_key', '?6')}))`,
}
const TIED = `select id from message where whole_hash = ${WHOLE_HASH.tied} and id between ? and ?`
const TIE_OTHERS = listStatement(
  { id: 'bigint' },
  `update message set whole_hash = ${WHOLE_HASH.tied} where whole_hash = ${WHOLE_HASH.no} and id in (
     select n.id from input i cross join message m on m.id = i.id
       cross join message n on n.fid = m.fid and n.store = m.store and n.timestamp = m.timestamp
         and n.${beginsLike('hash_key', 'm.hash')})`,
)

/**
 * Inserts messages. Where the table computes what it can, the index of authors' lists has the beginnings of hashes: when
 * another message of the same author and second begins alike, both get their whole hashes.
 */
export async function insertMessages(
  sql: Sql,
  engine: Engine,
  list: readonly StoredMessage[],
): Promise<void> {
  if (!engine.hasNarrowMessages) return void (await sql.each(INSERT, list))
  const numbers = await signerNumbers(engine, list)
  await sql.each(
    INSERT_NARROW,
    list.map((message, i) => narrowRow(message, numbers[i])),
  )
  const ids = list.map(({ id }) => id)
  const tied = await sql.all(TIED, [least(ids), greatest(ids)])
  if (tied.length > 0) await sql.each(TIE_OTHERS, tied as { id: number }[])
}

/** Each field is named, because spreading the message costs several times as much. */
const narrowRow = (message: StoredMessage, signerNumber: bigint | undefined) => ({
  id: message.id,
  fid: message.fid,
  store: message.store,
  type: message.type,
  timestamp: message.timestamp,
  hash: message.hash,
  slot: isComputed(message) ? NO_BYTES : message.slot,
  target: message.target,
  signer: (signerNumber ?? message.signer) as Uint8Array,
  signature: message.signature,
  form: message.form,
  data: message.data,
})

const least = (ids: readonly number[]) => ids.reduce((a, b) => Math.min(a, b))
const greatest = (ids: readonly number[]) => ids.reduce((a, b) => Math.max(a, b))

const COMPUTED_BY_TYPE = new Map(COMPUTED_SLOTS.map((computed) => [computed.type, computed]))

/** Whether the column `slot` computes this one. Without copies, since all new messages are asked. */
function isComputed(message: StoredMessage): boolean {
  const { type, fid, slot } = message
  const computed = COMPUTED_BY_TYPE.get(type)
  if (!computed || fid > MAX_FID || slot.length < FID_END) return false
  if (slot[0] !== computed.set || u32At(slot, 1) !== fid) return false
  let at = FID_END
  for (const { of, from, length } of computed.parts) {
    const bytes = message[of]
    const to = bytes && length === undefined ? bytes.length : from + (length ?? 0)
    if (!bytes || bytes.length < to || !isAt(slot, at, bytes, from, to)) return false
    at += to - from
  }
  return at === slot.length
}

/** Whether `bytes` has these of `others` at `at`. */
function isAt(
  bytes: Uint8Array,
  at: number,
  others: Uint8Array,
  from: number,
  to: number,
): boolean {
  if (bytes.length - at < to - from) return false
  for (let i = from; i < to; i++) if (bytes[at + i - from] !== others[i]) return false
  return true
}

const u32At = (bytes: Uint8Array, at: number): number =>
  ((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!) >>> 0
