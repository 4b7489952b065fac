import { keccak_256 } from '@noble/hashes/sha3.js'
import type { Job } from '../../jobs/job.ts'
import { concatBytes, fromHex } from '../../protocol/codec/bytes.ts'
import { Rejection } from '../../protocol/rejection.ts'
import type { Reader, Writer } from '../../storage/storage.ts'
import type { RelayAttempt } from '../../storage/tables/relays.ts'
import { checkRequester, readNonce } from '../chain/calls.ts'
import { callEncoder } from '../chain/encode.ts'
import { refusalOf, unlessSilent } from '../chain/refusals.ts'
import { countTransactions, estimateGas, type Fees, presentFees } from '../chain/transactions.ts'
import type { AddFor, KeyCalls, RemoveFor, SubmitResult } from '../port.ts'
import { signAttempt } from './attempts.ts'
import { spendGas } from './gas-budget.ts'
import type { RelayBalance, RelayOptions } from './options.ts'
import { payableFees } from './relay-rules.ts'
import { createRounds } from './rounds.ts'
import { DEADLINE_GRACE_MS, MAX_BACKOFF_MS, MAX_UNDER_WAY, ROUND_INTERVAL_MS } from './settings.ts'

export interface RelayService extends KeyCalls {
  /** Checks all unfinished transactions once. */
  round(): Promise<void>
  /** Does so periodically, in the leader. */
  readonly job: Job
  /** Undefined before the first read. */
  balance(): RelayBalance | undefined
}

/** The calls that can be relayed, and the contract that counts the owner's signatures for each. */
const CONTRACT_OF = { addFor: 'keyGateway', removeFor: 'keyRegistry' } as const
type Asked = { readonly [Name in keyof typeof CONTRACT_OF]: AddFor | RemoveFor }
type Name = keyof Asked

const BUSY_SECONDS = 5

/**
 * Makes key calls with transactions of its own account. A call is stored with its signed transaction before it
 * is sent: after a crash, the same transaction is sent again. Any number of processes may use one account,
 * because nonces are assigned in the store.
 */
export function createRelay(options: RelayOptions): RelayService {
  const { storage, clock, contracts, limits, payer, metrics } = options
  const rpc = options.routeRpc ?? options.rpc
  const sender = fromHex(payer.address)!
  const encode = callEncoder(contracts, { signupUnits: 0 })
  const rounds = createRounds(options)

  const encoded = (name: Name, call: AddFor | RemoveFor) => {
    const { to, data } = encode[name](call as AddFor)
    const [recipient, bytes] = [fromHex(to)!, fromHex(data)!]
    return { to, data, recipient, bytes, hash: keccak_256(concatBytes(recipient, bytes)) }
  }

  /** The gas that the call needs; throws the error that the call would cause now. */
  const simulate = async (name: Name, call: AddFor | RemoveFor): Promise<bigint> => {
    if (name === 'addFor') checkRequester(call as AddFor)
    await checkFree(storage, name, call.owner, clock.now())
    const { to, data } = encoded(name, call)
    const gas = await estimateGas(rpc, { from: payer.address, to, data, value: 0n }).catch(
      (error) => {
        throw unlessSilent(refusalOf(name, error, call))
      },
    )
    if (gas <= limits.maxGas) return gas
    throw new Rejection(
      'unavailable',
      `the call takes more than the ${limits.maxGas} gas we pay for`,
    )
  }

  const submit = async (name: Name, call: AddFor | RemoveFor): Promise<SubmitResult> => {
    const { hash } = encoded(name, call)
    const attempt = await findKnownAttempt(storage, hash)
    if (attempt) return accepted(attempt)
    try {
      return await submitNew(name, call)
    } catch (error) {
      // Another process may have submitted the same call meanwhile, which made this one fail.
      const meanwhile = await findKnownAttempt(storage, hash)
      if (!meanwhile) throw error
      return accepted(meanwhile)
    }
  }

  const submitNew = async (name: Name, call: AddFor | RemoveFor): Promise<SubmitResult> => {
    const gas = await simulate(name, call)
    const [counted, present] = await Promise.all([
      countTransactions(rpc, payer.address),
      presentFees(rpc),
    ]).catch((error) => {
      throw unlessSilent(error)
    })
    const fees = payableFees(present, limits.maxFee)
    const attempt = await storage.write('hub', (tx) =>
      store(tx, name, call, { gas: Number(gas), counted, fees }),
    )
    metrics?.signed('new')
    await rounds.send(attempt)
    return accepted(attempt)
  }

  /** Assigns a nonce to the call and signs it. */
  const store = async (
    tx: Writer,
    name: Name,
    call: AddFor | RemoveFor,
    { gas, counted, fees }: { gas: number; counted: number; fees: Fees },
  ): Promise<RelayAttempt> => {
    await checkFree(tx, name, call.owner, clock.now())
    const { recipient, bytes, hash } = encoded(name, call)
    const failed = await tx.relays.find(hash)
    if (failed) await tx.relays.remove(failed.id)
    await spendGas(tx, limits, { owner: call.owner, gas, nowMs: clock.now() })
    const newest = (await tx.relays.newestNonce(sender)) ?? -1
    const relay = {
      call: hash,
      contract: CONTRACT_OF[name],
      owner: call.owner,
      key: call.key,
      deadline: Math.min(Number(call.deadline), Number.MAX_SAFE_INTEGER),
      recipient,
      data: bytes,
      sender,
      nonce: Math.max(counted, newest + 1),
      gas,
      created_at: clock.now(),
    }
    const id = await tx.relays.insert(relay)
    const attempt = await signAttempt(options, { ...relay, id }, fees, clock.now())
    await tx.relays.insertAttempt(attempt)
    return attempt
  }

  return {
    nonce: (contract, address) => readNonce(rpc, contracts, contract, address),
    async simulateAddFor(call) {
      const attempt = await findKnownAttempt(storage, encoded('addFor', call).hash)
      if (!attempt) await simulate('addFor', call)
    },
    addFor: (call) => submit('addFor', call),
    removeFor: (call) => submit('removeFor', call),
    round: rounds.round,
    job: {
      name: 'relay transactions',
      scope: 'leader',
      everyMs: ROUND_INTERVAL_MS,
      maxBackoffMs: MAX_BACKOFF_MS,
      run: rounds.round,
    },
    balance: rounds.balance,
  }
}

/** The latest transaction of the same call, unless the call has failed. */
async function findKnownAttempt(
  reader: Reader,
  hash: Uint8Array,
): Promise<RelayAttempt | undefined> {
  const relay = await reader.relays.find(hash)
  if (!relay || relay.error !== null) return undefined
  return (await reader.relays.attempts([relay.id])).at(-1)
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
  if (await reader.relays.underWay(CONTRACT_OF[name], owner, since)) {
    throw wait('another call of this address is on its way to the chain', BUSY_SECONDS)
  }
  if ((await reader.relays.unfinishedCount()) >= MAX_UNDER_WAY) {
    throw wait('too many calls are on their way to the chain', BUSY_SECONDS)
  }
}

const wait = (message: string, retryAfterSeconds: number) =>
  new Rejection('unavailable.overloaded', message, { retryAfterSeconds })

const accepted = ({ hash }: RelayAttempt): SubmitResult => ({
  outcome: 'accepted',
  transactionHash: hash,
})
