import { keccak_256 } from '@noble/hashes/sha3.js'
import { checkRequester, readNonce } from '../../kernel/accounts/chain/calls.ts'
import { callEncoder } from '../../kernel/accounts/chain/encode.ts'
import { refusalOf, unlessSilent } from '../../kernel/accounts/chain/refusals.ts'
import type { Rpc } from '../../kernel/accounts/chain/rpc.ts'
import {
  countTransactions,
  estimateGas,
  type Fees,
  presentFees,
} from '../../kernel/accounts/chain/transactions.ts'
import type {
  AddFor,
  KeyCalls,
  NonceContract,
  RemoveFor,
  SubmitResult,
} from '../../kernel/accounts/port.ts'
import type { Job } from '../../kernel/jobs/job.ts'
import { concatBytes, fromHex } from '../../kernel/protocol/codec/bytes.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import type { Reader, Writer } from '../../kernel/storage/storage.ts'
import { signAttempt } from './attempts.ts'
import { spendGas } from './gas-budget.ts'
import type { RelayBalance, RelayOptions } from './options.ts'
import { payableFees } from './relay-rules.ts'
import { RelayRounds } from './rounds.ts'
import { DEADLINE_GRACE_MS, MAX_BACKOFF_MS, MAX_UNDER_WAY, ROUND_INTERVAL_MS } from './settings.ts'
import type { RelayAttempt } from './tables/relays.ts'
import { relayRows } from './tables/relays.ts'

/** The calls that can be relayed, and the contract that counts the owner's signatures for each. */
const CONTRACT_OF = { addFor: 'keyGateway', removeFor: 'keyRegistry' } as const
type Name = keyof typeof CONTRACT_OF

const BUSY_SECONDS = 5

/**
 * Makes key calls with transactions of its own account. A call is stored with its signed transaction before it
 * is sent: after a crash, the same transaction is sent again. Any number of processes may use one account,
 * because nonces are assigned in the store.
 */
export class Relayer implements KeyCalls {
  /** Checks all unfinished transactions periodically, in the leader. */
  readonly job: Job
  readonly #options: RelayOptions
  readonly #rpc: Rpc
  readonly #sender: Uint8Array
  readonly #encode: ReturnType<typeof callEncoder>
  readonly #rounds: RelayRounds

  constructor(options: RelayOptions) {
    this.#options = options
    this.#rpc = options.routeRpc ?? options.rpc
    this.#sender = fromHex(options.payer.address)!
    this.#encode = callEncoder(options.contracts, { signupUnits: 0 })
    this.#rounds = new RelayRounds(options)
    this.job = {
      name: 'relay transactions',
      scope: 'leader',
      everyMs: ROUND_INTERVAL_MS,
      maxBackoffMs: MAX_BACKOFF_MS,
      run: () => this.round(),
    }
  }

  /** Checks all unfinished transactions once. */
  round(): Promise<void> {
    return this.#rounds.round()
  }

  /** Undefined before the first read. */
  get balance(): RelayBalance | undefined {
    return this.#rounds.balance
  }

