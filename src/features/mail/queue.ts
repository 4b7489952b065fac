import { randomUUID } from 'node:crypto'
import { equalBytes } from '../../kernel/protocol/codec/bytes.ts'
import { DAY_MS } from '../../kernel/protocol/time.ts'
import type { Writer } from '../../kernel/storage/storage.ts'
import type { ChosenKind, MailKind } from './kinds.ts'
import type { MailContent } from './message.ts'
import { type MailAddress, mailAddressRows } from './tables/addresses.ts'
import { mailRows } from './tables/mails.ts'

// What is sent waits in the store. A process that sends takes a mail for a time, so it is sent once; after a crash between the
// sending and the note of it, it is sent again with the same Message-ID.

/** A mail that was not taken for so long is given up. */
export const MAIL_LIFETIME_MS = DAY_MS
/**
 * Mails of one kind that wait for one account. What concerns its security is always stored, so that nobody keeps an owner from learning
 * it by filling the queue: each such mail follows an event on the account, and those have bounds of their own.
 */
export const MAX_WAITING = 20
/** After so many mails in a row that a server refuses for good, nothing but links is sent to an address until one was taken. */
export const MAX_REFUSALS = 5

export type NewMail = {
  readonly fid: number
  readonly address: string
  readonly kind: MailKind
  readonly content: MailContent
  /** Unix milliseconds, for what is worth telling for longer than MAIL_LIFETIME_MS. */
  readonly expiresAt?: number | undefined
}

/** Stores a mail, at Unix ms `now`. */
export async function addMail(
  tx: Pick<Writer, 'of'>,
  { fid, address, kind, content, expiresAt }: NewMail,
  now: number,
): Promise<void> {
  const isFull = async () => (await tx.of(mailRows).waitingOf(fid, kind)) >= MAX_WAITING
  if (kind !== 'security' && (await isFull())) return
  await tx.of(mailRows).add({
    ...{ id: randomUUID(), fid, address, kind, content: JSON.stringify(content) },
    ...{ attempts: 0, due: now, queued_at: now },
    expires_at: Math.max(now + MAIL_LIFETIME_MS, expiresAt ?? 0),
  })
}

type Told = Pick<NewMail, 'fid' | 'content' | 'expiresAt'> & {
  /** `security` unless given. */
  readonly kind?: 'security' | ChosenKind
}

/** Stores a mail for an account whose owner has confirmed an address, if they want to be told of this kind. */
export async function tellByMail(
  tx: Pick<Writer, 'of' | 'accounts'>,
  { fid, kind = 'security', content, expiresAt }: Told,
  now: number,
): Promise<void> {
  const found = await tx.of(mailAddressRows).find(fid)
  const account = found && (await tx.accounts.custody(fid))
  if (!account || !equalBytes(found.custody, account.address)) return
  if (found.refusals >= MAX_REFUSALS || !wants(found, kind)) return
  await addMail(tx, { fid, kind, address: found.address, content, expiresAt }, now)
}

function wants(row: MailAddress, kind: NonNullable<Told['kind']>): boolean {
  if (kind === 'security') return true
  return kind === 'digest' ? row.digest !== 'off' : row[kind] === 1
}
