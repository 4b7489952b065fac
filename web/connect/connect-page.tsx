import { useState } from 'react'
import { Busy, Outcome, Page } from '../shared/page.tsx'
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
  const app = state.approval ? nameOf(state.approval.app) : 'the app'
  return (
    <Page title={TITLES[state.view](app)}>
      <Content {...{ state, wallets, app }} />
    </Page>
  )
}

const TITLES: Readonly<Record<View, (app: string) => string>> = {
  'no-token': () => 'No request',
  loading: () => 'Connect an app',
  unknown: () => 'Request not found',
  unreachable: () => 'Request not loaded',
  expired: () => 'Request expired',
  pending: (app) => `Connect ${app}?`,
  approved: (app) => `Connecting ${app} …`,
  completed: (app) => `${app} is connected`,
  denied: (app) => `${app} was declined`,
  failed: (app) => `${app} was not connected`,
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
      return <Busy>Loading the request …</Busy>
    case 'denied':
      return (
        <Outcome tone="plain" icon="cross" heading="Declined">
          <p>
            <bdi>{app}</bdi> was not connected, and cannot use this request any more.
          </p>
        </Outcome>
      )
    case 'failed':
      return (
        <Outcome tone="bad" icon="warning" heading={<>Not connected</>}>
          <p>{failureText(request?.reason, app)}</p>
        </Outcome>
      )
    case 'expired':
      return (
        <Outcome tone="plain" icon="clock" heading="This request has expired">
          <p>
            Nothing was changed. Go back to <bdi>{app}</bdi> and connect again.
          </p>
        </Outcome>
      )
    case 'unreachable':
      return (
        <Outcome tone="bad" icon="warning" heading="The request could not be loaded">
          <p>{explain(state.error)} Nothing was changed.</p>
          <button type="button" className="primary" onClick={retry}>
            Try again
          </button>
        </Outcome>
      )
    case 'unknown':
      return (
        <Outcome tone="plain" icon="question" heading="Request not found">
          <p>
            The link may be incomplete, or the request is so old that it was deleted. Go back to the
            app and connect again.
          </p>
        </Outcome>
      )
    case 'no-token':
      return (
        <Outcome tone="plain" icon="question" heading="Which app do you want to connect?">
          <p>
            Open this page with the link or the QR code that the app shows you. See{' '}
            <a href="./apps">connected apps</a> for apps that can already post for you.
          </p>
        </Outcome>
      )
  }
}

/** A request that is declined without a signature stays until it expires. */
const Left = ({ app, back }: { app: string; back: () => void }) => (
  <Outcome tone="plain" icon="cross" heading="Nothing was approved">
    <p>
      <bdi>{app}</bdi> was not connected. You can close this page. The request expires by itself; to
      decline it for good, choose your account first.
    </p>
    <button type="button" className="secondary" onClick={back}>
      Back to the request
    </button>
  </Outcome>
)
