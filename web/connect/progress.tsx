import { useState } from 'react'
import { Hex } from '../shared/hex.tsx'
import { Icon } from '../shared/icons.tsx'
import { t } from '../shared/messages.ts'
import { Busy, Notice, useFocus } from '../shared/page.tsx'
import { rich } from '../shared/rich.tsx'
import type { Transaction } from '../types.ts'
import { type Connection, chainName, explain } from '../wallets/provider.ts'
import { sendTransaction } from '../wallets/sign.ts'

/** Shown between the signature and its confirmation. */
export function Progress({ app, children }: { app: string; children?: React.ReactNode }) {
  const heading = useFocus<HTMLHeadingElement>()
  return (
    <section className="card outcome plain">
      <h1 ref={heading} tabIndex={-1}>
        {rich('Connecting {app}', { app: <bdi>{app}</bdi> })}
      </h1>
      <ol className="steps">
        <li className="done">
          <Icon name="check" />
          <span>{t('You have signed')}</span>
        </li>
        <li aria-current="step">
          <span className="spinner" aria-hidden="true" />
          <span>{t('The network is recording the key')}</span>
        </li>
        <li>
          <span className="dot" aria-hidden="true" />
          <span>{rich('{app} can post for you', { app: <bdi>{app}</bdi> })}</span>
        </li>
      </ol>
      {children ?? (
        <p className="muted" role="status">
          {t('This can take up to a minute. You can close the page: there is nothing more to do.')}
        </p>
      )}
    </section>
  )
}

/** The transaction that the user has to send when the server has no relayer. */
export function SendTransaction(props: { transaction: Transaction; connection: Connection }) {
  const { transaction, connection } = props
  const [sent, setSent] = useState<string>()
  const [isAsking, setAsking] = useState(false)
  const [error, setError] = useState<string>()
  const send = () => {
    setAsking(true)
    setError(undefined)
    sendTransaction(connection, transaction)
      .then(setSent, (reason) => setError(explain(reason)))
      .finally(() => setAsking(false))
  }
  if (sent) {
    return (
      <p role="status">
        {rich('Sent as {hex}. It takes effect once {chainName} has confirmed it.', {
          hex: (
            <Hex
              value={sent}
              wholeText={t('Show all of the transaction')}
              copyText={t('Copy the transaction')}
            />
          ),
          chainName: chainName(transaction.chainId),
        })}
      </p>
    )
  }
  return (
    <>
      <Notice tone="warn">
        {t(
          'This server does not send transactions for you. Send this one from your wallet, which pays its fee on {chainName}.',
          { chainName: chainName(transaction.chainId) },
        )}
      </Notice>
      <button type="button" className="primary" disabled={isAsking} onClick={send}>
        {t('Send the transaction')}
      </button>
      {isAsking && <Busy>{t('Waiting for {name} …', { name: connection.wallet.name })}</Busy>}
      {error && <Notice tone="bad">{error}</Notice>}
    </>
  )
}
