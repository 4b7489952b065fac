// Durable consumers of the event log: each event once, in order, over restarts and with any number of processes.

import type { EventBatch } from './events.ts'
import { waitForSignals } from './signals.ts'
import type { Lock, Reader, Storage, Writer } from './storage.ts'

export type ConsumerOptions = {
  readonly storage: Pick<Storage, 'write' | 'signals' | 'events' | 'cursors'>
  /** The cursor is stored under this name: `views`, `webhooks`. */
  readonly name: string
  /** Where it begins while it has no cursor. */
  readonly begin: 'oldest' | 'newest'
  /** The cursor is moved under this lock. */
  readonly lock: Lock
  /** Bounds of one batch; a batch has at least one event. */
  readonly maxEvents: number
  readonly maxBytes: number
  /** Called before the cursor is moved; throws when this process must not be the consumer any more. */
  readonly check?: (tx: Writer) => Promise<void>
} & (
  | {
      /**
       * Handles a batch in the transaction that moves the cursor behind it: what it writes there is written
       * exactly once. A transaction that conflicts with another one is run again.
       */
      readonly apply: (tx: Writer, batch: EventBatch) => Promise<void>
    }
  | {
      /**
       * Handles a batch outside of a transaction. The cursor is moved afterwards, so that a batch is
       * handled at least once: again when the process ends in between.
       */
      readonly deliver: (batch: EventBatch, signal: AbortSignal) => Promise<void>
    }
)

export type EventConsumer = {
  /** The id of the last event that was handled; undefined before the first run. */
  position(): Promise<number | undefined>
  /** Handles what there is now, batch by batch. Throws what a handler throws; its batch then comes again. */
  drain(signal: AbortSignal): Promise<void>
  /** Handles stored events and then new ones as they are committed, until `signal` is aborted or a handler throws. */
  follow(signal: AbortSignal): Promise<void>
}

/**
 * A consumer of the event log that remembers its position. Two processes may run it at once: the cursor is
 * read and moved under the lock, so `apply` never handles an event twice. Run it as a job of the leader to
 * save the work of the others.
 */
export function createEventConsumer(options: ConsumerOptions): EventConsumer {
  const { storage, lock, begin } = options
  const cursorName = `events-${options.name}`

  const cursorOf = async ({ cursors }: Pick<Reader, 'cursors'>): Promise<number | undefined> => {
    const text = await cursors.get(cursorName)
    return text === undefined ? undefined : Number(text)
  }
  const move = async (tx: Writer, id: number) => {
    await options.check?.(tx)
    await tx.cursors.put(cursorName, String(id))
  }
  /** The cursor, which is stored at the first call. */
  const start = async (tx: Writer): Promise<number> => {
    const stored = await cursorOf(tx)
    if (stored !== undefined) return stored
    const first = begin === 'newest' ? await tx.events.newestId() : 0
    await move(tx, first)
    return first
  }
  const read = ({ events }: Pick<Reader, 'events'>, after: number) =>
    events.after(after, { maxEvents: options.maxEvents, maxBytes: options.maxBytes })

  /** Handles one batch; returns whether there was one. */
  async function step(signal: AbortSignal): Promise<boolean> {
    if ('apply' in options) {
      return storage.write(lock, async (tx) => {
        const batch = await read(tx, await start(tx))
        const last = batch.events.at(-1)
        if (!last) return false
        await options.apply(tx, batch)
        await move(tx, last.id)
        return true
      })
    }
    const from = (await cursorOf(storage)) ?? (await storage.write(lock, start))
    const batch = await read(storage, from)
    const last = batch.events.at(-1)
    if (!last) return false
    await options.deliver(batch, signal)
    await storage.write(lock, async (tx) => {
      // Another process may have been faster; the cursor never goes back.
      if ((await cursorOf(tx)) === from) await move(tx, last.id)
    })
    return true
  }

  async function drain(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && (await step(signal)));
  }

  return {
    position: () => cursorOf(storage),
    drain,
    async follow(signal) {
      const waiter = waitForSignals(storage.signals, 'events')
      try {
        while (!signal.aborted) {
          await drain(signal)
          await waiter.next(signal)
        }
      } finally {
        waiter.end()
      }
    },
  }
}
