import type { Sql } from '../../../kernel/storage/engines/sql.ts'
import { rowsOf } from '../../../kernel/storage/rows.ts'
import { NOT_EXPORTED, WITHHELD } from '../../../kernel/storage/tables/duties.ts'
import { type RowOf, table } from '../../../kernel/storage/tables/table.ts'

/** How often a digest is sent. */
export const DIGESTS = ['off', 'daily', 'weekly'] as const
export type Digest = (typeof DIGESTS)[number]

/** The address that a member has confirmed. Only its owner and this server read it. */
export const MAIL_ADDRESSES = table('mail_address', {
  fid: { type: 'fid', key: true, erasure: 'delete', exported: true },
  address: { type: 'line', words: true },
  /** The custody address that has named it: the address counts while the account belongs to that key. */
  custody: { type: 'bytes', withheld: false },
  confirmed_at: { type: 'millis' },
  /** When a server has last refused a mail to it for good, of each day the first time. */
  refused_at: { type: 'millis', null: true },
  /** Days in a row on which a server has refused a mail for good. */
  refusals: { type: 'integer' },
  /** Whether decisions of moderators, and their answers, are told. */
  decisions: { type: 'flag' },
  /** Whether a moderator is told of new reports. */
  reports: { type: 'flag' },
  reports_told_at: { type: 'millis' },
  digest: { type: 'line', values: DIGESTS },
  /** When the next digest is made; null: never. */
  digest_due: { type: 'millis', null: true },
})
export type MailAddress = RowOf<typeof MAIL_ADDRESSES>

/** What a member chooses about what is sent. */
export type MailChoices = Pick<MailAddress, 'decisions' | 'reports' | 'digest' | 'digest_due'>

/** What an account gets at a new address until it chooses. */
export const FIRST_CHOICES: Omit<MailAddress, 'fid' | 'address' | 'custody' | 'confirmed_at'> = {
  ...{ refused_at: null, refusals: 0, reports_told_at: 0, digest_due: null },
  decisions: 1,
  reports: 1,
  digest: 'off',
}

/** Another address, or none, in place of the confirmed one, once the time has passed in which it can be stopped. */
export const MAIL_CHANGES = table('mail_change', {
  fid: { type: 'fid', key: true, erasure: 'delete', exported: true },
  /** Null: the address is removed. */
  address: { type: 'line', words: true, null: true },
  /** To whom the account belonged when it was asked for. */
  custody: { type: 'bytes', withheld: false },
  due: { type: 'millis' },
})
export type MailChange = RowOf<typeof MAIL_CHANGES>

/** Addresses whose readers want no links of this server. */
export const MAIL_REFUSED = table('mail_refused', {
  /** A keyed hash of the mailbox: it tells nobody the address, and belongs to no account. */
  name: { type: 'line', words: false, key: true },
  ends_at: { type: 'millis' },
})

/** `change` stops a change of the address, or makes it at once. */
export const LINK_PURPOSES = ['confirm', 'recover', 'change'] as const

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
  /** Whether a link, or the refusal of an address, has expired by Unix ms `now`. */
  hasExpired: async (now: number) =>
    (await MAIL_LINKS.first(sql, 'where expires_at <= ?', [now])) !== undefined ||
    (await MAIL_REFUSED.first(sql, 'where ends_at <= ?', [now])) !== undefined,
  change: (fid: number) => MAIL_CHANGES.find(sql, fid),
  /** Changes whose time is over by Unix ms `now`, the earliest first. */
  changesDue: (now: number, limit: number) =>
    MAIL_CHANGES.select(sql, 'where due <= ? order by due, fid limit (? + 0)', [now, limit]),
  /** Those of them that put no other address in place. */
  removalsDue: (now: number, limit: number) =>
    MAIL_CHANGES.select(sql, 'where due <= ? and address is null order by due, fid limit (? + 0)', [
      now,
      limit,
    ]),
  /** Changes of accounts after a fid, in its order. */
  changesAfter: (fid: number, limit: number) =>
    MAIL_CHANGES.select(sql, 'where fid > ? order by fid limit (? + 0)', [fid, limit]),
  /** Addresses whose digest is due by Unix ms `now`, the earliest first. */
  digestsDue: (now: number, limit: number) =>
    MAIL_ADDRESSES.select(sql, 'where digest_due <= ? order by digest_due, fid limit (? + 0)', [
      now,
      limit,
    ]),
  isRefused: async (name: string, now: number) =>
    ((await MAIL_REFUSED.find(sql, name))?.ends_at ?? 0) > now,
})

