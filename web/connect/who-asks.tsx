import { Hex } from '../shared/hex.tsx'
import { Icon } from '../shared/icons.tsx'
import { openable, webUrl } from '../shared/links.ts'
import { t } from '../shared/messages.ts'
import { Notice, useFocus } from '../shared/page.tsx'
import { PersonLine } from '../shared/person-line.tsx'
import { rich } from '../shared/rich.tsx'
import { abilityTexts, isEverything } from '../shared/scopes.ts'
import {
  dateText,
  durationText,
  hasProfile,
  longListText,
  nameOf,
  relativeText,
} from '../shared/text.ts'
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
        {rich('Connect {name} to your account?', { name })}
      </h1>
      <PersonLine person={app} hasBadge={app.hasBadge} />
      {!hasProfile(app) && (
        <Notice tone="warn">
          {t(
            'This account has no profile. Anybody can make a request: continue only if you came here from an app that you trust.',
          )}
        </Notice>
      )}
      <p>
        {gasless
          ? gaslessText(gasless)
          : t('It could post, like and follow in your name and change your profile.')}{' '}
        {t('It could never move your account or spend anything.')}
      </p>
      {gasless && (
        <p>
          {t('Its permission ends when it is not used for {duration}, or when you disconnect it.', {
            duration: durationText(gasless.ttl),
          })}
        </p>
      )}
      <details className="details" open={isWide()}>
        <summary>{t('Details')}</summary>
        <h2>{t('If you approve, it can')}</h2>
        <ul className="abilities">
          {abilitiesOf(gasless).map((ability) => (
            <Ability key={ability}>{ability}</Ability>
          ))}
        </ul>
        <h2>{t('It can never')}</h2>
        <ul className="abilities">
          <Ability never>{t('transfer your account to somebody else')}</Ability>
          <Ability never>{t('connect or remove other apps')}</Ability>
          <Ability never>{t('spend anything from your wallet')}</Ability>
        </ul>
        <p className="muted">
          {rich('You can disconnect it at any time under <link>connected apps</link>.', {
            link: (inner) => <a href="./apps">{inner}</a>,
          })}
        </p>
        <dl className="facts">
          <dt>{t('Key')}</dt>
          <dd>
            <Hex value={key} wholeText={t('Show all of the key')} copyText={t('Copy the key')} />
          </dd>
          <dt>{t('Requested')}</dt>
          <dd>
            <Time at={createdAt} now={now} />
          </dd>
          <dt>{t('Expires')}</dt>
          <dd>
            <Time at={deadline} now={now} />
          </dd>
          {website && (
            <>
              <dt>{t('Website')}</dt>
              <dd>
                <code>{website.host}</code>{' '}
                <span className="muted aside">{t('(as its profile says; not verified)')}</span>
              </dd>
            </>
          )}
          {back && (
            <>
              <dt>{t('Opens afterwards')}</dt>
              <dd>
                <code>{back.host || back.href}</code>
              </dd>
            </>
          )}
          <dt>{t('Network')}</dt>
          <dd>{NETWORKS[accounts.network] ?? accounts.network}</dd>
          <dt>{t('Your account')}</dt>
          <dd>{homeText(accounts)}</dd>
          {gasless ? (
            <>
              <dt>{t('Ends without use')}</dt>
              <dd>{t('After {duration}', { duration: durationText(gasless.ttl) })}</dd>
            </>
          ) : (
            <>
              <dt>{t('Sponsored')}</dt>
              <dd>{isSponsored ? t('Yes, the sponsor of the app pays') : t('No')}</dd>
            </>
          )}
        </dl>
      </details>
    </section>
  )
}

const NETWORKS: Readonly<Record<string, string>> = {
  mainnet: t('Farcaster mainnet'),
  testnet: t('Farcaster testnet'),
  devnet: t('a development network'),
}

const gaslessText = ({ scopes }: Gasless) =>
  isEverything(scopes)
    ? t(
        'In your name it could write everything that an app can: posts, likes, follows and your profile.',
      )
    : t('In your name it could: {abilityTexts}. Nothing else.', {
        abilityTexts: longListText(abilityTexts(scopes)),
      })

const ALL_ABILITIES = [t('post, reply, like and follow in your name'), t('change your profile')]

const abilitiesOf = (gasless: Gasless | undefined): readonly string[] =>
  gasless ? abilityTexts(gasless.scopes) : ALL_ABILITIES

/** A ledger may sign for the deployed contracts, whose chain has nothing of it. */
const homeText = ({ source, chainId }: AccountsHome): string =>
  source === 'ledger'
    ? t('This server keeps accounts and their keys itself. Nothing is sent to a blockchain.')
    : t('Accounts and their keys are on {chainName}.', { chainName: chainName(chainId) })

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
