import { type Secrets, unreadableSecret } from '../../kernel/app-api/secrets.ts'
import type { Reader } from '../../kernel/storage/storage.ts'
import { MAIL_SERVER_OWNER } from './sealed-mail-server.ts'
import { type SmtpPlace, smtpPlace } from './settings.ts'
import { type MailServerRow, mailServerRows } from './tables/servers.ts'

type Rows = Pick<Reader, 'of'>

type Context = {
  /** The one of the environment, which wins. */
  readonly given: SmtpPlace | undefined
  /** With which links in mails begin: without it none is sent. */
  readonly publicUrl: string | undefined
  readonly storage: Rows
  readonly secrets: Pick<Secrets, 'open'>
}

/**
 * The mail server of now: that of the environment, else the one that the operator has set up in the room. It is read each time, by its
 * key, so what is stored counts in every process with the transaction that writes it.
 */
export class MailServer {
  readonly #context: Context

  constructor(context: Context) {
    this.#context = context
  }

  /** Whether the environment alone decides. */
  get isLocked(): boolean {
    return this.#context.given !== undefined
  }

  readonly isOn = async (rows: Rows = this.#context.storage): Promise<boolean> =>
    this.isLocked || (await this.row(rows)) !== undefined

  /** Where mails go, without the login. */
  async where(): Promise<Pick<SmtpPlace, 'host' | 'port' | 'from'> | undefined> {
    const row = this.isLocked ? undefined : await this.row()
    return row ? { host: row.host, port: row.port, from: row.sender } : this.#context.given
  }

  /** Undefined where no mail is sent. */
  readonly place = async (): Promise<SmtpPlace | undefined> => {
    const { given } = this.#context
    const row = given ? undefined : await this.row()
    if (!row) return given
    const { host, port, tls, login: user, sender: from } = row
    const login = user === '' ? undefined : { user, pass: this.passwordOf(row) }
    return { ...smtpPlace({ host, port, tls, login, from }), isOfRoom: true }
  }

  /** What is set up in the room. */
  async row(rows: Rows = this.#context.storage): Promise<MailServerRow | undefined> {
    return this.#context.publicUrl === undefined ? undefined : rows.of(mailServerRows).get()
  }

  /** The password of a row as it was given; empty: none. */
  passwordOf(row: Pick<MailServerRow, 'secret'>): string {
    if (row.secret.length === 0) return ''
    const password = this.#open(row)
    if (password) return Buffer.from(password).toString()
    throw unreadableSecret('enter the password of the mail server again', 'password')
  }

  /** Whether there is a password that can be used. */
  canOpen(row: Pick<MailServerRow, 'secret'>): boolean {
    return row.secret.length > 0 && this.#open(row) !== undefined
  }

  #open({ secret }: Pick<MailServerRow, 'secret'>): Uint8Array | undefined {
    return this.#context.secrets.open(secret, MAIL_SERVER_OWNER)
  }
}
