import { HASH_BYTES } from '../../kernel/protocol/sizes.ts'
import type { StoredMessage } from '../../kernel/storage/messages/stored-message.ts'

/** What rows are made from. */
export type MessageBytes = Pick<StoredMessage, 'id' | 'fid' | 'hash' | 'data'>

/** Messages in one run of bytes: a thread gets it in one copy, and thousands of small objects would be copied one by one. */
export type PackedMessages = {
  readonly ids: Float64Array
  readonly fids: Float64Array
  /** Where the hash of each message begins in `bytes`, its data behind it, and where the last one ends. */
  readonly starts: Uint32Array
  readonly bytes: Uint8Array
}

export function packMessages(messages: readonly MessageBytes[]): PackedMessages {
  const starts = new Uint32Array(messages.length + 1)
  for (const [i, { data }] of messages.entries()) {
    starts[i + 1] = starts[i]! + HASH_BYTES + data.length
  }
  const bytes = new Uint8Array(starts.at(-1)!)
  for (const [i, { hash, data }] of messages.entries()) {
    bytes.set(hash, starts[i])
    bytes.set(data, starts[i]! + HASH_BYTES)
  }
  return {
    ids: Float64Array.from(messages, ({ id }) => id),
    fids: Float64Array.from(messages, ({ fid }) => fid),
    ...{ starts, bytes },
  }
}

/** All of them, one after the other. */
export function joinMessages(parts: readonly PackedMessages[]): PackedMessages {
  const count = parts.reduce((sum, { ids }) => sum + ids.length, 0)
  const size = parts.reduce((sum, { bytes }) => sum + bytes.length, 0)
  const joined = {
    ...{ ids: new Float64Array(count), fids: new Float64Array(count) },
    ...{ starts: new Uint32Array(count + 1), bytes: new Uint8Array(size) },
  }
  let [at, start] = [0, 0]
  for (const { ids, fids, starts, bytes } of parts) {
    joined.ids.set(ids, at)
    joined.fids.set(fids, at)
    for (let i = 1; i < starts.length; i++) joined.starts[at + i] = start + starts[i]!
    joined.bytes.set(bytes, start)
    at += ids.length
    start += bytes.length
  }
  return joined
}

/** The message at a place. */
export function messageAt({ ids, fids, starts, bytes }: PackedMessages, i: number): MessageBytes {
  const dataStart = starts[i]! + HASH_BYTES
  return {
    ...{ id: ids[i]!, fid: fids[i]! },
    hash: bytes.subarray(starts[i], dataStart),
    data: bytes.subarray(dataStart, starts[i + 1]),
  }
}
