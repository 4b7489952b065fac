import { useState } from 'react'
import { t } from '../shared/messages.ts'
import { Busy, isAtFrontDoor, Notice, useFocus } from '../shared/page.tsx'
import { PersonLine } from '../shared/person-line.tsx'
import { rich } from '../shared/rich.tsx'
import { nameOf } from '../shared/text.ts'
import type { Approval, KeyRequest, Transaction } from '../types.ts'
import { AccountChoice } from '../wallets/account-choice.tsx'
import { AccountWays } from '../wallets/account-ways.tsx'
import { Elsewhere } from '../wallets/elsewhere.tsx'
import { type Connection, chainName } from '../wallets/provider.ts'
import { NoAccount, Signing, WillSign } from '../wallets/signing.tsx'
import type { Wallets } from '../wallets/use-wallets.ts'
import { type Failure, failureOf, WalletFailure } from '../wallets/wallet-failure.tsx'
import { approve, deny } from './actions.ts'
import { useAccount } from './use-account.ts'
import type { RequestState } from './use-request.ts'

type Props = {
  state: RequestState
  request: KeyRequest
  wallets: Wallets
  onUserMustSend: (transaction: Transaction) => void
  /** The user turned away without a signature. */
  onLeave: () => void
}

/** The decision of the user: choose a wallet and an account, then approve or decline. */
export function Approve(props: Props) {
  const { request, wallets, onLeave } = props
  const { connection } = wallets
  if (connection) return <AsAccount {...props} connection={connection} />
  return (
    <section className="card act">
      <h2>{isAtFrontDoor ? t('Your account') : t('Choose your wallet')}</h2>
      <AccountWays wallets={wallets} />
      <div className="buttons">
        <button type="button" className="secondary" onClick={onLeave}>
          {t('Decline')}
        </button>
      </div>
      <Elsewhere publicAddress={request.approvalUrl} deeplinkUrl={request.deeplinkUrl} />
    </section>
  )
}

function AsAccount({
  connection,
  state,
  request,
  wallets,
  onUserMustSend,
  onLeave,
}: Props & { connection: Connection }) {
  const account = useAccount(request.token, connection.address)
  const { approval, error } = account ?? {}
  const heading = useFocus<HTMLHeadingElement>()
  return (
    <section className="card act">
      <h2 ref={heading} tabIndex={-1}>
        {t('Your account')}
      </h2>
      <AccountChoice {...wallets} />
      {error && <Notice tone="bad">{error}</Notice>}
      {!account && <Busy>{t('Looking for your account …')}</Busy>}
      {approval && !approval.user && <NoAccount connection={connection} />}
      {!approval?.user && (
        <div className="buttons">
          <button type="button" className="secondary" onClick={onLeave}>
            {t('Decline')}
          </button>
        </div>
      )}
      {approval?.user && (
        <Decide
          {...{ state, request, approval, connection, onUserMustSend, onLeave }}
          user={approval.user}
        />
      )}
    </section>
  )
}

type Asked = 'approve' | 'deny'

function Decide(
  props: Omit<Props, 'wallets'> & {
    approval: Approval
    user: NonNullable<Approval['user']>
    connection: Connection
  },
) {
  const { state, request, approval, user, connection, onUserMustSend } = props
  const [asked, setAsked] = useState<Asked>()
  const [error, setError] = useState<Failure>()

  const ask = (what: Asked, work: () => Promise<void>) => {
    setAsked(what)
    setError(undefined)
    work()
      .catch((reason) => setError(failureOf(reason)))
      .finally(() => setAsked(undefined))
  }
  const onApprove = async () => {
    const { signedKeyRequest, transaction } = await approve(request.token, connection)
    if (transaction) onUserMustSend(transaction)
    state.learn(signedKeyRequest)
  }
  const onDeny = async () => {
    await deny(request, connection, { fid: user.fid, now: state.now() })
    state.learn({ ...request, state: 'denied' })
  }
  return (
    <>
      <PersonLine person={user} />
      <Hindrance approval={approval} connection={connection} />
      <div className="buttons">
        <button
          type="button"
          className="primary"
          disabled={asked !== undefined || isUsed(approval)}
          aria-busy={asked === 'approve'}
          onClick={() => ask('approve', onApprove)}
        >
          <span>{rich('Approve as {name}', { name: <bdi>{nameOf(user)}</bdi> })}</span>
        </button>
        <button
          type="button"
          className="secondary"
          disabled={asked !== undefined}
          aria-busy={asked === 'deny'}
          onClick={() => ask('deny', onDeny)}
        >
          {t('Decline')}
        </button>
      </div>
      {asked && <Signing connection={connection} />}
      <WalletFailure failure={error} />
      <WillSign connection={connection} />
    </>
  )
}

const isUsed = ({ keyState }: Approval) => keyState === 'active' || keyState === 'removed'

/** What prevents an approval, or what the wallet will ask for first. */
function Hindrance({ approval, connection }: { approval: Approval; connection: Connection }) {
  const { keyState, typedData, accounts } = approval
  if (keyState === 'active') {
    return <Notice tone="good">{t('This key is already connected to your account.')}</Notice>
  }
  if (keyState === 'removed') {
    return (
      <Notice tone="warn">
        {t(
          'You removed this key before, and a removed key cannot be added again. Request a new one in the app.',
        )}
      </Notice>
    )
  }
  const wanted = Number(typedData?.domain.chainId ?? connection.chainId)
  if (connection.wallet.isOpened || wanted === connection.chainId) return null
  return (
    <Notice tone="warn">
      {t(
        'Your wallet is on {chainName}. The signature names {chainName2} ({wanted}), so your wallet may ask you to switch.',
        { chainName: chainName(connection.chainId), chainName2: chainName(wanted), wanted },
      )}{' '}
      {accounts.source === 'ledger'
        ? t('Nothing is sent there: this server keeps the accounts itself.')
        : t('That is where your account is.')}
    </Notice>
  )
}
