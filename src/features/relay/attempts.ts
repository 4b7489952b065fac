import { keccak_256 } from '@noble/hashes/sha3.js'
import type { LocalAccount } from 'viem'
import { type Fees, signTransaction } from '../../kernel/accounts/chain/transactions.ts'
import { fromHex, toHex } from '../../kernel/protocol/codec/bytes.ts'
import type { Relay, RelayAttempt } from './tables/relays.ts'

type Hex = `0x${string}`

export const hex = (bytes: Uint8Array): Hex => (toHex(bytes) || '0x') as Hex

export const feesOf = ({ max_fee, tip }: RelayAttempt): Fees => ({
  maxFee: BigInt(max_fee),
  tip: BigInt(tip),
})

/** Signs the transaction of a call. It is stored before it is sent. */
export async function signAttempt(
  { payer, chainId }: { payer: LocalAccount; chainId: number },
  relay: Pick<Relay, 'id' | 'recipient' | 'data' | 'gas' | 'nonce'>,
  fees: Fees,
  nowMs: number,
): Promise<RelayAttempt> {
  const { id, recipient, data, gas, nonce } = relay
  const call = { to: hex(recipient), data: hex(data), value: 0n, gas: BigInt(gas) }
  const raw = fromHex(await signTransaction(payer, { chainId, nonce, fees, ...call }))!
  return {
    hash: keccak_256(raw),
    relay: id,
    nonce,
    max_fee: Number(fees.maxFee),
    tip: Number(fees.tip),
    signed_at: nowMs,
    raw,
  }
}
