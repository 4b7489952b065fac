import { hashOfKey } from '../../kernel/app-api/keys.ts'
import { hydrate } from '../../kernel/app-api/objects/hydrate.ts'
import type { Logger } from '../../kernel/http/logger.ts'
import type { Say } from '../../kernel/http/translator.ts'
import { checkLease, type Job } from '../../kernel/jobs/job.ts'
import { fromHex, toHex } from '../../kernel/protocol/codec/bytes.ts'
import { HOUR_MS, MINUTE_MS, networkTime, SECOND_MS } from '../../kernel/protocol/time.ts'
import { LAST_DOC } from '../../kernel/storage/reads/app-feeds.ts'
import type { RankedItem } from '../../kernel/storage/reads/app-ranking.ts'
import { firstDocAt } from '../../kernel/storage/views/views.ts'
import { type AppApi, EVERY_APP, unseenInAnyApp } from '../app-api/port.ts'
import { nextDigest, periodOf } from './digest-times.ts'
import type { MailContent, MailItem } from './message.ts'
import type { MailQueue } from './queue.ts'
import { type MailAddress, mailAddressRows } from './tables/addresses.ts'

// What a member has missed, for who wants it: the best of the newest posts of people they follow since they looked last, and
// how many notifications are new. The same people and words are left out as in the client.

const EVERY_MS = 10 * MINUTE_MS
const AFTER_FAILURE_MS = HOUR_MS
/** Digests of one run; what is beyond comes with the next one. */
const MAX_DIGESTS = 50
/** The newest posts of followed people, of which the best are chosen. */
const MAX_CANDIDATES = 200
const MAX_POSTS = 5
const MAX_TEXT_CHARACTERS = 280

type DigestTerms = {
  readonly app: AppApi
  readonly publicUrl: string
  readonly queue: Pick<MailQueue, 'tell'>
  /** Whether the server sends mail. */
  readonly isOn: () => Promise<boolean>
  readonly log: Pick<Logger, 'warn'>
}

export const digestJob = ({ app, publicUrl, queue, isOn, log }: DigestTerms): Job => ({
  name: 'mail digests',
  scope: 'leader',
  everyMs: EVERY_MS,
  async run({ signal, lease }) {
    const { storage, views, nowMs } = app
    if (views.state().status !== 'ready' || !(await isOn())) return
    for (const row of await storage.of(mailAddressRows).digestsDue(nowMs(), MAX_DIGESTS)) {
      signal.throwIfAborted()
      // One that cannot be made keeps no other waiting, and is tried again after a while.
      const content = await digestOf(app, row, publicUrl).catch((error: unknown) => {
        log.warn({ err: error }, 'a digest cannot be made')
        return 'failed' as const
      })
      await storage.write('all/mails', async (tx) => {
        if (lease) await checkLease(tx, lease)
        const { fid, digest_due } = row
        const now = nowMs()
        const found = await tx.of(mailAddressRows).find(fid)
        if (found?.digest_due !== digest_due) return
        const next = content === 'failed' ? now + AFTER_FAILURE_MS : nextDigest(found.digest, now)
        await tx.of(mailAddressRows).choose(fid, { digest_due: next })
        if (content && content !== 'failed')
          await queue.tell(tx, { fid, kind: 'digest', content }, now)
      })
    }
  },
})

/** Undefined when nothing is new, and for an account that is suspended. */
async function digestOf(
  app: AppApi,
  { fid, digest }: MailAddress,
  publicUrl: string,
): Promise<((say: Say) => MailContent) | undefined> {
  const period = periodOf(digest)
  const account = await app.storage.moderation.account(fid)
  if (period === undefined || account?.hidden) return undefined
  const { count, lookedAt } = await unseenInAnyApp(app, fid)
  const since = Math.max(lookedAt, networkTime(app.nowMs()) - period / SECOND_MS)
  const posts = await bestPosts(app, fid, since)
  if (count === 0 && posts.length === 0) return undefined
  const url = `${publicUrl}${count > 0 ? '/notifications' : '/'}`
  return (say) => ({
    ...(count === 0
      ? { subject: say('From people you follow'), paragraphs: [] }
      : {
          subject: say(
            '{count, plural, one {You have # new notification} other {You have # new notifications}}',
            { count },
          ),
          paragraphs: [
            say(
              '{count, plural, one {You have # new notification.} other {You have # new notifications.}}',
              { count },
            ),
          ],
        }),
    posts,
    button: { label: say('Open'), url },
  })
}

/** The keys of the posts since a time in network seconds that have most answers and likes; of MAX_CANDIDATES, the newest. */
async function bestPosts(app: AppApi, fid: number, since: number): Promise<string[]> {
  const { appViews } = app.storage
  const viewer = { app: EVERY_APP, viewer: fid }
  const asked = { fid, withRecasts: false, viewer, before: LAST_DOC, limit: MAX_CANDIDATES }
  const first = firstDocAt(since)
  const newest = (await appViews.following(asked)).filter((one) => one.doc >= first)
  const ranked = await appViews.rankableByKeys(newest.map(({ key }) => key))
  const points = new Map(ranked.map((one) => [one.doc, pointsOf(one)]))
  const best = newest
    .map((one) => ({ ...one, points: points.get(one.doc) ?? 0 }))
    .sort((a, b) => b.points - a.points || b.doc - a.doc)
    .slice(0, 2 * MAX_POSTS)
  const found = await hydrate(app, viewer, { casts: best.map(({ key }) => key) })
  const shown = best.filter(({ key }) => found.unmutedCast(key))
  return shown.slice(0, MAX_POSTS).map(({ key }) => toHex(key))
}

/** Posts as a mail shows them to an account when it is sent: what was deleted or hidden meanwhile is left out. */
export async function postItems(
  app: AppApi,
  publicUrl: string,
  {
    fid,
    posts,
    say,
  }: { readonly fid: number; readonly posts: readonly string[]; readonly say: Say },
): Promise<MailItem[]> {
  const keys = posts.flatMap((text) => fromHex(text) ?? [])
  const found = await hydrate(app, { app: EVERY_APP, viewer: fid }, { casts: keys })
  return keys.flatMap((key) => {
    const cast = found.unmutedCast(key)
    if (!cast) return []
    const { display_name, username } = cast.author
    const text = [...cast.text].slice(0, MAX_TEXT_CHARACTERS).join('')
    const url = `${publicUrl}/cast/${toHex(hashOfKey(key))}`
    return [
      { label: display_name || `@${username}`, text: text || say('A picture or a link'), url },
    ]
  })
}

/** Who passes something on or answers it has more to say about it than who likes it. */
const pointsOf = ({ likes, recasts, replies, quotes }: RankedItem): number =>
  likes + 2 * recasts + 2 * replies + 2 * quotes
