import { randomUUID } from 'node:crypto'
import { DAY_MS, MINUTE_MS } from '../../kernel/protocol/time.ts'
import type { Reader, Writer } from '../../kernel/storage/storage.ts'
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

export type NewMail = {
  readonly fid: number
  readonly address: string
  readonly kind: MailKind
  readonly content: MailContent
  /** Unix milliseconds, for what is worth telling for longer than MAIL_LIFETIME_MS. */
  readonly expiresAt?: number | undefined
  /** Unix milliseconds before which it is not sent. */
  readonly notBefore?: number | undefined
}

/** Stores a mail, at Unix ms `now`. */
export async function addMail(
  tx: Pick<Writer, 'of'>,
  { fid, address, kind, content: mail, expiresAt, notBefore }: NewMail,
  now: number,
): Promise<void> {
  const rows = tx.of(mailRows)
  const content = JSON.stringify(mail)
  const isStored = isSecurity(kind)
    ? await rows.waits({ fid, address, kind, content })
    : (await rows.waitingOf(fid, kind)) >= MAX_WAITING
  if (isStored) return
  const row = newRow({ fid, address, kind, content }, now)
  // What an owner acts on goes before all that waits.
  const due = notBefore ?? (kind === 'veto' ? 0 : now)
  await rows.add([{ ...row, due, expires_at: Math.max(row.expires_at, expiresAt ?? 0) }])
}

type Told = Pick<NewMail, 'fid' | 'content' | 'expiresAt'> & {
  /** `security` unless given. */
  readonly kind?: SecurityKind | ChosenKind
}

type ToldAll = {
  readonly fids: readonly number[]
  readonly kind: ChosenKind
  readonly content: MailContent
}

/** Stores the same mail for many accounts, with as many statements as for one. For whom it waits already it is not stored again. */
export async function tellAllByMail(
  tx: Pick<Writer, 'of'> & Pick<Reader, 'accounts'>,
  { fids, kind, content: mail }: ToldAll,
  now: number,
): Promise<void> {
  const found = await presentAddresses(tx, fids)
  const told = found.filter((row) => wants(row, kind) && row.refusals < MAX_REFUSALS)
  const rows = tx.of(mailRows)
  const content = JSON.stringify(mail)
  const fidsTold = told.map(({ fid }) => fid)
  const waiting = await rows.waitingOfEach(fidsTold, { kind, content })
  const room = told.filter(({ fid }) => {
    const before = waiting.get(fid)
    return !before || (before.count < MAX_WAITING && !before.isSame)
  })
  await rows.add(room.map(({ fid, address }) => newRow({ fid, address, kind, content }, now)))
}

const newRow = (
  mail: Pick<WaitingMail, 'fid' | 'address' | 'kind' | 'content'>,
  now: number,
): WaitingMail => ({
  ...mail,
  ...{ id: randomUUID(), attempts: 0, due: now, queued_at: now },
  expires_at: now + MAIL_LIFETIME_MS,
})

/** Stores a mail for an account whose owner has confirmed an address, if they want to be told of this kind. */
export async function tellByMail(
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
  await addMail(tx, { fid, kind, address: found.address, content, expiresAt, notBefore }, now)
}

function wants(row: MailAddress, kind: NonNullable<Told['kind']>): boolean {
  if (kind === 'security' || kind === 'veto') return true
  return kind === 'digest' ? row.digest !== 'off' : row[kind] === 1
}
