import { Icon } from '../shared/icons.tsx'
import { Notice, useFocus } from '../shared/page.tsx'
import { cleanName, relativeText } from '../shared/text.ts'
import { askerOf, type Channel } from './channel.ts'

/** Beside the choice there is room for the details; above it they would hide it. */
const isWide = () => matchMedia('(min-width: 52rem)').matches

/** The domain that asks, and what it learns. */
export function WhoAsks({ channel }: { channel: Channel }) {
  const { signatureParams, metadata, now, expiresAt } = channel
  const { domain, siweUri } = signatureParams
  const heading = useFocus<HTMLHeadingElement>()
  return (
    <section className="card who">
      <h1 ref={heading} tabIndex={-1}>
        Sign in to <bdi>{domain}</bdi>?
      </h1>
      <Warnings channel={channel} />
      <p>
        Approve only if you have just asked to sign in at <strong>{domain}</strong> yourself. If
        somebody sent you this link or showed you the code, they would be signed in as you.
      </p>
      <details className="details" open={isWide()}>
        <summary>Details</summary>
        <h2>If you approve, {domain} learns</h2>
        <ul className="abilities">
          <Ability>that the account is yours</Ability>
          <Ability>your public profile and your verified addresses</Ability>
        </ul>
        <h2>It can never</h2>
        <ul className="abilities">
          <Ability never>post, like or follow in your name</Ability>
          <Ability never>change or transfer your account</Ability>
          <Ability never>spend anything from your wallet</Ability>
        </ul>
        <dl className="facts">
          <dt>Domain</dt>
          <dd>
            <code>{domain}</code>
          </dd>
          <dt>Login page</dt>
          <dd>
            <code>{siweUri}</code>
          </dd>
          <dt>Requested from</dt>
          <dd>
            <code>{metadata.ip}</code>{' '}
            <span className="muted aside">({cleanName(metadata.userAgent)})</span>
          </dd>
          <dt>Expires</dt>
          <dd>{relativeText(expiresAt, now)}</dd>
        </dl>
      </details>
    </section>
  )
}

/** Signs of somebody who asks in the name of another site. */
function Warnings({ channel }: { channel: Channel }) {
  const { domain } = channel.signatureParams
  const asker = askerOf(channel)
  return (
    <>
      {asker === 'other' && (
        <Notice tone="warn">
          A page of <strong>{channel.metadata.origin}</strong> made this request, not a page of{' '}
          <strong>{domain}</strong>.
        </Notice>
      )}
      {asker === 'server' && (
        <Notice tone="warn">
          A server made this request, and nobody has checked that it belongs to{' '}
          <strong>{domain}</strong>.
        </Notice>
      )}
      {/(^|\.)xn--/i.test(domain) && (
        <Notice tone="warn">
          The name of this site has characters that can look like others. Compare it with care.
        </Notice>
      )}
    </>
  )
}

const Ability = ({ never = false, children }: { never?: boolean; children: string }) => (
  <li className={never ? 'never' : 'can'}>
    <Icon name={never ? 'cross' : 'check'} />
    <span>{children}</span>
  </li>
)
