import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { Link, useLocation } from 'react-router'
import { Busy, Notice } from '../../shared/page.tsx'
import { fetchJson } from '../../shared/request.ts'
import { dateText } from '../../shared/text.ts'
import { Title } from '../parts/title.tsx'

type Choice = {
  readonly label: string
  readonly path: string
  /** Sent beside the token. */
  readonly more?: object
  /** What is posted where the token is the end of the path. */
  readonly form?: Readonly<Record<string, string>>
  readonly done: (answer: { changesAt?: number | null }) => ReactNode
  /** What undoes it. */
  readonly undo?: Choice
}
type Act = {
  readonly heading: string
  readonly text: string
  readonly choices: readonly [Choice, ...Choice[]]
  /** Whether the page names the account that the link is about. */
  readonly isNamed?: boolean
}

const MAIL = '/accounts/v1/mail'

const ACTS: Readonly<Record<string, Act>> = {
  confirm: {
    heading: 'Confirm your address',
    text: 'You are told there what touches the security of this account. Confirm it only if this is your account.',
    isNamed: true,
    choices: [
      {
        label: 'Confirm the address',
        path: `${MAIL}/confirm`,
        done: ({ changesAt }) =>
          changesAt
            ? `Confirmed. It takes the place of the present address on ${dateText(changesAt)}, or at once with the link that was sent there.`
            : 'This is the address of your account now.',
      },
    ],
  },
  change: {
    heading: 'Your e-mail address is about to change',
    text: 'If that was not you, stop it: this stays the address of your account. If it was you, it need not wait any longer. You need not sign in.',
    isNamed: true,
    choices: [
      {
        label: 'Stop it',
        path: `${MAIL}/change`,
        more: { how: 'stop' },
        done: () => 'Stopped. This stays the address of your account.',
      },
      {
        label: 'It was me: change it now',
        path: `${MAIL}/change`,
        more: { how: 'now' },
        done: () => 'Changed. Nothing more is sent to this address.',
      },
    ],
  },
  'not-me': {
    heading: 'Somebody has entered your address',
    text: 'If it was not you, no more links are sent there for 90 days, whoever enters it: also none that you ask for yourself. You need no account for that.',
    choices: [
      {
        label: 'Send me no more of these',
        path: `${MAIL}/not-me`,
        more: { isRefused: true },
        done: () =>
          'No more links are sent to your address for 90 days, also none that you ask for yourself. The link of the mail allows them again.',
        undo: {
          label: 'Allow them again',
          path: `${MAIL}/not-me`,
          more: { isRefused: false },
          done: () => 'Links may be sent to your address again.',
        },
      },
    ],
  },
  unsubscribe: {
    heading: 'Send me no more of these',
    text: 'Mails of this kind end. What touches the security of your account is still sent. You need not sign in.',
    choices: [
      {
        label: 'End them',
        path: `${MAIL}/unsubscribe`,
        form: { 'List-Unsubscribe': 'One-Click' },
        done: () => 'Done. Under “My account”, E-mail, you choose what is sent.',
      },
    ],
  },
  stop: {
    heading: 'Somebody has asked for your account',
    text: 'If it was not you, stop it: the account stays with the key that it has. You need not sign in.',
    choices: [
      {
        label: 'Stop it',
        path: '/accounts/v1/recovery/stop',
        done: () => 'Stopped. Your account stays where it is.',
      },
    ],
  },
}

/** What the links in mails open. Nothing happens before a button is pressed: some programs open every link. */
export function Component() {
  const [what = '', token = ''] = useLocation().hash.slice(1).split('=')
  const act = Object.hasOwn(ACTS, what) ? ACTS[what] : undefined
  return (
    <div className="form-screen">
      <Title>{act?.heading ?? 'E-mail'}</Title>
      <h1>{act?.heading ?? 'E-mail'}</h1>
      {act && token ? (
        <Asked key={token} act={act} token={token} />
      ) : (
        <p>The link is not whole. Open it from the mail once more.</p>
      )}
    </div>
  )
}

type AskedProps = { readonly act: Act; readonly token: string }

function Asked({ act, token }: AskedProps) {
  const [chosen, setChosen] = useState<{ choice: Choice; answer: object }>()
  const [error, setError] = useState<Error>()
  const [isBusy, setBusy] = useState(false)
  const press = async (choice: Choice) => {
    setBusy(true)
    setError(undefined)
    const { path, form, more } = choice
    const asked = form
      ? fetchJson<object>(`${path}/${encodeURIComponent(token)}`, {
          method: 'POST',
          body: new URLSearchParams(form),
        })
      : fetchJson<object>(path, { method: 'POST', body: { token, ...more } })
    await asked.then((answer) => setChosen({ choice, answer }), setError)
    setBusy(false)
  }
  const { choice, answer } = chosen ?? {}
  const choices = choice ? [choice.undo].flatMap((one) => one ?? []) : act.choices
  return (
    <>
      {choice && answer ? (
        <Notice tone="good">{choice.done(answer)}</Notice>
      ) : (
        <>
          {act.isNamed && <Whose token={token} />}
          <p>{act.text}</p>
        </>
      )}
      {isBusy && <Busy>One moment …</Busy>}
      {error && <Notice tone="bad">{error.message}</Notice>}
      <p className="buttons">
        {choice && (
          <Link to="/" className="primary">
            Go on
          </Link>
        )}
        {choices.map((one, i) => (
          <button
            key={one.label}
            type="button"
            className={i === 0 && !choice ? 'primary' : 'secondary'}
            disabled={isBusy}
            onClick={() => press(one)}
          >
            {one.label}
          </button>
        ))}
      </p>
    </>
  )
}

type Look = { address: string; username: string; displayName: string }

/** The account and the address that a link is about, before it does anything. */
function Whose({ token }: { token: string }) {
  const { data, error } = useQuery({
    queryKey: ['mail link', token],
    queryFn: () => fetchJson<Look>(`${MAIL}/link`, { method: 'POST', body: { token } }),
    retry: false,
  })
  if (error) return <Notice tone="bad">{error.message}</Notice>
  if (!data) return <Busy>Looking whose it is …</Busy>
  const { address, username, displayName } = data
  return (
    <p>
      Account: <strong>{displayName || `@${username}`}</strong>
      {displayName && ` (@${username})`}
      <br />
      Address: <bdi>{address}</bdi>
    </p>
  )
}
