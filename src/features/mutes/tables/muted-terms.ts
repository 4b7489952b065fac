import type { Sql } from '../../../kernel/storage/engines/sql.ts'
import { rowsOf } from '../../../kernel/storage/rows.ts'
import { type RowOf, table } from '../../../kernel/storage/tables/table.ts'

/** Channels and words that a user mutes in every app. Muted accounts are rows of `app_mute` with the app EVERY_APP. */
export const MUTED_TERMS = table('muted_term', {
  fid: { type: 'fid', erasure: 'delete', exported: true, key: true },
  kind: { type: 'line', key: true, values: ['channel', 'word'] },
  /** The id of a channel, or words in small letters with single spaces. */
  term: { type: 'line', words: true, key: true },
  muted_at: { type: 'seconds' },
})
export type MutedTerm = RowOf<typeof MUTED_TERMS>

/** Terms of each kind that one user may mute: all are compared with each cast that the user is shown. */
export const MAX_MUTED_TERMS = 200

export const mutedTermReader = (sql: Sql) => ({
  /** All of a user, the newest first. */
  of: (fid: number) =>
    MUTED_TERMS.select(sql, 'where fid = ? order by muted_at desc, kind, term limit (? + 0)', [
      fid,
      2 * MAX_MUTED_TERMS,
    ]),
  count: (fid: number, kind: MutedTerm['kind']) =>
    MUTED_TERMS.count(sql, 'where fid = ? and kind = ?', [fid, kind]),
})

export const mutedTermWriter = (sql: Sql) => ({
  ...mutedTermReader(sql),
  /** An existing one keeps its time. */
  add: (term: MutedTerm) => MUTED_TERMS.insertNew(sql, [term]),
  remove: ({ fid, kind, term }: Omit<MutedTerm, 'muted_at'>) =>
    MUTED_TERMS.remove(sql, [{ fid, kind, term }]),
})

/** `storage.of(mutedTermRows)` reads these tables, and `tx.of(mutedTermRows)` writes them. */
export const mutedTermRows = rowsOf(mutedTermReader, ({ sql }) => mutedTermWriter(sql))
