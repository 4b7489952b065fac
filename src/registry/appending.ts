import { Rejection } from '../protocol/rejection.ts'
import type { StoredTransfer } from '../storage/name-transfers.ts'
import type { WorkOutcome } from '../storage/shared-writes.ts'
import type { Writer } from '../storage/storage.ts'
import type { CheckedRequest } from './check.ts'
import { readQuota } from './quota.ts'
import { MAX_TRANSFERS_PER_TIMESTAMP, type RegistrySettings } from './settings.ts'
import { decideTransfer, type NameHistory } from './transfer-rules.ts'

// Requests that wait for the registry's lock are decided together: what their rules depend on is read once for all of
// them, and each decision sees what those before it changed.

/** A checked request, and the registry's signature of its claim. */
export type SignedRequest = Omit<CheckedRequest, 'claimDigest'> & {
  readonly serverSignature: Uint8Array
}

/** 'repeat': the request was in the log already. */
export type Outcome = {
  readonly outcome: 'transfer' | 'repeat'
  readonly transfer: StoredTransfer
}

type Terms = {
  readonly settings: Pick<RegistrySettings, 'intervals' | 'limits'>
  readonly nowMs: number
}

/** Decides requests in order, under the registry's lock, and logs the transfers. Nothing is stored of a refused one. */
export async function appendTransfers(
  tx: Writer,
  requests: readonly SignedRequest[],
  { settings, nowMs }: Terms,
): Promise<WorkOutcome<Outcome>[]> {
  const names = await readNames(tx, requests)
  const fids = requests.filter(({ byAdmin }) => !byAdmin).map(({ actingFid }) => actingFid)
  const quota = await readQuota(tx, settings.limits, fids)
  const appended: StoredTransfer[] = []

  const append = (request: SignedRequest): Outcome => {
    const now = Math.floor(nowMs / 1000)
    const decision = decideTransfer(names.historyOf(request), request, now, settings.intervals)
    if (decision.outcome === 'refused') throw decision.rejection
    if (decision.outcome === 'repeat') return decision
    names.checkTimestamp(request)
    if (!request.byAdmin) quota.take(request.actingFid, nowMs)
    const transfer = transferOf(request, tx.newestId + appended.length + 1)
    appended.push(transfer)
    names.add(transfer)
    return { outcome: 'transfer', transfer }
  }

  const outcomes = requests.map((request) => outcomeOf(() => append(request)))
  await tx.nameTransfers.insert(appended)
  await tx.quotas.put(quota.changed)
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

async function readNames(tx: Writer, requests: readonly SignedRequest[]): Promise<Names> {
  const { nameTransfers } = tx
  const distinct = <T>(values: readonly T[]) => [...new Set(values)]
  const receivers = requests.filter(({ to }) => to !== 0).map(({ to }) => to)
  const latest = await nameTransfers.latestOfAll(distinct(requests.map(({ name }) => name)))
  const held = await nameTransfers.heldByAll(distinct(receivers))
  const counts = await nameTransfers.countsAt(distinct(requests.map(({ timestamp }) => timestamp)))
  const names = new Names(
    new Map(latest.map((transfer) => [transfer.username, transfer])),
    new Map(held.map((transfer) => [transfer.to_fid, transfer])),
    new Map(counts.map(({ second, transfers }) => [second, transfers])),
  )
  const releasing = requests.filter(({ to }) => to === 0).map(({ from }) => from)
  for (const fid of distinct(releasing)) {
    names.releases.set(fid, await nameTransfers.lastReleaseBy(fid))
  }
  return names
}

/** What is known of the names and the fids of a batch, with the transfers that the batch has added. */
class Names {
  /** When a fid last released a name, in Unix seconds. */
  readonly releases = new Map<number, number | undefined>()
  readonly #latest: Map<string, StoredTransfer>
  readonly #held: Map<number, StoredTransfer>
  readonly #counts: Map<number, number>

  constructor(
    latest: Map<string, StoredTransfer>,
    held: Map<number, StoredTransfer>,
    counts: Map<number, number>,
  ) {
    this.#latest = latest
    this.#held = held
    this.#counts = counts
  }

  historyOf({ name, from, to }: SignedRequest): NameHistory {
    return {
      latest: this.#latest.get(name),
      held: to === 0 ? undefined : this.#held.get(to),
      lastRelease: to === 0 ? this.releases.get(from) : undefined,
    }
  }

  checkTimestamp({ timestamp }: SignedRequest): void {
    if ((this.#counts.get(timestamp) ?? 0) < MAX_TRANSFERS_PER_TIMESTAMP) return
    const text = `too many names changed hands at ${timestamp}; sign for another second`
    throw new Rejection('unavailable.overloaded', text, { field: 'timestamp' })
  }

  add(transfer: StoredTransfer): void {
    const { username, from_fid, to_fid, timestamp } = transfer
    this.#latest.set(username, transfer)
    this.#counts.set(timestamp, (this.#counts.get(timestamp) ?? 0) + 1)
    if (this.#held.get(from_fid)?.username === username) this.#held.delete(from_fid)
    if (to_fid === 0) this.releases.set(from_fid, timestamp)
    else this.#held.set(to_fid, transfer)
  }
}
