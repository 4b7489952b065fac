import { fromHex } from '../../protocol/codec/bytes.ts'
import { Rejection } from '../../protocol/rejection.ts'
import type { Writer } from '../../storage/storage.ts'
import type { Relay, RelayAttempt } from '../../storage/tables/relays.ts'
import { toQuantity } from '../chain/answers.ts'
import { ChainFault } from '../chain/fault.ts'
import { refusalOf, revertReason } from '../chain/refusals.ts'
import { countTransactions, findReceipt, presentFees, type Receipt } from '../chain/transactions.ts'
import { feesOf, hex, signAttempt } from './attempts.ts'
import { createBalance } from './balance.ts'
import { fillGaps, isFiller } from './gaps.ts'
import type { RelayOptions } from './options.ts'
import { payableFees, replacementFees } from './relay-rules.ts'
import {
  DEADLINE_GRACE_MS,
  LOST_MS,
  MAX_REPLACEMENTS,
  MAX_ROUND,
  PRUNE_INTERVAL_MS,
  REMEMBERED_MS,
  SEND_AGAIN_MS,
  STUCK_MS,
} from './settings.ts'

/**
 * Polls unfinished calls. Their whole state is in the store, so any process that has the relay's key can take over.
 */
export function createRounds(options: RelayOptions) {
  const { storage, clock, rpc, limits, payer, confirmations, metrics, onError = () => {} } = options
  const sender = fromHex(payer.address)!
  /** When this process last sent each transaction, and since when it has been missing. */
  const sentAt = new Map<number, number>()
  const missedSince = new Map<number, number>()
  const balance = createBalance(options)
  let prunedAt = clock.now()

  const send = async ({ relay, raw }: RelayAttempt): Promise<void> => {
    sentAt.set(relay, clock.now())
    try {
      await rpc('eth_sendRawTransaction', [hex(raw)])
    } catch (error) {
      if (error instanceof ChainFault && IS_THERE.test(error.message)) return
      metrics?.notTaken()
      onError(error, 'relay: a node did not take a transaction')
    }
  }

  const round = async (): Promise<void> => {
    await balance.look()
    await prune()
    const relays = await storage.relays.unfinished(sender, MAX_ROUND)
    forgetOthers(relays)
    if (relays.length === 0) return
    const [attempts, counted, head] = await Promise.all([
      storage.relays.attempts(relays.map(({ id }) => id)),
      countTransactions(rpc, payer.address),
      rpc('eth_blockNumber'),
    ])
    for (const relay of relays) {
      const own = attempts.filter((attempt) => attempt.relay === relay.id)
      if (relay.nonce < counted) await settle(relay, own, Number(head))
      else await press(relay, own, relay.nonce === counted)
    }
    for (const attempt of await fillGaps(options, sender, { relays, counted })) await send(attempt)
  }

  const forgetOthers = (relays: readonly Relay[]): void => {
    const ids = new Set(relays.map(({ id }) => id))
    for (const known of [sentAt, missedSince]) {
      for (const id of known.keys()) if (!ids.has(id)) known.delete(id)
    }
  }

  /** The nonce of a call is used: by which of its transactions, and with which result? */
  const settle = async (relay: Relay, attempts: readonly RelayAttempt[], head: number) => {
    for (const attempt of attempts.toReversed()) {
      const receipt = await findReceipt(rpc, hex(attempt.hash))
      if (!receipt) continue
      missedSince.delete(relay.id)
      if (receipt.blockNumber + confirmations > head) return
      // If a reorg removes the block, it is sent again.
      sentAt.delete(relay.id)
      const error = receipt.succeeded ? undefined : await reasonOf(relay, receipt)
      return storage.write('hub', (tx) => finish(tx, relay.id, error))
    }
    const since = missedSince.get(relay.id) ?? clock.now()
    missedSince.set(relay.id, since)
    if (clock.now() - since < LOST_MS) return
    // The nonce of a filler is used, which was its only purpose.
    if (isFiller(relay)) await storage.write('hub', (tx) => finish(tx, relay.id, undefined))
    else await makeAgain(relay)
  }

  /** The nonce of a call is not used yet. */
  const press = async (relay: Relay, attempts: readonly RelayAttempt[], isNext: boolean) => {
    missedSince.delete(relay.id)
    const [newest, nowMs] = [attempts.at(-1)!, clock.now()]
    if (relay.reported === 0 && nowMs > relay.deadline * 1000 + DEADLINE_GRACE_MS) {
      await storage.write('hub', (tx) => report(tx, relay.id, overdue()))
    }
    const tries = attempts.filter(({ nonce }) => nonce === relay.nonce).length
    if (isNext && tries <= MAX_REPLACEMENTS && nowMs - newest.signed_at >= STUCK_MS) {
      await replace(relay, newest)
    } else if (nowMs - (sentAt.get(relay.id) ?? 0) >= SEND_AGAIN_MS) await send(newest)
  }

  const replace = async (relay: Relay, newest: RelayAttempt): Promise<void> => {
    const fees = replacementFees(feesOf(newest), await presentFees(rpc), limits.maxFee)
    if (!fees) return send(newest)
    const attempt = await storage.write('hub', async (tx) => {
      const last = (await tx.relays.attempts([relay.id])).at(-1)!
      // Another process was faster.
      if (hex(last.hash) !== hex(newest.hash)) return undefined
      const signed = await signAttempt(options, relay, fees, clock.now())
      await tx.relays.insertAttempt(signed)
      return signed
    })
    if (!attempt) return
    metrics?.signed('replacement')
    await send(attempt)
  }

  /** Another sender used the nonce. If the call is still possible, it gets another nonce. */
  const makeAgain = async (relay: Relay): Promise<void> => {
    const call = { from: payer.address, to: hex(relay.recipient), data: hex(relay.data) }
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
      const stored = await tx.relays.get(relay.id)
      if (stored.finished_at !== null || stored.nonce !== relay.nonce) return undefined
      if (refusal) return finish(tx, relay.id, refusal)
      const nonce = Math.max(counted, ((await tx.relays.newestNonce(sender)) ?? -1) + 1)
      const fees = payableFees(present, limits.maxFee)
      await tx.relays.putNonce(relay.id, nonce)
      const signed = await signAttempt(options, { ...relay, nonce }, fees, clock.now())
      await tx.relays.insertAttempt(signed)
      return signed
    })
    missedSince.delete(relay.id)
    if (!attempt) return
    metrics?.signed('lost')
    await send(attempt)
  }

  /**
   * Marks a call as completed, or as failed with an error. Returns undefined, because nothing is to be sent.
   */
  const finish = async (tx: Writer, id: number, error: Rejection | undefined) => {
    if ((await tx.relays.get(id)).finished_at !== null) return undefined
    if (error) await report(tx, id, error)
    await tx.relays.finish(id, clock.now(), error?.code ?? null)
    metrics?.finished(error ? 'failed' : 'done')
    return undefined
  }

  /** Reports a failure once. */
  const report = async (tx: Writer, id: number, error: Rejection): Promise<void> => {
    const relay = await tx.relays.get(id)
    const { owner, key, reported } = relay
    if (reported === 1) return
    await tx.relays.report(id, error.code)
    if (!isFiller(relay)) await options.onFailed?.(tx, { owner, key, error })
  }

  /** Simulates a failed call again to learn the reason. */
  const reasonOf = async (relay: Relay, { blockNumber }: Receipt): Promise<Rejection> => {
    const call = { from: payer.address, to: hex(relay.recipient), data: hex(relay.data) }
    for (const block of [blockNumber, blockNumber - 1]) {
      const error = await rpc('eth_call', [call, toQuantity(block)]).catch((error) => error)
      if (revertReason(error) !== undefined) return refusalOf(nameOf(relay), error) as Rejection
    }
    return new Rejection('unavailable', 'the transaction was reverted without a reason')
  }

  const prune = async (): Promise<void> => {
    if (clock.now() - prunedAt < PRUNE_INTERVAL_MS) return
    prunedAt = clock.now()
    await storage.write('hub', (tx) => tx.relays.prune(clock.now() - REMEMBERED_MS))
  }

  return { send, round, balance: balance.get }
}

/** Error messages of nodes for a transaction that they have, or whose nonce is used. */
const IS_THERE = /already known|already imported|nonce too low|known transaction/i

const nameOf = ({ contract }: Relay) => (contract === 'keyRegistry' ? 'removeFor' : 'addFor')

const overdue = () =>
  new Rejection('SignatureExpired', 'the deadline is over, and no block took the transaction')
