import { useState } from 'react'
import { Hex } from '../shared/hex.tsx'
import { t } from '../shared/messages.ts'
import { Busy, Notice, useFocus } from '../shared/page.tsx'
import { PersonLine } from '../shared/person-line.tsx'
import { rich } from '../shared/rich.tsx'
import { scopeText } from '../shared/scopes.ts'
import { dateText, nameOf } from '../shared/text.ts'
import type { Signer } from '../types.ts'
import type { Connection } from '../wallets/provider.ts'
import { Signing } from '../wallets/signing.tsx'
import { type Failure, failureOf, WalletFailure } from '../wallets/wallet-failure.tsx'
import { KeyName } from './key-name.tsx'
import { removeKey } from './remove.ts'
import { NOT_LATELY } from './use-last-use.ts'

type Step = 'listed' | 'confirming' | 'signing' | 'removing'

type Props = {
  fid: number
  signer: Signer
  /** Undefined while no wallet is connected. */
  connection: Connection | undefined
  /** When it last signed something, in words. */
  lastUse: string | null | undefined
  /** What the viewer calls it. */
  givenName: string | undefined
  onNamed: (name: string) => void
  onRemoved: (name: string) => void
}

/** One key with its app and a button to remove it. */
export function KeyRow(props: Props) {
  const { fid, signer, connection, lastUse, givenName, onNamed, onRemoved } = props
  const [step, setStep] = useState<Step>('listed')
  const [error, setError] = useState<Failure>()
  const { key, addedAt, app, gasless } = signer
  const appName = app ? nameOf(app) : t('Unknown app')
  const name = givenName ? `${appName} (${givenName})` : appName

  const remove = (by: Connection) => {
    setStep('signing')
    setError(undefined)
    removeKey({ fid, key }, by, () => setStep('removing')).then(
      () => onRemoved(name),
      (reason) => {
        setError(failureOf(reason))
        setStep('listed')
      },
    )
  }
  return (
    <li className="card key">
      <div className="key-head">
        {app ? <PersonLine person={app} small /> : <strong>{t('Unknown app')}</strong>}
        {step === 'listed' && (
          <button type="button" className="secondary" onClick={() => setStep('confirming')}>
            {rich('Remove {name}', { name: <span className="unseen">{name}</span> })}
          </button>
        )}
      </div>
      <dl className="facts">
        <dt>{t('Name')}</dt>
        <dd>
          <KeyName name={givenName} app={appName} onNamed={onNamed} />
        </dd>
        <dt>{t('Connected')}</dt>
        <dd>
          <time dateTime={new Date(addedAt * 1000).toISOString()}>{dateText(addedAt)}</time>
        </dd>
        {lastUse !== undefined && (
          <>
            <dt>{t('Last used')}</dt>
            <dd>{lastUse ?? NOT_LATELY}</dd>
          </>
        )}
        {gasless && (
          <>
            <dt>{t('May')}</dt>
            <dd>{scopeText(gasless.scopes)}</dd>
            <dt>{t('Expires')}</dt>
            <dd>{expiryText(gasless.expiresAt)}</dd>
          </>
        )}
        <dt>{t('Key')}</dt>
        <dd>
          <Hex value={key} wholeText={t('Show all of the key')} copyText={t('Copy the key')} />
        </dd>
      </dl>
      {step === 'confirming' && connection && (
        <Confirm
          name={name}
          isForEver={!gasless}
          onYes={() => remove(connection)}
          onNo={() => setStep('listed')}
        />
      )}
      {step === 'signing' && connection && <Signing connection={connection} />}
      {step === 'removing' && <Busy>{t('Signed. The network is removing the key …')}</Busy>}
      {step === 'confirming' && !connection && (
        <Notice tone="plain">
          {t('Choose your account on this page first: its owner has to sign.')}
        </Notice>
      )}
      <WalletFailure failure={error} />
    </li>
  )
}

type ConfirmProps = {
  name: string
  /** Whether the key can never be added again. */
  isForEver: boolean
  onYes: () => void
  onNo: () => void
}

const expiryText = (at: number) =>
  at * 1_000 < Date.now()
    ? t('expired on {date}', { date: dateText(at) })
    : t('on {date}, unless it is used', { date: dateText(at) })

function Confirm(props: ConfirmProps) {
  const question = useFocus<HTMLParagraphElement>()
  const name = <bdi>{props.name}</bdi>
  return (
    <div className="confirm">
      <p ref={question} tabIndex={-1}>
        {props.isForEver
          ? rich(
              'Remove {name}? It can then no longer post for you, and this key can never be added again. Its earlier {posts} stay.',
              { name },
            )
          : rich('Remove {name}? It can then no longer post for you. Its earlier {posts} stay.', {
              name,
            })}
      </p>
      <div className="buttons">
        <button type="button" className="danger" onClick={props.onYes}>
          {t('Yes, remove')}
        </button>
        <button type="button" className="secondary" onClick={props.onNo}>
          {t('Keep it')}
        </button>
      </div>
    </div>
  )
}