  nonce(contract: NonceContract, address: Uint8Array): Promise<number> {
    return readNonce(this.#rpc, this.#options.contracts, contract, address)
  }

  async simulateAddFor(call: AddFor): Promise<void> {
    const { hash } = this.#encoded('addFor', call)
    const attempt = await findKnownAttempt(this.#options.storage, hash)
    if (!attempt) await this.#simulate('addFor', call)
  }

  addFor(call: AddFor): Promise<SubmitResult> {
    return this.#submit('addFor', call)
  }

  removeFor(call: RemoveFor): Promise<SubmitResult> {
    return this.#submit('removeFor', call)
  }

  #encoded(name: Name, call: AddFor | RemoveFor) {
    const { to, data } = this.#encode[name](call as AddFor)
    const [recipient, bytes] = [fromHex(to)!, fromHex(data)!]
    return { to, data, recipient, bytes, hash: keccak_256(concatBytes(recipient, bytes)) }
  }

  /** The gas that the call needs; throws the error that the call would cause now. */
  async #simulate(name: Name, call: AddFor | RemoveFor): Promise<bigint> {
    const { storage, clock, payer, limits } = this.#options
    if (name === 'addFor') checkRequester(call as AddFor)
    await checkFree(storage, name, call.owner, clock.now())
    const { to, data } = this.#encoded(name, call)
    const transaction = { from: payer.address, to, data, value: 0n }
    const gas = await estimateGas(this.#rpc, transaction).catch((error) => {
      throw unlessSilent(refusalOf(name, error, call))
    })
    if (gas <= limits.maxGas) return gas
    throw new Rejection(
      'unavailable',
      `the call takes more than the ${limits.maxGas} gas we pay for`,
    )
  }

  async #submit(name: Name, call: AddFor | RemoveFor): Promise<SubmitResult> {
    const { storage } = this.#options
    const { hash } = this.#encoded(name, call)
    const attempt = await findKnownAttempt(storage, hash)
    if (attempt) return accepted(attempt)
    try {
      return accepted(await this.#submitNew(name, call))
    } catch (error) {
      // Another process may have submitted the same call meanwhile, which made this one fail.
      const meanwhile = await findKnownAttempt(storage, hash)
      if (!meanwhile) throw error
      return accepted(meanwhile)
    }
  }

  async #submitNew(name: Name, call: AddFor | RemoveFor): Promise<RelayAttempt> {
    const { storage, payer, limits, metrics } = this.#options
    const gas = Number(await this.#simulate(name, call))
    const [counted, present] = await Promise.all([
      countTransactions(this.#rpc, payer.address),
      presentFees(this.#rpc),
    ]).catch((error) => {
      throw unlessSilent(error)
    })
    const fees = payableFees(present, limits.maxFee)
    const attempt = await storage.write('hub', (tx) =>
      this.#store(tx, name, call, { gas, counted, fees }),
    )
    metrics?.signed('new')
    await this.#rounds.send(attempt)
    return attempt
  }

  /** Assigns a nonce to the call and signs it. */
  async #store(
    tx: Writer,
    name: Name,
    call: AddFor | RemoveFor,
    { gas, counted, fees }: { gas: number; counted: number; fees: Fees },
  ): Promise<RelayAttempt> {
    const nowMs = this.#options.clock.now()
    await checkFree(tx, name, call.owner, nowMs)
    const { recipient, bytes, hash } = this.#encoded(name, call)
    const failed = await tx.of(relayRows).find(hash)
    if (failed) await tx.of(relayRows).remove(failed.id)
    await spendGas(tx, this.#options.limits, { owner: call.owner, gas, nowMs })
    const newest = (await tx.of(relayRows).newestNonce(this.#sender)) ?? -1
    const relay = {
      call: hash,
      contract: CONTRACT_OF[name],
      owner: call.owner,
      key: call.key,
      deadline: Math.min(Number(call.deadline), Number.MAX_SAFE_INTEGER),
      recipient,
      data: bytes,
      sender: this.#sender,
      nonce: Math.max(counted, newest + 1),
      gas,
      created_at: nowMs,
    }
    const id = await tx.of(relayRows).insert(relay)
    const attempt = await signAttempt(this.#options, { ...relay, id }, fees, nowMs)
    await tx.of(relayRows).insertAttempt(attempt)
    return attempt
  }
}

/** The latest transaction of the same call, unless the call has failed. */
async function findKnownAttempt(
  reader: Reader,
  hash: Uint8Array,
): Promise<RelayAttempt | undefined> {
  const relay = await reader.of(relayRows).find(hash)
  if (!relay || relay.error !== null) return undefined
  return (await reader.of(relayRows).attempts([relay.id])).at(-1)
}

/** An owner's second call would need the nonce after the first, so the first must be in a block before. */
async function checkFree(
  reader: Reader,
  name: Name,
  owner: Uint8Array,
  nowMs: number,
): Promise<void> {
  // An expired call can only be reverted, which leaves the owner's nonce to the next call.
  const since = Math.floor((nowMs - DEADLINE_GRACE_MS) / 1000)
  if (await reader.of(relayRows).underWay(CONTRACT_OF[name], owner, since)) {
    throw wait('another call of this address is on its way to the chain', BUSY_SECONDS)
  }
  if ((await reader.of(relayRows).unfinishedCount()) >= MAX_UNDER_WAY) {
    throw wait('too many calls are on their way to the chain', BUSY_SECONDS)
  }
}

const wait = (message: string, retryAfterSeconds: number) =>
  new Rejection('unavailable.overloaded', message, { retryAfterSeconds })

const accepted = ({ hash }: RelayAttempt): SubmitResult => ({
  outcome: 'accepted',
  transactionHash: hash,
})
