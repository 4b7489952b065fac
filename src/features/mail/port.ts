import { port } from '../../kernel/ports.ts'
import type { tellByMail } from './queue.ts'

export { MAIL_KINDS, type MailKind } from './kinds.ts'
export type { AccountMail } from './queue.ts'

/** E-mail to accounts. Offered where the operator has set a mail server. */
export type Mails = {
  readonly tell: typeof tellByMail
}
export const MAILS = port<Mails>('mails')
