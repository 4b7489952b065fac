import { Cron } from 'croner'
import type { Clock } from '../clock.ts'
import { firstEventIdAt } from '../protocol/event-id.ts'
import { MESSAGE_SETS } from '../protocol/slots.ts'
import { activeUnits, limitOf } from '../protocol/storage-units.ts'
import { EventLog } from '../storage/event-log.ts'
import type { Reader, Storage } from '../storage/storage.ts'
import type { HubMetrics } from './metrics.ts'
import type { NameFollower } from './name-follower.ts'
import { removeMessages } from './removal.ts'
import type { HubSettings } from './settings.ts'

/** How much one transaction of a job may delete: others wait for it no longer than for a batch. */
const DELETED_PER_TRANSACTION = 1_000
const FIDS_PER_PAGE = 500

type JobOptions = {
  readonly storage: Storage
  readonly clock: Clock
  readonly settings: HubSettings
  readonly names: NameFollower
  readonly metrics: HubMetrics
  readonly onError: (error: unknown, what: string) => void
}

/** The hub's background work, each job never twice at a time; a failure is counted and tried again. */
export function startJobs(options: JobOptions) {
  const jobs = [
    { name: 'prune events', schedule: '20 * * * *', run: () => pruneEvents(options) },
    { name: 'prune messages', schedule: '0 */2 * * *', run: () => pruneMessages(options) },
    { name: 'follow names', schedule: '*/5 * * * * *', run: () => options.names.poll() },
  ]
  const attempt = async (name: string, run: () => Promise<void>) => {
    try {
      await run()
    } catch (error) {
      options.metrics.jobFailed(name)
      options.onError(error, name)
    }
  }
  const running = new Set<Promise<void>>()
  const crons = jobs.map(
    ({ name, schedule, run }) =>
      new Cron(schedule, { timezone: 'UTC', protect: true, unref: true }, () => {
        const attempted = attempt(name, run)
        running.add(attempted)
        return attempted.finally(() => running.delete(attempted))
      }),
  )
  return {
    async runAll() {
      for (const { run } of jobs) await run()
    },
    async stop() {
      for (const cron of crons) cron.stop()
      await Promise.all(running)
    },
  }
}

/** Deletes events older than the retention, in portions. */
async function pruneEvents({ storage, clock, settings, metrics }: JobOptions): Promise<void> {
  const beforeId = firstEventIdAt(clock.now() - settings.eventRetentionMs)
  for (let deleted = DELETED_PER_TRANSACTION; deleted === DELETED_PER_TRANSACTION; ) {
    deleted = await storage.write('hub', (tx) => tx.events.prune(beforeId, deleted))
    metrics.removed('expired event', deleted)
  }
}

/** Prunes the oldest messages of every fid whose storage has shrunk below what it holds. */
async function pruneMessages(options: JobOptions): Promise<void> {
  const { storage, metrics } = options
  let token: Uint8Array | undefined
  do {
    const page = await storage.accounts.listFids({ size: FIDS_PER_PAGE, token })
    while ((await excesses(storage, page.items, options)).length > 0) {
      const pruned = await storage.write('hub', async (tx) => {
        const log = new EventLog(tx, options.clock.now())
        const [list] = await excesses(tx, page.items, options)
        const rows = list ? await tx.messages.oldest([list]) : []
        await removeMessages(tx, log, rows, 'prune')
        await log.flush()
        return rows.length
      })
      metrics.removed('pruned message', pruned)
      // A counter that promises more than there is (see verify) must not keep us here.
      if (pruned === 0) break
    }
    token = page.next
  } while (token)
}

async function excesses(
  reader: Reader,
  fids: readonly number[],
  { clock, settings }: JobOptions,
): Promise<{ fid: number; store: number; excess: number }[]> {
  const [rents, usages] = await Promise.all([
    reader.accounts.rents(fids),
    reader.messages.usage(fids),
  ])
  const unixSeconds = Math.floor(clock.now() / 1000)
  return usages.flatMap(({ fid, store, count }) => {
    if (store === MESSAGE_SETS.linkCompactState) return []
    const own = rents.filter((rent) => rent.fid === fid)
    const periods = own.map((rent) => ({ rentedAt: rent.rented_at, units: rent.units }))
    const limit = limitOf(activeUnits(periods, unixSeconds, settings.network), store)
    const excess = Math.min(count - limit, DELETED_PER_TRANSACTION)
    return excess > 0 ? [{ fid, store, excess }] : []
  })
}
