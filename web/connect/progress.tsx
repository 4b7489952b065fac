import { useState } from 'react'
import { Hex } from '../shared/hex.tsx'
import { Icon } from '../shared/icons.tsx'
import { Busy, Notice, useFocus } from '../shared/page.tsx'
import type { Transaction } from '../types.ts'
import { type Connection, chainName, explain } from '../wallets/provider.ts'
import { sendTransaction } from '../wallets/sign.ts'

/** Signed, and on its way to the accounts. */
export function Progress({ app, children }: { app: string; children?: React.ReactNode }) {
  const heading = useFocus<HTMLHeadingElement>()
  return (
    <section className="card outcome plain">
      <h1 ref={heading} tabIndex={-1}>
        Connecting <bdi>{app}</bdi>
      </h1>
      <ol className="steps">
        <li className="done">
          <Icon name="check" />
          <span>You have signed</span>
        </li>
        <li aria-current="step">
          <span className="spinner" aria-hidden="true" />
          <span>The network records the key</span>
        </li>
        <li>
          <span className="dot" aria-hidden="true" />
          <span>
            <bdi>{app}</bdi> can post for you
          </span>
        </li>
      </ol>
      {children ?? (
        <p className="muted" role="status">
          This can take up to a minute. You may leave the page: nothing more is asked of you.
        </p>
      )}
    </section>
  )
}

/** What the user has to send, where nobody does it for them. */
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
        Sent as <Hex value={sent} what="transaction" />. It counts once{' '}
        {chainName(transaction.chainId)} has confirmed it.
      </p>
    )
  }
  return (
    <>
      <Notice tone="warn">
        Nobody sends transactions for you on this network. Send this one from your wallet, which
        pays its fee on {chainName(transaction.chainId)}.
      </Notice>
      <button type="button" className="primary" disabled={isAsking} onClick={send}>
        Send the transaction
      </button>
      {isAsking && <Busy>Waiting for {connection.wallet.name} …</Busy>}
      {error && <Notice tone="bad">{error}</Notice>}
    </>
  )
}
