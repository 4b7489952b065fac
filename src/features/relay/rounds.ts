import { toQuantity } from '../../kernel/accounts/chain/answers.ts'
import { ChainFault } from '../../kernel/accounts/chain/fault.ts'
import { refusalOf, revertReason } from '../../kernel/accounts/chain/refusals.ts'
import {
  countTransactions,
  findReceipt,
  presentFees,
  type Receipt,
} from '../../kernel/accounts/chain/transactions.ts'
import { fromHex } from '../../kernel/protocol/codec/bytes.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import type { Writer } from '../../kernel/storage/storage.ts'
import { feesOf, hex, signAttempt } from './attempts.ts'
import { fillGaps, isFiller } from './gaps.ts'
import type { RelayBalance, RelayOptions } from './options.ts'
import { payableFees, replacementFees } from './relay-rules.ts'
import {
  BALANCE_INTERVAL_MS,
  DEADLINE_GRACE_MS,
  LOST_MS,
  MAX_REPLACEMENTS,
  MAX_ROUND,
  PRUNE_INTERVAL_MS,
  REMEMBERED_MS,
  SEND_AGAIN_MS,
  STUCK_MS,
} from './settings.ts'
import type { Relay, RelayAttempt } from './tables/relays.ts'
import { relayRows } from './tables/relays.ts'

/**
 * Polls unfinished calls. Their whole state is in the store, so any process that has the relay's key can take over.
 */
export class RelayRounds {
  readonly #options: RelayOptions
  readonly #sender: Uint8Array
  /** When this process last sent each transaction, and since when it has been missing. */
  readonly #sentAt = new Map<number, number>()
  readonly #missedSince = new Map<number, number>()
  #prunedAt: number
  #balance: RelayBalance | undefined
  #balanceReadAt = Number.NEGATIVE_INFINITY

  constructor(options: RelayOptions) {
    this.#options = options
    this.#sender = fromHex(options.payer.address)!
    this.#prunedAt = options.clock.now()
  }

  /** Undefined before the first read. */
  get balance(): RelayBalance | undefined {
    return this.#balance
  }

  async send({ relay, raw }: RelayAttempt): Promise<void> {
    const { clock, rpc, metrics, onError } = this.#options
    this.#sentAt.set(relay, clock.now())
    try {
      await rpc('eth_sendRawTransaction', [hex(raw)])
    } catch (error) {
      if (error instanceof ChainFault && IS_THERE.test(error.message)) return
      metrics?.notTaken()
      onError?.(error, 'relay: a node did not take a transaction')
    }
  }

