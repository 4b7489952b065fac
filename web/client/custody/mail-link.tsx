import { type ReactNode, useState } from 'react'
import { Link, useLocation } from 'react-router'
import { Busy, Notice } from '../../shared/page.tsx'
import { fetchJson } from '../../shared/request.ts'
import { Title } from '../parts/title.tsx'

type Act = {
  readonly heading: string
  readonly text: string
  readonly button: string
  readonly path: string
  readonly done: ReactNode
}

const ACTS: Readonly<Record<string, Act>> = {
  confirm: {
    heading: 'Confirm your address',
    text: 'You are told there what touches the security of your account.',
    button: 'Confirm the address',
    path: '/accounts/v1/mail/confirm',
    done: 'This is the address of your account now.',
  },
  stop: {
    heading: 'Somebody has asked for your account',
    text: 'If it was not you, stop it: the account stays with the key that it has. You need not sign in.',
    button: 'Stop it',
    path: '/accounts/v1/recovery/stop',
    done: 'Stopped. Your account stays where it is.',
  },
}

/** What the links in mails open. Nothing happens before the button is pressed: some programs open every link. */
export function Component() {
  const [what = '', token = ''] = useLocation().hash.slice(1).split('=')
  const act = Object.hasOwn(ACTS, what) ? ACTS[what] : undefined
  return (
    <div className="form-screen">
      <Title>{act?.heading ?? 'E-mail'}</Title>
      <h1>{act?.heading ?? 'E-mail'}</h1>
      {act && token ? (
        <Button key={token} act={act} token={token} />
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
    await fetchJson(act.path, { method: 'POST', body: { token } }).then(
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
