import { Notice } from '../shared/page.tsx'
import { explain, isRejectedByUser } from './provider.ts'

/** Why something that needs a wallet did not happen. That the user declined is no error. */
export type Failure = { readonly text: string; readonly isCancelled: boolean }

export const failureOf = (reason: unknown): Failure => ({
  text: explain(reason),
  isCancelled: isRejectedByUser(reason),
})

export function WalletFailure({ failure }: { failure: Failure | undefined }) {
  return (
    <div role="status">
      {failure?.isCancelled && <Notice tone="plain">{failure.text}</Notice>}
      {failure && !failure.isCancelled && <Notice tone="bad">{failure.text}</Notice>}
    </div>
  )
}
