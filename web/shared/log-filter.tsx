import { type FormEvent, useId, useState } from 'react'
import type { ModerationAction } from '../../src/features/moderation-records/actions.ts'
import { t } from './messages.ts'
import { language } from './meta.ts'
import { actorText } from './moderation-statistics.tsx'
import type { Query } from './request.ts'
import './log-filter.css'

// What of the log of moderation is shown: what was done, by whom, about whom, and when.

const KINDS = {
  accounts: t('Warnings, limits and suspensions'),
  posts: t('Hidden and held {posts}'),
  answers: t('Answers to reports and appeals'),
  goods: t('Names and files taken, exports and erasures'),
  apps: t('Mini apps'),
  joins: t('Requests to join'),
  recoveries: t('Lost accounts'),
  roles: t('Roles given and ended'),
  settings: t('Settings and texts of the server'),
} as const

/** Under which kind the filter has an action. A new action does not compile without one. */
const KIND_OF: Readonly<Record<ModerationAction, keyof typeof KINDS>> = {
  warn: 'accounts',
  unwarn: 'accounts',
  limit: 'accounts',
  unlimit: 'accounts',
  suspend: 'accounts',
  restore: 'accounts',
  hold: 'posts',
  hide: 'posts',
  unhide: 'posts',
  release: 'posts',
  'remove-poll': 'posts',
  resolve: 'answers',
  answer: 'answers',
  'take-name': 'goods',
  'remove-file': 'goods',
  export: 'goods',
  erase: 'goods',
  'remove-app': 'apps',
  'restore-app': 'apps',
  'approve-join': 'joins',
  'decline-join': 'joins',
  'start-recovery': 'recoveries',
  'refuse-recovery': 'recoveries',
  appoint: 'roles',
  dismiss: 'roles',
  describe: 'settings',
  set: 'settings',
  'list-term': 'settings',
  'unlist-term': 'settings',
  'limit-newcomers': 'settings',
}

const actionsOf = (kind: string): string =>
  Object.entries(KIND_OF)
    .flatMap(([action, of]) => (of === kind ? action : []))
    .join()

export type LogFilter = {
  readonly kind: string
  /** As the log has who acted; an account by its fid. */
  readonly actor: string
  readonly about: string
  /** Of the reason. */
  readonly words: string
  /** Days such as 2026-11-30. */
  readonly from: string
  readonly to: string
}
export const WHOLE_LOG: LogFilter = { kind: '', actor: '', about: '', words: '', from: '', to: '' }

/** The beginning of a day where the reader is, in Unix seconds. */
function beginningOf(day: string, later = 0): number {
  const date = new Date(`${day}T00:00`)
  date.setDate(date.getDate() + later)
  return Math.max(0, Math.floor(date.getTime() / 1_000))
}

/** What the server is asked for. */
export function logQuery({ kind, actor, about, words, from, to }: LogFilter): Query {
  const fid = /^!?(\d{1,10})$/.exec(about)?.[1]
  return {
    ...(kind && { action: actionsOf(kind) }),
    ...(actor && { actor }),
    ...(fid ? { fid } : about && { username: about }),
    ...(words && { words }),
    ...(from && { since: beginningOf(from) }),
    ...(to && { until: beginningOf(to, 1) }),
  }
}

type Staff = readonly {
  readonly fid: number
  readonly role: string
  readonly username?: string | undefined
}[]
type FilterProps = {
  filter: LogFilter
  choose: (filter: LogFilter) => void
  /** The accounts with a role, which are asked for when the filter is opened. */
  useStaff: () => Staff | undefined
}

export function LogFilterForm(props: FilterProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details className="log-filter" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{t('Filter the log')}</summary>
      {isOpen && <Fields {...props} />}
    </details>
  )
}

const MAX_NAME_CHARACTERS = 255
const MAX_WORDS_CHARACTERS = 100
/** As many as the server looks for at once. */
const MAX_WORDS = 3
const firstWords = (text: string): string =>
  text.split(/\s+/).filter(Boolean).slice(0, MAX_WORDS).join(' ')

/** As reasons from the list are recorded. */
const isEnglish = language === 'en'

function Fields({ filter, choose, useStaff }: FilterProps) {
  const help = useId()
  const staff = useStaff() ?? []
  const [about, setAbout] = useState(filter.about)
  const [words, setWords] = useState(filter.words)
  const set = (some: Partial<LogFilter>) => choose({ ...filter, ...some })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    // What is looked for stands in the field.
    const asked = firstWords(words)
    setWords(asked)
    set({ about: about.trim().replace(/^@/, ''), words: asked })
  }
  return (
    <form onSubmit={submit}>
      <label>
        <span>{t('What')}</span>
        <select value={filter.kind} onChange={({ target }) => set({ kind: target.value })}>
          <option value="">{t('All kinds')}</option>
          {Object.entries(KINDS).map(([kind, title]) => (
            <option key={kind} value={kind}>
              {title}
            </option>
          ))}
        </select>
      </label>
      <label>
        <span>{t('Who')}</span>
        <select value={filter.actor} onChange={({ target }) => set({ actor: target.value })}>
          <option value="">{t('Anybody', undefined, 'whoever did it')}</option>
          {staff.map(({ fid, role, username }) => (
            <option key={fid} value={fid}>
              {actorText({ actor: `fid ${fid} (${role})`, username })}
            </option>
          ))}
          <option value="operator">{actorText({ actor: 'operator' })}</option>
          <option value="server">{t('The server')}</option>
        </select>
      </label>
      <label>
        <span>{t('From day')}</span>
        <input
          type="date"
          value={filter.from}
          max={filter.to}
          onChange={({ target }) => set({ from: target.value })}
        />
      </label>
      <label>
        <span>{t('To day')}</span>
        <input
          type="date"
          value={filter.to}
          min={filter.from}
          onChange={({ target }) => set({ to: target.value })}
        />
      </label>
      <label className="grow">
        <span>{t('About whom: a name or a number')}</span>
        <input
          type="search"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={MAX_NAME_CHARACTERS}
          value={about}
          onChange={({ target }) => setAbout(target.value)}
        />
      </label>
      <label className="grow">
        <span>{t('Words of the reason')}</span>
        <input
          type="search"
          autoComplete="off"
          maxLength={MAX_WORDS_CHARACTERS}
          value={words}
          aria-describedby={isEnglish ? undefined : help}
          onChange={({ target }) => setWords(target.value)}
        />
      </label>
      <button type="submit" className="secondary">
        {t('Search')}
      </button>
      {!isEnglish && (
        <p id={help} className="muted">
          {t('Reasons from the list are found by their English words.')}
        </p>
      )}
    </form>
  )
}
