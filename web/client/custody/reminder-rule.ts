export type Reminder =
  /** A line above Home: nobody has answered it here. */
  | 'line'
  /** Nothing: it was put off a short time ago. */
  | 'quiet'
  /** A mark at the settings: the time for which it was put off has passed. */
  | 'mark'

export const SAVED = 'saved'
export const UNSAVED = 'unsaved'

/** What is due by what is kept: nothing, a word, or until when it is put off, in Unix milliseconds. */
export function reminderOf(kept: string | null, nowMs: number): Reminder | undefined {
  if (kept === null || kept === SAVED) return undefined
  if (kept === UNSAVED) return 'line'
  return Number(kept) > nowMs ? 'quiet' : 'mark'
}
