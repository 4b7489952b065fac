import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useId, useState } from 'react'
import type { Joins } from '../../client/moderation/join-queue.tsx'
import { CopyButton } from '../../shared/copy-button.tsx'
import { t } from '../../shared/messages.ts'
import { BY_OPERATOR } from '../../shared/moderation-statistics.tsx'
import { rich } from '../../shared/rich.tsx'
import { ask, isFrontDoor, type Recoveries } from '../api.ts'
import { MachineRoom } from '../parts/machine-room.tsx'
import { MailTest } from '../parts/mail-test.tsx'
import { Loaded, Section } from '../parts/section.tsx'
import { Time } from '../parts/time.tsx'
import { useActors } from '../parts/who.tsx'
import { translated } from '../setting-words.ts'

type LiveSetting = {
  readonly variable: string
  readonly title: string
  readonly help: string
  readonly value: string
  readonly given: string
  readonly source: 'room' | 'environment' | 'default' | 'unset'
  readonly isLocked: boolean
  readonly needsToken: boolean
  readonly choices?: readonly { readonly value: string; readonly words: string }[]
  readonly unit?: string
  readonly off?: string
  readonly proposed?: string
  /** What was written here and does not count. */
  readonly written?: string
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
    <>
      <Section
        heading={t('Settings')}
        note={t(
          'In force at once, without a restart. The log of moderation says who changed what.',
        )}
      >
        <Loaded query={query}>
          {({ settings }) =>
            settings.map((one) => (
              <Switch
                key={`${one.variable} ${one.value} ${one.source}`}
                setting={translated(one)}
              />
            ))
          }
        </Loaded>
        <p className="muted">
          {rich(
            'Name, picture, rules, least age and how posts are called are under <link>About this server</link>.',
            { link: (inner) => <a href="#face">{inner}</a> },
          )}
        </p>
      </Section>
      <MailTest />
    </>
  )
}

/** What a change does to people who wait. */
type Consequence = {
  readonly text: string
  readonly goOn: string
  readonly stay: string
  readonly isHarm: boolean
}

/** Turning recovery off stops moves that wait. */
async function stoppedMoves({ off, value }: LiveSetting, to: string): Promise<Consequence | null> {
  if (to !== off || value === off) return null
  const { requests } = await ask<Recoveries>('/app/recoveries')
  const moves = requests.filter(({ movesAt }) => movesAt !== null).length
  if (moves === 0) return null
  return {
    text: t(
      '{moves, plural, one {1 move waits. Turned off, the service stops it: each is an undecided request again, and its waiting time begins anew with your next decision.} other {# moves wait. Turned off, the service stops them: each is an undecided request again, and its waiting time begins anew with your next decision.}}',
      { moves },
    ),
    goOn: t('Turn it off'),
    stay: t('Leave it on'),
    isHarm: true,
  }
}

const MEANWHILE: Readonly<Record<string, string>> = {
  open: t('They can join at once, without a decision.'),
  invite: t(
    'They stay under Requests to join: whom you let in can join for 14 days, as with an invite. Nobody else can ask.',
  ),
  closed: t('They stay under Requests to join, and nobody joins, not even whom you have let in.'),
}

/** People who have asked to join wait on, whoever may join. */
async function waitingPeople({ value }: LiveSetting, to: string): Promise<Consequence | null> {
  const meanwhile = MEANWHILE[to]
  if (value !== 'approval' || meanwhile === undefined) return null
  const { length } = (await ask<Joins>('/joining/requests')).requests
  if (length === 0) return null
  return {
    text: t(
      '{length, plural, one {1 person waits to be let in. {meanwhile}} other {# people wait to be let in. {meanwhile}}}',
      { length, meanwhile },
    ),
    goOn: t('Change it'),
    stay: t('Leave it'),
    isHarm: false,
  }
}

const CONSEQUENCES: Readonly<Record<string, typeof stoppedMoves>> = {
  ROOKERY_RECOVERY_DAYS: stoppedMoves,
  ROOKERY_SIGNUP: waitingPeople,
}

const pathOf = ({ variable }: LiveSetting) => `/server/settings/${variable}`

