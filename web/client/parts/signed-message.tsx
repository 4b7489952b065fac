import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Hex } from '../../shared/hex.tsx'
import { Icon } from '../../shared/icons.tsx'
import { t } from '../../shared/messages.ts'
import { cleanText, dateText } from '../../shared/text.ts'
import type { SignedFields } from '../types.ts'

/** Network seconds begin here. */
const EPOCH_SECONDS = 1_609_459_200

/** A signed message taken apart: each field, and each check with its result. */
export function SignedMessage({ message, hash }: { message: SignedFields; hash: string }) {
  const [isOpen, setOpen] = useState(false)
  const failed = message.checks.filter(({ passes }) => !passes).length
  return (
    <section className="folded">
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>
          {failed === 0 ? (
            t('Details')
          ) : (
            <span className="verdict bad">
              <Icon name="warning" />
              {t(
                '{count, plural, one {Signed message: {failed} of # check failed} other {Signed message: {failed} of # checks failed}}',
                {
                  failed,
                  count: message.checks.length,
                },
              )}
            </span>
          )}
        </summary>
        <h2>{t('Signed message, checked by the server')}</h2>
        <Checks checks={message.checks} />
        {isOpen && <OwnChecks message={message} hash={hash} />}
        <Fields message={message} />
      </details>
    </section>
  )
}

type Checked = Pick<SignedFields['checks'][number], 'passes' | 'text'> & { readonly name: string }

const Checks = ({ checks }: { checks: readonly Checked[] }) => (
  <ul className="checks">
    {checks.map(({ name, passes, text }) => (
      <li key={name} className={passes ? 'good' : 'bad'}>
        <Icon name={passes ? 'check' : 'cross'} />
        <span>
          <strong>{name}</strong>{' '}
          <span className="unseen">{passes ? t('passed') : t('failed', undefined, 'a check')}</span>
          <span className="check-text">{text}</span>
        </span>
      </li>
    ))}
  </ul>
)

/** What the browser finds itself, once somebody looks. */
function OwnChecks({ message, hash }: { message: SignedFields; hash: string }) {
  const { data, error } = useQuery({
    queryKey: ['verified', hash, message.signature],
    queryFn: async () => (await import('./verify-message.ts')).verifyMessage(message, hash),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
  return (
    <div role="status" className="own-checks">
      <h2>{t('Checked by your browser')}</h2>
      {!data && !error && <p className="muted">{t('Hashing and verifying …')}</p>}
      {error && (
        <p className="muted">
          {t('Your browser could not check it. {message}', { message: error.message })}
        </p>
      )}
      {data && <Checks checks={data.checks} />}
      {data?.text && (
        <p className="signed-text" dir="auto">
          <span className="muted">{t('Signed text, without the names of those it mentions')}</span>
          <span className="cast-text">{cleanText(data.text)}</span>
        </p>
      )}
    </div>
  )
}

function Fields({ message }: { message: SignedFields }) {
  return (
    <dl className="signed-fields">
      <dt>{t('type')}</dt>
      <dd>
        <code>{message.type}</code>
      </dd>
      <dt>{t('fid')}</dt>
      <dd>{message.fid}</dd>
      <dt>{t('network')}</dt>
      <dd>{message.network}</dd>
      <dt>{t('timestamp')}</dt>
      <dd>
        {message.timestamp} ({dateText(message.timestamp + EPOCH_SECONDS)})
      </dd>
      <dt>{t('hash')}</dt>
      <dd>
        <Hex
          value={message.hash}
          wholeText={t('Show all of the hash')}
          copyText={t('Copy the hash')}
        />
        <span className="muted">{message.hash_scheme}</span>
      </dd>
      <dt>{t('signature')}</dt>
      <dd>
        <Hex
          value={message.signature}
          wholeText={t('Show all of the signature')}
          copyText={t('Copy the signature')}
        />
        <span className="muted">{message.signature_scheme}</span>
      </dd>
      <dt>{t('signer')}</dt>
      <dd>
        <Hex
          value={message.signer}
          wholeText={t('Show all of the signer key')}
          copyText={t('Copy the signer key')}
        />
      </dd>
      <dt>{t('data bytes')}</dt>
      <dd>
        <Hex
          value={message.data_bytes}
          wholeText={t('Show all of the data bytes')}
          copyText={t('Copy the data bytes')}
        />
      </dd>
    </dl>
  )
}
