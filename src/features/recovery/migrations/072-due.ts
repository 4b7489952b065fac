/** Moves that are due are found without reading those that wait. */
export const RECOVERY_DUE_MIGRATION = () => ['create index recovery_due on recovery (due_at)']
