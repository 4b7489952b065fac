import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { Link, useLocation } from 'react-router'
import { t } from '../../shared/messages.ts'
import { Busy, Notice } from '../../shared/page.tsx'
import { fetchJson, Refusal } from '../../shared/request.ts'
import { rich } from '../../shared/rich.tsx'
import { dateText } from '../../shared/text.ts'
import { callApp } from '../api.ts'
import { Failed } from '../parts/states.tsx'
import { Title } from '../parts/title.tsx'
import type { User } from '../types.ts'

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
  /** What the page reads about the link before it asks: the text above the choices, or what it says in place of them. */
  readonly look?: (token: string) => Promise<Looked>
}
type Looked = { readonly about?: ReactNode; readonly instead?: ReactNode }

const MAIL = '/accounts/v1/mail'

const post = <T,>(path: string, token: string): Promise<T> =>
  fetchJson<T>(path, { method: 'POST', body: { token } })

/** What is said in place of an answer when there is no such link (any more). */
const insteadOfNothing = (instead: ReactNode) => (error: unknown) => {
  if (!(error instanceof Refusal) || error.status !== 404) throw error
  return { instead }
}

type Address = { address: string; username: string; displayName: string }

/** The account and the address that a link is about. */
function lookAtAddress(goneText: string) {
  return (token: string): Promise<Looked> =>
    post<Address>(`${MAIL}/link`, token).then(
      ({ address, username, displayName }) => ({
        about: (
          <p>
            {rich('Account: {displayName}', {
              displayName: (
                <strong>
                  <bdi>{displayName || `@${username}`}</bdi>
                </strong>
              ),
            })}
            {displayName && (
              <>
                {' '}
                (<bdi>@{username}</bdi>)
              </>
            )}
            <br />
            {rich('Address: {address}', { address: <bdi>{address}</bdi> })}
          </p>
        ),
      }),
      insteadOfNothing(
        <>
          <Notice tone="warn">{goneText}</Notice>
          <p className="buttons">
            <Link to="/account#mail" className="primary">
              {t('My account')}
            </Link>
          </p>
        </>,
      ),
    )
}

type Move = { fid: number; movesAt: number; state: 'waiting' | 'moved' | 'ended' }

/** Whether a move can still be stopped. */
async function lookAtMove(token: string): Promise<Looked> {
  const path = '/accounts/v1/recovery/link'
  const move = await post<Move>(path, token).catch(() => undefined)
  if (!move) return {}
  const { fid, movesAt, state } = move
  const query = { fids: fid }
  const { users } = await callApp<{ users: User[] }>('/user/bulk', { query }).catch(() => ({
    users: [],
  }))
  const who = <bdi>@{users[0]?.username ?? `!${fid}`}</bdi>
  if (state === 'waiting') {
    return {
      about: (
        <p>{rich('{who} goes to another key on {date}.', { who, date: dateText(movesAt) })}</p>
      ),
    }
  }
  return { instead: state === 'moved' ? <Moved {...{ who, movesAt }} /> : <Ended who={who} /> }
}

const Ended = ({ who }: { who: ReactNode }) => (
  <>
    <Notice tone="good">
      <p>
        {rich(
          'Nothing waits any more: it was stopped before its time. {who} did not go to that key.',
          { who },
        )}
      </p>
    </Notice>
    <p className="buttons">
      <Link to="/" className="primary">
        {t('Go on')}
      </Link>
    </p>
  </>
)

const Moved = ({ who, movesAt }: { who: ReactNode; movesAt: number }) => (
  <>
    <Notice tone="bad">
      <p>
        {rich('It cannot be stopped any more: {who} went to another key on {date}.', {
          who,
          date: dateText(movesAt),
        })}
      </p>
    </Notice>
    <p>
      {t(
        'If that was you, sign in with your new words. If it was not you, somebody reads your mail: change the password of your mail first. Then ask the people who run this server for your account, and tell them what has happened.',
      )}
    </p>
    <p className="buttons">
      <Link to="/join/sign-in?recovered" className="primary">
        {t('Sign in')}
      </Link>
      <Link to="/join/recover" className="secondary">
        {t('Ask for my account')}
      </Link>
      <Link to="/about" className="link">
        {t('Who runs this server')}
      </Link>
    </p>
  </>
)

