import { Hex } from '../shared/hex.tsx'
import { Icon } from '../shared/icons.tsx'
import { openable, webUrl } from '../shared/links.ts'
import { Notice, useFocus } from '../shared/page.tsx'
import { PersonLine } from '../shared/person-line.tsx'
import { abilityTexts, isEverything } from '../shared/scopes.ts'
import { dateText, durationText, hasProfile, nameOf, relativeText } from '../shared/text.ts'
import type { AccountsHome, Approval, Gasless } from '../types.ts'
import { chainName } from '../wallets/provider.ts'

/** Beside the choice there is room for the details; above it they would hide it. */
const isWide = () => matchMedia('(min-width: 52rem)').matches

/** The requesting app, and what an approval allows it to do. */
export function WhoAsks({ approval, now }: { approval: Approval; now: number }) {
  const { app, accounts, key, createdAt, deadline, isSponsored, redirectUrl, gasless } = approval
  const website = app.website === undefined ? undefined : webUrl(app.website)
  const back = openable(redirectUrl)
  const heading = useFocus<HTMLHeadingElement>()
  const name = <bdi>{nameOf(app)}</bdi>
  return (
    <section className="card who">
      <h1 ref={heading} tabIndex={-1}>
        Connect {name} to your account?
      </h1>
      <PersonLine person={app} hasBadge={app.hasBadge} />
      {!hasProfile(app) && (
        <Notice tone="warn">
          This account has no profile. Anybody can make a request: continue only if you came here
          from an app that you trust.
        </Notice>
      )}
      <p>
        {gasless
          ? gaslessText(gasless)
          : 'It could post, like and follow in your name and change your profile.'}{' '}
        It could never move your account or spend anything.
      </p>
      {gasless && (
        <p>
          Its permission ends when it is not used for {durationText(gasless.ttl)}, or when you
          disconnect it.
        </p>
      )}
      <details className="details" open={isWide()}>
        <summary>Details</summary>
        <h2>If you approve, it can</h2>
        <ul className="abilities">
          {abilitiesOf(gasless).map((ability) => (
            <Ability key={ability}>{ability}</Ability>
          ))}
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
            <Hex value={key} wholeText="Show all of the key" copyText="Copy the key" />
          </dd>
          <dt>Requested</dt>
          <dd>
            <Time at={createdAt} now={now} />
          </dd>
          <dt>Expires</dt>
          <dd>
            <Time at={deadline} now={now} />
          </dd>
          {website && (
            <>
              <dt>Website</dt>
              <dd>
                <code>{website.host}</code>{' '}
                <span className="muted aside">(as its profile says; not verified)</span>
              </dd>
            </>
          )}
          {back && (
            <>
              <dt>Opens afterwards</dt>
              <dd>
                <code>{back.host || back.href}</code>
              </dd>
            </>
          )}
          <dt>Network</dt>
          <dd>{NETWORKS[accounts.network] ?? accounts.network}</dd>
          <dt>Your account</dt>
          <dd>{homeText(accounts)}</dd>
          {gasless ? (
            <>
              <dt>Ends without use</dt>
              <dd>After {durationText(gasless.ttl)}</dd>
            </>
          ) : (
            <>
              <dt>Sponsored</dt>
              <dd>{isSponsored ? 'Yes, the sponsor of the app pays' : 'No'}</dd>
            </>
          )}
        </dl>
      </details>
    </section>
  )
}

const NETWORKS: Readonly<Record<string, string>> = {
  mainnet: 'Farcaster mainnet',
  testnet: 'Farcaster testnet',
  devnet: 'a development network',
}

const gaslessText = ({ scopes }: Gasless) =>
  isEverything(scopes)
    ? 'In your name it could write everything that an app can: posts, likes, follows and your profile.'
    : `In your name it could: ${abilityTexts(scopes).join(', ')}. Nothing else.`

const ALL_ABILITIES = ['post, reply, like and follow in your name', 'change your profile']

const abilitiesOf = (gasless: Gasless | undefined): readonly string[] =>
  gasless ? abilityTexts(gasless.scopes) : ALL_ABILITIES

/** A ledger may sign for the deployed contracts, whose chain has nothing of it. */
const homeText = ({ source, chainId }: AccountsHome): string =>
  source === 'ledger'
    ? 'This server keeps accounts and their keys itself. Nothing is sent to a blockchain.'
    : `Accounts and their keys are on ${chainName(chainId)}.`

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
