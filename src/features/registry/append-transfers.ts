import type { WorkOutcome } from '../../kernel/base/concurrency.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import type { Writer } from '../../kernel/storage/storage.ts'
import type { CheckedRequest } from './check.ts'
import { readNames, readSeconds } from './name-state.ts'
import { readQuota } from './quota.ts'
import type { RegistrySettings } from './settings.ts'
import type { StoredTransfer } from './tables/name-transfers.ts'
import { nameTransferRows } from './tables/name-transfers.ts'
import { decideTransfer } from './transfer-rules.ts'

// Requests that wait for the registry's lock are decided together: what their rules depend on is read once for all of
// them, and each decision sees what those before it changed.

/** A checked request, and the registry's signature of its claim. */
export type SignedRequest = Omit<
  CheckedRequest,
  'claimDigest' | 'accepted' | 'digests' | 'signer'
> & {
  readonly serverSignature: Uint8Array
}

/** 'repeat': the request was in the log already. */
export type Outcome = {
  readonly outcome: 'transfer' | 'repeat'
  readonly transfer: StoredTransfer
}

type AppendOptions = {
  readonly settings: Pick<RegistrySettings, 'intervals' | 'limits'>
  readonly nowMs: number
}

/** Decides requests in order, under the registry's lock, and logs the transfers. Nothing is stored of a refused one. */
export async function appendTransfers(
  tx: Writer,
  requests: readonly SignedRequest[],
  { settings, nowMs }: AppendOptions,
): Promise<WorkOutcome<Outcome>[]> {
  const now = Math.floor(nowMs / 1000)
  const fids = requests.filter(({ byAdmin }) => !byAdmin).map(({ actingFid }) => actingFid)
  const [names, seconds, quota] = await Promise.all([
    readNames(tx, requests, now - settings.intervals.change),
    readSeconds(tx, requests),
    readQuota(tx, settings.limits, fids),
  ])
  const appended: StoredTransfer[] = []

  const append = (request: SignedRequest): Outcome => {
    const decision = decideTransfer(names.historyOf(request), request, now, settings.intervals)
    if (decision.outcome === 'refused') throw decision.rejection
    if (decision.outcome === 'repeat') return decision
    seconds.check(request)
    if (!request.byAdmin) quota.consume(request.actingFid, nowMs)
    const transfer = transferOf(request, tx.newestId + appended.length + 1)
    appended.push(transfer)
    names.add(transfer)
    seconds.add(request)
    return { outcome: 'transfer', transfer }
  }

  const outcomes = requests.map((request) => outcomeOf(() => append(request)))
  await Promise.all([tx.of(nameTransferRows).insert(appended), tx.quotas.put(quota.changed)])
  return outcomes
}

function outcomeOf(append: () => Outcome): WorkOutcome<Outcome> {
  try {
    return { value: append() }
  } catch (error) {
    if (error instanceof Rejection) return { refused: error }
    throw error
  }
}

const transferOf = (request: SignedRequest, id: number): StoredTransfer => ({
  id,
  timestamp: request.timestamp,
  username: request.name,
  owner: request.owner,
  from_fid: request.from,
  to_fid: request.to,
  user_signature: request.signature,
  server_signature: request.serverSignature,
  acting_fid: request.actingFid,
})