export const addressWriter = (sql: Sql) => ({
  ...addressReader(sql),
  put: (row: MailAddress) => MAIL_ADDRESSES.upsert(sql, [row]),
  /** Changes the row only if it is still there: an address that was removed meanwhile does not come back. */
  noteRefused: (row: Pick<MailAddress, 'fid' | 'refused_at' | 'refusals'>) =>
    MAIL_ADDRESSES.update(sql, ['refused_at', 'refusals'], [row]),
  /** Changes what is sent, if the account has an address: like noteRefused, it brings back no row that is removed meanwhile. */
  choose: (fid: number, choices: Partial<MailChoices>) =>
    MAIL_ADDRESSES.update(sql, Object.keys(choices) as (keyof MailChoices)[], [
      // Columns that are not named are not read.
      { fid, ...(choices as MailChoices) },
    ]),
  noteTold: (fid: number, reports_told_at: number) =>
    MAIL_ADDRESSES.update(sql, ['reports_told_at'], [{ fid, reports_told_at }]),
  moveTo: (fid: number, custody: Uint8Array) =>
    MAIL_ADDRESSES.update(sql, ['custody'], [{ fid, custody }]),
  remove: (fid: number) => MAIL_ADDRESSES.remove(sql, [{ fid }]),
  addLink: (link: MailLink) => MAIL_LINKS.insert(sql, [link]),
  /** Those of one owner of the account, if it is given. */
  async removeLinks(
    fid: number,
    purpose: MailLink['purpose'],
    custody?: Uint8Array,
  ): Promise<void> {
    const [more, owner] = custody ? [' and custody = ?', [custody]] : ['', []]
    await MAIL_LINKS.removeWhere(sql, `fid = ? and purpose = ?${more}`, [fid, purpose, ...owner])
  },
  /** Whether this call has removed it: a link counts once. */
  takeLink: async (hash: Uint8Array) => (await MAIL_LINKS.remove(sql, [{ hash }])) > 0,
  putChange: (change: MailChange) => MAIL_CHANGES.upsert(sql, [change]),
  removeChange: (fid: number) => MAIL_CHANGES.remove(sql, [{ fid }]),
  /** Notes that an address wants no links until a time. Of more than `most` the one that ends first is forgotten. */
  async refuse(name: string, ends_at: number, most: number): Promise<void> {
    await MAIL_REFUSED.upsert(sql, [{ name, ends_at }])
    if ((await MAIL_REFUSED.count(sql)) <= most) return
    const first = 'select name from mail_refused order by ends_at, name limit 1'
    await MAIL_REFUSED.removeWhere(sql, `name in (${first})`, [])
  },
  allow: (name: string) => MAIL_REFUSED.remove(sql, [{ name }]),
  /** Forgets links and refusals that have expired, at most `limit` of each. */
  async forgetExpired(now: number, limit: number): Promise<void> {
    const links = 'select hash from mail_link where expires_at <= ? limit (? + 0)'
    await MAIL_LINKS.removeWhere(sql, `hash in (${links})`, [now, limit])
    const names = 'select name from mail_refused where ends_at <= ? limit (? + 0)'
    await MAIL_REFUSED.removeWhere(sql, `name in (${names})`, [now, limit])
  },
})

/** `storage.of(mailAddressRows)` reads these tables, and `tx.of(mailAddressRows)` writes them. */
export const mailAddressRows = rowsOf(addressReader, ({ sql }) => addressWriter(sql))
