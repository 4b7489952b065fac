import { isDeepStrictEqual } from 'node:util'
import { backoffMs } from '../../kernel/base/backoff.ts'
import { mapAtMost } from '../../kernel/base/concurrency.ts'
import type { Logger } from '../../kernel/http/logger.ts'
import { checkLease, type Job, type JobRun } from '../../kernel/jobs/job.ts'
import { Quota } from '../../kernel/limits/quota.ts'
import { domainOf, mailboxOf } from '../../kernel/protocol/mail-address.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../kernel/protocol/time.ts'
import type { Storage, Writer } from '../../kernel/storage/storage.ts'
import { MAX_REFUSALS, REFUSAL_EVERY_MS } from './queue.ts'
import type { SmtpPlace } from './settings.ts'
import { MAX_CONNECTIONS, type Mail, type MailResult, openSmtp, type Smtp } from './smtp.ts'
import { mailAddressRows } from './tables/addresses.ts'
import { mailRows, type WaitingMail } from './tables/mails.ts'

// Sends the mails that wait, in one process of all.

const EVERY_MS = 1_000
/** How often it is looked for a mail server while there is none: one that is set up in any process is used so soon. */
const OFF_EVERY_MS = 5_000
/** How often what is too old is looked for meanwhile. */
const FORGET_EVERY_MS = MINUTE_MS
/** So few that a server that hangs is left long before CLAIM_MS. */
const MAX_PER_BATCH = 10
/** A process that takes a mail has sent it by then, or is gone. */
export const CLAIM_MS = 15 * MINUTE_MS
export const MAIL_BACKOFF = { firstMs: MINUTE_MS, maxMs: HOUR_MS } as const
/** Until a server that cannot be used is tried again. */
const DOWN_PAUSE_MS = MINUTE_MS
/** Rows of one table (expired mails, links, refusals) that a run deletes at most. */
const MAX_FORGOTTEN = 1_000

const QUOTA = 'mails sent'
/** Mails in an hour and in a day. What is beyond waits. Providers refuse senders that suddenly send much to one of them. */
export const MAIL_BOUNDS = {
  account: { hour: 20, day: 60 },
  address: { hour: 20, day: 60 },
  domain: { hour: 500, day: 5_000 },
  server: { hour: 1_000, day: 10_000 },
} as const

export const MAIL_OUTCOMES = ['sent', 'later', 'refused', 'expired'] as const
export type MailOutcome = (typeof MAIL_OUTCOMES)[number]

export type MailSending = {
  readonly storage: Pick<Storage, 'of' | 'write'>
  /** Whether the server sends mail. */
  readonly isOn: () => Promise<boolean>
  /** The mail server of now; undefined where no mail is sent. */
  readonly place: () => Promise<SmtpPlace | undefined>
  readonly compose: (mail: WaitingMail, from: string) => Promise<Mail | 'empty'>
  /** A name of the address by which quotas count, which does not tell it. */
  readonly hidden: (address: string) => Promise<string>
  /** Unix milliseconds. */
  readonly nowMs: () => number
  readonly count: (outcome: MailOutcome) => void
  /** Tells the devices of an account that hardly anything is sent to its address any more. */
  readonly tellRefused: (tx: Writer, fid: number) => Promise<unknown>
  readonly log: Pick<Logger, 'warn'>
}

export function sendingJob(terms: MailSending): Job {
  const { isOn, nowMs } = terms
  /** When this process has last looked for what is too old, in Unix ms. */
  let lookedAt = Number.NEGATIVE_INFINITY
  return {
    name: 'send mails',
    scope: 'leader',
    everyMs: EVERY_MS,
    firstAfterMs: EVERY_MS,
    async run(run) {
      const isOff = !(await isOn())
      if (isOff) run.repeatAfter(OFF_EVERY_MS)
      if (isOff && nowMs() < lookedAt + FORGET_EVERY_MS) return
      await forgetExpired(terms)
      lookedAt = nowMs()
      if (!isOff) await sendDue(terms, run)
    },
  }
}

