import type { Sql } from '../../../kernel/storage/engines/sql.ts'
import { rowsOf } from '../../../kernel/storage/rows.ts'
import { type RowOf, table } from '../../../kernel/storage/tables/table.ts'

/** What moderators write about an account for each other. */
export const MODERATION_NOTES = table('moderation_note', {
  id: { type: 'integer', key: true },
  fid: {
    type: 'fid',
    erasure: 'delete',
    exported: { not: 'Notes of moderators for each other; the account reads their decisions.' },
  },
  at: { type: 'seconds' },
  /** Who wrote it, as the log names actors. */
  author: { type: 'line', words: false },
  text: { type: 'text', words: true },
})
export type ModerationNote = RowOf<typeof MODERATION_NOTES>

/** Notes about one account: more give way to new ones, the oldest first. All are shown. */
export const MAX_NOTES = 50

export const noteReader = (sql: Sql) => ({
  find: (id: number) => MODERATION_NOTES.find(sql, id),
  /** Those about an account, the newest first. */
  of: (fid: number) =>
    MODERATION_NOTES.select(sql, 'where fid = ? order by id desc limit (? + 0)', [fid, MAX_NOTES]),
})

export const noteWriter = (sql: Sql) => ({
  ...noteReader(sql),
  async add(note: Omit<ModerationNote, 'id'>): Promise<ModerationNote> {
    const present = await noteReader(sql).of(note.fid)
    if (present.length >= MAX_NOTES) await MODERATION_NOTES.remove(sql, present.slice(-1))
    const added = { ...note, id: (await MODERATION_NOTES.max(sql, 'id')) + 1 }
    await MODERATION_NOTES.insert(sql, [added])
    return added
  },
  remove: (id: number) => MODERATION_NOTES.remove(sql, [{ id }]),
})

/** `storage.of(noteRows)` reads this table, and `tx.of(noteRows)` writes it. */
export const noteRows = rowsOf(noteReader, ({ sql }) => noteWriter(sql))
