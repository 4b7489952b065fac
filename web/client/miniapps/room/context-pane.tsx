import { useId } from 'react'
import type { Opening } from '../launch.ts'
import { type RoomState, SIZES, type Size, THEMES, type Theme } from './room-state.ts'

/** Examples of each place from which apps are opened. */
const CAST = {
  author: { fid: 1, username: 'rook' },
  hash: `0x${'ab'.repeat(20)}`,
  text: 'A cast of an example',
  timestamp: 1_700_000_000_000,
}
const OPENINGS: Readonly<Record<string, Opening>> = {
  launcher: { type: 'launcher' },
  cast_embed: { type: 'cast_embed', embed: 'https://app.example/', cast: CAST },
  cast_share: { type: 'cast_share', cast: CAST },
  notification: {
    type: 'notification',
    notification: { notificationId: 'example', title: 'A title', body: 'A text' },
  },
  channel: { type: 'channel', channel: { key: 'wetlands', name: 'Wetlands' } },
  open_miniapp: { type: 'open_miniapp', referrerDomain: 'other.example' },
}

/** What the app reads about where it runs. */
export function ContextPane({ room, reopen }: { room: RoomState; reopen: () => void }) {
  const id = useId()
  const { size, theme, hasInsets, opening } = room.useChoices()
  return (
    <details className="room-pane">
      <summary>Context</summary>
      <div className="room-fields">
        <label htmlFor={`${id}-opening`}>Opened from</label>
        <select
          id={`${id}-opening`}
          value={opening?.type ?? 'launcher'}
          onChange={({ target }) => {
            room.choose({ opening: OPENINGS[target.value] })
            reopen()
          }}
        >
          {Object.keys(OPENINGS).map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
        <label htmlFor={`${id}-size`}>Size</label>
        <select
          id={`${id}-size`}
          value={size}
          onChange={({ target }) => room.choose({ size: target.value as Size })}
        >
          {Object.entries(SIZES).map(([name, text]) => (
            <option key={name} value={name}>
              {name}, {text}
            </option>
          ))}
        </select>
        <label htmlFor={`${id}-theme`}>Theme</label>
        <select
          id={`${id}-theme`}
          value={theme}
          onChange={({ target }) => room.choose({ theme: target.value as Theme })}
        >
          {Object.entries(THEMES).map(([name, text]) => (
            <option key={name} value={name}>
              {text}
            </option>
          ))}
        </select>
      </div>
      <p className="room-tools">
        <label className="check">
          <input
            type="checkbox"
            checked={hasInsets}
            onChange={({ target }) => {
              room.choose({ hasInsets: target.checked })
              reopen()
            }}
          />
          Safe area of a phone
        </label>
        <button type="button" className="secondary" onClick={reopen}>
          Open anew
        </button>
      </p>
    </details>
  )
}