const ACTS: Readonly<Record<string, Act>> = {
  confirm: {
    heading: t('Confirm your address'),
    text: t(
      'You are told there what touches the security of this account. Confirm it only if this is your account.',
    ),
    look: lookAtAddress(
      t(
        'This link was used, or is more than an hour old. “My account”, E-mail, says which address counts, and sends another link.',
      ),
    ),
    choices: [
      {
        label: t('Confirm the address'),
        path: `${MAIL}/confirm`,
        done: ({ changesAt }) =>
          changesAt
            ? t(
                'Confirmed. It takes the place of the present address on {date}, or at once with the link that was sent there.',
                { date: dateText(changesAt) },
              )
            : t('This is the address of your account now.'),
      },
    ],
  },
  change: {
    heading: t('Your e-mail address is about to change'),
    text: t(
      'If that was not you, stop it: this stays the address of your account. If it was you, it need not wait any longer. You need not sign in.',
    ),
    look: lookAtAddress(
      t(
        'Nothing waits any more: the change was stopped, or it is done, or another one was begun since. “My account”, E-mail, says which address counts now. If it was changed and that was not you, somebody else has the key of your account: move it to another one under “My account”.',
      ),
    ),
    choices: [
      {
        label: t('Stop it'),
        path: `${MAIL}/change`,
        more: { how: 'stop' },
        done: () => t('Stopped. This stays the address of your account.'),
      },
      {
        label: t('It was me: change it now'),
        path: `${MAIL}/change`,
        more: { how: 'now' },
        done: () => t('Changed. Nothing more is sent to this address.'),
      },
    ],
  },
  'not-me': {
    heading: t('Somebody has entered your address'),
    text: t(
      'If it was not you, no more links are sent there for 90 days, whoever enters it: also none that you ask for yourself. You need no account for that.',
    ),
    choices: [
      {
        label: t('Send me no more of these'),
        path: `${MAIL}/not-me`,
        more: { isRefused: true },
        done: () =>
          t(
            'No more links are sent to your address for 90 days, also none that you ask for yourself. The link of the mail allows them again.',
          ),
        undo: {
          label: t('Allow them again'),
          path: `${MAIL}/not-me`,
          more: { isRefused: false },
          done: () => t('Links may be sent to your address again.'),
        },
      },
    ],
  },
  unsubscribe: {
    heading: t('Send me no more of these'),
    text: t(
      'Mails of this kind end. What touches the security of your account is still sent. You need not sign in.',
    ),
    choices: [
      {
        label: t('End them'),
        path: `${MAIL}/unsubscribe`,
        form: { 'List-Unsubscribe': 'One-Click' },
        done: () => t('Done. Under “My account”, E-mail, you choose what is sent.'),
      },
    ],
  },
  stop: {
    heading: t('Somebody has asked for your account'),
    text: t(
      'If it was not you, stop it: the account stays with the key that it has. You need not sign in.',
    ),
    look: lookAtMove,
    choices: [
      {
        label: t('Stop it'),
        path: '/accounts/v1/recovery/stop',
        done: () => t('Stopped. Your account stays where it is.'),
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
      <Title>{act?.heading ?? t('E-mail')}</Title>
      <h1>{act?.heading ?? t('E-mail')}</h1>
      {act && token ? (
        <Asked key={token} act={act} token={token} />
      ) : (
        <p>{t('The link is not whole. Open it from the mail once more.')}</p>
      )}
    </div>
  )
}

type AskedProps = { readonly act: Act; readonly token: string }

function Asked({ act, token }: AskedProps) {
  const { look } = act
  const looked = useQuery({
    queryKey: ['mail link', act.heading, token],
    queryFn: async (): Promise<Looked> => (look ? look(token) : {}),
    retry: false,
    gcTime: 0,
  })
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
    await asked.then(
      (answer) => setChosen({ choice, answer }),
      async (reason) => {
        setError(reason)
        // What could be done when the page was opened may be over.
        await looked.refetch()
      },
    )
    setBusy(false)
  }
  if (looked.isPending) return <Busy>{t('Looking at the link …')}</Busy>
  if (looked.error) return <Failed error={looked.error} retry={looked.refetch} />
  const { about, instead } = looked.data
  const { choice, answer } = chosen ?? {}
  if (instead && !choice) return instead
  const choices = choice ? [choice.undo].flatMap((one) => one ?? []) : act.choices
  return (
    <>
      {choice && answer ? (
        <Notice tone="good">{choice.done(answer)}</Notice>
      ) : (
        <>
          {about}
          <p>{act.text}</p>
        </>
      )}
      {isBusy && <Busy>{t('One moment …')}</Busy>}
      {error && <Notice tone="bad">{error.message}</Notice>}
      <p className="buttons">
        {choice && (
          <Link to="/" className="primary">
            {t('Go on')}
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
