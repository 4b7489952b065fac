import { Icon } from '../shared/icons.tsx'
import { t } from '../shared/messages.ts'
import { Notice, useFocus } from '../shared/page.tsx'
import { rich } from '../shared/rich.tsx'
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
        {rich('Sign in to {domain}?', { domain: <bdi>{domain}</bdi> })}
      </h1>
      <Warnings channel={channel} />
      <p>
        {rich(
          'Approve only if you have just asked to sign in at {domain} yourself. If somebody sent you this link or showed you the code, they would be signed in as you.',
          { domain: <strong>{domain}</strong> },
        )}
      </p>
      <details className="details" open={isWide()}>
        <summary>{t('Details')}</summary>
        <h2>{t('If you approve, {domain} learns', { domain })}</h2>
        <ul className="abilities">
          <Ability>{t('that the account is yours')}</Ability>
          <Ability>{t('your public profile and your verified addresses')}</Ability>
        </ul>
        <h2>{t('It can never')}</h2>
        <ul className="abilities">
          <Ability never>{t('post, like or follow in your name')}</Ability>
          <Ability never>{t('change or transfer your account')}</Ability>
          <Ability never>{t('spend anything from your wallet')}</Ability>
        </ul>
        <dl className="facts">
          <dt>{t('Domain')}</dt>
          <dd>
            <code>{domain}</code>
          </dd>
          <dt>{t('Login page')}</dt>
          <dd>
            <code>{siweUri}</code>
          </dd>
          <dt>{t('Requested from')}</dt>
          <dd>
            <code>{metadata.ip}</code>{' '}
            <span className="muted aside">({cleanName(metadata.userAgent)})</span>
          </dd>
          <dt>{t('Expires')}</dt>
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
          {rich('A page of {origin} made this request, not a page of {domain}.', {
            origin: <strong>{channel.metadata.origin}</strong>,
            domain: <strong>{domain}</strong>,
          })}
        </Notice>
      )}
      {asker === 'server' && (
        <Notice tone="warn">
          {rich('A server made this request, and nobody has checked that it belongs to {domain}.', {
            domain: <strong>{domain}</strong>,
          })}
        </Notice>
      )}
      {/(^|\.)xn--/i.test(domain) && (
        <Notice tone="warn">
          {t(
            'The name of this site has characters that can look like others. Compare it with care.',
          )}
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
