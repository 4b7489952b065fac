import { getAddress } from 'viem/utils'
import type { Accounts } from '../../kernel/accounts/port.ts'
import { ecdsa } from '../../kernel/accounts/signatures/ecdsa.ts'
import type { VerifySignature } from '../../kernel/accounts/signatures/signature.ts'
import { type Clock, unixSeconds } from '../../kernel/base/clock.ts'
import { BatchLoader, GroupCommit, type WorkOutcome } from '../../kernel/base/concurrency.ts'
import { toHex } from '../../kernel/protocol/codec/bytes.ts'
import type { ContractDomain } from '../../kernel/protocol/crypto/account-domains.ts'
import {
  nameTransferDomain,
  signTypedData,
  usernameProofTypedData,
} from '../../kernel/protocol/crypto/eip712.ts'
import { addressOfPrivateKey } from '../../kernel/protocol/crypto/secp256k1.ts'
import { FNAME_PATTERN } from '../../kernel/protocol/names.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import { mayRetryAlone } from '../../kernel/storage/engines/unavailable.ts'
import type { Storage, Writer } from '../../kernel/storage/storage.ts'
import { appendTransfers, type Outcome, type SignedRequest } from './append-transfers.ts'
import {
  type Authorities,
  type CheckedRequest,
  checkName,
  checkRequest,
  checkSignature,
  type TransferBody,
} from './check.ts'
import type { RegistryMetrics } from './metrics.ts'
import { type PreCheck, preCheck } from './pre-check.ts'
import { candidatesOf } from './proposals.ts'
import { reservedNames } from './reserved.ts'
import type { RegistrySettings } from './settings.ts'
import type { nameTransferReader, StoredTransfer } from './tables/name-transfers.ts'
import { nameTransferRows } from './tables/name-transfers.ts'
import { MAX_RECENT, undoUntil } from './transfer-rules.ts'

type RegistryOptions = {
  readonly storage: Storage
  readonly clock: Clock
  readonly accounts: Pick<Accounts, 'fidOf'>
  readonly settings: RegistrySettings
  /** The chain id in what users sign about accounts. */
  readonly chainId: number
  readonly verify: VerifySignature
  readonly metrics: RegistryMetrics
  /** Called when so many transfers are committed, so that followers of the log read them at once. Must not block. */
  readonly onTransfer?: (transfers: number) => void
}

type OnSigned = (fid: number) => void

/** Times are in Unix seconds; one that has passed is left out. */
export type Availability = {
  /** `locked`: it was released, and may be registered from `availableAt` on. */
  readonly status: 'free' | 'taken' | 'reserved' | 'locked'
  /** The holder. */
  readonly fid?: number
  readonly availableAt?: number
  /** Until when its holder may undo the registration. */
  readonly undoUntil?: number
  /** From when its holder may transfer or release it. */
  readonly changeableAt?: number
}

/** Names that one is offered at a time. */
const MAX_PROPOSALS = 3

/** Requests whose pre-checks read the store together. */
const MAX_PRE_CHECKS = 64

/**
 * The name registry: the log of all transfers, and the only way to append to it. A request is pre-checked without the
 * lock; only one that the present state allows is signed and joins a group commit, which decides it again.
 */
export class Registry {
  readonly settings: RegistrySettings
  /** The 20-byte address whose signature every transfer carries. */
  readonly signer: Uint8Array
  /** The domain of NameTransfer: this registry and no other. */
  readonly transferDomain: ContractDomain
  readonly transfers: ReturnType<typeof nameTransferReader>
  /** Whether only administrators may give the name away. */
  readonly isReservedName: (name: string) => boolean
  readonly #options: RegistryOptions
  readonly #authorities: Authorities
  readonly #preChecks: BatchLoader<CheckedRequest, PreCheck>
  readonly #commits: GroupCommit<SignedRequest, Outcome>

