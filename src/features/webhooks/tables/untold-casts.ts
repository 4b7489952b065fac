import type { Sql } from '../../../kernel/storage/engines/sql.ts'
import { rowsOf } from '../../../kernel/storage/rows.ts'
import { type RowOf, table } from '../../../kernel/storage/tables/table.ts'

/** Casts whose `cast.created` was dropped before a webhook was sent it. The webhook is not told of their deletion either. */
export const UNTOLD_CASTS = table('app_webhook_untold', {
  webhook: { type: 'line', words: false, key: true },
  cast_key: { type: 'bytes', key: true },
  dropped_at: { type: 'seconds' },
})
export type UntoldCast = RowOf<typeof UNTOLD_CASTS>
export type UntoldCastKey = Pick<UntoldCast, 'webhook' | 'cast_key'>

/** Rows that one write removes, so that it stays short. Each write adds one. */
const EXPIRED_PER_WRITE = 100

const untoldCastReader = (sql: Sql) => ({
  has: ({ webhook, cast_key }: UntoldCastKey) =>
    UNTOLD_CASTS.count(sql, 'where webhook = ? and cast_key = ?', [webhook, cast_key]).then(
      (count) => count > 0,
    ),
})

const untoldCastWriter = (sql: Sql) => ({
  ...untoldCastReader(sql),
  put: (cast: UntoldCast) => UNTOLD_CASTS.upsert(sql, [cast]),
  remove: (key: UntoldCastKey) => UNTOLD_CASTS.remove(sql, [key]),
  /** Removes some of those that were dropped before this time. */
  expire: (before: number) =>
    UNTOLD_CASTS.removeWhere(
      sql,
      `(webhook, cast_key) in
         (select webhook, cast_key from app_webhook_untold where dropped_at < ? limit (? + 0))`,
      [before, EXPIRED_PER_WRITE],
    ),
})

/** `storage.of(untoldCastRows)` reads this table, and `tx.of(untoldCastRows)` writes it. */
export const untoldCastRows = rowsOf(untoldCastReader, ({ sql }) => untoldCastWriter(sql))
