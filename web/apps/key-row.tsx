import { useState } from 'react'
import { Hex } from '../shared/hex.tsx'
import { Busy, Notice, useFocus } from '../shared/page.tsx'
import { PersonLine } from '../shared/person-line.tsx'
import { dateText, nameOf } from '../shared/text.ts'
import type { Signer } from '../types.ts'
import { type Connection, explain } from '../wallets/provider.ts'
import { removeKey } from './remove.ts'

type Step = 'listed' | 'confirming' | 'signing' | 'removing'

type Props = {
  fid: number
  signer: Signer
  /** Undefined while no wallet is connected. */
  connection: Connection | undefined
  onRemoved: (name: string) => void
}

/** One key with its app and a button to remove it. */
export function KeyRow({ fid, signer, connection, onRemoved }: Props) {
  const [step, setStep] = useState<Step>('listed')
  const [error, setError] = useState<string>()
  const { key, addedAt, app } = signer
  const name = app ? nameOf(app) : 'this key'

  const remove = (by: Connection) => {
    setStep('signing')
    setError(undefined)
    removeKey({ fid, key }, by, () => setStep('removing')).then(
      () => onRemoved(name),
      (reason) => {
        setError(explain(reason))
        setStep('listed')
      },
    )
  }
  return (
    <li className="card key">
      <div className="key-head">
        {app ? <PersonLine person={app} small /> : <strong>Unknown app</strong>}
        {connection && step === 'listed' && (
          <button type="button" className="secondary" onClick={() => setStep('confirming')}>
            Remove <span className="unseen">{name}</span>
          </button>
        )}
      </div>
      <dl className="facts">
        <dt>Connected</dt>
        <dd>
          <time dateTime={new Date(addedAt * 1000).toISOString()}>{dateText(addedAt)}</time>
        </dd>
        <dt>Key</dt>
        <dd>
          <Hex value={key} what="key" />
        </dd>
      </dl>
      {step === 'confirming' && connection && (
        <Confirm name={name} onYes={() => remove(connection)} onNo={() => setStep('listed')} />
      )}
      {step === 'signing' && <Busy>Waiting for your signature in {connection?.wallet.name} …</Busy>}
      {step === 'removing' && <Busy>Signed. The network is removing the key …</Busy>}
      {error && <Notice tone="bad">{error}</Notice>}
    </li>
  )
}

function Confirm(props: { name: string; onYes: () => void; onNo: () => void }) {
  const question = useFocus<HTMLParagraphElement>()
  return (
    <div className="confirm">
      <p ref={question} tabIndex={-1}>
        Remove <bdi>{props.name}</bdi>? It can then no longer post for you, and this key can never
        be added again. Its earlier posts stay.
      </p>
      <div className="buttons">
        <button type="button" className="danger" onClick={props.onYes}>
          Yes, remove
        </button>
        <button type="button" className="secondary" onClick={props.onNo}>
          Keep it
        </button>
      </div>
    </div>
  )
}
