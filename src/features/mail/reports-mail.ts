import type { Say } from '../../kernel/http/translator.ts'
import { checkLease, type Job } from '../../kernel/jobs/job.ts'
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../kernel/protocol/time.ts'
import type { Storage } from '../../kernel/storage/storage.ts'
import type { ModeratorsPort } from '../moderation/port.ts'
import type { MailQueue } from './queue.ts'
import { mailAddressRows } from './tables/addresses.ts'

// Moderators are told that reports and appeals wait: in one mail for all that have come, at most once in an hour, and not again before
// something new has come.

export const REPORTS_EVERY_MS = HOUR_MS

type Terms = {
  readonly storage: Storage
  readonly publicUrl: string
  readonly queue: Pick<MailQueue, 'tell'>
  /** Whether the server sends mail. */
  readonly isOn: () => Promise<boolean>
  readonly moderators: () => ModeratorsPort | undefined
  /** Unix milliseconds. */
  readonly nowMs: () => number
}

export const reportsJob = ({ storage, publicUrl, queue, isOn, moderators, nowMs }: Terms): Job => ({
  name: 'mail reports',
  scope: 'leader',
  everyMs: MINUTE_MS,
  async run({ signal, lease }) {
    const staff = moderators()
    if (!staff || !(await isOn())) return
    const now = nowMs()
    const rows = await storage.of(mailAddressRows).ofFids(await staff.fids(storage))
    const due = rows.filter((row) => row.reports && row.reports_told_at <= now - REPORTS_EVERY_MS)
    for (const { fid, reports_told_at } of due) {
      signal.throwIfAborted()
      // Of the second that is running more may come: it is told the next time, and nothing twice.
      const waiting = await staff.waiting(storage, fid, Math.floor(now / SECOND_MS))
      const count = waiting.cases + waiting.appeals
      if (count === 0 || waiting.newestAt < Math.floor(reports_told_at / SECOND_MS)) continue
      const content = (say: Say) => ({
        subject: staff.waitingText(waiting, say),
        paragraphs: [
          say(
            'New reports or appeals have come. Everybody who moderates sees them, but for those about themselves.',
          ),
        ],
        button: { label: say('Look at them'), url: `${publicUrl}/moderate` },
      })
      await storage.write('all/mails', async (tx) => {
        if (lease) await checkLease(tx, lease)
        await queue.tell(tx, { fid, kind: 'reports', content }, now)
        await tx.of(mailAddressRows).noteTold(fid, now)
      })
    }
  },
})
