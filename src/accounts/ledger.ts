import type { Clock } from '../base/clock.ts'
import type { Job } from '../jobs/job.ts'
import type { OnMerged } from '../module.ts'
import { decodeSignedKeyRequestMetadata } from '../protocol/crypto/key-request-metadata.ts'
import { Rejection } from '../protocol/rejection.ts'
import type { OnChainEvent } from '../protocol/wire/onchain_event_pb.js'
import { EventLog } from '../storage/messages/event-log.ts'
import type { Reader, Storage, Writer } from '../storage/storage.ts'
import {
  type Decision,
  decideAddFor,
  decideChangeRecoveryAddressFor,
  decideRecoverFor,
  decideRegister,
  decideRegisterFor,
  decideRemoveFor,
  decideRent,
  decideTransferAndChangeRecoveryFor,
  decideTransferFor,
} from './account-rules.ts'
import { type Confirming, confirming } from './confirm.ts'
import { type AccountEvent, encodeOnChainEvent, sealBlock } from './events.ts'
import type { Head } from './head.ts'
import { checkImport } from './import.ts'
import { loadHead, type Wanted } from './load-head.ts'
import { mergeAndTell } from './on-chain-events.ts'
import type {
  AccountCalls,
  Accounts,
  AddFor,
  CallResult,
  KeyCalls,
  NewKey,
  OnSigned,
  SubmitResult,
} from './port.ts'
import { storedAccounts } from './reads.ts'
import { renewStorageJob } from './renew-storage.ts'
import { type LedgerSettings, ledgerSettings } from './settings.ts'
import {
  remembering,
  tellingFirst,
  type VerifySignature,
  verifySignature,
} from './signatures/signature.ts'
import { type Admission, admission } from './signup.ts'

type Admitted<C> = {
  check(reader: Reader, args: C, nowMs: number): Promise<void>
  admit(tx: Writer, args: C, nowMs: number): Promise<void>
}

type LedgerOptions = {
  readonly storage: Storage
  readonly clock: Clock
  readonly settings?: Partial<LedgerSettings>
  readonly onMerged?: OnMerged
  readonly verify?: VerifySignature
}

export interface Ledger extends Accounts, AccountCalls, Confirming {
  readonly settings: LedgerSettings
  /**
   * The calls as users may make them: registering follows the sign-up mode. The ledger's own registerFor and
   * register do not, for the development network and other callers inside the server.
   */
  readonly forUsers: AccountCalls
  /** Throws the error that addFor would throw now. Changes nothing. */
  simulateAddFor(call: AddFor): Promise<void>
  /** Renews storage where it does not end. */
  readonly renewJob: Job
  /** Imports on-chain events of another network, checked for form only. Operators only. */
  importEvents(events: readonly OnChainEvent[]): Promise<{ merged: number; duplicates: number }>
}

/** Blocks are numbered in 32 bits. */
const MAX_BLOCK = 2 ** 32 - 1

/**
 * The embedded account ledger: it accepts the contracts' calls and does what the contracts would do, with one
 * block for each call. Signatures authenticate, so anyone may submit a call, and it is free.
 */
