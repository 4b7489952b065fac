import { openable } from '../shared/links.ts'
import { Outcome } from '../shared/page.tsx'

/** The request is completed; links back to the app when it gave a redirect URL. */
export function Completed(props: { app: string; redirectUrl: string | undefined }) {
  const back = openable(props.redirectUrl)
  return (
    <Outcome
      tone="good"
      icon="check"
      heading={
        <>
          <bdi>{props.app}</bdi> is connected
        </>
      }
    >
      {back ? (
        <>
          <p>It can now post for you.</p>
          <a className="primary" href={back.href} rel="noreferrer noopener">
            Go back to <bdi>{props.app}</bdi>
          </a>
          <p className="muted target">
            Opens <code>{back.href}</code>
          </p>
        </>
      ) : (
        <p>It can now post for you. Close this page and go back to the app.</p>
      )}
      <p>
        <a href="./apps">See connected apps</a>
      </p>
    </Outcome>
  )
}