async function sendDue(terms: MailSending, run: JobRun): Promise<void> {
  const { storage, nowMs } = terms
  if ((await storage.of(mailRows).due(nowMs(), 1)).length === 0) return
  const place = await terms.place()
  if (!place) return
  const smtp = await openSmtp(place)
  const stop = () => smtp.close()
  run.signal.addEventListener('abort', stop)
  try {
    let state: 'more' | 'none' | 'down' = 'more'
    while (state === 'more' && !run.signal.aborted) {
      state = await sendBatch(terms, { smtp, from: place.from }, run)
      // Another server that was set up meanwhile takes the rest, with the next run.
      if (!isDeepStrictEqual(await terms.place(), place)) return
    }
    if (state === 'down') run.repeatAfter(DOWN_PAUSE_MS)
  } finally {
    run.signal.removeEventListener('abort', stop)
    smtp.close()
  }
}

/** Also while no mail is sent: what waits has addresses in it. */
async function forgetExpired({ storage, nowMs, count }: MailSending): Promise<void> {
  const now = nowMs()
  if ((await storage.of(mailRows).expired(now, 1)).length > 0) {
    const removed = await storage.write('all/mails', async (tx) => {
      const expired = await tx.of(mailRows).expired(now, MAX_FORGOTTEN)
      await tx.of(mailRows).remove(expired.map(({ id }) => id))
      return expired
    })
    for (const _ of removed) count('expired')
  }
  if (!(await storage.of(mailAddressRows).hasExpired(now))) return
  await storage.write('all/mails', (tx) => tx.of(mailAddressRows).forgetExpired(now, MAX_FORGOTTEN))
}

type Sent = {
  readonly mail: WaitingMail
  readonly result: MailResult | 'untried' | 'unwritten' | 'empty'
}

async function sendBatch(
  terms: MailSending,
  { smtp, from }: { readonly smtp: Smtp; readonly from: string },
  run: JobRun,
): Promise<'more' | 'none' | 'down'> {
  const { storage, compose, log } = terms
  const { found, claimed } = await storage.write('all/mails', (tx) => claim(tx, terms, run))
  let isDown = false
  const send = async (mail: WaitingMail): Promise<Sent> => {
    if (isDown || run.signal.aborted) return { mail, result: 'untried' }
    const composed = await compose(mail, from).catch((error: unknown) => {
      log.warn({ err: error }, 'a mail cannot be written')
    })
    if (!composed) return { mail, result: 'unwritten' }
    if (composed === 'empty') return { mail, result: 'empty' }
    const result = await smtp.send(composed)
    if (result.outcome === 'sent') return { mail, result }
    isDown ||= result.outcome === 'down'
    const fault = withoutAddresses(result.fault.found)
    log.warn({ fault }, result.outcome === 'down' ? 'mails cannot be sent' : 'a mail is not taken')
    return { mail, result }
  }
  const sent = await mapAtMost(claimed, MAX_CONNECTIONS, send)
  // Devices of accounts are told under the locks of their fids.
  const locks = sent.map(({ mail }) => `fid/${mail.fid}` as const)
  if (sent.length > 0) await storage.write(['all/mails', ...locks], (tx) => note(tx, sent, terms))
  if (isDown) return 'down'
  return found === 0 ? 'none' : 'more'
}

/** Takes mails that are due, within the bounds, so that nobody else sends them. */
async function claim(tx: Writer, terms: MailSending, { lease }: JobRun) {
  const { nowMs, count } = terms
  if (lease) await checkLease(tx, lease)
  const now = nowMs()
  const due = await tx.of(mailRows).due(now, MAX_PER_BATCH)
  const expired = due.filter(({ expires_at }) => expires_at <= now)
  await tx.of(mailRows).remove(expired.map(({ id }) => id))
  for (const _ of expired) count('expired')
  const claimed: WaitingMail[] = []
  for (const mail of due.filter((one) => !expired.includes(one))) {
    const waitMs = await waitOf(tx, mail, terms)
    const attempts = mail.attempts + (waitMs === undefined ? 1 : 0)
    await tx.of(mailRows).put([{ id: mail.id, attempts, due: now + (waitMs ?? CLAIM_MS) }])
    if (waitMs === undefined) claimed.push({ ...mail, attempts })
  }
  return { found: due.length, claimed }
}

/** Servers repeat the address in their answers. */
const withoutAddresses = (text: string): string =>
  text
    .split(/([\s<>])/)
    .map((part) => (part.includes('@') ? '***' : part))
    .join('')

