import { useEffect, useId, useState } from 'react'
import { t } from '../shared/messages.ts'
import { Busy, isAtFrontDoor, Notice, useFocus } from '../shared/page.tsx'
import { PersonLine } from '../shared/person-line.tsx'
import { rich } from '../shared/rich.tsx'
import { nameOf } from '../shared/text.ts'
import { AccountChoice } from '../wallets/account-choice.tsx'
import { AccountWays } from '../wallets/account-ways.tsx'
import { Elsewhere } from '../wallets/elsewhere.tsx'
import { type Connection, explain } from '../wallets/provider.ts'
import { NoAccount, Signing, WillSign } from '../wallets/signing.tsx'
import type { Wallets } from '../wallets/use-wallets.ts'
import { type Failure, failureOf, WalletFailure } from '../wallets/wallet-failure.tsx'
import { approve, type Channel, decline, getChannel } from './channel.ts'

type Props = {
  readonly token: string
  readonly channel: Channel
  readonly wallets: Wallets
  readonly onDone: (outcome: 'approved' | 'declined') => void
}
type Ask = (what: 'approve' | 'decline', work: () => Promise<unknown>) => void

/** The decision of the user: choose a wallet and an account, then approve; or decline at once. */
export function Decide(props: Props) {
  const { token, channel, wallets, onDone } = props
  const { connection } = wallets
  const [asked, setAsked] = useState<'approve' | 'decline'>()
  const [failure, setFailure] = useState<Failure>()
  const heading = useFocus<HTMLHeadingElement>()

  const ask: Ask = (what, work) => {
    setAsked(what)
    setFailure(undefined)
    work()
      .then(
        () => onDone(what === 'approve' ? 'approved' : 'declined'),
        (reason) => setFailure(failureOf(reason)),
      )
      .finally(() => setAsked(undefined))
  }
  const declineButton = (
    <button
      type="button"
      className="secondary"
      disabled={asked !== undefined}
      aria-busy={asked === 'decline'}
      onClick={() => ask('decline', () => decline(token))}
    >
      {t('Decline')}
    </button>
  )
  return (
    <section className="card act">
      <h2 ref={heading} tabIndex={-1}>
        {connection || isAtFrontDoor ? t('Your account') : t('Choose your wallet')}
      </h2>
      {connection ? (
        <AsAccount {...props} {...{ connection, ask, asked, declineButton }} />
      ) : (
        <>
          <AccountWays wallets={wallets} />
          <div className="buttons">{declineButton}</div>
        </>
      )}
      <WalletFailure failure={failure} />
      {!connection && <Elsewhere publicAddress={channel.url} deeplinkUrl={channel.deeplinkUrl} />}
    </section>
  )
}

type AccountProps = Props & {
  readonly connection: Connection
  readonly ask: Ask
  readonly asked: string | undefined
  readonly declineButton: React.ReactNode
}

function AsAccount({
  token,
  channel,
  wallets,
  connection,
  ask,
  asked,
  declineButton,
}: AccountProps) {
  const { address, wallet } = connection
  const [fid, setFid] = useState<number>()
  const { user, isLoading, error } = useUser(token, address, fid)
  return (
    <>
      <AccountChoice {...wallets} />
      {error && <Notice tone="bad">{error}</Notice>}
      {isLoading && <Busy>{t('Looking for your account …')}</Busy>}
      {!user && !isLoading && !error && <NoAccount connection={connection} />}
      {!user && !isLoading && !wallet.isOpened && channel.acceptAuthAddress && (
        <AuthAddress onFid={setFid} />
      )}
      {user && <PersonLine person={user} />}
      <div className="buttons">
        {user && (
          <button
            type="button"
            className="primary"
            disabled={asked !== undefined}
            aria-busy={asked === 'approve'}
            onClick={() => ask('approve', () => approve(token, connection, user.fid))}
          >
            <span>{rich('Sign in as {name}', { name: <bdi>{nameOf(user)}</bdi> })}</span>
          </button>
        )}
        {declineButton}
      </div>
      {asked === 'approve' && <Signing connection={connection} />}
      {user && <WillSign connection={connection} />}
    </>
  )
}

/** An auth address may belong to several accounts, so its user says which one. */
function AuthAddress({ onFid }: { onFid: (fid: number) => void }) {
  const id = useId()
  const [text, setText] = useState('')
  return (
    <form
      className="account"
      onSubmit={(event) => {
        event.preventDefault()
        if (/^[1-9][0-9]{0,9}$/.test(text)) onFid(Number(text))
      }}
    >
      <label htmlFor={id}>{t('If this is an auth address, the fid of your account')}</label>
      <input
        id={id}
        inputMode="numeric"
        value={text}
        onChange={({ target }) => setText(target.value.trim())}
      />
      <button type="submit" className="link">
        {t('Find the account')}
      </button>
    </form>
  )
}

/** The account for which an address may sign in. */
function useUser(token: string, address: string, fid: number | undefined) {
  const key = `${address} ${fid}`
  const [found, setFound] = useState<{ key: string; user?: Channel['user']; error?: string }>()
  useEffect(() => {
    let isCurrent = true
    getChannel(token, { address, fid }).then(
      ({ user }) => isCurrent && setFound({ key, ...(user && { user }) }),
      (reason) => isCurrent && setFound({ key, error: explain(reason) }),
    )
    return () => {
      isCurrent = false
    }
  }, [token, address, fid, key])
  const isLoading = found?.key !== key
  return { isLoading, ...(!isLoading && found) } as {
    isLoading: boolean
    user?: Channel['user']
    error?: string
  }
}
