import { port } from '../../kernel/ports.ts'
import type { Writer } from '../../kernel/storage/storage.ts'
import type { MailQueue } from './queue.ts'

export type { MailContent } from './message.ts'

/** E-mail to accounts. While there is no mail server, nothing is sent and nothing is stored. */
export type Mails = Pick<MailQueue, 'tell' | 'tellAll'> & {
  /** Takes the link of a recovery, if the server sends mail: true once, for the account to whose address it was sent. */
  takeWayBack(tx: Writer, token: string, fid: number): Promise<boolean>
  /** A link to the page of links in mails, such as `stop`. */
  page(what: string, token: string): string
  /** With which links in mails begin. */
  readonly publicUrl: string
}
export const MAILS = port<Mails>('mails')