  constructor(options: RegistryOptions) {
    const { storage, accounts, settings, chainId, clock } = options
    this.#options = options
    this.settings = settings
    this.signer = addressOfPrivateKey(settings.serverKey)
    this.transferDomain = nameTransferDomain({
      chainId,
      registrySigner: getAddress(toHex(this.signer)),
    })
    this.transfers = storage.of(nameTransferRows)
    this.isReservedName = reservedNames(settings.reservedNames)
    this.#authorities = {
      accounts,
      admins: settings.admins,
      isReserved: this.isReservedName,
      transferDomain: this.transferDomain,
      claims: settings.claims,
    }
    this.#preChecks = new BatchLoader(MAX_PRE_CHECKS, (requests) =>
      preCheck(storage, requests, { settings, nowMs: clock.now() }),
    )
    this.#commits = new GroupCommit<SignedRequest, Outcome>({
      alone: async (request) => resultOf((await this.#append([request]))[0]!),
      together: (requests) => this.#append(requests),
      mayRetry: mayRetryAlone,
    })
  }

  /** Unix seconds. */
  now(): number {
    return unixSeconds(this.#options.clock)
  }

  /**
   * Registers, moves or releases a name. Idempotent: a request that is in the log already is answered
   * with its transfer. Throws a Rejection when a rule is broken. `onSigned` gets the acting fid once its signature
   * is verified, unless the claim may be a replay by another client; its errors end the request.
   */
  async submit(body: TransferBody, onSigned?: OnSigned): Promise<StoredTransfer> {
    const { metrics } = this.#options
    try {
      const { outcome, transfer } = await this.#submit(body, onSigned)
      metrics.answered(kindOf(body), outcome)
      return transfer
    } catch (error) {
      metrics.answered(kindOf(body), error instanceof Rejection ? error.code : 'fault')
      throw error
    }
  }

  /**
   * Ends that a fid holds a name, by the operator's decision: an ordinary release, signed with the
   * registry's own key. `record` runs in its transaction, under the lock of the hub too. Throws a Rejection when the name
   * is not registered.
   */
  async takeBack(
    { name, fid }: { readonly name: string; readonly fid: number },
    record: (tx: Writer, transfer: StoredTransfer) => Promise<unknown>,
  ): Promise<StoredTransfer> {
    const { storage, settings, clock, onTransfer } = this.#options
    const { transfer } = await storage.write(['hub', 'registry'], async (tx) => {
      const latest = await tx.of(nameTransferRows).latestOf(name)
      const from = latest?.to_fid ?? 0
      if (!latest || from === 0) {
        throw new Rejection('USERNAME_NOT_FOUND', `"${name}" is not registered`, { field: 'name' })
      }
      if (from !== fid) {
        const text = `"${name}" belongs to fid ${from} now and not to fid ${fid}`
        throw new Rejection('changed_meanwhile', text, { field: 'fid' })
      }
      const timestamp = Math.max(this.now(), latest.timestamp + 1)
      const claim = { name, owner: latest.owner, timestamp }
      const signature = signTypedData(usernameProofTypedData(claim), settings.serverKey)
      const by = { byAdmin: true, actingFid: OPERATOR_FID }
      const request = { ...claim, ...by, from, to: 0, signature, serverSignature: signature }
      const [outcome] = await appendTransfers(tx, [request], { settings, nowMs: clock.now() })
      const taken = resultOf(outcome!)
      await record(tx, taken.transfer)
      return taken
    })
    onTransfer?.(1)
    return transfer
  }

  /** What can be done with a name now. Throws a Rejection INVALID_USERNAME for anything else. */
  async availabilityOf(name: string): Promise<Availability> {
    checkName(name)
    const now = this.now()
    const { intervals } = this.settings
    const latest = await this.transfers.latestOf(name)
    const changeAt = latest && latest.timestamp + intervals.change
    if (latest && latest.to_fid !== 0) {
      const fid = latest.to_fid
      const recent = await this.transfers.recentOf(fid, now - intervals.change, MAX_RECENT)
      const until = undoUntil({ latest, recent }, intervals)
      return {
        status: 'taken',
        fid,
        ...(until !== undefined && until > now && { undoUntil: until }),
        ...(changeAt! > now && { changeableAt: changeAt! }),
      }
    }
    if (this.isReservedName(name)) return { status: 'reserved' }
    const isLocked = changeAt !== undefined && changeAt > now
    return isLocked ? { status: 'locked', availableAt: changeAt } : { status: 'free' }
  }

  /** Free names for what somebody is called, or for a name that somebody else has. The best first. */
  async proposalsFor(text: string): Promise<string[]> {
    const candidates = candidatesOf(text).filter((name) => !this.isReservedName(name))
    const now = this.now()
    const known = await this.transfers.latestOfAll(candidates)
    const isOpen = ({ to_fid, timestamp }: StoredTransfer) =>
      to_fid === 0 && timestamp + this.settings.intervals.change <= now
    const closed = new Set(known.filter((one) => !isOpen(one)).map(({ username }) => username))
    return candidates.filter((name) => !closed.has(name)).slice(0, MAX_PROPOSALS)
  }

  async #submit(body: TransferBody, onSigned?: OnSigned): Promise<Outcome> {
    const { verify, settings } = this.#options
    const request = await checkRequest(body, this.#authorities)
    // A refusal or a repeat needs neither the lock nor a signature.
    const checked = FNAME_PATTERN.test(request.name)
      ? await this.#preChecks.load(request)
      : undefined
    const decision = checked?.decision
    // Both are done in another thread, which is asked once.
    const [serverSignature] = await Promise.all([
      decision?.outcome === 'transfer'
        ? ecdsa.sign(request.claimDigest, settings.serverKey)
        : undefined,
      checkSignature(request, verify),
    ])
    checkName(request.name)
    if (!request.byAdmin && checked?.isUnpublished) onSigned?.(request.actingFid)
    if (decision?.outcome === 'refused') throw decision.rejection
    if (decision?.outcome === 'repeat') return decision
    return this.#commits.run({ ...request, serverSignature: serverSignature! })
  }

  async #append(requests: readonly SignedRequest[]): Promise<WorkOutcome<Outcome>[]> {
    const { storage, settings, clock, onTransfer } = this.#options
    const outcomes = await storage.write('registry', (tx) =>
      appendTransfers(tx, requests, { settings, nowMs: clock.now() }),
    )
    const transfers = outcomes.filter(isTransfer).length
    if (transfers > 0) onTransfer?.(transfers)
    return outcomes
  }
}

/** The acting fid in the log when the operator acts. */
const OPERATOR_FID = 0

const isTransfer = (outcome: WorkOutcome<Outcome>) =>
  'value' in outcome && outcome.value.outcome === 'transfer'

function resultOf(outcome: WorkOutcome<Outcome>): Outcome {
  if ('refused' in outcome) throw outcome.refused
  return outcome.value
}

const kindOf = ({ from, to }: TransferBody) =>
  from === 0 ? 'register' : to === 0 ? 'release' : 'move'
