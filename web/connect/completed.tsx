import { useEffect, useState } from 'react'
import { getSigners } from '../shared/api.ts'
import { openable } from '../shared/links.ts'
import { t } from '../shared/messages.ts'
import { Outcome } from '../shared/page.tsx'
import { rich } from '../shared/rich.tsx'
import { handleOf, nameOf } from '../shared/text.ts'
import type { Person } from '../types.ts'

/** The request is completed; links back to the app when it gave a redirect URL. */
type Props = { app: string; userFid: number | undefined; redirectUrl: string | undefined }

export function Completed(props: Props) {
  const who = useWho(props.userFid)
  const back = openable(props.redirectUrl)
  return (
    <Outcome
      tone="good"
      icon="check"
      heading={rich('{app} is connected', { app: <bdi>{props.app}</bdi> })}
    >
      {back ? (
        <>
          <p>{who ? rich('It can now act as {who}.', { who }) : t('It can now act as you.')}</p>
          <a className="primary" href={back.href} rel="noreferrer noopener">
            {rich('Go back to {app}', { app: <bdi>{props.app}</bdi> })}
          </a>
          <p className="muted target">{rich('Opens {href}', { href: <code>{back.href}</code> })}</p>
        </>
      ) : (
        <p>
          {who
            ? rich('It can now act as {who}. Close this page and go back to the app.', { who })
            : t('It can now act as you. Close this page and go back to the app.')}
        </p>
      )}
      <p>
        <a href={props.userFid ? `./apps?fid=${props.userFid}` : './apps'}>
          {t('See connected apps')}
        </a>
      </p>
    </Outcome>
  )
}

/** The account for which the app is connected. */
function useWho(fid: number | undefined) {
  const [user, setUser] = useState<Person>()
  useEffect(() => {
    if (fid !== undefined)
      getSigners({ fid }).then(
        (page) => setUser(page.user),
        () => {},
      )
  }, [fid])
  if (fid === undefined) return undefined
  if (!user) return t('account {fid}', { fid: String(fid) })
  return (
    <>
      <bdi>{nameOf(user)}</bdi> (<bdi>{handleOf(user)}</bdi>)
    </>
  )
}
