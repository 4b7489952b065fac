import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type InputHTMLAttributes, useEffect, useRef, useState } from 'react'
import { t } from '../../shared/messages.ts'
import { BY_OPERATOR } from '../../shared/moderation-statistics.tsx'
import { Refusal } from '../../shared/request.ts'
import { rich } from '../../shared/rich.tsx'
import { cleanText } from '../../shared/text.ts'
import { ask, isFrontDoor } from '../api.ts'
import { MachineRoom } from './machine-room.tsx'
import { Time } from './time.tsx'
import { useActors } from './who.tsx'

const PATH = '/app/mail'

const USUAL_PORTS = { implicit: 465, starttls: 587, none: 25 } as const
type Encryption = keyof typeof USUAL_PORTS
const ENCRYPTIONS: Readonly<Record<Encryption, string>> = {
  implicit: t('TLS from the start'),
  starttls: 'STARTTLS',
  none: t('None: the mail server is on this machine'),
}

export type MailStatus = {
  /** Host and port; null: the server sends no mail. */
  readonly server: string | null
  readonly from: string | null
  readonly waiting: number
  readonly isLocked: boolean
  readonly needsPublicUrl: boolean
  readonly setUp: {
    readonly host: string
    readonly port: number
    readonly tls: Encryption
    readonly user: string
    readonly hasPassword: boolean
    readonly from: string
    readonly changedAt: number
    readonly changedBy: string
  } | null
}
/** With what the mail server has answered to the test. */
type Saved = MailStatus & { readonly said?: string }

/** What is typed into the form. */
export type Typed = Readonly<Record<Field, string>> & { readonly tls: Encryption }

type Props = {
  status: MailStatus
  onSaid: (said: string | undefined) => void
  /** What was to be saved while somebody else has changed the mail server; `onTyped` is called with it, or when it is sent again. */
  typed: Typed | undefined
  onTyped: (typed: Typed | undefined) => void
}

/** Who sets the mail server up, and where: here, on the machine, or in the environment. */
export function MailServer(props: Props) {
  const { isLocked, needsPublicUrl, setUp } = props.status
  const by = useActors(BY_OPERATOR)(setUp?.changedBy ?? '')
  const [isOpen, setOpen] = useState(props.typed !== undefined)
  if (isLocked) {
    const variable = 'ROOKERY_SMTP_URL'
    return (
      <p className="muted">
        {t('Set by {variable} on the machine, and locked there.', { variable })}
      </p>
    )
  }
  if (isFrontDoor) {
    return (
      <>
        <p className="muted">
          {t(
            'The mail server is chosen with the token of the operator, in the room of the machine: whoever chooses it reads every e-mail.',
          )}
        </p>
        <MachineRoom />
      </>
    )
  }
  if (needsPublicUrl) {
    return (
      <p className="muted">
        {rich(
          'Links in e-mails begin with the address of this server: set <code>ROOKERY_PUBLIC_URL</code> on the machine first.',
          { code: (inner) => <code>{inner}</code> },
        )}
      </p>
    )
  }
  if (!setUp) return <Form {...props} />
  return (
    <>
      <p className="muted">
        {rich('In force. Changed here by {by}, {time}.', {
          by: <bdi>{by}</bdi>,
          time: <Time at={setUp.changedAt} />,
        })}
      </p>
      <details
        className="folded"
        open={isOpen}
        onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
      >
        <summary>{t('Change the mail server')}</summary>
        <Form {...props} />
      </details>
    </>
  )
}

