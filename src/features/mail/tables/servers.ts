import type { Sql } from '../../../kernel/storage/engines/sql.ts'
import { rowsOf } from '../../../kernel/storage/rows.ts'
import { type RowOf, table } from '../../../kernel/storage/tables/table.ts'

/** `implicit`: from the first byte; `starttls`: asked for, and nothing is sent without it; `none`: on this machine alone. */
export const ENCRYPTIONS = ['implicit', 'starttls', 'none'] as const

/** The mail server that the operator has set up in the room: none, or one. */
export const MAIL_SERVERS = table('mail_server', {
  name: { type: 'line', values: ['mail server'], key: true },
  host: { type: 'line', words: false },
  port: { type: 'integer' },
  tls: { type: 'line', values: ENCRYPTIONS },
  /** The user; empty: it needs no login. */
  login: { type: 'line', words: false },
  /** The password, encrypted with the key of the server; no bytes: there is none. */
  secret: { type: 'bytes' },
  /** The address that mails come from. */
  sender: { type: 'line', words: false },
  changed_at: { type: 'seconds' },
  changed_by: { type: 'line', words: false },
})
export type MailServerRow = RowOf<typeof MAIL_SERVERS>

const NAME = 'mail server'

export const mailServerReader = (sql: Sql) => ({
  get: () => MAIL_SERVERS.find(sql, NAME),
})

export const mailServerWriter = (sql: Sql) => ({
  ...mailServerReader(sql),
  put: (row: Omit<MailServerRow, 'name'>) => MAIL_SERVERS.upsert(sql, [{ name: NAME, ...row }]),
  remove: () => MAIL_SERVERS.removeBy(sql, 'name', [NAME]),
})

/** `storage.of(mailServerRows)` reads this table, and `tx.of(mailServerRows)` writes it. */
export const mailServerRows = rowsOf(mailServerReader, ({ sql }) => mailServerWriter(sql))
