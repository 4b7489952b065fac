import type { Clock } from '../clock.ts'
import type { Job } from '../jobs/job.ts'
import type { OnChainEvent } from '../protocol/wire/onchain_event_pb.js'
import type { PendingEvent } from '../storage/ledger.ts'
import type { Storage, Writer } from '../storage/storage.ts'
import { decodeOnChainEvent } from './events.ts'

export interface Confirming {
  /** Makes state of the calls whose time has come; how many events that were. */
  confirmDue(): Promise<number>
  /** Calls `confirmDue` periodically. */
  readonly confirmJob: Job
}

type Merge = (tx: Writer, events: readonly OnChainEvent[], nowMs: number) => Promise<number>

/**
 * Events that one transaction confirms at most, so that submits need not wait long for their turn. Many
 * more than one call has.
 */
const CONFIRM_BATCH = 200
/** How late a confirmation may be. */
const CONFIRM_INTERVAL_MS = 200

/** Accepted calls become state in their order once their time has come: once, however many processes try. */
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

/** Those at the front that are due, without a call that goes on beyond the batch: it is not split. */
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