function Form({ status: { setUp }, onSaid, typed, onTyped }: Props) {
  const queries = useQueryClient()
  const [{ tls, ...given }, setTyped] = useState<Typed>(
    typed ?? {
      ...{ host: setUp?.host ?? '', port: String(setUp?.port ?? USUAL_PORTS.implicit) },
      ...{ user: setUp?.user ?? '', password: '', from: setUp?.from ?? '', to: '' },
      tls: setUp?.tls ?? 'implicit',
    },
  )
  const kept = ({ said, ...status }: Saved) => {
    queries.setQueryData(['mail'], status)
    onSaid(said)
    onTyped(undefined)
  }
  const save = useMutation({
    mutationFn: () => {
      const { port, password, ...others } = given
      const body = { ...others, tls, port: Number(port), ...(password !== '' && { password }) }
      return ask<Saved>(PATH, { method: 'PUT', body })
    },
    onSuccess: kept,
    onError: (error) => {
      if (isOfOther(error)) {
        // It stays typed, beside what is in force now.
        onTyped({ ...given, tls })
        return queries.invalidateQueries({ queryKey: ['mail'] })
      }
      document.getElementById(idOf(faultyField(error) ?? ''))?.focus()
      return undefined
    },
  })
  const end = useMutation({
    mutationFn: () => ask<Saved>(PATH, { method: 'DELETE', body: {} }),
    onSuccess: kept,
  })
  const [isEnding, setEnding] = useState(false)
  const isBusy = save.isPending || end.isPending
  const faulty = faultyField(save.error)
  const error = faulty === undefined && !isOfOther(save.error) ? (save.error ?? end.error) : null
  const other = useRef<HTMLParagraphElement>(null)
  useEffect(() => {
    if (typed) other.current?.focus()
  }, [typed])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onSaid(undefined)
    onTyped(undefined)
    save.mutate()
  }
  /** Another kind of encryption has another usual port. */
  const encrypt = (next: Encryption) => {
    const isUsual = Number(given.port) === USUAL_PORTS[tls]
    const port = isUsual ? String(USUAL_PORTS[next]) : given.port
    setTyped({ ...given, tls: next, port })
    if (faulty === 'tls') save.reset()
  }
  const bound = (name: Field) => ({
    name,
    fault: faulty === name ? save.error?.message : undefined,
    value: given[name],
    onChange: ({ target }: { target: { value: string } }) => {
      if (faulty === name) save.reset()
      setTyped({ ...given, tls, [name]: target.value })
    },
  })
  return (
    <form onSubmit={submit} className="stacked">
      <Line
        label={t('Host', undefined, 'the name of a mail server')}
        {...bound('host')}
        required
        dir="ltr"
        maxLength={253}
      />
      <label className="field">
        <span>{t('Encryption')}</span>
        <select
          id={idOf('tls')}
          value={tls}
          aria-invalid={faulty === 'tls'}
          aria-describedby={faulty === 'tls' ? `${idOf('tls')}-fault` : undefined}
          onChange={({ target }) => encrypt(target.value as Encryption)}
        >
          {Object.entries(ENCRYPTIONS).map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
        {faulty === 'tls' && <Fault name="tls" text={save.error!.message} />}
      </label>
      <Line
        label={t('Port', undefined, 'a number')}
        {...bound('port')}
        isNarrow
        required
        type="number"
        min={1}
        max={65_535}
      />
      <Line
        label={t('User name')}
        {...bound('user')}
        dir="ltr"
        maxLength={254}
        autoComplete="off"
      />
      <Line
        label={t('Password')}
        {...bound('password')}
        type="password"
        dir="ltr"
        maxLength={500}
        autoComplete="new-password"
        placeholder={setUp?.hasPassword ? '••••••••' : ''}
        help={
          setUp?.hasPassword &&
          t(
            'A password is stored, and is not shown. With an empty field it is kept for this host, port and user name.',
          )
        }
      />
      <Line
        label={t('Sender address')}
        {...bound('from')}
        required
        type="email"
        dir="ltr"
        maxLength={254}
      />
      <Line
        label={t('Send a test e-mail to')}
        {...bound('to')}
        required
        type="email"
        dir="ltr"
        maxLength={254}
        autoComplete="email"
      />
      {error && (
        <p className="fault" role="alert" dir="auto">
          {cleanText(error.message)}
        </p>
      )}
      {typed && (
        <p className="fault" role="alert" tabIndex={-1} ref={other}>
          {t(
            'The mail server was changed or removed meanwhile. How it is now stands above: save again to put yours in its place.',
          )}
        </p>
      )}
      <div className="buttons">
        <button type="submit" className="primary" disabled={isBusy}>
          {isBusy ? t('Trying it …') : t('Save and send a test')}
        </button>
        {setUp && !isEnding && (
          <button
            type="button"
            className="danger"
            disabled={isBusy}
            onClick={() => setEnding(true)}
          >
            {t('Remove the mail server')}
          </button>
        )}
      </div>
      {isEnding && (
        <div role="status">
          <p>
            {t(
              'No e-mail is sent any more. Those that wait are sent once there is a mail server again, if they are not too old by then.',
            )}
          </p>
          <div className="buttons">
            <button type="button" className="danger" disabled={isBusy} onClick={() => end.mutate()}>
              {t('Remove')}
            </button>
            <button type="button" className="quiet" onClick={() => setEnding(false)}>
              {t('Leave it')}
            </button>
          </div>
        </div>
      )}
    </form>
  )
}

const FIELDS = ['host', 'port', 'user', 'password', 'from', 'to'] as const
type Field = (typeof FIELDS)[number]
const idOf = (name: string) => `mail-${name}`

/** Whether somebody else has changed the mail server while this one was tried. */
const isOfOther = (error: Error | null): boolean =>
  error instanceof Refusal && error.reason === 'changed_meanwhile'

/** The field of the form that a refusal speaks of. */
const faultyField = (error: Error | null): string | undefined =>
  error instanceof Refusal && !isOfOther(error)
    ? [...FIELDS, 'tls'].find((name) => name === error.field)
    : undefined

type LineProps = Omit<InputHTMLAttributes<HTMLInputElement>, 'name'> & {
  readonly label: string
  readonly name: Field
  readonly fault: string | undefined
  readonly help?: string | false | undefined
  readonly isNarrow?: boolean
}

function Line({ label, name, fault, help, isNarrow, ...input }: LineProps) {
  const id = idOf(name)
  return (
    <div className={isNarrow ? 'field narrow' : 'field'}>
      <label htmlFor={id}>{label}</label>
      <input
        {...input}
        id={id}
        aria-invalid={fault !== undefined}
        aria-describedby={fault !== undefined ? `${id}-fault` : help ? `${id}-help` : undefined}
      />
      {fault !== undefined && <Fault name={name} text={fault} />}
      {help && (
        <small id={`${id}-help`} className="muted">
          {help}
        </small>
      )}
    </div>
  )
}

/** Some of it is in the words of the mail server. */
const Fault = ({ name, text }: { name: string; text: string }) => (
  <small id={`${idOf(name)}-fault`} className="fault" role="alert" dir="auto">
    {cleanText(text)}
  </small>
)
