import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { ask } from '../api.ts'
import { Loaded, Section } from '../parts/section.tsx'
import { timeText } from '../text.ts'

type LiveSetting = {
  readonly variable: string
  readonly title: string
  readonly help: string
  readonly value: string
  readonly given: string
  readonly source: 'room' | 'environment' | 'default' | 'unset'
  readonly isLocked: boolean
  readonly choices?: readonly { readonly value: string; readonly words: string }[]
  readonly unit?: string
  readonly off?: string
  readonly changedAt?: number
  readonly changedBy?: string
}

/** What the owner decides while the server runs. */
export function SettingsScreen() {
  const query = useQuery({
    queryKey: ['settings'],
    queryFn: () => ask<{ settings: readonly LiveSetting[] }>('/server/settings'),
  })
  return (
    <Section
      heading="Settings"
      note="In force at once, without a restart. The log of moderation says who changed what."
    >
      <Loaded query={query} what="the settings">
        {({ settings }) =>
          settings.map((one) => <Switch key={`${one.variable} ${one.value}`} setting={one} />)
        }
      </Loaded>
      <p className="muted">
        Name, picture, rules, least age and how posts are called are under{' '}
        <a href="#face">About this server</a>.
      </p>
    </Section>
  )
}

const pathOf = ({ variable }: LiveSetting) => `/server/settings/${variable}`

/** One setting with its form. It is made anew when its value changes. */
function Switch({ setting }: { setting: LiveSetting }) {
  const { title, help, value, choices, isLocked, source, variable } = setting
  const [text, setText] = useState(value)
  const id = useId()
  const queries = useQueryClient()
  const save = useMutation({
    mutationFn: () => ask(pathOf(setting), { method: 'PUT', body: { value: text } }),
    onSuccess: () => queries.invalidateQueries(),
  })
  const reset = useMutation({
    mutationFn: () => ask(`${pathOf(setting)}/reset`, { method: 'POST', body: {} }),
    onSuccess: () => queries.invalidateQueries(),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  const shared = { id, disabled: isLocked, 'aria-describedby': `${id}-help` }
  const error = save.error ?? reset.error
  const isBusy = save.isPending || reset.isPending
  return (
    <form className="stacked switch" onSubmit={submit}>
      <div className="field">
        <label htmlFor={id}>{title}</label>
        {choices ? (
          <select {...shared} value={text} onChange={({ target }) => setText(target.value)}>
            {choices.map((one) => (
              <option key={one.value} value={one.value}>
                {one.words}
              </option>
            ))}
          </select>
        ) : (
          <NumberField setting={setting} shared={shared} value={text} onChange={setText} />
        )}
      </div>
      <p className="muted" id={`${id}-help`}>
        {help} {source === 'room' ? changedText(setting) : sourceText(setting)}
      </p>
      {error && (
        <p className="fault" role="alert">
          {error.message}
        </p>
      )}
      {!isLocked && (text !== value || source === 'room') && (
        <div className="buttons">
          {text !== value && (
            <button type="submit" className="primary" disabled={isBusy}>
              Save
            </button>
          )}
          {source === 'room' && (
            <button
              type="button"
              className="quiet"
              disabled={isBusy}
              onClick={() => reset.mutate()}
              aria-label={`As the machine says: ${variable}`}
            >
              As the machine says
            </button>
          )}
        </div>
      )}
    </form>
  )
}

/** A number with its unit, and a box where it can be off. */
function NumberField({
  setting: { value, given, unit, off, title },
  shared,
  value: text,
  onChange,
}: {
  setting: LiveSetting
  shared: { id: string; disabled: boolean; 'aria-describedby': string }
  value: string
  onChange: (text: string) => void
}) {
  const isOff = off !== undefined && (text === off || text === '')
  const on = [value, given].find((one) => one !== off && one !== '') ?? '7'
  return (
    <div className="switch-number">
      {off !== undefined && (
        <label className="choice">
          <input
            type="checkbox"
            disabled={shared.disabled}
            checked={!isOff}
            aria-label={`${title}: on`}
            onChange={({ target }) => onChange(target.checked ? on : off)}
          />{' '}
          On
        </label>
      )}
      {!isOff && (
        <>
          <input
            {...shared}
            type="number"
            min={0}
            required
            value={text}
            onChange={({ target }) => onChange(target.value)}
          />
          <span className="muted">{unit}</span>
        </>
      )}
    </div>
  )
}

const changedText = ({ changedAt, changedBy }: LiveSetting): string =>
  `Changed here by ${changedBy}, ${timeText(changedAt!)}.`

function sourceText({ source, isLocked, variable }: LiveSetting): string {
  if (isLocked) return `Set by ${variable} on the machine, and locked there.`
  return source === 'environment' ? `Set by ${variable} on the machine.` : 'As the program has it.'
}
