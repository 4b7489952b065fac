import { isLoopbackHost } from '../../../kernel/base/web-domain.ts'
import type { Candidate } from '../../../kernel/hub/submit/candidate.ts'
import type { Screening, ScreenTerms } from '../../../kernel/hub/submit/screen.ts'
import { refusalOf } from '../../../kernel/limits/exceeded.ts'
import { Quota } from '../../../kernel/limits/quota.ts'
import { Rejection } from '../../../kernel/protocol/rejection.ts'
import { DAY_MS, DAY_SECONDS, SECOND_MS } from '../../../kernel/protocol/time.ts'
import type { CastAddBody } from '../../../kernel/protocol/wire/message_pb.js'
import { registrationTimes } from '../../../kernel/storage/reads/registration-times.ts'
import type { Reader, Writer } from '../../../kernel/storage/storage.ts'
import { addressesIn } from '../../../kernel/views/addresses.ts'
import { contentIn } from '../cast-text.ts'
import { type NewcomerRule, newcomerRows } from '../tables/newcomers.ts'
import { staffRows } from '../tables/staff.ts'
import { timeText } from '../time-text.ts'

// What new accounts may send, where the operator has limited them. Off by default.

const QUOTA = 'casts of new accounts'
const WINDOW_MS = DAY_MS
/** Of a link that a refusal names. */
const MAX_NAMED_CHARACTERS = 100

/** The limits of an account that is new, and when it is new no more, in Unix seconds. */
export type Newcomer = { readonly rule: NewcomerRule; readonly endsAt: number }

/** The accounts among these that are new at a time in Unix seconds. Those with a role are not. */
async function newcomersAmong(
  reader: Pick<Reader, 'accounts' | 'of'>,
  rule: NewcomerRule,
  fids: readonly number[],
  now: number,
): Promise<Map<number, Newcomer>> {
  const [times, staff] = await Promise.all([
    registrationTimes(reader, fids),
    reader.of(staffRows).ofFids(fids),
  ])
  for (const { fid } of staff) times.delete(fid)
  const found = [...times].map(
    ([fid, time]) => [fid, { rule, endsAt: time + rule.days * DAY_SECONDS }] as const,
  )
  return new Map(found.filter(([, { endsAt }]) => endsAt > now))
}

/** What holds for an account now; undefined where it may send what others may. */
export async function newcomerOf(
  reader: Pick<Reader, 'accounts' | 'of'>,
  fid: number,
  now: number,
): Promise<Newcomer | undefined> {
  const rule = await reader.of(newcomerRows).rule()
  return rule && (await newcomersAmong(reader, rule, [fid], now)).get(fid)
}

type Limits = Required<Pick<Screening, 'admit'>> & {
  /** Stores what was counted. */
  write(): Promise<void>
}

/** Refuses what new accounts may not send, while messages are stored. Undefined where none of the authors is new. */
export async function newcomerLimits(
  tx: Writer,
  rule: NewcomerRule,
  casts: readonly Candidate[],
  { nowMs, publicUrl }: ScreenTerms,
): Promise<Limits | undefined> {
  const fids = [...new Set(casts.map(({ row }) => row.fid))]
  const newcomers = await newcomersAmong(tx, rule, fids, Math.floor(nowMs / SECOND_MS))
  if (newcomers.size === 0) return undefined
  const quota = new Quota(QUOTA, await tx.quotas.used(QUOTA, [...newcomers.keys()].map(String)))
  const ownHost = publicUrl && URL.parse(publicUrl)?.host
  return {
    admit({ row: { fid }, body }) {
      const newcomer = newcomers.get(fid)
      if (!newcomer || body.case !== 'castAddBody') return
      checkContent(body.value, newcomer, ownHost)
      const { rule, endsAt } = newcomer
      if (rule.posts === null) return
      if (rule.posts === 0) throw refused(newcomer, 'no posts', 'data.castAddBody')
      const terms = { windowMs: WINDOW_MS, max: rule.posts }
      const exceeded = quota.tryConsume(String(fid), terms, nowMs)
      if (!exceeded) return
      const retryAfterMs = Math.min(exceeded.retryAfterMs, endsAt * SECOND_MS - nowMs)
      const bound = `posts, but no more than ${rule.posts} in 24 hours`
      throw refusalOf({ retryAfterMs }, said(newcomer, bound))
    },
    write: () => tx.quotas.put(quota.changed),
  }
}

function checkContent(cast: CastAddBody, newcomer: Newcomer, ownHost: string | undefined): void {
  const { links, mentions } = newcomer.rule
  const boundOf = (most: number, what: string) =>
    most === 0 ? `posts, but none with ${what}` : `posts, but none with more than ${most} ${what}`
  if (links !== null) {
    const found = linksOf(cast, ownHost)
    if (found.length > links) {
      const named = found[links]!.slice(0, MAX_NAMED_CHARACTERS)
      const bound = `${boundOf(links, 'links')}; “${named}” is a link`
      throw refused(newcomer, bound, 'data.castAddBody')
    }
  }
  if (mentions !== null && cast.mentions.length > mentions) {
    throw refused(newcomer, boundOf(mentions, 'mentions'), 'data.castAddBody.mentions')
  }
}

const refused = (newcomer: Newcomer, bound: string, field: string) =>
  new Rejection('unauthorized.new_account', said(newcomer, bound), { field })

const said = ({ endsAt }: Newcomer, bound: string) =>
  `this account is new on this server: until ${timeText(endsAt)} it may write ${bound}`

/** Different addresses that lead away from this server. Pictures and polls of this server are none. */
function linksOf(cast: CastAddBody, ownHost: string | undefined): string[] {
  const { text, urls } = contentIn(cast)
  const written = addressesIn(text).filter(({ start, end }) => isLink(text.slice(start, end)))
  const all = [...urls, ...written.map(({ address }) => address)]
  const hrefs = all.flatMap((address) => {
    const url = URL.parse(address)
    // What is no URL may still be read as one.
    if (!url) return [address]
    return url.host === ownHost || isLoopbackHost(url.hostname) ? [] : [url.href]
  })
  return [...new Set(hrefs)]
}

/** The next sentence, without the space before it, as in “I went there.It was great”. */
const SENTENCE = /^(?!www\.)[^:/?#]*\.\p{Lu}\p{Ll}*$/u
const isLink = (written: string): boolean => !SENTENCE.test(written)
