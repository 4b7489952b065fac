import { equalBytes, toHex } from '../../protocol/codec/bytes.ts'
import { KEY_BYTES } from '../../protocol/sizes.ts'
import { gaslessKeySlot, MESSAGE_SETS } from '../../protocol/slots.ts'
import { MessageType } from '../../protocol/wire/message_pb.js'
import { fromStored } from '../../storage/messages/message-rows.ts'
import type { StoredMessage } from '../../storage/messages/messages.ts'
import type { Storage } from '../../storage/storage.ts'
import type { GaslessKey } from '../../storage/tables/gasless-keys.ts'
import type { Findings } from './findings.ts'

const KEYS_PER_STEP = 500

/** Compares the rows of gasless keys with the KEY_ADD messages that they belong to. */
export async function checkGaslessKeys(storage: Storage, found: Findings): Promise<void> {
  for (let after = new Uint8Array(0); ; ) {
    const keys = await storage.gaslessKeys.after(after, KEYS_PER_STEP)
    if (keys.length === 0) return
    const messages = await storage.messages.bySlots(keys.map(({ key }) => gaslessKeySlot(key)))
    for (const row of keys) checkKey(row, messages, found)
    after = new Uint8Array(keys.at(-1)!.key)
  }
}

function checkKey(row: GaslessKey, messages: readonly StoredMessage[], found: Findings): void {
  const message = messages.find(({ slot }) => equalBytes(slot, gaslessKeySlot(row.key)))
  if (!message) found.add('gasless key', `${toHex(row.key)} has no KEY_ADD message`)
  else if (message.fid !== row.fid) {
    found.add(
      'gasless key',
      `${toHex(row.key)} is of fid ${row.fid}, its message of ${message.fid}`,
    )
  } else checkTerms(row, message, found)
}

function checkTerms(row: GaslessKey, message: StoredMessage, found: Findings): void {
  const { body } = fromStored(message).data
  if (body.case !== 'keyAddBody') return
  const asked = requestFidIn(body.value.metadata)
  if (asked !== row.request_fid) {
    found.add('gasless key', `${toHex(row.key)} is for app ${row.request_fid}, not ${asked}`)
  }
  if (row.last_used_at < message.timestamp) {
    found.add('gasless key', `${toHex(row.key)} was last used before it was added`)
  }
}

/**
 * The fid of an app's request, which was checked when the key was added: the first field of a tuple in ABI encoding. Read
 * here, because viem would be loaded in the thread of backups, too.
 */
function requestFidIn(metadata: Uint8Array): number | undefined {
  const view = new DataView(metadata.buffer, metadata.byteOffset, metadata.byteLength)
  const numberAt = (at: number) =>
    at + WORD_BYTES <= metadata.length ? view.getUint32(at + WORD_BYTES - 4) : undefined
  const tuple = numberAt(0)
  return tuple === undefined ? undefined : numberAt(tuple)
}

/** Reports KEY_ADD messages without the row of their key, and nonces that are used and may be used again. */
export async function checkKeyMessages(
  storage: Storage,
  rows: readonly StoredMessage[],
  found: Findings,
): Promise<void> {
  const added = rows.filter(
    ({ store, type }) => store === MESSAGE_SETS.gaslessKeys && type === MessageType.KEY_ADD,
  )
  if (added.length === 0) return
  const [keys, nonces] = await Promise.all([
    storage.gaslessKeys.ofKeys(added.map(({ slot }) => slot.subarray(-KEY_BYTES))),
    storage.gaslessKeys.nonces([...new Set(added.map(({ fid }) => fid))]),
  ])
  for (const message of added) {
    const name = `key ${toHex(message.slot.subarray(-KEY_BYTES))} of fid ${message.fid}`
    const hasRow = keys.some(({ key }) => equalBytes(gaslessKeySlot(key), message.slot))
    if (!hasRow) found.add('gasless key', `${name} has a KEY_ADD message and no row`)
    const { body } = fromStored(message).data
    const used = nonces.find(({ fid }) => fid === message.fid)?.user_nonce ?? 0
    if (body.case === 'keyAddBody' && body.value.nonce > used) {
      found.add('gasless key', `${name} has nonce ${body.value.nonce}, the stored one is ${used}`)
    }
  }
}

const WORD_BYTES = 32
