import { equalBytes } from '../../protocol/codec/bytes.ts'
import { gaslessKeySlot } from '../../protocol/slots.ts'
import { unixMsOf } from '../../protocol/time.ts'
import type { KeyAddBody } from '../../protocol/wire/message_pb.js'
import { fromStored } from '../messages/message-rows.ts'
import type { Reader } from '../storage.ts'
import type { GaslessKey } from '../tables/gasless-keys.ts'

/** A gasless key with its terms. Times are Unix seconds. */
export type GaslessKeyTerms = Pick<KeyAddBody, 'ttl' | 'scopes' | 'nonce' | 'keyType'> & {
  readonly row: GaslessKey
  readonly addedAt: number
  readonly lastUsedAt: number
  readonly expiresAt: number
}

/** The terms of these keys; a key without a KEY_ADD message is none. */
export async function gaslessKeyTerms(
  { messages }: Pick<Reader, 'messages'>,
  rows: readonly GaslessKey[],
): Promise<GaslessKeyTerms[]> {
  if (rows.length === 0) return []
  const stored = await messages.bySlots(rows.map(({ key }) => gaslessKeySlot(key)))
  return rows.flatMap((row) => {
    const message = stored.find(({ slot }) => equalBytes(slot, gaslessKeySlot(row.key)))
    const body = message && fromStored(message).data.body
    if (body?.case !== 'keyAddBody') return []
    const { ttl, scopes, nonce, keyType } = body.value
    const lastUsedAt = unixSecondsOf(row.last_used_at)
    const addedAt = unixSecondsOf(message!.timestamp)
    return { row, ttl, scopes, nonce, keyType, addedAt, lastUsedAt, expiresAt: lastUsedAt + ttl }
  })
}

const unixSecondsOf = (networkSeconds: number) => unixMsOf(networkSeconds) / 1_000
