import { useCallback, useEffect, useState } from 'react'
import { t } from '../shared/messages.ts'
import { Busy, Outcome, Page } from '../shared/page.tsx'
import { Refusal } from '../shared/request.ts'
import { rich } from '../shared/rich.tsx'
import { explain } from '../wallets/provider.ts'
import { useWallets } from '../wallets/use-wallets.ts'
import { type Channel, getChannel, wayBack } from './channel.ts'
import { Decide } from './decide.tsx'
import { WhoAsks } from './who-asks.tsx'

type View = 'no-token' | 'loading' | 'unknown' | 'unreachable' | 'pending' | 'approved' | 'declined'

const TITLES: Readonly<Record<View, (domain: string) => string>> = {
  'no-token': () => t('No request'),
  loading: () => t('Sign in'),
  unknown: () => t('Request not found'),
  unreachable: () => t('Request not loaded'),
  pending: (domain) => t('Sign in to {domain}?', { domain }),
  approved: (domain) => t('Signed in to {domain}', { domain }),
  declined: (domain) => t('{domain} was declined', { domain }),
}

/** The page of a sign-in, on which a user approves or declines it. */
export function SignInPage({ token }: { token: string | undefined }) {
  const wallets = useWallets()
  const { channel, error, retry } = useChannel(token)
  const [outcome, setOutcome] = useState<'approved' | 'declined'>()
  const view = outcome ?? viewOf(token, channel, error)
  const domain = channel?.signatureParams.domain ?? ''
  return (
    <Page title={TITLES[view](domain)}>
      {view === 'pending' ? (
        <div className="columns asked">
          <WhoAsks channel={channel!} />
          <Decide token={token!} channel={channel!} wallets={wallets} onDone={setOutcome} />
        </div>
      ) : (
        <Told {...{ view, domain, channel, error, retry }} />
      )}
    </Page>
  )
}

function viewOf(token: string | undefined, channel: Channel | undefined, error: unknown): View {
  if (token === undefined) return 'no-token'
  if (channel) return channel.state === 'completed' ? 'approved' : 'pending'
  if (error === undefined) return 'loading'
  return error instanceof Refusal && error.status === 401 ? 'unknown' : 'unreachable'
}

function useChannel(token: string | undefined) {
  const [channel, setChannel] = useState<Channel>()
  const [error, setError] = useState<unknown>()
  const [attempt, setAttempt] = useState(0)
  const retry = useCallback(() => setAttempt((count) => count + 1), [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt begins anew
  useEffect(() => {
    if (token === undefined) return
    setError(undefined)
    getChannel(token).then(setChannel, setError)
  }, [token, attempt])
  return { channel, error, retry }
}

type ToldProps = {
  readonly view: View
  readonly domain: string
  readonly channel: Channel | undefined
  readonly error: unknown
  readonly retry: () => void
}

/** A page with one message. */
function Told({ view, domain, channel, error, retry }: ToldProps) {
  switch (view) {
    case 'loading':
      return <Busy>{t('Loading the request …')}</Busy>
    case 'approved':
      return <Approved domain={domain} back={channel && wayBack(channel)} />
    case 'declined':
      return (
        <Outcome tone="plain" icon="cross" heading={t('Declined')}>
          <p>
            {rich('You were not signed in to {domain}, and it cannot use this request any more.', {
              domain: <bdi>{domain}</bdi>,
            })}
          </p>
        </Outcome>
      )
    case 'unreachable':
      return (
        <Outcome tone="bad" icon="warning" heading={t('The request could not be loaded')}>
          <p>{t('{explain} Nothing was signed.', { explain: explain(error) })}</p>
          <button type="button" className="primary" onClick={retry}>
            {t('Try again')}
          </button>
        </Outcome>
      )
    case 'unknown':
      return (
        <Outcome tone="plain" icon="question" heading={t('Request not found')}>
          <p>
            {t(
              'The link may be incomplete, or the request has expired, was used or was declined. Go back to the app and sign in again.',
            )}
          </p>
        </Outcome>
      )
    default:
      return (
        <Outcome tone="plain" icon="question" heading={t('Where do you want to sign in?')}>
          <p>{t('Open this page with the link or the QR code that the app shows you.')}</p>
        </Outcome>
      )
  }
}

const Approved = ({ domain, back }: { domain: string; back: URL | undefined }) => (
  <Outcome
    tone="good"
    icon="check"
    heading={rich('You have signed in to {domain}', { domain: <bdi>{domain}</bdi> })}
  >
    {back ? (
      <>
        <a className="primary" href={back.href} rel="noreferrer noopener">
          {rich('Go back to {domain}', { domain: <bdi>{domain}</bdi> })}
        </a>
        <p className="muted target">{rich('Opens {href}', { href: <code>{back.href}</code> })}</p>
      </>
    ) : (
      <p>{t('Close this page and go back to the app.')}</p>
    )}
  </Outcome>
)
