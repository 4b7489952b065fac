import { t } from '../shared/messages.ts'
import type { Approval, KeyRequest, State } from '../types.ts'

/** What the page shows. */
export type View = 'no-token' | 'loading' | 'unknown' | 'unreachable' | 'expired' | State

/** What is known of a request. An error is that of the last attempt to load it. */
export type Known = {
  readonly token: string | undefined
  readonly request: KeyRequest | undefined
  readonly approval: Approval | undefined
  readonly error: unknown
  /** Unix seconds of the network. */
  readonly now: number
}

export function decideView({ token, request, approval, error, now }: Known): View {
  if (token === undefined) return 'no-token'
  // Known state stays while the server is unreachable.
  if (request !== undefined && request.state !== 'pending') return request.state
  if (isExpired(error)) return 'expired'
  if (isUnknown(error)) return 'unknown'
  if (!request || !approval) return error === undefined ? 'loading' : 'unreachable'
  return now > approval.deadline ? 'expired' : 'pending'
}

export const isFinal = (state: State): boolean => state !== 'pending' && state !== 'approved'

/** The answer to who waits for a request that nobody approved until its deadline. */
export const isExpired = (error: unknown) =>
  (error as { reason?: string } | undefined)?.reason === 'expired'

/** A missing token is treated like an unknown one. */
export const isUnknown = (error: unknown) =>
  [400, 404].includes((error as { status?: number } | undefined)?.status ?? 0)

/** Why a request failed, for the user who approved it. */
export function failureText(reason: string | undefined, app: string): string {
  const text = reason === undefined ? undefined : FAILURES[reason]
  if (text) return text(app)
  return reason
    ? t('The network refused the key of {app} ({reason}).', { app, reason })
    : t('The network refused the key of {app}.', { app })
}

const FAILURES: Readonly<Record<string, (app: string) => string>> = {
  transaction_would_revert: (app) =>
    t(
      'This key was used with your account before, and a key cannot be added twice. Ask {app} for a new one.',
      { app },
    ),
  custody_address_mismatch: (app) =>
    t(
      'The account of {app} has a new owner since the request. If you still trust it, connect again in the app.',
      { app },
    ),
  key_transaction_limit: () =>
    t(
      'Your account has as many keys as it can have. Remove one that you do not need, then connect again in the app.',
    ),
  insufficient_warps: (app) =>
    t('The sponsor of {app} has no credits left. Tell the makers of the app.', { app }),
}
