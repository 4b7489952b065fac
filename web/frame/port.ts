import type { Call, Refused } from './wire.ts'

// What the client and the page around an app tell each other, over one MessagePort.

/** The first message, which brings the port. Everything before it and every other is ignored. */
export type Handover = { readonly kind: 'open'; readonly url: string }

export type FromFrame =
  | ({ readonly kind: 'call' } & Call)
  | ({ readonly kind: 'refused' } & Refused)
  | { readonly kind: 'hello' }
  /** The app's page, or another one in its place, has loaded. */
  | { readonly kind: 'loaded' }
  /** The app went to another origin, which the policy of the frame forbids. */
  | { readonly kind: 'blocked'; readonly url: string }

export type ToFrame =
  | { readonly kind: 'answer'; readonly id: string; readonly value: unknown }
  | { readonly kind: 'fail'; readonly id: string; readonly reason: string }
  | { readonly kind: 'event'; readonly event: object }
  | { readonly kind: 'wallet'; readonly event: string; readonly params: readonly unknown[] }
  | { readonly kind: 'focus' }
  | { readonly kind: 'end'; readonly reason: string }
