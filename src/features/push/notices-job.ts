import type { AppContext, StoreContext } from '../../kernel/app-api/context.ts'
import { hydrate } from '../../kernel/app-api/objects/hydrate.ts'
import { checkLease, type Job, type JobRun } from '../../kernel/jobs/job.ts'
import { firstEventIdAt } from '../../kernel/protocol/event-id.ts'
import { FUTURE_TOLERANCE_SECONDS, networkTime } from '../../kernel/protocol/time.ts'
import type { NewNotice } from '../../kernel/storage/reads/app-notices.ts'
import type { Writer } from '../../kernel/storage/storage.ts'
import type { SayToAccounts } from '../languages/port.ts'
import { pushesOf } from './notice-push.ts'
import { type PushNotice, pushNotice } from './push-notice.ts'
import { pushRows, TOLD_SINCE } from './tables/pushes.ts'

// Pushes what the list of notifications shows: it reads the same rows, under the same rules about who is muted, blocked and hidden.

const EVERY_MS = 1_000
/** Older notices are no news: they come late from another server, or this one was not running. */
const MAX_AGE_SECONDS = 3_600
const MAX_NOTICES = 100
/** A message that is younger than MAX_AGE_SECONDS was stored within this time: its date may be ahead of the clock. */
const MAX_STORED_MS = (MAX_AGE_SECONDS + FUTURE_TOLERANCE_SECONDS) * 1_000
/** Up to which event notices were pushed. */
const CURSOR = 'pushes'
const NO_APP = ''
/** Messages that were held and are shown now, of one run. */
const MAX_SHOWN = 100

type PushContext = StoreContext & {
  readonly sayTo: SayToAccounts
}

export function noticesJob(context: PushContext): Job {
  /** Up to which this process has read; the stored position moves only with what is pushed. */
  let readUpTo = 0
  return {
    name: 'push notices',
    scope: 'leader',
    everyMs: EVERY_MS,
    firstAfterMs: EVERY_MS,
    async run(run) {
      const { views, storage, nowMs } = context
      const state = views.state()
      if (state.status !== 'ready') return
      if (state.cursor !== readUpTo) {
        // A reset may begin a new log.
        if (readUpTo > state.cursor) readUpTo = 0
        const stored = Number((await storage.cursors.get(CURSOR)) ?? 0)
        const since = Math.max(stored, readUpTo, firstEventIdAt(nowMs() - MAX_STORED_MS))
        await pushNew(context, since, state.cursor, run)
        readUpTo = state.cursor
      }
      await pushShown(context, readUpTo, run)
    },
  }
}

/** Notices of messages after an event, up to another one. */
async function pushNew(context: PushContext, since: number, upTo: number, run: JobRun) {
  for (let after = since; ; ) {
    run.signal.throwIfAborted()
    const page = await readNotices(context, after, upTo)
    const moveOn = async (tx: Writer) => {
      // A message may be shown before it is read the first time.
      for (const { id } of page.notices) await tx.of(pushRows).removeShown(id)
      await tx.cursors.put(CURSOR, String(page.upTo))
    }
    if (page.notices.length > 0) await push(context, page.notices, moveOn, run)
    if (page.isLast) return
    after = page.upTo
  }
}

/** The next notices, whole messages only: one may notify several people. */
async function readNotices({ storage, nowMs }: AppContext, after: number, upTo: number) {
  const since = networkTime(nowMs()) - MAX_AGE_SECONDS
  const asked = { after, upTo, since, toldSince: TOLD_SINCE }
  const rows = await storage.appViews.newNotices(asked, MAX_NOTICES)
  if (rows.length < MAX_NOTICES) return { notices: rows, upTo, isLast: true }
  const last = rows.at(-1)!.id
  return { notices: rows.filter(({ id }) => id < last), upTo: last - 1, isLast: false }
}

/** Notices of messages that were hidden when they were stored, whatever their age: nobody could be told of them before. All up to `upTo` have been read. */
async function pushShown(context: PushContext, upTo: number, run: JobRun): Promise<void> {
  const { storage } = context
  for (const { id } of await storage.of(pushRows).shown(upTo, MAX_SHOWN)) {
    run.signal.throwIfAborted()
    const asked = { after: id - 1, upTo: id, since: 0, toldSince: TOLD_SINCE }
    const notices = await storage.appViews.newNotices(asked, MAX_NOTICES)
    const done = async (tx: Writer) => {
      await tx.of(pushRows).removeShown(id)
      // Otherwise the next process, which begins at the stored position, would read the message as a new one.
      await tx.cursors.put(CURSOR, String(upTo))
    }
    if (notices.length > 0) await push(context, notices, done, run)
    else await storage.write('all/pushes', done)
  }
}

/** Pushes notices; `done` runs in the transaction that adds them. */
async function push(
  context: PushContext,
  notices: readonly NewNotice[],
  done: (tx: Writer) => Promise<unknown>,
  { lease }: JobRun,
): Promise<void> {
  const { storage, nowMs } = context
  const fids = [...new Set(notices.map(({ fid }) => fid))]
  const sayTo = await context.sayTo(storage, fids)
  const pushes: PushNotice[] = []
  for (const viewer of fids) {
    const own = notices.filter(({ fid }) => fid === viewer)
    const wanted = {
      casts: own.flatMap(({ key }) => (key ? [key] : [])),
      users: own.map(({ actor }) => actor),
    }
    const found = await hydrate(context, { app: NO_APP, viewer }, wanted)
    pushes.push(...pushesOf(own, found, sayTo(viewer)))
  }
  const locks = fids.map((fid) => `fid/${fid}` as const)
  await storage.write(locks, async (tx) => {
    if (lease) await checkLease(tx, lease)
    for (const one of pushes) await pushNotice(tx, one, nowMs())
    await done(tx)
  })
}
