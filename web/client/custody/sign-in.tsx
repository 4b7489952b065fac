import { useState } from 'react'
import { Link, useNavigate, useSearchParams } from 'react-router'
import { Notice } from '../../shared/page.tsx'
import { pathAfterJoining } from '../act/join-path.ts'
import { clearOverrides } from '../act/overrides.ts'
import { Door } from '../parts/door.tsx'
import { Title } from '../parts/title.tsx'
import { useSession } from '../session/session.tsx'
import { enterWith } from './create-account.ts'
import type { Opened } from './open.ts'
import { Unlock } from './unlock.tsx'

const TIME = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' })

/** The screen on which one signs in on another device. */
export function Component() {
  const { become } = useSession()
  const navigate = useNavigate()
  const [params] = useSearchParams()
  const [until, setUntil] = useState<number>()
  const enter = async ({ words }: Opened) => {
    const fid = await enterWith(words!, (progress) => setUntil(progress.until))
    clearOverrides()
    become(fid)
    navigate(params.has('recovered') ? '/account?recovered' : pathAfterJoining(params))
  }
  return (
    <div className="form-screen">
      <Title>Sign in</Title>
      <h1>Sign in</h1>
      <Door />
      <Unlock onOpened={enter} />
      {until && (
        <Notice tone="plain">
          This account got another key less than a minute ago. This one is added at{' '}
          {TIME.format(until)}. Keep this page open.
        </Notice>
      )}
      <p className="buttons">
        <Link to={`/join/wallet?${params}`} className="link">
          Use a wallet
        </Link>
        <Link to="/join/recover" className="link">
          Lost all of these?
        </Link>
        <Link to={`/join?${params}`} className="link">
          You have no account yet? Join
        </Link>
      </p>
    </div>
  )
}
