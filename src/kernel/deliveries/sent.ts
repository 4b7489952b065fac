import { channel } from 'node:diagnostics_channel'

/** What was handed to an app, as far as it can be made anew: it has no key, token or signature. */
export type SentToApp =
  | { readonly kind: 'webhook'; readonly url: string; readonly body: string }
  | {
      readonly kind: 'mini-app event'
      readonly url: string
      readonly domain: string
      readonly fid: number
      readonly event: string
      /** Whether the app may notify the user. */
      readonly notifies: boolean
    }
  | {
      readonly kind: 'sign-in'
      /** The page of the app. */
      readonly url: string
      readonly domain: string
      readonly fid: number
    }

type Sent = {
  /** The store of the server that sent it. */
  readonly by: unknown
  /** The same for every attempt. */
  readonly id: string
  readonly what: SentToApp
}

const SENT = channel('rookery:sent to an app')

/** Tells who watches. Only a development network does: elsewhere nothing is made. */
export function tellSent(make: () => Sent): void {
  if (SENT.hasSubscribers) SENT.publish(make())
}

/**
 * Calls with what a server sends from now on. Returns the function that ends it. What the call throws is a warning: a channel
 * would end the process.
 */
export function watchSent(by: unknown, take: (what: SentToApp, id: string) => void): () => void {
  const listen = (message: unknown) => {
    const sent = message as Sent
    if (sent.by !== by) return
    try {
      take(sent.what, sent.id)
    } catch (error) {
      process.emitWarning(error as Error)
    }
  }
  SENT.subscribe(listen)
  return () => void SENT.unsubscribe(listen)
}
