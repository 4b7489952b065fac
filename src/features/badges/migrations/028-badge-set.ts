/** Only the set of power badges in force is kept, with shorter records. It is due at once: its records are computed anew. */
export const BADGE_SET_MIGRATION = [
  'delete from badge_score',
  'delete from badge_run where computed_at is null',
  'delete from badge_run where id <> (select max(id) from badge_run)',
  'update badge_run set due = 0',
]
