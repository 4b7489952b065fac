import { setImmediate as nextTurn } from 'node:timers/promises'
import { fidFloor } from '../../accounts/fid-floor.ts'
import { type Clock, unixSeconds } from '../../base/clock.ts'
import type { Job } from '../../jobs/job.ts'
import { firstEventIdAt } from '../../protocol/event-id.ts'
import {
  firstLoss,
  isLimited,
  keptUnits,
  limitOf,
  STORAGE_NOTICE_SECONDS,
  unitCount,
} from '../../protocol/storage-units.ts'
import { HOUR_MS } from '../../protocol/time.ts'
import { EventLog } from '../../storage/messages/event-log.ts'
import type { Reader, Storage } from '../../storage/storage.ts'
import { forgetLends } from '../kinds/storage-lends.ts'
import type { HubMetrics } from '../metrics.ts'
import { removeMessages } from '../removal.ts'
import type { HubSettings } from '../settings.ts'
import type { NameFollower } from './name-follower.ts'
import { revokeUnreadable } from './unreadable-messages.ts'

/** How much one transaction of a job may delete: others wait for it no longer than for a batch. */
const DELETED_PER_TRANSACTION = 1_000
const FIDS_PER_PAGE = 500
/** How late the hub may learn of a name that another process or another registry has registered. */
const NAME_FEED_INTERVAL_MS = 5_000

type JobOptions = {
  readonly storage: Storage
  readonly clock: Clock
  readonly settings: HubSettings
  readonly names: NameFollower
  readonly metrics: HubMetrics
}

/** The hub's background work. */
export const hubJobs = (options: JobOptions): Job[] => [
  {
    name: 'prune events',
    scope: 'leader',
    everyMs: HOUR_MS,
    async run({ signal }) {
      await pruneEvents(options, signal)
      await forgetQuotas(options, signal)
      await forgetEndedLends(options)
    },
  },
  // A mirrored hub prunes: by its own count this one would lose what that one serves.
  ...(options.settings.isMirror ? [] : [pruneJob(options)]),
  {
    name: 'follow names',
    scope: 'leader',
    everyMs: NAME_FEED_INTERVAL_MS,
    run: () => options.names.poll(),
  },
  {
    name: 'revoke unreadable messages',
    scope: 'leader',
    everyMs: HOUR_MS,
    firstAfterMs: 0,
    run: (run) => revokeUnreadable(options, run),
  },
]

const pruneJob = (options: JobOptions): Job => ({
  name: 'prune messages',
  scope: 'leader',
  everyMs: 2 * HOUR_MS,
  run: ({ signal }) => pruneMessages(options, signal),
})

/** Events that the views have not read are kept this long beyond the retention, at most. */
const MAX_UNREAD_MS = 14 * 24 * HOUR_MS

/** The id below which events may be deleted: they are old enough, and the views have read them. */
async function prunableBelow({ storage, clock, settings }: JobOptions): Promise<number> {
  const expired = firstEventIdAt(clock.now() - settings.eventRetentionMs)
  if (!storage.settings.views) return expired
  const { cursor = 0 } = (await storage.views.position()) ?? {}
  const unread = firstEventIdAt(clock.now() - Math.max(MAX_UNREAD_MS, settings.eventRetentionMs))
  return Math.min(expired, Math.max(cursor + 1, unread))
}

/** Deletes events older than the retention, in batches. */
async function pruneEvents(options: JobOptions, signal: AbortSignal): Promise<void> {
  const { storage, metrics } = options
  const beforeId = await prunableBelow(options)
  for (let deleted = DELETED_PER_TRANSACTION; deleted === DELETED_PER_TRANSACTION; ) {
    signal.throwIfAborted()
    deleted = await storage.write('hub', (tx) => tx.events.prune(beforeId, deleted))
    metrics.removed('expired event', deleted)
  }
}

/** Deletes what was used in windows that have ended, in batches. */
async function forgetQuotas({ storage, clock }: JobOptions, signal: AbortSignal): Promise<void> {
  for (let deleted = DELETED_PER_TRANSACTION; deleted === DELETED_PER_TRANSACTION; ) {
    signal.throwIfAborted()
    deleted = await storage.write('hub', (tx) => tx.quotas.forget(clock.now(), deleted))
  }
}

const forgetEndedLends = ({ storage, clock }: JobOptions): Promise<number> =>
  storage.write('hub', (tx) => forgetLends(tx, unixSeconds(clock)))

/** Prunes the oldest messages of every fid whose storage has shrunk below what it holds, and counts whose storage is about to. */
async function pruneMessages(options: JobOptions, signal: AbortSignal): Promise<void> {
  const { storage, clock, metrics } = options
  let token: Uint8Array | undefined
  let expiring = 0
  do {
    const page = await storage.accounts.listFids({ size: FIDS_PER_PAGE, token })
    while ((await excesses(storage, page.items, options)).length > 0) {
      signal.throwIfAborted()
      const pruned = await storage.write('hub', async (tx) => {
        const log = new EventLog(tx, clock.now())
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
    expiring += await countExpiring(storage, page.items, options)
    token = page.next
    // Reads of SQLite are synchronous: other work of this thread runs now.
    await nextTurn()
    signal.throwIfAborted()
  } while (token)
  metrics.storageExpiring(expiring)
}

async function excesses(
  reader: Reader,
  fids: readonly number[],
  { clock, settings }: JobOptions,
): Promise<{ fid: number; store: number; excess: number }[]> {
  const now = unixSeconds(clock)
  const floor = await fidFloor(reader)
  return (await readStored(reader, fids)).flatMap(({ fid, holding, usages }) => {
    // Of accounts of another network the storage is read later than messages, if at all.
    if (fid <= floor && holding.rents.length === 0) return []
    const units = keptUnits(holding, now, settings)
    // Storage grows with the next message instead. What the operator lets end is pruned after its grace time.
    if (settings.growth && !settings.storageEnds && unitCount(units) > 0) return []
    return usages.flatMap(({ store, count }) => {
      const excess = Math.min(count - limitOf(units, store), DELETED_PER_TRANSACTION)
      return excess > 0 ? [{ fid, store, excess }] : []
    })
  })
}

/** How many of these fids lose messages, or all of their storage, within the notice and the grace time. */
async function countExpiring(
  reader: Reader,
  fids: readonly number[],
  { clock, settings }: JobOptions,
): Promise<number> {
  if (!settings.storageEnds) return 0
  const now = unixSeconds(clock)
  const losses = (await readStored(reader, fids)).map(({ holding, usages }) =>
    firstLoss(holding, usages, now, settings),
  )
  return losses.filter((loss) => loss && loss.end <= now + STORAGE_NOTICE_SECONDS).length
}

/** Storage and the numbers of messages in sets with a limit, of each fid. */
async function readStored(reader: Reader, fids: readonly number[]) {
  const [holdings, usages] = await Promise.all([
    reader.storageLends.holdings(fids),
    reader.messages.usage(fids),
  ])
  const usagesOf = Map.groupBy(
    usages.filter(({ store }) => isLimited(store)),
    ({ fid }) => fid,
  )
  return fids.map((fid) => ({
    fid,
    holding: holdings.of(fid),
    usages: usagesOf.get(fid) ?? [],
  }))
}