/** Counts a mail against the bounds; how long it has to wait when one is reached. */
async function waitOf(
  { quotas }: Pick<Writer, 'quotas'>,
  mail: WaitingMail,
  terms: MailSending,
): Promise<number | undefined> {
  const { bounds, quota } = await readBounds(quotas, mail, terms)
  for (const [subject, bound] of bounds) {
    const exceeded = quota.tryConsume(subject, bound, terms.nowMs())
    if (exceeded) return Math.max(1, exceeded.retryAfterMs)
  }
  await quotas.put(quota.changed)
  return undefined
}

/** A mail that did not reach the server, or was put off, counts against nothing: after an outage all that has waited is sent. */
async function giveBack(
  { quotas }: Pick<Writer, 'quotas'>,
  mail: WaitingMail,
  terms: MailSending,
): Promise<void> {
  const { bounds, quota } = await readBounds(quotas, mail, terms)
  for (const [subject, bound] of bounds) quota.giveBack(subject, bound, terms.nowMs())
  await quotas.put(quota.changed)
}

/** The bounds of a mail, and what is used of them. What an owner acts on has its own: nobody uses them up with other mails. */
async function readBounds(
  quotas: Writer['quotas'],
  { fid, address, kind }: WaitingMail,
  { hidden }: MailSending,
) {
  const counted = [
    [`account/${fid}`, MAIL_BOUNDS.account],
    [`address/${await hidden(mailboxOf(address))}`, MAIL_BOUNDS.address],
    [`domain/${await hidden(domainOf(address))}`, MAIL_BOUNDS.domain],
    ['server', MAIL_BOUNDS.server],
  ] as const
  const own = kind === 'veto' ? 'veto/' : ''
  const bounds = counted.flatMap(
    ([subject, { hour, day }]) =>
      [
        [`${own}${subject}/hour`, { windowMs: HOUR_MS, max: hour }],
        [`${own}${subject}/day`, { windowMs: DAY_MS, max: day }],
      ] as const,
  )
  const subjects = bounds.map(([subject]) => subject)
  return { bounds, quota: new Quota(QUOTA, await quotas.used(QUOTA, subjects)) }
}

/** Notes what has become of mails. They are this process's until CLAIM_MS, also without its lease: what was sent is not sent again. */
async function note(tx: Writer, sent: readonly Sent[], terms: MailSending): Promise<void> {
  const { nowMs, count } = terms
  const now = nowMs()
  const rows = tx.of(mailRows)
  for (const { mail, result } of sent) {
    const outcome = typeof result === 'string' ? result : result.outcome
    const { id, attempts } = mail
    if (outcome !== 'sent' && outcome !== 'refused') await giveBack(tx, mail, terms)
    if (outcome === 'untried')
      await rows.put([{ id, attempts: attempts - 1, due: now + DOWN_PAUSE_MS }])
    else if (outcome === 'later' || outcome === 'down' || outcome === 'unwritten') {
      await rows.put([{ id, attempts, due: now + backoffMs(MAIL_BACKOFF, attempts) }])
      count('later')
    } else if (outcome === 'empty') await rows.remove([id])
    else {
      await rows.remove([id])
      count(outcome)
      if (outcome === 'refused') await noteRefused(tx, mail, terms)
      else await noteTaken(tx, mail)
    }
  }
}

/** The owner reads under “My account” that mails come back, and every device is told when no more are sent. */
async function noteRefused(tx: Writer, { fid, address }: WaitingMail, terms: MailSending) {
  const rows = tx.of(mailAddressRows)
  const found = await rows.find(fid)
  if (found?.address !== address) return
  const now = terms.nowMs()
  // Of a day one counts.
  if (found.refused_at !== null && now < found.refused_at + REFUSAL_EVERY_MS - MINUTE_MS) return
  const refusals = found.refusals + 1
  await rows.noteRefused({ fid, refused_at: now, refusals })
  if (refusals === MAX_REFUSALS) await terms.tellRefused(tx, fid)
}

/** An address that takes a mail has not gone. */
async function noteTaken(tx: Writer, { fid, address }: WaitingMail): Promise<void> {
  const rows = tx.of(mailAddressRows)
  const found = await rows.find(fid)
  if (found?.address === address && found.refusals > 0)
    await rows.noteRefused({ fid, refused_at: null, refusals: 0 })
}
