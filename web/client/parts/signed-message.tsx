import { Hex } from '../../shared/hex.tsx'
import { Icon } from '../../shared/icons.tsx'
import { dateText } from '../../shared/text.ts'
import type { SignedFields } from '../types.ts'

/** Network seconds begin here. */
const EPOCH_SECONDS = 1_609_459_200

/** A signed message taken apart: each field, and each check with its result. */
export function SignedMessage({ message }: { message: SignedFields }) {
  const failed = message.checks.filter(({ passes }) => !passes).length
  return (
    <section className="folded">
      <details>
        <summary>
          <span className={failed === 0 ? 'verdict good' : 'verdict bad'}>
            <Icon name={failed === 0 ? 'check' : 'warning'} />
            {failed === 0
              ? `Signed message: ${message.checks.length} checks passed`
              : `Signed message: ${failed} of ${message.checks.length} checks failed`}
          </span>
        </summary>
        <ul className="checks">
          {message.checks.map(({ name, passes, text }) => (
            <li key={name} className={passes ? 'good' : 'bad'}>
              <Icon name={passes ? 'check' : 'cross'} />
              <span>
                <strong>{name}</strong>{' '}
                <span className="unseen">{passes ? 'passed' : 'failed'}</span>
                <span className="check-text">{text}</span>
              </span>
            </li>
          ))}
        </ul>
        <Fields message={message} />
      </details>
    </section>
  )
}

function Fields({ message }: { message: SignedFields }) {
  return (
    <dl className="signed-fields">
      <dt>type</dt>
      <dd>
        <code>{message.type}</code>
      </dd>
      <dt>fid</dt>
      <dd>{message.fid}</dd>
      <dt>network</dt>
      <dd>{message.network}</dd>
      <dt>timestamp</dt>
      <dd>
        {message.timestamp} ({dateText(message.timestamp + EPOCH_SECONDS)})
      </dd>
      <dt>hash</dt>
      <dd>
        <Hex value={message.hash} what="hash" />
        <span className="muted">{message.hash_scheme}</span>
      </dd>
      <dt>signature</dt>
      <dd>
        <Hex value={message.signature} what="signature" />
        <span className="muted">{message.signature_scheme}</span>
      </dd>
      <dt>signer</dt>
      <dd>
        <Hex value={message.signer} what="signer key" />
      </dd>
      <dt>data bytes</dt>
      <dd>
        <Hex value={message.data_bytes} what="data bytes" />
      </dd>
    </dl>
  )
}
