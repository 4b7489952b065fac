import { Hex } from '../shared/hex.tsx'
import { Icon } from '../shared/icons.tsx'
import { Notice, useFocus } from '../shared/page.tsx'
import { PersonLine } from '../shared/person-line.tsx'
import { dateText, hasProfile, nameOf, relativeText } from '../shared/text.ts'
import type { Approval } from '../types.ts'

/** The requesting app, and what an approval allows it to do. */
export function WhoAsks({ approval, now }: { approval: Approval; now: number }) {
  const { app, key, createdAt, deadline, isSponsored } = approval
  const heading = useFocus<HTMLHeadingElement>()
  const name = <bdi>{nameOf(app)}</bdi>
  return (
    <section className="card who">
      <h1 ref={heading} tabIndex={-1}>
        Connect {name} to your account?
      </h1>
      <PersonLine person={app} />
      {!hasProfile(app) && (
        <Notice tone="warn">
          This account has no profile. Anybody can make a request: continue only if you came here
          from an app that you trust.
        </Notice>
      )}
      <h2>If you approve, it can</h2>
      <ul className="abilities">
        <Ability>post, reply, like and follow in your name</Ability>
        <Ability>change your profile</Ability>
      </ul>
      <h2>It can never</h2>
      <ul className="abilities">
        <Ability never>transfer your account to somebody else</Ability>
        <Ability never>connect or remove other apps</Ability>
        <Ability never>spend anything from your wallet</Ability>
      </ul>
      <p className="muted">
        You can disconnect it at any time under <a href="./apps">connected apps</a>.
      </p>
      <dl className="facts">
        <dt>Key</dt>
        <dd>
          <Hex value={key} what="key" />
        </dd>
        <dt>Requested</dt>
        <dd>
          <Time at={createdAt} now={now} />
        </dd>
        <dt>Expires</dt>
        <dd>
          <Time at={deadline} now={now} />
        </dd>
        <dt>Sponsored</dt>
        <dd>{isSponsored ? 'Yes, the sponsor of the app pays' : 'No'}</dd>
      </dl>
    </section>
  )
}

const Ability = ({ never = false, children }: { never?: boolean; children: string }) => (
  <li className={never ? 'never' : 'can'}>
    <Icon name={never ? 'cross' : 'check'} />
    <span>{children}</span>
  </li>
)

const Time = ({ at, now }: { at: number; now: number }) => (
  <>
    <time dateTime={new Date(at * 1000).toISOString()}>{dateText(at)}</time>{' '}
    <span className="muted aside">({relativeText(at, now)})</span>
  </>
)
