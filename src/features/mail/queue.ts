import { randomUUID } from 'node:crypto'
import { DAY_MS } from '../../kernel/protocol/time.ts'
import type { Writer } from '../../kernel/storage/storage.ts'
import type { MailKind, QueuedKind } from './kinds.ts'
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
  readonly fid: number | null
  /** Whose name or words it has, besides those of the account. */
  readonly actor?: number | undefined
  readonly address: string
  readonly kind: QueuedKind
  /** Undefined for digests, which are made when they are sent. */
  readonly content: MailContent | undefined
}

/** Stores a mail, at Unix ms `now`. */
export async function addMail(
  tx: Pick<Writer, 'of'>,
  { fid, actor, address, kind, content }: NewMail,
  now: number,
): Promise<void> {
  if (fid !== null && (await tx.of(mailRows).waitingOf(fid, kind)) >= MAX_WAITING_OF_KIND) return
  await tx.of(mailRows).add({
    ...{ id: randomUUID(), fid, actor: actor ?? null, address, kind },
    content: content ? JSON.stringify(content) : '',
    ...{ attempts: 0, due: now, queued_at: now, expires_at: now + MAIL_LIFETIME_MS },
  })
}

export type AccountMail = MailContent & {
  readonly fid: number
  readonly kind: MailKind
  readonly actor?: number | undefined
}

/** Stores a mail for an account that has confirmed an address and wants this kind. */
export async function tellByMail(
  tx: Pick<Writer, 'of'>,
  { fid, kind, actor, ...content }: AccountMail,
  now: number,
): Promise<void> {
  const found = await tx.of(mailAddressRows).find(fid)
  if (!found || kindsIn(found.turned_off).includes(kind)) return
  await addMail(tx, { fid, kind, actor, address: found.address, content }, now)
}

/** Kinds of an address, as they are stored. */
export const kindsIn = (text: string): readonly string[] =>
  text.split(',').filter((one) => one !== '')