  async round(): Promise<void> {
    const { storage, rpc, payer } = this.#options
    await this.#readBalance()
    await this.#prune()
    const relays = await storage.of(relayRows).unfinished(this.#sender, MAX_ROUND)
    this.#forgetOthers(relays)
    if (relays.length === 0) return
    const [attempts, counted, head] = await Promise.all([
      storage.of(relayRows).attempts(relays.map(({ id }) => id)),
      countTransactions(rpc, payer.address),
      rpc('eth_blockNumber'),
    ])
    for (const relay of relays) {
      const own = attempts.filter((attempt) => attempt.relay === relay.id)
      if (relay.nonce < counted) await this.#finishMined(relay, own, Number(head))
      else await this.#pushUnmined(relay, own, relay.nonce === counted)
    }
    for (const attempt of await fillGaps(this.#options, this.#sender, { relays, counted }))
      await this.send(attempt)
  }

  async #readBalance(): Promise<void> {
    const { rpc, payer, limits, onError } = this.#options
    if (performance.now() - this.#balanceReadAt < BALANCE_INTERVAL_MS) return
    const wei = BigInt((await rpc('eth_getBalance', [payer.address, 'latest'])) as string)
    this.#balanceReadAt = performance.now()
    this.#balance = { wei, isLow: wei < limits.maxFee * limits.maxGas }
    if (this.#balance.isLow) onError?.(new LowBalanceError(wei), 'relay: low balance')
  }

  #forgetOthers(relays: readonly Relay[]): void {
    const ids = new Set(relays.map(({ id }) => id))
    for (const known of [this.#sentAt, this.#missedSince]) {
      for (const id of known.keys()) if (!ids.has(id)) known.delete(id)
    }
  }

  /** The nonce of a call is used: by which of its transactions, and with which result? */
  async #finishMined(relay: Relay, attempts: readonly RelayAttempt[], head: number) {
    const { rpc, confirmations, storage, clock } = this.#options
    for (const attempt of attempts.toReversed()) {
      const receipt = await findReceipt(rpc, hex(attempt.hash))
      if (!receipt) continue
      this.#missedSince.delete(relay.id)
      if (receipt.blockNumber + confirmations > head) return
      // If a reorg removes the block, it is sent again.
      this.#sentAt.delete(relay.id)
      const error = receipt.succeeded ? undefined : await this.#reasonOf(relay, receipt)
      return storage.write('hub', (tx) => this.#finish(tx, relay.id, error))
    }
    const since = this.#missedSince.get(relay.id) ?? clock.now()
    this.#missedSince.set(relay.id, since)
    if (clock.now() - since < LOST_MS) return
    // The nonce of a filler is used, which was its only purpose.
    if (isFiller(relay)) await storage.write('hub', (tx) => this.#finish(tx, relay.id, undefined))
    else await this.#makeAgain(relay)
  }

  /** The nonce of a call is not used yet. */
  async #pushUnmined(relay: Relay, attempts: readonly RelayAttempt[], isNext: boolean) {
    const { clock, storage } = this.#options
    this.#missedSince.delete(relay.id)
    const [newest, nowMs] = [attempts.at(-1)!, clock.now()]
    if (relay.reported === 0 && nowMs > relay.deadline * 1000 + DEADLINE_GRACE_MS) {
      await storage.write('hub', (tx) => this.#report(tx, relay.id, overdue()))
    }
    const tries = attempts.filter(({ nonce }) => nonce === relay.nonce).length
    if (isNext && tries <= MAX_REPLACEMENTS && nowMs - newest.signed_at >= STUCK_MS) {
      await this.#replace(relay, newest)
    } else if (nowMs - (this.#sentAt.get(relay.id) ?? 0) >= SEND_AGAIN_MS) await this.send(newest)
  }

  async #replace(relay: Relay, newest: RelayAttempt): Promise<void> {
    const { rpc, limits, storage, clock, metrics } = this.#options
    const fees = replacementFees(feesOf(newest), await presentFees(rpc), limits.maxFee)
    if (!fees) return this.send(newest)
    const attempt = await storage.write('hub', async (tx) => {
      const last = (await tx.of(relayRows).attempts([relay.id])).at(-1)!
      // Another process was faster.
      if (hex(last.hash) !== hex(newest.hash)) return undefined
      const signed = await signAttempt(this.#options, relay, fees, clock.now())
      await tx.of(relayRows).insertAttempt(signed)
      return signed
    })
    if (!attempt) return
    metrics?.signed('replacement')
    await this.send(attempt)
  }

  /** Another sender used the nonce. If the call is still possible, it gets another nonce. */
  async #makeAgain(relay: Relay): Promise<void> {
    const { payer, rpc, storage, limits, clock, metrics } = this.#options
    const call = {
      from: payer.address,
      to: hex(relay.recipient),
      data: hex(relay.data),
    }
    const refusal = await rpc('eth_call', [call, 'latest']).then(
      () => undefined,
      (error) => refusalOf(nameOf(relay), error),
    )
    if (refusal !== undefined && !(refusal instanceof Rejection)) throw refusal
    const [counted, present] = await Promise.all([
      countTransactions(rpc, payer.address),
      presentFees(rpc),
    ])
    const attempt = await storage.write('hub', async (tx) => {
      const stored = await tx.of(relayRows).get(relay.id)
      if (stored.finished_at !== null || stored.nonce !== relay.nonce) return undefined
      if (refusal) return this.#finish(tx, relay.id, refusal)
      const nonce = Math.max(
        counted,
        ((await tx.of(relayRows).newestNonce(this.#sender)) ?? -1) + 1,
      )
      const fees = payableFees(present, limits.maxFee)
      await tx.of(relayRows).putNonce(relay.id, nonce)
      const signed = await signAttempt(this.#options, { ...relay, nonce }, fees, clock.now())
      await tx.of(relayRows).insertAttempt(signed)
      return signed
    })
    this.#missedSince.delete(relay.id)
    if (!attempt) return
    metrics?.signed('lost')
    await this.send(attempt)
  }

  /**
   * Marks a call as completed, or as failed with an error. Returns undefined, because nothing is to be sent.
   */
  async #finish(tx: Writer, id: number, error: Rejection | undefined) {
    const { clock, metrics } = this.#options
    if ((await tx.of(relayRows).get(id)).finished_at !== null) return undefined
    if (error) await this.#report(tx, id, error)
    await tx.of(relayRows).finish(id, clock.now(), error?.code ?? null)
    metrics?.finished(error ? 'failed' : 'done')
    return undefined
  }

  /** Reports a failure once. */
  async #report(tx: Writer, id: number, error: Rejection): Promise<void> {
    const relay = await tx.of(relayRows).get(id)
    const { owner, key, reported } = relay
    if (reported === 1) return
    await tx.of(relayRows).report(id, error.code)
    if (!isFiller(relay)) await this.#options.onFailed?.(tx, { owner, key, error })
  }

  /** Simulates a failed call again to learn the reason. */
  async #reasonOf(relay: Relay, { blockNumber }: Receipt): Promise<Rejection> {
    const call = {
      from: this.#options.payer.address,
      to: hex(relay.recipient),
      data: hex(relay.data),
    }
    for (const block of [blockNumber, blockNumber - 1]) {
      const error = await this.#options
        .rpc('eth_call', [call, toQuantity(block)])
        .catch((error) => error)
      if (revertReason(error) !== undefined) return refusalOf(nameOf(relay), error) as Rejection
    }
    return new Rejection('unavailable', 'the transaction was reverted without a reason')
  }

  async #prune(): Promise<void> {
    const { clock, storage } = this.#options
    if (clock.now() - this.#prunedAt < PRUNE_INTERVAL_MS) return
    this.#prunedAt = clock.now()
    await storage.write('hub', (tx) => tx.of(relayRows).prune(clock.now() - REMEMBERED_MS))
  }
}

/** The next transaction may cost more than the balance. */
class LowBalanceError extends Error {
  constructor(wei: bigint) {
    super(`${wei} wei are left`)
  }
}

/** Error messages of nodes for a transaction that they have, or whose nonce is used. */
const IS_THERE = /already known|already imported|nonce too low|known transaction/i

const nameOf = ({ contract }: Relay) => (contract === 'keyRegistry' ? 'removeFor' : 'addFor')

const overdue = () =>
  new Rejection('SignatureExpired', 'the deadline is over, and no block took the transaction')
