import type { Say } from '../../../kernel/http/translator.ts'
import { checkLease, type Job } from '../../../kernel/jobs/job.ts'
import { MINUTE_MS, SECOND_MS } from '../../../kernel/protocol/time.ts'
import type { Storage } from '../../../kernel/storage/storage.ts'
import type { AccountNotice, Pushes } from '../../push/port.ts'
import { ableStaff, newestWaiting, type Waiting, waitingFor, waitingText } from './waiting.ts'

// Who moderates is told on every device that reports and appeals wait: in one push for all that have come, and not again before
// something new has come about which the account may decide. Mails about it go out once in an hour.

export const PUSHED_EVERY_MS = 10 * MINUTE_MS
/** Up to when it was told, in Unix milliseconds. */
const CURSOR = 'reports pushed'

type Terms = {
  readonly storage: Storage
  readonly pushes: () => Pushes | undefined
  /** Unix milliseconds. */
  readonly nowMs: () => number
}

export const pushReportsJob = ({ storage, pushes, nowMs }: Terms): Job => ({
  name: 'push reports',
  scope: 'leader',
  everyMs: MINUTE_MS,
  async run({ signal, lease }) {
    const push = pushes()
    if (!push) return
    const now = nowMs()
    const toldAt = Number((await storage.cursors.get(CURSOR)) ?? 0)
    // Of the second that is running more may come: it is told the next time, and nothing twice.
    const second = Math.floor(now / SECOND_MS)
    const isNew = (at: number) => at >= Math.floor(toldAt / SECOND_MS)
    if (toldAt > now - PUSHED_EVERY_MS || !isNew(await newestWaiting(storage, second))) return
    const staff = await ableStaff(storage)
    const reached = await push.fidsWithDevices(
      storage,
      staff.map(({ fid }) => fid),
    )
    const notices: AccountNotice[] = []
    for (const member of staff.filter(({ fid }) => reached.has(fid))) {
      signal.throwIfAborted()
      const waiting = await waitingFor(storage, member, second)
      if (waiting.cases + waiting.appeals > 0 && isNew(waiting.newestAt)) {
        notices.push(noticeOf(member.fid, waiting))
      }
    }
    const locks = notices.map(({ fid }) => `fid/${fid}` as const)
    await storage.write([...locks, 'all/pushes'], async (tx) => {
      if (lease) await checkLease(tx, lease)
      for (const notice of notices) await push.tell(tx, notice, now)
      await tx.cursors.put(CURSOR, String(now))
    })
  },
})

/** How many wait, and nothing that a member has written: anybody can report anything. */
const noticeOf = (fid: number, waiting: Waiting): AccountNotice => ({
  ...{ fid, url: '/moderate', mail: undefined },
  texts: (say: Say) => ({
    title: waitingText(waiting, say),
    body: say(
      'New reports or appeals have come. Everybody who moderates sees them, but for those about themselves.',
    ),
  }),
})
