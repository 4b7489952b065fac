import { t } from '../../shared/messages.ts'
import type { LiveState } from '../live.ts'

const TEXTS: Record<LiveState, string> = {
  connecting: t('Connecting'),
  live: t('Updates by itself'),
  waiting: t('Connection lost, trying again'),
  paused: t('Paused'),
}

/** Whether new events arrive by themselves. */
export const LiveMark = ({ state }: { state: LiveState }) => (
  <p className={`live live-${state}`} role="status">
    {TEXTS[state]}
  </p>
)
