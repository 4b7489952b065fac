import { useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useEffect, useId, useState } from 'react'
import { t } from '../../shared/messages.ts'
import { callApp } from '../api.ts'
import type { User } from '../types.ts'
import { isComposing } from './composing.ts'
import { handleOf, nameOf, Portrait, type Someone } from './person.tsx'
import './person-picker.css'

/** Asks for people whose names begin so. */
type Find<P> = (name: string, limit: number, signal: AbortSignal) => Promise<readonly P[]>

type Props<P> = {
  label: string
  help: string
  /** People who are not offered. */
  without?: readonly number[]
  find: Find<P>
  choose: (user: P) => void
}

const MAX_FOUND = 6
const MAX_CHARACTERS = 64
/** After the last key before the server is asked. */
const PAUSE_MS = 200

/** A person, found by name: with the arrow keys and Enter, or with a tap. */
export function PersonPicker<P extends Someone>(props: Props<P>) {
  const { label, help, without = [], find, choose } = props
  const id = useId()
  const [typed, setTyped] = useState('')
  const [at, setAt] = useState(0)
  const name = typed.trim().replace(/^@/, '')
  const { found, isDone } = usePeople(name, find)
  const users = found.filter(({ fid }) => !without.includes(fid))
  const isOpen = name !== '' && users.length > 0
  const current = Math.min(at, users.length - 1)
  const type = (text: string) => {
    setTyped(text)
    setAt(0)
  }
  const pick = (user: P | undefined) => {
    if (!user) return
    type('')
    choose(user)
  }
  const move = (event: KeyboardEvent) => {
    const steps: Record<string, () => void> = {
      ArrowDown: () => setAt((current + 1) % users.length),
      ArrowUp: () => setAt((current + users.length - 1) % users.length),
      Enter: () => pick(users[current]),
      Escape: () => type(''),
    }
    const step = steps[event.key]
    if (!isOpen || !step || isComposing(event)) return
    event.preventDefault()
    event.stopPropagation()
    step()
  }
  return (
    <div className="field person-picker">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type="search"
        role="combobox"
        aria-expanded={isOpen}
        aria-controls={`${id}-found`}
        aria-autocomplete="list"
        aria-activedescendant={isOpen ? `${id}-${current}` : undefined}
        aria-describedby={`${id}-help`}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={MAX_CHARACTERS}
        value={typed}
        onChange={({ target }) => type(target.value)}
        onKeyDown={move}
      />
      <div id={`${id}-found`} role="listbox" aria-label={t('People found')} hidden={!isOpen}>
        {users.map((user, i) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the focus and reads the keys
          // biome-ignore lint/a11y/useFocusableInteractive: the field names the current one
          <div
            key={user.fid}
            id={`${id}-${i}`}
            role="option"
            aria-selected={i === current}
            onClick={() => pick(user)}
          >
            <Portrait user={user} size="s" />
            <bdi className="name">{nameOf(user)}</bdi>{' '}
            <bdi className="handle">{handleOf(user)}</bdi>
          </div>
        ))}
      </div>
      <p id={`${id}-help`} className="help" aria-live="polite">
        {isDone && users.length === 0 ? t('Nobody with this name is found.') : help}
      </p>
    </div>
  )
}

/** Among the people whom everybody finds. */
export const findUsers: Find<User> = async (q, limit, signal) => {
  const call = { query: { q, limit }, signal }
  return (await callApp<{ result: { users: User[] } }>('/user/search', call)).result.users
}

/** People whose names begin like this, once the typing pauses. */
function usePeople<P>(name: string, find: Find<P>): { found: readonly P[]; isDone: boolean } {
  const [q, setQ] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => setQ(name), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [name])
  const { data, isFetching } = useQuery({
    queryKey: ['people named', q],
    queryFn: ({ signal }) => find(q, MAX_FOUND, signal),
    enabled: q !== '',
  })
  // Nobody is offered for a name that is not typed any more: Enter would choose them.
  const isAnswered = q === name && q !== ''
  return {
    found: (isAnswered && data) || [],
    isDone: isAnswered && !isFetching,
  }
}
