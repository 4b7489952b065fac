import { type ReactNode, useState } from 'react'
import { Link } from 'react-router'
import { Busy, Notice } from '../../shared/page.tsx'
import { fetchJson } from '../../shared/request.ts'
import { Title } from '../parts/title.tsx'

type Act = {
  readonly heading: string
  readonly text: string
  readonly button: string
  readonly path: string
  readonly isToken: 'body' | 'query'
  readonly done: ReactNode
}

const ACTS: Readonly<Record<string, Act>> = {
  confirm: {
    heading: 'Confirm your e-mail address',
    text: 'You are told there what touches your account, and can get the account back with it.',
    button: 'Confirm the address',
    path: '/accounts/v1/mail/confirm',
    isToken: 'body',
    done: 'This is the address of your account now.',
  },
  stop: {
    heading: 'Somebody has asked for your account',
    text: 'If it was not you, stop it: the account stays with the key that it has. You need not sign in.',
    button: 'Stop it',
    path: '/accounts/v1/recovery/stop',
    isToken: 'body',
    done: 'Stopped. Your account stays where it is.',
  },
  'stop-mails': {
    heading: 'No more of these mails',
    text: 'What concerns the security of your account still comes.',
    button: 'End them',
    path: '/accounts/v1/mail/unsubscribe',
    isToken: 'query',
    done: 'No more of these mails come.',
  },
}

/** What the links in mails open. Nothing happens before the button is pressed: some programs open every link. */
export function Component() {
  const [what = '', token = ''] = location.hash.slice(1).split('=')
  const act = Object.hasOwn(ACTS, what) ? ACTS[what] : undefined
  return (
    <div className="form-screen">
      <Title>{act?.heading ?? 'E-mail'}</Title>
      <h1>{act?.heading ?? 'E-mail'}</h1>
      {act && token ? (
        <Button act={act} token={token} />
      ) : (
        <p>The link is not whole. Open it from the mail once more.</p>
      )}
    </div>
  )
}

function Button({ act, token }: { act: Act; token: string }) {
  const [state, setState] = useState<'new' | 'busy' | 'done' | Error>('new')
  const press = async () => {
    setState('busy')
    const given = act.isToken === 'body' ? { body: { token } } : { query: { token } }
    await fetchJson(act.path, { method: 'POST', ...given }).then(
      () => setState('done'),
      (error) => setState(error as Error),
    )
  }
  if (state === 'done') {
    return (
      <>
        <Notice tone="good">{act.done}</Notice>
        <p>
          <Link to="/" className="primary">
            Go on
          </Link>
        </p>
      </>
    )
  }
  return (
    <>
      <p>{act.text}</p>
      {state === 'busy' && <Busy>One moment …</Busy>}
      {state instanceof Error && <Notice tone="bad">{state.message}</Notice>}
      <p>
        <button type="button" className="primary" disabled={state === 'busy'} onClick={press}>
          {act.button}
        </button>
      </p>
    </>
  )
}
