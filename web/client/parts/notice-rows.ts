import type { Notification } from '../types.ts'

export type NoticeRow = { one: Notification; count: number }

/** What one person did again and again within this time is one row. */
const TOGETHER_MS = 24 * 3_600_000

/** Rows, of which likes of several posts by one person, and so on, are one. The server has put together who did the same to one post. */
export function noticeRows(all: readonly Notification[]): NoticeRow[] {
  const rows: NoticeRow[] = []
  const ofPerson = new Map<string, NoticeRow>()
  for (const one of all) {
    const [first, ...others] = one.reactions ?? []
    if (!first || others.length > 0) {
      rows.push({ one, count: 1 })
      continue
    }
    const name = `${one.type} ${first.user.fid}`
    const row = ofPerson.get(name)
    const isSameDay =
      row &&
      Date.parse(row.one.most_recent_timestamp) - Date.parse(one.most_recent_timestamp) <
        TOGETHER_MS
    if (isSameDay) {
      row.count += 1
      row.one = { ...row.one, seen: row.one.seen && one.seen }
    } else {
      const added = { one, count: 1 }
      ofPerson.set(name, added)
      rows.push(added)
    }
  }
  return rows
}
