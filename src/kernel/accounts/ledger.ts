import type { Clock } from '../base/clock.ts'
import type { Job } from '../jobs/job.ts'
import type { OnMerged } from '../module.ts'
import { decodeSignedKeyRequestMetadata } from '../protocol/crypto/key-request-metadata.ts'
import { Rejection } from '../protocol/rejection.ts'
import type { OnChainEvent } from '../protocol/wire/onchain_event_pb.js'
import type { Live } from '../storage/live-settings.ts'
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
import type { AccountState } from './account-state.ts'
import { type Confirming, confirming } from './confirm.ts'
import { type AccountEvent, encodeOnChainEvent, sealBlock } from './events.ts'
import { checkImport } from './import.ts'
import { loadAccountState, type Wanted } from './load-account-state.ts'
import { mergeAndTell } from './on-chain-events.ts'
import type {
  AccountCalls,
  Accounts,
  AddFor,
  CallResult,
  KeyCalls,
  NewKey,
  OnSigned,
  RecoverFor,
  Register,
  RegisterFor,
  SubmitResult,
} from './port.ts'
import { storedAccounts } from './reads.ts'
import { renewStorageJob } from './renew-storage.ts'
import { type LedgerSettings, ledgerSettings, type SignupMode } from './settings.ts'
import {
  remembering,
  tellingFirst,
  type VerifySignature,
  verifySignature,
} from './signatures/signature.ts'
import { type Admission, type Admitting, ANYBODY, admission } from './signup.ts'

type Admitted<C> = {
  check(reader: Reader, args: C, nowMs: number): Promise<void>
  admit(tx: Writer, args: C, nowMs: number): Promise<void>
}

type LedgerOptions = {
  /** Without one nobody registers where it is needed. */
  readonly admitting?: Admitting
  readonly storage: Storage
  readonly clock: Clock
  readonly settings?: Partial<LedgerSettings>
  readonly onMerged?: OnMerged
  readonly verify?: VerifySignature
}

export interface Ledger extends Accounts, AccountCalls, Confirming {
  readonly settings: LedgerSettings
  /** Who may register now. */
  readonly signup: Live<SignupMode>
  /** How long accepted calls wait now: as the settings say, unless `confirmAfter` was called. */
  confirmationMs(): number
  /** From now on accepted calls wait so long: a development network shows a chain that lags. */
  confirmAfter(ms: number): void
  /**
   * The calls as users may make them: registering follows the sign-up mode. The ledger's own registerFor and
   * register do not, for the development network and other callers inside the server.
   */
  readonly forUsers: AccountCalls
  /** recoverFor, unless `check` throws, which runs in the transaction that accepts the call. */
  recoverIf(call: RecoverFor, check: (tx: Reader) => Promise<void>): Promise<CallResult>
  /** Throws the error that addFor would throw now. Changes nothing. */
  simulateAddFor(call: AddFor): Promise<void>
  /** Renews storage where it does not end. */
  readonly renewJob: Job
  /** Imports on-chain events of another network, checked for form only. Operators only. */
  importEvents(events: readonly OnChainEvent[]): Promise<{ merged: number; duplicates: number }>
}

/** Blocks are numbered in 32 bits. */
const MAX_BLOCK = 2 ** 32 - 1

/** What the functions below work with. */
type LedgerContext = Pick<LedgerOptions, 'storage' | 'clock' | 'onMerged'> & {
  readonly settings: LedgerSettings
  confirmationMs: number
  readonly verify: VerifySignature
}

/**
 * The embedded account ledger: it accepts the contracts' calls and does what the contracts would do, with one
 * block for each call. Signatures authenticate, so anyone may submit a call, and it is free.
 */
export function createLedger(options: LedgerOptions): Ledger {
  const { storage, clock, onMerged, verify = verifySignature } = options
  const settings = ledgerSettings(options.settings)
  const { confirmationMs } = settings
  const context: LedgerContext = { storage, clock, onMerged, settings, confirmationMs, verify }
  const calls = callsOf(context)
  return {
    settings,
    signup: options.admitting?.signup ?? ANYBODY,
    confirmationMs: () => context.confirmationMs,
    confirmAfter(confirmationMs) {
      context.confirmationMs = confirmationMs
    },
    forUsers: {
      ...calls,
      ...registerCalls(context, admission(options.admitting ?? {})),
    },
    ...storedAccounts(storage, clock, {
      network: settings.network,
      storageEnds: settings.storageDays !== undefined,
    }),
    ...confirming(storage, clock, (tx, events, nowMs) => merge(context, tx, events, nowMs)),
    renewJob: renewStorageJob({
      storage,
      clock,
      settings,
      merge: (tx, state, events, nowMs) =>
        merge(context, tx, seal(context, state, events, nowMs), nowMs),
    }),
    ...calls,
    recoverIf: (call, check) =>
      callOf(context, RECOVER_FOR, { check: async () => {}, admit: check })(call),
    async simulateAddFor(add) {
      await decideCall(context, storage, add, clock.now(), ADD_FOR)
    },
    importEvents: (events) => {
      checkImport(events, settings)
      return storage.write('hub', async (tx) => {
        const merged = await merge(context, tx, events, clock.now())
        return { merged, duplicates: events.length - merged }
      })
    },
  }
}

/** A call: how it is decided, and the state that its decision needs. */
type Call<C> = { readonly decide: Decision<C>; readonly want: (call: C) => Wanted }

