import { Rejection } from '../../kernel/protocol/rejection.ts'
import type { Reader } from '../../kernel/storage/storage.ts'
import { MAX_TRANSFERS_PER_TIMESTAMP } from './settings.ts'
import type { StoredTransfer } from './tables/name-transfers.ts'
import { nameTransferRows } from './tables/name-transfers.ts'
import { MAX_RECENT, type NameHistory, type NameRequest } from './transfer-rules.ts'

/** Reads the names and fids that the rules of these requests depend on. */
export async function readNames(
  { of }: Pick<Reader, 'of'>,
  requests: readonly NameRequest[],
  /** The start of the change interval, in Unix seconds. */
  since: number,
): Promise<Names> {
  const receivers = requests.filter(({ to }) => to !== 0).map(({ to }) => to)
  const [latest, held] = await Promise.all([
    of(nameTransferRows).latestOfAll(distinct(requests.map(({ name }) => name))),
    of(nameTransferRows).heldByAll(distinct(receivers)),
  ])
  const names = new Names(
    new Map(latest.map((transfer) => [transfer.username, transfer])),
    new Map(held.map((transfer) => [transfer.to_fid, transfer])),
  )
  const releasing = requests.filter(({ to }) => to === 0).map(({ from }) => from)
  for (const fid of distinct(releasing)) {
    names.recent.set(fid, await of(nameTransferRows).recentOf(fid, since, MAX_RECENT))
  }
  return names
}

/** What is known of the names and the fids of a batch, with the transfers that the batch has added. */
export class Names {
  /** The first transfers within the change interval of fids that release names. */
  readonly recent = new Map<number, readonly StoredTransfer[]>()
  readonly #latest: Map<string, StoredTransfer>
  readonly #held: Map<number, StoredTransfer>

  constructor(latest: Map<string, StoredTransfer>, held: Map<number, StoredTransfer>) {
    this.#latest = latest
    this.#held = held
  }

  historyOf({ name, from, to }: NameRequest): NameHistory {
    return {
      latest: this.#latest.get(name),
      held: to === 0 ? undefined : this.#held.get(to),
      ...(to === 0 && { recent: this.recent.get(from) ?? [] }),
    }
  }

  add(transfer: StoredTransfer): void {
    const { username, from_fid, to_fid } = transfer
    this.#latest.set(username, transfer)
    if (this.#held.get(from_fid)?.username === username) this.#held.delete(from_fid)
    for (const fid of [from_fid, to_fid]) {
      const before = this.recent.get(fid)
      if (before) this.recent.set(fid, [...before, transfer])
    }
    if (to_fid !== 0) this.#held.set(to_fid, transfer)
  }
}

/** Counts the transfers of the seconds of these requests, in time linear in their number. */
export async function readSeconds(
  { of }: Pick<Reader, 'of'>,
  requests: readonly NameRequest[],
): Promise<Seconds> {
  const counts = await of(nameTransferRows).countsAt(
    distinct(requests.map(({ timestamp }) => timestamp)),
  )
  return new Seconds(new Map(counts.map(({ second, transfers }) => [second, transfers])))
}

/** Counts the transfers of each second in which a batch registers names: stored ones, and those added by the batch. */
class Seconds {
  readonly #counts: Map<number, number>

  constructor(counts: Map<number, number>) {
    this.#counts = counts
  }

  /** Throws a Rejection when a second has as many as it may have. */
  check({ timestamp }: NameRequest): void {
    if ((this.#counts.get(timestamp) ?? 0) < MAX_TRANSFERS_PER_TIMESTAMP) return
    const text = `too many names changed hands at ${timestamp}; sign for another second`
    throw new Rejection('unavailable.overloaded', text, { field: 'timestamp' })
  }

  add({ timestamp }: NameRequest): void {
    this.#counts.set(timestamp, (this.#counts.get(timestamp) ?? 0) + 1)
  }
}

const distinct = <T>(values: readonly T[]) => [...new Set(values)]
