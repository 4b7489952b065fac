import { useMemo, useState } from 'react'
import type { Account } from '../shared/api.ts'
import { t } from '../shared/messages.ts'
import { Busy, isAtFrontDoor, Notice, Page } from '../shared/page.tsx'
import { PersonLine } from '../shared/person-line.tsx'
import { rich } from '../shared/rich.tsx'
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
  const title = keys.user ? t('Apps of {name}', { name: nameOf(keys.user) }) : t('Connected apps')
  return (
    <Page title={title}>
      <h1>{t('Connected apps')}</h1>
      <p className="lead">
        {t('These apps can post for the account. Remove the ones that you do not use.')}
      </p>
      <div className="columns beside">
        <section className="card act">
          {connection ? (
            <>
              <h2>{t('Your account')}</h2>
              <AccountChoice {...wallets} />
              <Owner keys={keys} />
            </>
          ) : (
            <>
              {account && <Owner keys={keys} />}
              <h2>{isAtFrontDoor ? t('Show that it is you') : t('Choose your wallet')}</h2>
              {account && (
                <p className="muted">{t('To remove an app, the account’s owner has to sign.')}</p>
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
  if (!signers) return <Busy>{t('Looking for keys …')}</Busy>
  return user ? <PersonLine person={user} /> : null
}

function KeyList({ keys, connection }: { keys: Keys; connection: Connection | undefined }) {
  const [removed, setRemoved] = useState<string>()
  const { user, signers, more, forget } = keys
  const lastUseOf = useLastUse(user?.fid)
  const [names, rename] = useKeyNames()
  if (!user || !signers) return null
  return (
    <section aria-label={t('Apps')}>
      <div role="status">
        {removed && (
          <Notice tone="good">
            {rich('{removed} was removed.', { removed: <bdi>{removed}</bdi> })}
          </Notice>
        )}
      </div>
      {signers.length === 0 && <p className="empty">{t('No app can post for this account.')}</p>}
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
          {t('Show more')}
        </button>
      )}
    </section>
  )
}