function callsOf(context: LedgerContext): AccountCalls {
  const of = <C>(decide: Decision<C>, want: (call: C) => Wanted) =>
    callOf(context, { decide, want })
  return {
    nonce: (contract, address) => context.storage.ledger.nonce(contract, address),
    ...registerCalls(context),
    transferFor: of(decideTransferFor, wantBoth),
    transferAndChangeRecoveryFor: of(decideTransferAndChangeRecoveryFor, wantBoth),
    changeRecoveryAddressFor: of(decideChangeRecoveryAddressFor, ({ owner }) =>
      ofIds(owner, 'idRegistry'),
    ),
    recoverFor: callOf(context, RECOVER_FOR),
    addFor: callOf(context, ADD_FOR),
    removeFor: of(decideRemoveFor, ({ owner, key }) => ({
      addresses: [owner],
      contracts: ['keyRegistry'],
      keyOwner: owner,
      keys: [key],
    })),
    rent: of(decideRent, ({ fid }) => ({ addresses: [], contracts: [], rentFids: [fid] })),
  }
}

const registerCalls = (context: LedgerContext, admitted?: Admission) => ({
  registerFor: callOf(
    context,
    { decide: decideRegisterFor, want: ({ to }: RegisterFor) => ofIds(to, 'idGateway') },
    admitted,
  ),
  register: callOf(
    context,
    {
      decide: decideRegister,
      want: ({ to, keys }: Register) => wantKeys(to, keys, ['idGateway', 'keyGateway']),
    },
    admitted,
  ),
})

const callOf =
  <C>(context: LedgerContext, call: Call<C>, admitted?: Admitted<C>) =>
  async (args: C, onSigned?: OnSigned): Promise<CallResult> => {
    const { storage, clock } = context
    const { ask, recall } = remembering(context.verify)
    // Before signatures are verified, because it costs less.
    await admitted?.check(storage, args, clock.now())
    // Decided once without the lock first, so that invalid calls and slow signature checks block no other
    // calls.
    const verify = onSigned ? tellingFirst(ask, onSigned) : ask
    await decideCall({ ...context, verify }, storage, args, clock.now(), call)
    return storage.writeShared('hub', async (tx) => {
      const nowMs = clock.now()
      const decided = await decideCall({ ...context, verify: recall }, tx, args, nowMs, call)
      await admitted?.admit(tx, args, nowMs)
      return accept(context, tx, decided, nowMs)
    })
  }

type Decided = { readonly state: AccountState; readonly accountEvents: readonly AccountEvent[] }

/** Decides by the present state and changes nothing. */
async function decideCall<C>(
  { settings, verify }: LedgerContext,
  reader: Reader,
  args: C,
  nowMs: number,
  { decide, want }: Call<C>,
): Promise<Decided> {
  const state = await loadAccountState(reader, want(args), settings.maxPendingEvents)
  const now = Math.floor(nowMs / 1000)
  return { state, accountEvents: await decide(state, args, { settings, now, verify }) }
}

async function accept(
  context: LedgerContext,
  tx: Writer,
  { state, accountEvents }: Decided,
  nowMs: number,
): Promise<CallResult> {
  const { confirmationMs } = context
  const events = seal(context, state, accountEvents, nowMs)
  await tx.ledger.putNonces(state.usedNonces())
  // Calls that wait for confirmation keep their order, even when the confirmation time is now zero.
  const confirmed = confirmationMs === 0 && state.pendingEvents === 0
  const confirmsAt = Math.max(nowMs + confirmationMs, state.pendingUntil)
  if (confirmed) await merge(context, tx, events, nowMs)
  else await queue(context, tx, state, events, confirmsAt)
  const { transactionHash, blockNumber, fid } = events[0]!
  return { fid: Number(fid), transactionHash, blockNumber, confirmed, confirmsAt, events }
}

/** Gives events their block. */
function seal(
  { settings: { chainId } }: LedgerContext,
  state: AccountState,
  accountEvents: readonly AccountEvent[],
  nowMs: number,
): OnChainEvent[] {
  const blockNumber = state.block + 1
  if (blockNumber > MAX_BLOCK) throw new Rejection('unavailable', 'every block number is used up')
  return sealBlock(accountEvents, { chainId, blockNumber, timestamp: Math.floor(nowMs / 1000) })
}

/** Stores events until they are confirmed. */
async function queue(
  { settings, confirmationMs }: LedgerContext,
  tx: Writer,
  state: AccountState,
  events: readonly OnChainEvent[],
  confirmsAt: number,
): Promise<void> {
  if (state.pendingEvents + events.length > settings.maxPendingEvents) {
    const retryAfterSeconds = Math.ceil(confirmationMs / 1000)
    const message = 'too many calls wait for their confirmation; try again later'
    throw new Rejection('unavailable.overloaded', message, { retryAfterSeconds })
  }
  const bodies = events.map(encodeOnChainEvent)
  await tx.ledger.insertPending(bodies.map((body) => ({ confirm_at: confirmsAt, body })))
}

async function merge(
  { onMerged }: LedgerContext,
  tx: Writer,
  events: readonly OnChainEvent[],
  nowMs: number,
): Promise<number> {
  const log = new EventLog(tx, nowMs)
  const merged = await mergeAndTell(tx, log, events, onMerged)
  await log.flush()
  return merged.length
}

const ofIds = (address: Uint8Array, contract: Wanted['contracts'][number]): Wanted => ({
  addresses: [address],
  contracts: [contract],
})

const wantBoth = ({ from, to }: { from: Uint8Array; to: Uint8Array }): Wanted => ({
  addresses: [from, to],
  contracts: ['idRegistry'],
})

const RECOVER_FOR: Call<RecoverFor> = { decide: decideRecoverFor, want: wantBoth }

const ADD_FOR: Call<AddFor> = {
  decide: decideAddFor,
  want: (add) => wantKeys(add.owner, [add], ['keyGateway']),
}

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
