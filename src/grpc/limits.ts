import { FixedWindow } from '../base/fixed-window.ts'
import type { Credentials } from '../http/auth.ts'
import { checkBasic } from '../http/auth.ts'
import { clientOf } from '../http/client-budget.ts'
import type { Limit } from '../http/options.ts'
import { isLoopback } from '../http/rate-limits.ts'
import { Rejection } from '../protocol/rejection.ts'
import { clientAddresses } from './client-address.ts'
import type { SubmitGuard } from './hub-methods.ts'
import type { Call } from './method.ts'

/** Open subscriptions of this process, over all clients. */
const MAX_SUBSCRIPTIONS = 4_096

export type CallLimits = SubmitGuard & {
  /** The address of a call's client. */
  addressOf(call: Call): string
  /** Counts a subscription; the result ends it. Throws a Rejection when there are too many. */
  openSubscription(call: Call): () => void
  readonly subscriptions: () => number
}

type LimitOptions = {
  readonly credentials: Credentials
  readonly trustedProxies: readonly string[]
  readonly submits: Limit
  /** Open subscriptions of one address. */
  readonly subscriptions: Pick<Limit, 'max' | 'exemptLoopback'>
  /** Unix ms. */
  readonly now: () => number
}

/** Who may submit, how often, and how many streams one client may have open. */
export function callLimits(options: LimitOptions): CallLimits {
  const { credentials, submits, subscriptions } = options
  const addressOf = clientAddresses(options.trustedProxies)
  const clientOfCall = (call: Call) => addressOf(call.peer, call.header('x-forwarded-for'))
  const window = new FixedWindow({ windowMs: submits.windowSeconds * 1_000 })
  const openBy = new Map<string, number>()
  let open = 0

  const hasCredentials = (call: Call): boolean => {
    if (credentials.length === 0) return false
    try {
      checkBasic(credentials, call.header('authorization'))
      return true
    } catch {
      return false
    }
  }

  return {
    addressOf: clientOfCall,
    checkSubmit(call, messages = 1) {
      const client = clientOfCall(call)
      if (!(submits.exemptLoopback && isLoopback(client))) {
        const exceeded = window.take(clientOf(client), submits.max, options.now(), messages)
        if (exceeded) {
          const retryAfterSeconds = Math.ceil(exceeded.retryAfterMs / 1_000)
          throw new Rejection('rate_limited', 'API rate limit exceeded', { retryAfterSeconds })
        }
      }
      if (credentials.length > 0) checkBasic(credentials, call.header('authorization'))
    },
    openSubscription(call) {
      const client = clientOfCall(call)
      const isLimited =
        !(subscriptions.exemptLoopback && isLoopback(client)) && !hasCredentials(call)
      const name = clientOf(client)
      const count = openBy.get(name) ?? 0
      if (isLimited && count >= subscriptions.max) {
        throw new Rejection('unavailable', `Too many connections from this IP: ${client}`)
      }
      if (open >= MAX_SUBSCRIPTIONS) {
        throw new Rejection('unavailable', 'Too many connections to this server')
      }
      open++
      if (isLimited) openBy.set(name, count + 1)
      return () => {
        open--
        if (!isLimited) return
        const left = (openBy.get(name) ?? 0) - 1
        if (left > 0) openBy.set(name, left)
        else openBy.delete(name)
      }
    },
    subscriptions: () => open,
  }
}
