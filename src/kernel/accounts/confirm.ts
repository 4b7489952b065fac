import type { Clock } from '../base/clock.ts'
import type { Job } from '../jobs/job.ts'
import type { OnChainEvent } from '../protocol/wire/onchain_event_pb.js'
import type { Storage, Writer } from '../storage/storage.ts'
import type { PendingEvent } from '../storage/tables/ledger.ts'
import { decodeOnChainEvent } from './events.ts'

export interface Confirming {
  /** Merges the events of calls whose confirmation time has passed; returns the number of events. */
  confirmDue(): Promise<number>
  /** Calls `confirmDue` periodically. */
  readonly confirmJob: Job
}

type Merge = (tx: Writer, events: readonly OnChainEvent[], nowMs: number) => Promise<number>

/**
 * The most events that one transaction confirms, so that submits wait only briefly for the lock. One call has
 * far fewer.
 */
const CONFIRM_BATCH = 200
/** The longest delay of a confirmation. */
const CONFIRM_INTERVAL_MS = 200

/** Confirms accepted calls in their order once their time has come: each once, with any number of processes. */
export function confirming(storage: Storage, clock: Clock, merge: Merge): Confirming {
  const confirmBatch = async (): Promise<number> => {
    const [next] = await storage.ledger.pending(1)
    if (next === undefined || next.confirm_at > clock.now()) return 0
    return storage.write('hub', async (tx) => {
      const nowMs = clock.now()
      const due = takeDue(await tx.ledger.pending(CONFIRM_BATCH), nowMs)
      if (due.length === 0) return 0
      await tx.ledger.removePending(due.at(-1)!.seq)
      await merge(
        tx,
        due.map(({ event }) => event),
        nowMs,
      )
      return due.length
    })
  }

  const confirmDue = async (): Promise<number> => {
    let total = 0
    for (let count = await confirmBatch(); count > 0; count = await confirmBatch()) total += count
    return total
  }

  return {
    confirmDue,
    confirmJob: {
      name: 'confirm calls',
      scope: 'leader',
      everyMs: CONFIRM_INTERVAL_MS,
      run: confirmDue,
    },
  }
}

/** The first due events, cut before a call that would be split between batches. */
function takeDue(pending: readonly PendingEvent[], nowMs: number) {
  const firstLater = pending.findIndex(({ confirm_at }) => confirm_at > nowMs)
  const due = (firstLater === -1 ? pending : pending.slice(0, firstLater)).map((row) => ({
    seq: row.seq,
    event: decodeOnChainEvent(row.body),
  }))
  if (due.length < CONFIRM_BATCH) return due
  const { blockNumber } = due.at(-1)!.event
  return due.filter(({ event }) => event.blockNumber < blockNumber)
}
