import { accountKey, WORDS } from '../session/account-storage.ts'
import { type Reminder, reminderOf, SAVED, UNSAVED } from './reminder-rule.ts'

// Whether the words of an account are kept outside of this browser, as far as this browser knows: the server is not told.

const PUT_OFF_MS = 7 * 86_400_000
const CHANGED = 'rookery-words'

const keyOf = (fid: number) => accountKey(WORDS, fid)

const keptOf = (fid: number): string | null => {
  try {
    return localStorage.getItem(keyOf(fid))
  } catch {
    return null
  }
}

function keep(fid: number, state: string | undefined): void {
  try {
    if (state === undefined) localStorage.removeItem(keyOf(fid))
    else localStorage.setItem(keyOf(fid), state)
  } catch {}
  dispatchEvent(new Event(CHANGED))
}

/** This browser can show the words: their owner is asked to save them, if that was not answered here. */
export function askToSave(fid: number): void {
  if (keptOf(fid) === null) keep(fid, UNSAVED)
}

/** Whether their owner said here that they are kept elsewhere. */
export const isSaved = (fid: number): boolean => keptOf(fid) === SAVED

export const noteSaved = (fid: number): void => keep(fid, SAVED)

export const putOff = (fid: number): void => keep(fid, String(Date.now() + PUT_OFF_MS))

/** The words own no account any more. */
export const forgetReminder = (fid: number): void => keep(fid, undefined)

/** What an account is to be reminded by in this browser. */
export const findReminder = (fid: number): Reminder | undefined =>
  reminderOf(keptOf(fid), Date.now())

/** Calls back when that may have changed, also in another page. Returns what ends it. */
export function followReminders(changed: () => void): () => void {
  addEventListener(CHANGED, changed)
  addEventListener('storage', changed)
  return () => {
    removeEventListener(CHANGED, changed)
    removeEventListener('storage', changed)
  }
}
