import { randomUUID } from 'node:crypto'
import { DAY_MS } from '../../kernel/protocol/time.ts'
import type { Writer } from '../../kernel/storage/storage.ts'
import type { MailKind } from './kinds.ts'
import type { MailContent } from './message.ts'
import { mailAddressRows } from './tables/addresses.ts'
import { mailRows } from './tables/mails.ts'

// What is sent waits in the store. A process that sends takes a mail for a time, so it is sent once; after a crash between the
// sending and the note of it, it is sent again with the same Message-ID.

/** A mail that was not taken for so long is given up. */
export const MAIL_LIFETIME_MS = DAY_MS
/** Mails of one kind that wait for one account. There is no bound on all together: accounts and links are bounded. */
export const MAX_WAITING_OF_KIND = 20

export type NewMail = {
  readonly fid: number
  readonly address: string
  readonly kind: MailKind
  readonly content: MailContent
}

/** Stores a mail, at Unix ms `now`. */
export async function addMail(
  tx: Pick<Writer, 'of'>,
  { fid, address, kind, content }: NewMail,
  now: number,
): Promise<void> {
  if ((await tx.of(mailRows).waitingOf(fid, kind)) >= MAX_WAITING_OF_KIND) return
  await tx.of(mailRows).add({
    ...{ id: randomUUID(), fid, address, kind, content: JSON.stringify(content) },
    ...{ attempts: 0, due: now, queued_at: now, expires_at: now + MAIL_LIFETIME_MS },
  })
}

/** Stores a mail about the security of an account that has confirmed an address. */
export async function tellByMail(
  tx: Pick<Writer, 'of'>,
  fid: number,
  content: MailContent,
  now: number,
): Promise<void> {
  const found = await tx.of(mailAddressRows).find(fid)
  if (found) await addMail(tx, { fid, kind: 'security', address: found.address, content }, now)
}
