export type Reminder =
  /** A line above Home. */
  | 'line'
  /** Put off: nothing is said. */
  | 'quiet'
  /** It was put off once: from then on a mark at the settings. */
  | 'mark'

export const SAVED = 'saved'
export const UNSAVED = 'unsaved'

/** What is due by what is kept: nothing, a word, or until when it is put off, in Unix milliseconds. */
export function reminderOf(kept: string | null, nowMs: number): Reminder | undefined {
  if (kept === null || kept === SAVED) return undefined
  if (kept === UNSAVED) return 'line'
  return Number(kept) > nowMs ? 'quiet' : 'mark'
}
