import { useState } from 'react'
import { t } from '../shared/messages.ts'
import { Busy, Outcome, Page } from '../shared/page.tsx'
import { rich } from '../shared/rich.tsx'
import { nameOf } from '../shared/text.ts'
import type { Transaction } from '../types.ts'
import { explain } from '../wallets/provider.ts'
import { useWallets, type Wallets } from '../wallets/use-wallets.ts'
import { Approve } from './approve.tsx'
import { Completed } from './completed.tsx'
import { Progress, SendTransaction } from './progress.tsx'
import { type RequestState, useRequest } from './use-request.ts'
import { failureText, type View } from './view.ts'
import { WhoAsks } from './who-asks.tsx'

/** The page of a signed key request, on which a user approves or declines it. */
export function ConnectPage({ token }: { token: string | undefined }) {
  const state = useRequest(token)
  const wallets = useWallets()
  const app = state.approval ? nameOf(state.approval.app) : '…'
  return (
    <Page title={TITLES[state.view](app)}>
      <Content {...{ state, wallets, app }} />
    </Page>
  )
}

const TITLES: Readonly<Record<View, (app: string) => string>> = {
  'no-token': () => t('No request'),
  loading: () => t('Connect an app'),
  unknown: () => t('Request not found'),
  unreachable: () => t('Request not loaded'),
  expired: () => t('Request expired'),
  pending: (app) => t('Connect {app}?', { app }),
  approved: (app) => t('Connecting {app} …', { app }),
  completed: (app) => t('{app} is connected', { app }),
  denied: (app) => t('{app} was declined', { app }),
  failed: (app) => t('{app} was not connected', { app }),
}

function Content(props: { state: RequestState; wallets: Wallets; app: string }) {
  const { state, wallets, app } = props
  const { view, request, approval, retry } = state
  const [transaction, setTransaction] = useState<Transaction>()
  const [hasLeft, setLeft] = useState(false)
  const { connection } = wallets
  // The user sends the transaction; the request stays pending until its key is seen on the chain.
  if (transaction && connection && (view === 'pending' || view === 'approved')) {
    return (
      <Progress app={app}>
        <SendTransaction transaction={transaction} connection={connection} />
      </Progress>
    )
  }
  switch (view) {
    case 'pending':
      if (hasLeft) return <Left app={app} back={() => setLeft(false)} />
      return (
        <div className="columns asked">
          <WhoAsks approval={approval!} now={state.now()} />
          <Approve
            state={state}
            request={request!}
            wallets={wallets}
            onUserMustSend={setTransaction}
            onLeave={() => setLeft(true)}
          />
        </div>
      )
    case 'approved':
      return <Progress app={app} />
    case 'completed':
      return <Completed app={app} userFid={request?.userFid} redirectUrl={approval?.redirectUrl} />
    case 'loading':
      return <Busy>{t('Loading the request …')}</Busy>
    case 'denied':
      return (
        <Outcome tone="plain" icon="cross" heading={t('Declined')}>
          <p>
            {rich('{app} was not connected, and cannot use this request any more.', {
              app: <bdi>{app}</bdi>,
            })}
          </p>
        </Outcome>
      )
    case 'failed':
      return (
        <Outcome tone="bad" icon="warning" heading={t('Not connected')}>
          <p>{failureText(request?.reason, app)}</p>
        </Outcome>
      )
    case 'expired':
      return (
        <Outcome tone="plain" icon="clock" heading={t('This request has expired')}>
          <p>
            {approval
              ? rich('Nothing was changed. Go back to {app} and connect again.', {
                  app: <bdi>{app}</bdi>,
                })
              : t('Nothing was changed. Go back to the app and connect again.')}
          </p>
        </Outcome>
      )
    case 'unreachable':
      return (
        <Outcome tone="bad" icon="warning" heading={t('The request could not be loaded')}>
          <p>{t('{explain} Nothing was changed.', { explain: explain(state.error) })}</p>
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
              'The link may be incomplete, or the request is so old that it was deleted. Go back to the app and connect again.',
            )}
          </p>
        </Outcome>
      )
    case 'no-token':
      return (
        <Outcome tone="plain" icon="question" heading={t('Which app do you want to connect?')}>
          <p>
            {rich(
              'Open this page with the link or the QR code that the app shows you. See <link>connected apps</link> for apps that can already post for you.',
              { link: (inner) => <a href="./apps">{inner}</a> },
            )}
          </p>
        </Outcome>
      )
  }
}

/** A request that is declined without a signature stays until it expires. */
const Left = ({ app, back }: { app: string; back: () => void }) => (
  <Outcome tone="plain" icon="cross" heading={t('Nothing was approved')}>
    <p>
      {rich(
        '{app} was not connected. You can close this page. The request expires by itself; to decline it for good, choose your account first.',
        { app: <bdi>{app}</bdi> },
      )}
    </p>
    <button type="button" className="secondary" onClick={back}>
      {t('Back to the request')}
    </button>
  </Outcome>
)
