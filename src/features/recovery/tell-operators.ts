import type { Say } from '../../kernel/http/translator.ts'
import { checkLease, type Job } from '../../kernel/jobs/job.ts'
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../kernel/protocol/time.ts'
import type { Storage } from '../../kernel/storage/storage.ts'
import type { Mails } from '../mail/port.ts'
import type { ModeratorsPort } from '../moderation/port.ts'
import type { Pushes } from '../push/port.ts'
import { recoveryRows } from './tables/recoveries.ts'

// Accounts with the role operator are told that somebody asks for a lost account, by push and by mail: for all that have come at most
// once in an hour, and not again before something new has come. What who asks has written is not in it: strangers choose those words.

export const TOLD_EVERY_MS = HOUR_MS
/** When it was told last, in Unix milliseconds. */
const CURSOR = 'lost accounts told'

type Terms = {
  readonly storage: Storage
  readonly moderators: () => ModeratorsPort | undefined
  readonly pushes: () => Pushes | undefined
  readonly mails: () => Mails | undefined
  /** Unix milliseconds. */
  readonly nowMs: () => number
}

export const tellOperatorsJob = ({ storage, moderators, pushes, mails, nowMs }: Terms): Job => ({
  name: 'tell of lost accounts',
  scope: 'leader',
  everyMs: MINUTE_MS,
  async run({ lease }) {
    const now = nowMs()
    const [newest, told = 0] = await Promise.all([
      storage.of(recoveryRows).newestUndecided(),
      storage.cursors.get(CURSOR),
    ])
    const toldAt = Number(told)
    // A request of the second in which it was told may have come after that.
    if (!newest || (newest.asked_at + 1) * SECOND_MS <= toldAt) return
    if (toldAt > now - TOLD_EVERY_MS) return
    const fids = (await moderators()?.fids(storage, 'operator')) ?? []
    const count = await storage.of(recoveryRows).undecidedCount()
    const texts = (say: Say) => ({
      title: say(
        '{count, plural, one {Somebody asks for a lost account} other {# people ask for lost accounts}}',
        { count },
      ),
      body: say('Make sure who asks, then decide. What they write is no proof.'),
    })
    const url = '/room#recovery'
    await storage.write([...fids.map((fid) => `fid/${fid}` as const), 'all/mails'], async (tx) => {
      if (lease) await checkLease(tx, lease)
      for (const fid of fids) {
        await pushes()?.tell(tx, { fid, texts, url, mail: undefined }, now)
        const mail = mails()
        const content = (say: Say) => {
          const { title: subject, body } = texts(say)
          const button = { label: say('Read who asks'), url: `${mail?.publicUrl}${url}` }
          return { subject, paragraphs: [body], button }
        }
        await mail?.tell(tx, { fid, kind: 'reports', content }, now)
      }
      await tx.cursors.put(CURSOR, String(now))
    })
  },
})
