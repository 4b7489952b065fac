import { randomUUID } from 'node:crypto'
import type { Language } from '../../kernel/base/languages/languages.ts'
import type { Say } from '../../kernel/http/translator.ts'
import { DAY_MS, MINUTE_MS } from '../../kernel/protocol/time.ts'
import type { Reader, Writer } from '../../kernel/storage/storage.ts'
import type { SayToAccounts } from '../languages/port.ts'
import { type ChosenKind, isSecurity, type MailKind, type SecurityKind } from './kinds.ts'
import type { MailContent } from './message.ts'
import { presentAddress, presentAddresses } from './present-address.ts'
import type { MailAddress } from './tables/addresses.ts'
import { mailRows, type WaitingMail } from './tables/mails.ts'

// What is sent waits in the store. A process that sends takes a mail for a time, so it is sent once; after a crash between the
// sending and the note of it, it is sent again with the same Message-ID.

/** A mail that was not taken for so long is given up. */
export const MAIL_LIFETIME_MS = DAY_MS
/**
 * Mails of one kind that wait for one account. What concerns its security is always stored, once while it waits, so that nobody keeps an
 * owner from learning it by filling the queue: each such mail follows an event on the account, and those have bounds of their own.
 */
export const MAX_WAITING = 20
/**
 * After mails on so many days in a row that a server refuses for good, nothing is sent to an address until one was taken but links, and
 * what concerns the security of the account, once in a day. A full mailbox, or a fault of an hour, is soon over.
 */
export const MAX_REFUSALS = 5
export const REFUSAL_EVERY_MS = DAY_MS

/** What a mail says to who gets it. */
type Content = (say: Say) => MailContent

/** As it waits. */
export type QueuedContent = MailContent & { readonly language: Language['code'] }

export type NewMail = {
  readonly fid: number
  readonly address: string
  readonly kind: MailKind
  readonly content: Content
  /** Unix milliseconds, for what is worth telling for longer than MAIL_LIFETIME_MS. */
  readonly expiresAt?: number | undefined
  /** Unix milliseconds before which it is not sent. */
  readonly notBefore?: number | undefined
}

type Told = Pick<NewMail, 'fid' | 'content' | 'expiresAt'> & {
  /** `security` unless given. */
  readonly kind?: SecurityKind | ChosenKind
}

type ToldAll = {
  readonly fids: readonly number[]
  readonly kind: ChosenKind
  readonly content: Content
}

/** Each account gets its mails in its language at that time. */
export class MailQueue {
  readonly #sayTo: SayToAccounts
  readonly #isOn: (reader: Pick<Reader, 'of'>) => Promise<boolean>

  /** Nothing is stored while there is no mail server. */
  constructor(sayTo: SayToAccounts, isOn: (reader: Pick<Reader, 'of'>) => Promise<boolean>) {
    this.#sayTo = sayTo
    this.#isOn = isOn
  }

  /** Stores a mail, at Unix ms `now`. */
  async add(
    tx: Pick<Writer, 'of'>,
    { fid, address, kind, content: written, expiresAt, notBefore }: NewMail,
    now: number,
  ): Promise<void> {
    if (!(await this.#isOn(tx))) return
    const rows = tx.of(mailRows)
    const content = textOf(written, (await this.#sayTo(tx, [fid]))(fid))
    const isStored = isSecurity(kind)
      ? await rows.waits({ fid, address, kind, content })
      : (await rows.waitingOf(fid, kind)) >= MAX_WAITING
    if (isStored) return
    const row = newRow({ fid, address, kind, content }, now)
    // What an owner acts on goes before all that waits.
    const due = notBefore ?? (kind === 'veto' ? 0 : now)
    await rows.add([{ ...row, due, expires_at: Math.max(row.expires_at, expiresAt ?? 0) }])
  }

  /** Stores a mail for an account whose owner has confirmed an address, if they want to be told of this kind. */
  async tell(
    tx: Pick<Writer, 'of'> & Pick<Reader, 'accounts'>,
    { fid, kind = 'security', content, expiresAt }: Told,
    now: number,
  ): Promise<void> {
    const found = await presentAddress(tx, fid)
    if (!found || !wants(found, kind)) return
    const isStopped = found.refusals >= MAX_REFUSALS
    if (isStopped && kind !== 'security' && kind !== 'veto') return
    const notBefore = isStopped
      ? Math.max(now, (found.refused_at ?? 0) + REFUSAL_EVERY_MS - MINUTE_MS)
      : undefined
    await this.add(tx, { fid, kind, address: found.address, content, expiresAt, notBefore }, now)
  }

  /** Stores the same mail for many accounts, with as many statements as for one. For whom it waits already it is not stored again. */
  async tellAll(
    tx: Pick<Writer, 'of'> & Pick<Reader, 'accounts'>,
    { fids, kind, content }: ToldAll,
    now: number,
  ): Promise<void> {
    if (!(await this.#isOn(tx))) return
    const found = await presentAddresses(tx, fids)
    const told = found.filter((row) => wants(row, kind) && row.refusals < MAX_REFUSALS)
    const fidsTold = told.map(({ fid }) => fid)
    const sayTo = await this.#sayTo(tx, fidsTold)
    const rows = tx.of(mailRows)
    const mails = told.map(({ fid, address }) => ({
      ...{ fid, address, kind },
      content: textOf(content, sayTo(fid)),
    }))
    const waiting = await rows.waitingOfEach(mails)
    const room = mails.filter(({ fid }) => {
      const before = waiting.get(fid)
      return !before || (before.count < MAX_WAITING && !before.isSame)
    })
    await rows.add(room.map((mail) => newRow(mail, now)))
  }
}

const textOf = (content: Content, say: Say): string => {
  const queued: QueuedContent = { ...content(say), language: say.language.code }
  return JSON.stringify(queued)
}

const newRow = (
  mail: Pick<WaitingMail, 'fid' | 'address' | 'kind' | 'content'>,
  now: number,
): WaitingMail => ({
  ...mail,
  ...{ id: randomUUID(), attempts: 0, due: now, queued_at: now },
  expires_at: now + MAIL_LIFETIME_MS,
})

function wants(row: MailAddress, kind: NonNullable<Told['kind']>): boolean {
  if (kind === 'security' || kind === 'veto') return true
  return kind === 'digest' ? row.digest !== 'off' : row[kind] === 1
}
