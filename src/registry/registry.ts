import { getAddress } from 'viem/utils'
import type { Accounts } from '../accounts/port.ts'
import { ecdsa } from '../accounts/signatures/ecdsa.ts'
import type { VerifySignature } from '../accounts/signatures/signature.ts'
import { type Clock, unixSeconds } from '../base/clock.ts'
import { GroupCommit, type WorkOutcome } from '../base/concurrency.ts'
import { toHex } from '../protocol/codec/bytes.ts'
import type { ContractDomain } from '../protocol/crypto/account-domains.ts'
import {
  nameTransferDomain,
  signTypedData,
  usernameProofTypedData,
} from '../protocol/crypto/eip712.ts'
import { addressOfPrivateKey } from '../protocol/crypto/secp256k1.ts'
import { FNAME_PATTERN } from '../protocol/names.ts'
import { Rejection } from '../protocol/rejection.ts'
import { mayRetryAlone } from '../storage/engines/unavailable.ts'
import type { Reader, Storage } from '../storage/storage.ts'
import type { StoredTransfer } from '../storage/tables/name-transfers.ts'
import { appendTransfers, type Outcome, type SignedRequest } from './appending.ts'
import {
  type CheckedRequest,
  checkName,
  checkRequest,
  checkSignature,
  type TransferBody,
} from './check.ts'
import { type Look, lookAt } from './looking.ts'
import type { RegistryMetrics } from './metrics.ts'
import { reservedNames } from './reserved.ts'
import type { RegistrySettings } from './settings.ts'
import { mayUndo } from './transfer-rules.ts'

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

/** The name registry: the log of all transfers, and the only way to append to it. */
export type Registry = {
  readonly settings: RegistrySettings
  /** The 20-byte address whose signature every transfer carries. */
  readonly signer: Uint8Array
  /** The domain of NameTransfer: this registry and no other. */
  readonly transferDomain: ContractDomain
  readonly transfers: Reader['nameTransfers']
  /** Whether only administrators may give the name away. */
  isReservedName(name: string): boolean
  /** Unix seconds. */
  now(): number
  /** What can be done with a name now. Throws a Rejection INVALID_USERNAME for anything else. */
  availabilityOf(name: string): Promise<Availability>
  /**
   * Registers, moves or releases a name. Idempotent: a request that is in the log already is answered
   * with its transfer. Throws a Rejection when a rule is broken. `onSigned` is told the fid that acts once its
   * signature was verified, unless somebody else may have sent the claim again; what it throws ends the request.
   */
  submit(body: TransferBody, onSigned?: OnSigned): Promise<StoredTransfer>
  /**
   * Ends that a fid holds a name, by the operator's decision: an ordinary release, signed with the
   * registry's own key. Throws a Rejection when the name is not registered.
   */
  takeBack(name: string): Promise<StoredTransfer>
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

export function createRegistry(options: RegistryOptions): Registry {
  const { storage, clock, accounts, verify, settings, metrics } = options
  const { admins } = settings
  const isReserved = reservedNames(settings.reservedNames)
  const signer = addressOfPrivateKey(settings.serverKey)
  const transferDomain = nameTransferDomain({
    chainId: options.chainId,
    registrySigner: getAddress(toHex(signer)),
  })
  const { claims } = settings
  const authorities = { accounts, admins, isReserved, transferDomain, claims }
  const now = () => unixSeconds(clock)

  const appendAll = async (requests: readonly SignedRequest[]) => {
    const outcomes = await storage.write('registry', (tx) =>
      appendTransfers(tx, requests, { settings, nowMs: clock.now() }),
    )
    const transfers = outcomes.filter(isTransfer).length
    if (transfers > 0) options.onTransfer?.(transfers)
    return outcomes
  }
  const appending = new GroupCommit<SignedRequest, Outcome>({
    alone: async (request) => resultOf((await appendAll([request]))[0]!),
    together: appendAll,
    mayRetry: mayRetryAlone,
  })

  // What is refused or a repeat keeps no other request waiting for the lock, and is not signed.
  const lookAll = (requests: readonly CheckedRequest[]) =>
    lookAt(storage, requests, { settings, nowMs: clock.now() })
  const looking = new GroupCommit<CheckedRequest, Look>({
    alone: async (request) => (await lookAll([request]))[0]!,
    together: async (requests) => (await lookAll(requests)).map((value) => ({ value })),
    mayRetry: mayRetryAlone,
  })

  const submit = async (body: TransferBody, onSigned?: OnSigned): Promise<Outcome> => {
    const request = await checkRequest(body, authorities)
    const look = FNAME_PATTERN.test(request.name) ? await looking.run(request) : undefined
    const decision = look?.decision
    // Both are done in another thread, which is asked once.
    const [serverSignature] = await Promise.all([
      decision?.outcome === 'transfer'
        ? ecdsa.sign(request.claimDigest, settings.serverKey)
        : undefined,
      checkSignature(request, verify),
    ])
    checkName(request.name)
    if (!request.byAdmin && look?.isUnpublished) onSigned?.(request.actingFid)
    if (decision?.outcome === 'refused') throw decision.rejection
    if (decision?.outcome === 'repeat') return decision
    return appending.run({ ...request, serverSignature: serverSignature! })
  }

  const takeBack = async (name: string): Promise<StoredTransfer> => {
    const { transfer } = await storage.write('registry', async (tx) => {
      const latest = await tx.nameTransfers.latestOf(name)
      const from = latest?.to_fid ?? 0
      if (!latest || from === 0) {
        throw new Rejection('USERNAME_NOT_FOUND', `"${name}" is not registered`, { field: 'name' })
      }
      const claim = { name, owner: latest.owner, timestamp: Math.max(now(), latest.timestamp + 1) }
      const signature = signTypedData(usernameProofTypedData(claim), settings.serverKey)
      const by = { byAdmin: true, actingFid: OPERATOR_FID }
      const request = { ...claim, ...by, from, to: 0, signature, serverSignature: signature }
      const [outcome] = await appendTransfers(tx, [request], { settings, nowMs: clock.now() })
      return resultOf(outcome!)
    })
    options.onTransfer?.(1)
    return transfer
  }

  const availabilityOf = async (name: string): Promise<Availability> => {
    checkName(name)
    const latest = await storage.nameTransfers.latestOf(name)
    const { intervals } = settings
    const changeAt = latest && latest.timestamp + intervals.change
    if (latest && latest.to_fid !== 0) {
      const fid = latest.to_fid
      const lastRelease = await storage.nameTransfers.lastReleaseBy(fid)
      const history = { latest, held: latest, lastRelease }
      return {
        status: 'taken',
        fid,
        ...(mayUndo(history, now(), intervals) && { undoUntil: latest.timestamp + intervals.undo }),
        ...(changeAt! > now() && { changeableAt: changeAt! }),
      }
    }
    if (isReserved(name)) return { status: 'reserved' }
    const isLocked = changeAt !== undefined && changeAt > now()
    return isLocked ? { status: 'locked', availableAt: changeAt } : { status: 'free' }
  }

  return {
    isReservedName: isReserved,
    settings,
    signer,
    availabilityOf,
    takeBack,
    transferDomain,
    transfers: storage.nameTransfers,
    now,
    async submit(body, onSigned) {
      try {
        const { outcome, transfer } = await submit(body, onSigned)
        metrics.answered(kindOf(body), outcome)
        return transfer
      } catch (error) {
        metrics.answered(kindOf(body), error instanceof Rejection ? error.code : 'fault')
        throw error
      }
    },
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
