import { listStatement, type Sql } from '../../../kernel/storage/engines/sql.ts'
import { rowsOf } from '../../../kernel/storage/rows.ts'
import { NOT_EXPORTED } from '../../../kernel/storage/tables/duties.ts'
import {
  countOf,
  query,
  queryEach,
  type RowOf,
  rowsWith,
  table,
} from '../../../kernel/storage/tables/table.ts'
import { MAIL_KINDS } from '../kinds.ts'

/** Mails that wait to be sent, or to be sent again. */
export const MAIL_WAITING = table('mail_waiting', {
  /** The Message-ID begins with it, so that receivers know a mail that comes twice. */
  id: { type: 'line', words: false, key: true },
  /** Whom it is about. */
  fid: { type: 'fid', erasure: 'delete', exported: NOT_EXPORTED.transit },
  address: { type: 'line', words: true },
  kind: { type: 'line', values: MAIL_KINDS },
  /** JSON of a QueuedContent. */
  content: { type: 'text', words: true },
  attempts: { type: 'integer' },
  due: { type: 'millis' },
  queued_at: { type: 'millis' },
  expires_at: { type: 'millis' },
})
export type WaitingMail = RowOf<typeof MAIL_WAITING>

type Times = 'attempts' | 'due' | 'queued_at' | 'expires_at'

const WAITING_OF = listStatement(
  { fid: 'bigint', kind: 'text', content: 'text' },
  `select i.fid, count(m.id) as waiting, coalesce(max(case when m.content = i.content then 1 else 0 end), 0) as same
     from input i join mail_waiting m on m.fid = i.fid and m.kind = i.kind group by i.fid`,
)

export const mailReader = (sql: Sql) => ({
  /** Those that are due at Unix ms `now`, the earliest first. */
  due: (now: number, limit: number) =>
    MAIL_WAITING.select(sql, 'where due <= ? order by due, id limit (? + 0)', [now, limit]),
  /** Those of them that are too old to be sent. */
  expired: (now: number, limit: number) =>
    MAIL_WAITING.select(sql, 'where due <= ? and expires_at <= ? limit (? + 0)', [now, now, limit]),
  /** Those that a failure has put off beyond Unix ms `until`. */
  putOff: (until: number, limit: number) =>
    MAIL_WAITING.select(sql, 'where due > ? and attempts > 0 limit (? + 0)', [until, limit]),
  /** Whether this very mail waits. */
  waits: async ({ fid, address, kind, content }: Omit<WaitingMail, 'id' | Times>) =>
    (await MAIL_WAITING.first(sql, 'where fid = ? and address = ? and kind = ? and content = ?', [
      fid,
      address,
      kind,
      content,
    ])) !== undefined,
  waitingOf: (fid: number, kind: string) =>
    MAIL_WAITING.count(sql, 'where fid = ? and kind = ?', [fid, kind]),
  /** Of the accounts for which mails of a kind wait: how many, and whether one says the same. */
  async waitingOfEach(mails: readonly Pick<WaitingMail, 'fid' | 'kind' | 'content'>[]) {
    const asked = mails.map(({ fid, kind, content }) => ({ fid, kind, content }))
    const rows: { fid: number; waiting: number; same: number }[] = await queryEach(
      sql,
      WAITING_OF,
      asked,
    )
    return new Map(
      rows.map(({ fid, waiting, same }) => [
        fid,
        { count: Number(waiting), isSame: Number(same) === 1 },
      ]),
    )
  },
  /** How many wait, counted up to `limit`. */
  waitingCount: (limit: number) =>
    countOf(
      sql,
      'select count(*) as n from (select 1 as one from mail_waiting limit (? + 0)) waiting',
      [limit],
    ),
  /** When the mail that has waited longest was queued, in Unix ms. */
  oldest: () =>
    query<{ oldest: number | null }>(sql, 'select min(queued_at) as oldest from mail_waiting').then(
      ([row]) => (row?.oldest == null ? undefined : Number(row.oldest)),
    ),
})

export const mailWriter = (sql: Sql) => ({
  ...mailReader(sql),
  add: (mails: readonly WaitingMail[]) => MAIL_WAITING.insert(sql, mails),
  remove: (ids: readonly string[]) => MAIL_WAITING.remove(sql, rowsWith('id', ids)),
  /** What waits for an account at an address that is not its own any more. */
  async removeOf(fid: number, address: string): Promise<void> {
    await MAIL_WAITING.removeWhere(sql, 'fid = ? and address = ?', [fid, address])
  },
  put: (rows: readonly Pick<WaitingMail, 'id' | 'attempts' | 'due'>[]) =>
    MAIL_WAITING.update(sql, ['attempts', 'due'], rows),
})

/** `storage.of(mailRows)` reads these tables, and `tx.of(mailRows)` writes them. */
export const mailRows = rowsOf(mailReader, ({ sql }) => mailWriter(sql))