export function createLedger(options: LedgerOptions): Ledger {
  const { storage, clock, onMerged, verify = verifySignature } = options
  const settings = ledgerSettings(options.settings)

  /** Decides by the present state and changes nothing. */
  const looking =
    <C>(decide: Decision<C>, want: (call: C) => Wanted) =>
    async (reader: Storage | Writer, args: C, nowMs: number, verify: VerifySignature) => {
      const head = await loadHead(reader, want(args), settings.maxPendingEvents)
      const now = Math.floor(nowMs / 1000)
      return { head, accountEvents: await decide(head, args, { settings, now, verify }) }
    }

  const call = <C>(decide: Decision<C>, want: (call: C) => Wanted, admitted?: Admitted<C>) => {
    const look = looking(decide, want)
    return async (args: C, onSigned?: OnSigned): Promise<CallResult> => {
      const { ask, recall } = remembering(verify)
      // Before signatures are verified, because it costs less.
      await admitted?.check(storage, args, clock.now())
      // Decided once without the lock first, so that invalid calls and slow signature checks block no other
      // calls.
      await look(storage, args, clock.now(), onSigned ? tellingFirst(ask, onSigned) : ask)
      return storage.writeShared('hub', async (tx) => {
        const nowMs = clock.now()
        const { head, accountEvents } = await look(tx, args, nowMs, recall)
        await admitted?.admit(tx, args, nowMs)
        return accept(tx, head, accountEvents, nowMs)
      })
    }
  }

  const accept = async (
    tx: Writer,
    head: Head,
    accountEvents: readonly AccountEvent[],
    nowMs: number,
  ): Promise<CallResult> => {
    const events = seal(head, accountEvents, nowMs)
    await tx.ledger.putNonces(head.usedNonces())
    // Calls that wait for confirmation keep their order, even when the confirmation time is now zero.
    const confirmed = settings.confirmationMs === 0 && head.pendingEvents === 0
    const confirmsAt = Math.max(nowMs + settings.confirmationMs, head.pendingUntil)
    await (confirmed ? merge(tx, events, nowMs) : queue(tx, head, events, confirmsAt))
    const { transactionHash, blockNumber, fid } = events[0]!
    return { fid: Number(fid), transactionHash, blockNumber, confirmed, confirmsAt, events }
  }

  const seal = (
    head: Head,
    accountEvents: readonly AccountEvent[],
    nowMs: number,
  ): OnChainEvent[] => {
    const blockNumber = head.block + 1
    if (blockNumber > MAX_BLOCK) throw new Rejection('unavailable', 'every block number is used up')
    const { chainId } = settings
    return sealBlock(accountEvents, { chainId, blockNumber, timestamp: Math.floor(nowMs / 1000) })
  }

  const queue = async (tx: Writer, head: Head, events: OnChainEvent[], confirmsAt: number) => {
    if (head.pendingEvents + events.length > settings.maxPendingEvents) {
      const retryAfterSeconds = Math.ceil(settings.confirmationMs / 1000)
      const message = 'too many calls wait for their confirmation; try again later'
      throw new Rejection('unavailable.overloaded', message, { retryAfterSeconds })
    }
    const bodies = events.map(encodeOnChainEvent)
    await tx.ledger.insertPending(bodies.map((body) => ({ confirm_at: confirmsAt, body })))
  }

  const merge = async (tx: Writer, events: readonly OnChainEvent[], nowMs: number) => {
    const log = new EventLog(tx, nowMs)
    const merged = await mergeAndTell(tx, log, events, onMerged)
    await log.flush()
    return merged.length
  }

  const registering = (admitted?: Admission) => ({
    registerFor: call(decideRegisterFor, ({ to }) => ofIds(to, 'idGateway'), admitted),
    register: call(
      decideRegister,
      ({ to, keys }) => wantKeys(to, keys, ['idGateway', 'keyGateway']),
      admitted,
    ),
  })
  const calls: AccountCalls = {
    nonce: (contract, address) => storage.ledger.nonce(contract, address),
    ...registering(),
    transferFor: call(decideTransferFor, wantBoth),
    transferAndChangeRecoveryFor: call(decideTransferAndChangeRecoveryFor, wantBoth),
    changeRecoveryAddressFor: call(decideChangeRecoveryAddressFor, ({ owner }) =>
      ofIds(owner, 'idRegistry'),
    ),
    recoverFor: call(decideRecoverFor, wantBoth),
    addFor: call(decideAddFor, wantKey),
    removeFor: call(decideRemoveFor, ({ owner, key }) => ({
      addresses: [owner],
      contracts: ['keyRegistry'],
      keyOwner: owner,
      keys: [key],
    })),
    rent: call(decideRent, ({ fid }) => ({ addresses: [], contracts: [], rentFids: [fid] })),
  }

  return {
    settings,
    forUsers: { ...calls, ...registering(admission(settings.signup)) },
    ...storedAccounts(storage, clock, {
      network: settings.network,
      storageEnds: settings.storageDays !== undefined,
    }),
    ...confirming(storage, clock, merge),
    renewJob: renewStorageJob({
      storage,
      clock,
      settings,
      merge: (tx, head, events, nowMs) => merge(tx, seal(head, events, nowMs), nowMs),
    }),
    ...calls,
    async simulateAddFor(add) {
      await looking(decideAddFor, wantKey)(storage, add, clock.now(), verify)
    },
    importEvents: (events) => {
      checkImport(events, settings)
      return storage.write('hub', async (tx) => {
        const merged = await merge(tx, events, clock.now())
        return { merged, duplicates: events.length - merged }
      })
    },
  }
}

const ofIds = (address: Uint8Array, contract: Wanted['contracts'][number]): Wanted => ({
  addresses: [address],
  contracts: [contract],
})

const wantBoth = ({ from, to }: { from: Uint8Array; to: Uint8Array }): Wanted => ({
  addresses: [from, to],
  contracts: ['idRegistry'],
})

const wantKey = (add: AddFor) => wantKeys(add.owner, [add], ['keyGateway'])

/** The owner and the signers of the key requests. */
function wantKeys(
  keyOwner: Uint8Array,
  keys: readonly NewKey[],
  contracts: Wanted['contracts'],
): Wanted {
  const requesters = keys.flatMap(
    ({ metadata }) => decodeSignedKeyRequestMetadata(metadata)?.requestSigner ?? [],
  )
  const addresses = [keyOwner, ...requesters]
  return { addresses, contracts, keyOwner, keys: keys.map(({ key }) => key) }
}

/** The key calls of the ledger, for callers that do not know where accounts are kept. */
export function ledgerKeyCalls(ledger: Ledger): KeyCalls {
  const accepted = ({ transactionHash }: CallResult): SubmitResult => ({
    outcome: 'accepted',
    transactionHash,
  })
  return {
    nonce: ledger.nonce,
    simulateAddFor: ledger.simulateAddFor,
    addFor: async (call) => accepted(await ledger.addFor(call)),
    removeFor: async (call) => accepted(await ledger.removeFor(call)),
  }
}
