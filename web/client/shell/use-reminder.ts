import { useSyncExternalStore } from 'react'
import { findReminder, followReminders } from '../custody/reminder.ts'
import type { Reminder } from '../custody/reminder-rule.ts'
import { useSession } from '../session/session.tsx'

/** What the viewer is to be reminded by. */
export function useReminder(): Reminder | undefined {
  const { fid } = useSession()
  return useSyncExternalStore(followReminders, () =>
    fid === undefined ? undefined : findReminder(fid),
  )
}
