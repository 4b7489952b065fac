import { useMemo, useState } from 'react'
import type { Account } from '../shared/api.ts'
import { Busy, isAtFrontDoor, Notice, Page } from '../shared/page.tsx'
import { PersonLine } from '../shared/person-line.tsx'
import { nameOf } from '../shared/text.ts'
import { AccountChoice } from '../wallets/account-choice.tsx'
import { AccountWays } from '../wallets/account-ways.tsx'
import type { Connection } from '../wallets/provider.ts'
import { useWallets } from '../wallets/use-wallets.ts'
import { useKeyNames } from './key-names.ts'
import { KeyRow } from './key-row.tsx'
import { useLastUse } from './use-last-use.ts'
import { type Keys, useSigners } from './use-signers.ts'

/** The keys of an account. They are public; only the owner may remove them. */
export function AppsPage({ fid }: { fid: number | undefined }) {
  const wallets = useWallets()
  const { connection } = wallets
  const address = connection?.address
  const account = useMemo((): Account | undefined => {
    if (address !== undefined) return { address }
    return fid === undefined ? undefined : { fid }
  }, [address, fid])
  const keys = useSigners(account)
  const title = keys.user ? `Apps of ${nameOf(keys.user)}` : 'Connected apps'
  return (
    <Page title={title}>
      <h1>Connected apps</h1>
      <p className="lead">
        These apps can post for the account. Remove the ones that you do not use.
      </p>
      <div className="columns beside">
        <section className="card act">
          {connection ? (
            <>
              <h2>Your account</h2>
              <AccountChoice {...wallets} />
              <Owner keys={keys} />
            </>
          ) : (
            <>
              {account && <Owner keys={keys} />}
              <h2>{isAtFrontDoor ? 'Show that it is you' : 'Choose your wallet'}</h2>
              {account && (
                <p className="muted">To remove an app, the account’s owner has to sign.</p>
              )}
              <AccountWays wallets={wallets} />
            </>
          )}
        </section>
        <KeyList key={keys.user?.fid} keys={keys} connection={connection} />
      </div>
    </Page>
  )
}

/** The account whose keys are shown. */
function Owner({ keys: { user, signers, error } }: { keys: Keys }) {
  if (error) return <Notice tone="warn">{error}</Notice>
  if (!signers) return <Busy>Looking for keys …</Busy>
  return user ? <PersonLine person={user} /> : null
}

function KeyList({ keys, connection }: { keys: Keys; connection: Connection | undefined }) {
  const [removed, setRemoved] = useState<string>()
  const { user, signers, more, forget } = keys
  const lastUseOf = useLastUse(user?.fid)
  const [names, rename] = useKeyNames()
  if (!user || !signers) return null
  return (
    <section aria-label="Apps">
      <div role="status">
        {removed && (
          <Notice tone="good">
            <bdi>{removed}</bdi> was removed.
          </Notice>
        )}
      </div>
      {signers.length === 0 && <p className="empty">No app can post for this account.</p>}
      <ul className="keys">
        {signers.map((signer) => (
          <KeyRow
            key={signer.key}
            fid={user.fid}
            signer={signer}
            connection={connection}
            lastUse={lastUseOf(signer.key)}
            givenName={names[signer.key]}
            onNamed={(name) => rename(signer.key, name)}
            onRemoved={(name) => {
              forget(signer.key)
              setRemoved(name)
            }}
          />
        ))}
      </ul>
      {more && (
        <button type="button" className="secondary" onClick={more}>
          Show more
        </button>
      )}
    </section>
  )
}