/** One setting with its form. It is made anew when its value changes. */
function Switch({ setting }: { setting: LiveSetting }) {
  const { title, help, value, choices, source, variable } = setting
  const isForToken = setting.needsToken && isFrontDoor
  const isLocked = setting.isLocked || isForToken
  const by = useActors(BY_OPERATOR)(setting.changedBy ?? '')
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
  const look = useMutation({
    mutationFn: async (to: string) => (await CONSEQUENCES[variable]?.(setting, to)) ?? null,
  })
  const [waiting, setWaiting] = useState<{ for: Consequence; goOn: () => void }>()
  /** What it does to people who wait is said first. */
  const change = async (to: string, goOn: () => void) => {
    const found = await look.mutateAsync(to).catch(() => undefined)
    if (found === undefined) return
    if (found === null) goOn()
    else setWaiting({ for: found, goOn })
  }
  const choose = (to: string) => {
    setText(to)
    setWaiting(undefined)
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void change(text, save.mutate)
  }
  const isWritten = source === 'room' || setting.written !== undefined
  const shared = { id, disabled: isLocked, 'aria-describedby': `${id}-help` }
  const error = look.error ?? save.error ?? reset.error
  const isBusy = look.isPending || save.isPending || reset.isPending
  return (
    <form className="stacked switch" onSubmit={submit}>
      <div className="field">
        <label htmlFor={id}>{title}</label>
        {choices ? (
          <select {...shared} value={text} onChange={({ target }) => choose(target.value)}>
            {choices.map((one) => (
              <option key={one.value} value={one.value}>
                {one.words}
              </option>
            ))}
          </select>
        ) : (
          <NumberField setting={setting} shared={shared} value={text} onChange={choose} />
        )}
      </div>
      <p className="muted" id={`${id}-help`}>
        {help} {source === 'room' ? changedText(setting, by) : sourceText(setting)}
        {setting.written !== undefined &&
          ` ${t('“{written}”, written here by {by}, does not count now. It would count again if the machine allowed it.', { written: setting.written, by })}`}
      </p>
      {isForToken && !setting.isLocked && <OnMachine setting={setting} />}
      {waiting && (
        <div className={waiting.for.isHarm ? 'fault' : undefined} role="alert">
          <p>{waiting.for.text}</p>
          <div className="buttons">
            <button
              type="button"
              className={waiting.for.isHarm ? 'danger' : 'primary'}
              disabled={isBusy}
              onClick={waiting.goOn}
            >
              {waiting.for.goOn}
            </button>
            <button type="button" className="quiet" onClick={() => setWaiting(undefined)}>
              {waiting.for.stay}
            </button>
          </div>
        </div>
      )}
      {error && (
        <p className="fault" role="alert">
          {error.message.replace(variable, `“${title}”`)}
        </p>
      )}
      {!isForToken && (text !== value || isWritten) && (
        <div className="buttons">
          {text !== value && (
            <button type="submit" className="primary" disabled={isBusy}>
              {t('Save')}
            </button>
          )}
          {isWritten && (
            <button
              type="button"
              className="quiet"
              disabled={isBusy}
              onClick={() => void change(setting.given || (setting.off ?? ''), reset.mutate)}
              aria-label={`${backText(setting)}: ${title}`}
            >
              {backText(setting)}
            </button>
          )}
        </div>
      )}
    </form>
  )
}

/** What an account with a role does not change: how who has the token does. */
function OnMachine({ setting: { variable, value, given, proposed, off } }: Of) {
  const to = [value, given, proposed].find((one) => one && one !== off) ?? ''
  const command = `rookery setting set ${variable} ${value === to ? off : to}`
  return (
    <>
      <p className="muted">
        {t(
          'It is decided on the machine, with the token of the operator, in the room there or with this command:',
        )}
      </p>
      <p className="command-line">
        <code>{command}</code> <CopyButton value={command} text={t('Copy the command')} />
      </p>
      <MachineRoom />
    </>
  )
}
type Of = { setting: LiveSetting }

/** A number with its unit, and a box where it can be off. */
function NumberField({
  setting: { value, given, unit, off, proposed, title },
  shared,
  value: text,
  onChange,
}: {
  setting: LiveSetting
  shared: { id: string; disabled: boolean; 'aria-describedby': string }
  value: string
  onChange: (text: string) => void
}) {
  const isNumber = (one: string | undefined) => one !== off && one !== ''
  const [isOn, setOn] = useState(off === undefined || isNumber(text))
  const proposal = [value, given, proposed].find(isNumber) ?? ''
  const turn = (on: boolean) => {
    setOn(on)
    onChange(on ? proposal : off!)
  }
  return (
    <div className="switch-number">
      {off !== undefined && (
        <label className="choice">
          <input
            type="checkbox"
            disabled={shared.disabled}
            checked={isOn}
            aria-label={t('{title}: on', { title })}
            onChange={({ target }) => turn(target.checked)}
          />{' '}
          {t('On')}
        </label>
      )}
      {isOn && (
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

const changedText = ({ changedAt }: LiveSetting, by: string): ReactNode =>
  rich('Changed here by {by}, {time}.', { by: <bdi>{by}</bdi>, time: <Time at={changedAt!} /> })

/** What the button does, with what counts after it. */
function backText({ source, given, choices, off, unit }: LiveSetting): string {
  if (source !== 'room') return t('Forget what was written here')
  const words = choices?.find((one) => one.value === given)?.words
  if (words !== undefined) return t('Back to “{words}”, as the machine says', { words })
  if (given === '' || given === off) return t('Back to off, as the machine says')
  const number = `${given} ${unit ?? ''}`.trim()
  return t('Back to {number}, as the machine says', { number })
}

function sourceText({ source, isLocked, variable }: LiveSetting): string {
  if (isLocked) return t('Set by {variable} on the machine, and locked there.', { variable })
  return source === 'environment'
    ? t('Set by {variable} on the machine.', { variable })
    : t('This is the default.')
}
