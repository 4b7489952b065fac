import { useQueryClient } from '@tanstack/react-query'
import { Link } from 'react-router'
import { Icon } from '../../shared/icons.tsx'
import { t } from '../../shared/messages.ts'
import { useAct } from '../act/actor.ts'
import { type Fact, setOverride, useFact } from '../act/overrides.ts'
import { type MuteTarget, setMuted, useOwnMutes } from './own.ts'

/** Mutes an account or a channel, or ends that: an item of a menu. */
export function MuteItem({
  target,
  who,
  done,
}: {
  target: MuteTarget
  who: string
  done: () => void
}) {
  const act = useAct()
  const queries = useQueryClient()
  const { data } = useOwnMutes()
  const [kind, value] = Object.entries(target)[0]!
  const wasOn =
    kind === 'fid'
      ? data?.mutes.some(({ muted }) => muted.fid === value)
      : data?.channels.some(({ id }) => id === value)
  const fact: Fact = `mute ${kind} ${value}`
  const isOn = useFact(fact, wasOn ?? false)
  const toggle = () => {
    done()
    act(
      async (key) => {
        await setMuted(key, target, !isOn)
        await queries.invalidateQueries({ queryKey: ['own', 'mutes'] })
      },
      {
        apply: () => setOverride(fact, !isOn),
        undo: () => setOverride(fact, isOn),
        failed: isOn ? t('You still mute {who}.', { who }) : t('{who} is not muted.', { who }),
      },
    )
  }
  return (
    <button type="button" onClick={toggle}>
      <Icon name="mute" />
      {isOn ? t('Unmute {who}', { who }) : t('Mute {who}', { who })}
    </button>
  )
}

/** Leads to the form that reports something: an item of a menu. */
export const ReportItem = ({ query, text }: { query: string; text: string }) => (
  <Link className="menu-link danger" to={`/report?${query}`}>
    <Icon name="flag" />
    {text}
  </Link>
)

/** Leads who moderates to what can be decided about an account: an item of a menu. */
export const ModerateItem = ({ fid }: { fid: number }) => (
  <Link className="menu-link" to={`/moderate/${fid}`}>
    <Icon name="shield" />
    {t('Moderate this account')}
  </Link>
)
