import type { Sql } from '../../../kernel/storage/engines/sql.ts'
import { rowsOf } from '../../../kernel/storage/rows.ts'
import { NOT_EXPORTED, WITHHELD } from '../../../kernel/storage/tables/duties.ts'
import { type RowOf, table } from '../../../kernel/storage/tables/table.ts'

/** The address that a member has confirmed. Only its owner and this server read it. */
export const MAIL_ADDRESSES = table('mail_address', {
  fid: { type: 'fid', key: true, erasure: 'delete', exported: true },
  address: { type: 'line', words: true },
  /** The custody address that has named it: the address counts while the account belongs to that key. */
  custody: { type: 'bytes', withheld: false },
  confirmed_at: { type: 'millis' },
  /** When a server has last refused a mail to it for good. */
  refused_at: { type: 'millis', null: true },
})
export type MailAddress = RowOf<typeof MAIL_ADDRESSES>

export const LINK_PURPOSES = ['confirm', 'recover'] as const

/** Links in mails that count once. */
export const MAIL_LINKS = table('mail_link', {
  /** SHA-256 of the token in the link. */
  hash: { type: 'bytes', key: true, withheld: WITHHELD.secret },
  fid: { type: 'fid', erasure: 'delete', exported: NOT_EXPORTED.transit },
  purpose: { type: 'line', values: LINK_PURPOSES },
  /** Where it was sent to. */
  address: { type: 'line', words: true },
  /** To whom the account belonged then. */
  custody: { type: 'bytes', withheld: false },
  expires_at: { type: 'millis' },
})
export type MailLink = RowOf<typeof MAIL_LINKS>

export const addressReader = (sql: Sql) => ({
  find: (fid: number) => MAIL_ADDRESSES.find(sql, fid),
  ofFids: (fids: readonly number[]) => MAIL_ADDRESSES.findBy(sql, 'fid', fids),
  byAddress: (address: string) => MAIL_ADDRESSES.first(sql, 'where address = ?', [address]),
  link: (hash: Uint8Array) => MAIL_LINKS.find(sql, hash),
  linksOf: (fid: number, purpose: MailLink['purpose'], limit: number) =>
    MAIL_LINKS.select(sql, 'where fid = ? and purpose = ? order by expires_at desc limit (? + 0)', [
      fid,
      purpose,
      limit,
    ]),
  /** Whether a link has expired by Unix ms `now`. */
  hasExpiredLinks: async (now: number) =>
    (await MAIL_LINKS.first(sql, 'where expires_at <= ?', [now])) !== undefined,
})

export const addressWriter = (sql: Sql) => ({
  ...addressReader(sql),
  put: (row: MailAddress) => MAIL_ADDRESSES.upsert(sql, [row]),
  /** Changes the row only if it is still there: an address that was removed meanwhile does not come back. */
  noteRefused: (fid: number, refused_at: number) =>
    MAIL_ADDRESSES.update(sql, ['refused_at'], [{ fid, refused_at }]),
  moveTo: (fid: number, custody: Uint8Array) =>
    MAIL_ADDRESSES.update(sql, ['custody'], [{ fid, custody }]),
  remove: (fid: number) => MAIL_ADDRESSES.remove(sql, [{ fid }]),
  addLink: (link: MailLink) => MAIL_LINKS.insert(sql, [link]),
  async removeLinks(fid: number, purpose: MailLink['purpose']): Promise<void> {
    await MAIL_LINKS.removeWhere(sql, 'fid = ? and purpose = ?', [fid, purpose])
  },
  /** Whether this call has removed it: a link counts once. */
  takeLink: async (hash: Uint8Array) => (await MAIL_LINKS.remove(sql, [{ hash }])) > 0,
  /** Forgets links that have expired, at most `limit`. */
  async forgetLinks(now: number, limit: number): Promise<void> {
    const some = 'select hash from mail_link where expires_at <= ? limit (? + 0)'
    await MAIL_LINKS.removeWhere(sql, `hash in (${some})`, [now, limit])
  },
})

/** `storage.of(mailAddressRows)` reads these tables, and `tx.of(mailAddressRows)` writes them. */
export const mailAddressRows = rowsOf(addressReader, ({ sql }) => addressWriter(sql))
