import type { LiveState } from '../live.ts'

const TEXTS: Record<LiveState, string> = {
  connecting: 'Connecting',
  live: 'Updates by itself',
  waiting: 'Connection lost, trying again',
  paused: 'Paused',
}

/** Whether new events arrive by themselves. */
export const LiveMark = ({ state }: { state: LiveState }) => (
  <p className={`live live-${state}`} role="status">
    {TEXTS[state]}
  </p>
)
