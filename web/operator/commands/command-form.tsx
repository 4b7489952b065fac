import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Icon } from '../../shared/icons.tsx'
import { t } from '../../shared/messages.ts'
import { cleanText } from '../../shared/text.ts'
import { Answer } from './answer.tsx'
import { type Command, type Field, readInput, run } from './calls.ts'

type Given = Readonly<Record<string, string>>

/** A form for one call, made from its declaration. What changes something is asked once more. */
export function CommandForm({ command }: { command: Command }) {
  const queries = useQueryClient()
  const [given, setGiven] = useState<Given>({})
  const [isAsking, setAsking] = useState(false)
  const isRead = command.method === 'GET'
  const [input, setInput] = useState<Record<string, unknown>>({})
  const act = useMutation({
    mutationFn: async () => {
      const next = readInput(command, given)
      setInput(next)
      return run(command, next)
    },
    onSettled: () => setAsking(false),
    onSuccess: () => (isRead ? undefined : queries.invalidateQueries()),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isRead || isAsking) act.mutate()
    else setAsking(true)
  }
  return (
    <form className="stacked command" onSubmit={submit}>
      <p className="muted" lang="en" dir="auto">
        {command.description}
      </p>
      {Object.entries(command.fields).map(([name, field]) => (
        <FieldInput
          key={name}
          id={`${command.name} ${name}`}
          name={name}
          field={field}
          value={given[name] ?? ''}
          onChange={(value) => {
            setAsking(false)
            setGiven({ ...given, [name]: value })
          }}
        />
      ))}
      <p className="buttons">
        <button
          type="submit"
          className={isAsking ? 'danger' : 'secondary'}
          disabled={act.isPending}
        >
          {act.isPending
            ? t('Working …')
            : isRead
              ? t('Show')
              : isAsking
                ? t('Run it now')
                : t('Run')}
        </button>
        {isAsking && !act.isPending && (
          <button type="button" className="quiet" onClick={() => setAsking(false)}>
            {t('Cancel')}
          </button>
        )}
      </p>
      <div role="status">
        {act.error && (
          <p className="fault">
            <Icon name="warning" /> <bdi>{cleanText(act.error.message)}</bdi>
          </p>
        )}
        {act.data && <Answer command={command} input={input} answers={act.data} />}
      </div>
    </form>
  )
}

type InputProps = {
  id: string
  name: string
  field: Field
  value: string
  onChange: (value: string) => void
}

function FieldInput({ id, name, field, value, onChange }: InputProps) {
  const { type, required = false, description, minimum, maximum, choices } = field
  const shared = {
    id,
    required,
    value,
    'aria-describedby': `${id}-help`,
    onChange: ({ target }: { target: { value: string } }) => onChange(target.value),
  }
  const options = type === 'boolean' ? ['true', 'false'] : choices
  const isNumber = type === 'integer' || type === 'number'
  return (
    <div>
      <div className="field">
        <label htmlFor={id}>
          <bdi lang="en">{labelOf(name)}</bdi>
          {!required && <span className="muted"> {t('(optional)')}</span>}
        </label>
        {type === 'array' ? (
          <textarea rows={4} spellCheck={false} {...shared} />
        ) : options ? (
          <select {...shared}>
            <option value="">–</option>
            {options.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        ) : isNumber ? (
          <input type="number" min={minimum} max={maximum} {...shared} />
        ) : (
          <input autoComplete="off" spellCheck={false} {...shared} />
        )}
      </div>
      <p className="muted" id={`${id}-help`}>
        {type === 'array' && `${t('One a line.')} `}
        <bdi lang="en">{description}</bdi>
      </p>
      {name === 'lines' && <FromFile choose={onChange} />}
    </div>
  )
}

/** `actionUrl` → `Action url` */
const labelOf = (name: string): string => {
  const words = name.replace(/([A-Z])/g, ' $1').toLowerCase()
  return words.slice(0, 1).toUpperCase() + words.slice(1)
}

const FromFile = ({ choose }: { choose: (text: string) => void }) => (
  <label className="field">
    <span>{t('Or from a file')}</span>
    <input
      type="file"
      accept=".jsonl,.json,application/jsonl"
      onChange={async ({ target }) => choose((await target.files?.[0]?.text()) ?? '')}
    />
  </label>
)
