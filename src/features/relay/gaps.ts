import { keccak_256 } from '@noble/hashes/sha3.js'
import { presentFees } from '../../kernel/accounts/chain/transactions.ts'
import { concatBytes, toUtf8 } from '../../kernel/protocol/codec/bytes.ts'
import { signAttempt } from './attempts.ts'
import type { RelayOptions } from './options.ts'
import { missingNonces, payableFees } from './relay-rules.ts'
import { MAX_GAPS } from './settings.ts'
import type { NewRelay, Relay, RelayAttempt } from './tables/relays.ts'
import { relayRows } from './tables/relays.ts'

const EMPTY_TRANSFER_GAS = 21_000

/** A filler is no call of a user and only uses up a nonce. */
export const isFiller = ({ owner }: Pick<Relay, 'owner'>): boolean => owner.length === 0

/**
 * An unused nonce blocks all higher ones, so it is used by an empty transaction. Returns the transactions to
 * send. `counted` is the next nonce according to the chain.
 */
export async function fillGaps(
  options: RelayOptions,
  sender: Uint8Array,
  { relays, counted }: { relays: readonly Relay[]; counted: number },
): Promise<RelayAttempt[]> {
  const { storage, clock, rpc, limits, metrics } = options
  const held = relays.map(({ nonce }) => nonce)
  const missing = missingNonces(counted, held, MAX_GAPS)
  if (missing.length === 0) return []
  const fees = payableFees(await presentFees(rpc), limits.maxFee)
  return storage.write('hub', async (tx) => {
    const attempts: RelayAttempt[] = []
    for (const nonce of missing) {
      const holder = await tx.of(relayRows).byNonce(sender, nonce)
      if (holder) {
        // It was completed, but a reorg removed its block.
        const attempt = (await tx.of(relayRows).attempts([holder.id])).at(-1)!
        await tx.of(relayRows).reopen([attempt.hash])
        attempts.push(attempt)
        continue
      }
      const filler = fillerOf(sender, nonce, clock.now())
      const id = await tx.of(relayRows).insert(filler)
      const attempt = await signAttempt(options, { ...filler, id }, fees, clock.now())
      await tx.of(relayRows).insertAttempt(attempt)
      metrics?.signed('gap')
      attempts.push(attempt)
    }
    return attempts
  })
}

const fillerOf = (sender: Uint8Array, nonce: number, nowMs: number): NewRelay => ({
  call: keccak_256(concatBytes(sender, toUtf8(`gap ${nonce}`))),
  contract: '',
  owner: new Uint8Array(),
  key: new Uint8Array(),
  deadline: Number.MAX_SAFE_INTEGER,
  recipient: sender,
  data: new Uint8Array(),
  sender,
  nonce,
  gas: EMPTY_TRANSFER_GAS,
  created_at: nowMs,
})
