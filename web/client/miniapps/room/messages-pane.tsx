import { useState } from 'react'
import { CopyButton } from '../../../shared/copy-button.tsx'
import { locale } from '../../../shared/meta.ts'
import type { LogEntry } from '../host/app-host.ts'
import type { RoomState } from './room-state.ts'
import { ScrollList } from './scroll-list.tsx'

const MAX_SHOWN = 200
const MAX_VALUE_CHARACTERS = 2_000
const TIME = new Intl.DateTimeFormat(locale, { timeStyle: 'medium' })

/** Every message in both directions, the newest first. */
export function MessagesPane({ room }: { room: RoomState }) {
  const entries = room.useEntries()
  const [sought, setSought] = useState('')
  const rows = rowsOf(entries).filter(({ what }) =>
    what.toLowerCase().includes(sought.trim().toLowerCase()),
  )
  return (
    <details className="room-pane" open>
      <summary>Messages ({entries.length})</summary>
      <p className="room-tools">
        <input
          type="search"
          aria-label="Filter the messages"
          placeholder="Filter by method"
          value={sought}
          onChange={({ target }) => setSought(target.value)}
        />
        <CopyButton
          value={JSON.stringify(entries, null, 1)}
          text="Copy the messages as JSON"
          isShown
        />
        <button type="button" className="link" onClick={room.clear}>
          Clear
        </button>
      </p>
      {rows.length === 0 && <p className="muted">No message yet.</p>}
      <ScrollList label="Messages">
        <ol className="room-messages" reversed>
          {rows
            .slice(-MAX_SHOWN)
            .reverse()
            .map(({ key, what, at, value, tone }) => (
              <li key={key} className={tone}>
                <p>
                  <strong>{what}</strong> <span className="muted">{TIME.format(at)}</span>
                </p>
                <pre>{value}</pre>
              </li>
            ))}
        </ol>
      </ScrollList>
    </details>
  )
}

type Row = {
  readonly key: string
  readonly what: string
  readonly at: number
  readonly value: string
  readonly tone: 'in' | 'good' | 'bad'
}

/** An answer is shown with the method that it answers and how long that took. */
function rowsOf(entries: readonly LogEntry[]): Row[] {
  const calls = new Map<string, { readonly at: number; readonly method: string }>()
  return entries.map((entry, i) => {
    const row = { key: String(i), at: entry.at, value: textOf(entry.value) }
    if (entry.way === 'in') {
      calls.set(entry.id, entry)
      return { ...row, what: `→ ${entry.method}`, tone: 'in' }
    }
    if (entry.way === 'out') {
      const call = calls.get(entry.id)
      const took = call ? `, ${entry.at - call.at} ms` : ''
      const what = `← ${call?.method ?? ''}${took}${entry.isError ? ', rejected' : ''}`
      return { ...row, what, tone: entry.isError ? 'bad' : 'good' }
    }
    const names = { event: '← event', refused: '→ refused', blocked: 'blocked navigation' } as const
    return { ...row, what: names[entry.way], tone: entry.way === 'event' ? 'good' : 'bad' }
  })
}

const textOf = (value: unknown): string => {
  const text = JSON.stringify(value, null, 1) ?? 'nothing'
  return text.length > MAX_VALUE_CHARACTERS ? `${text.slice(0, MAX_VALUE_CHARACTERS)}…` : text
}
