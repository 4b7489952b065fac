import type { Connection } from '../../../wallets/provider.ts'
import type { MiniAppDetails } from '../calls.ts'
import type { Words } from '../wallet/words.ts'

// What an app asks for and its user decides. One prompt is shown at a time.

/** A cast as it was sent from the composer of an app. */
export type ComposedCast = {
  readonly hash: string
  readonly text?: string
  readonly embeds?: readonly string[]
  readonly parent?: { readonly type: 'cast'; readonly hash: string }
  readonly channelKey?: string
}

export type ComposeOptions = Omit<ComposedCast, 'hash'>

export type SignInOptions = {
  readonly nonce: string
  readonly notBefore?: string
  readonly expirationTime?: string
  readonly acceptAuthAddress?: boolean
}

export type SignedIn = {
  readonly message: string
  readonly signature: string
  readonly authMethod: 'custody' | 'authAddress'
}

export type SignedDomain = {
  readonly header: string
  readonly payload: string
  readonly signature: string
}

/** By the kind of the prompt: what it is about, and what a yes brings. */
export type Questions = {
  readonly url: { about: { url: string }; yes: true }
  readonly app: { about: { domain: string }; yes: true }
  readonly add: { about: { app: MiniAppDetails }; yes: { notifications: boolean } }
  readonly signIn: { about: SignInOptions; yes: SignedIn }
  readonly signDomain: { about: { domain: string }; yes: SignedDomain }
  readonly accounts: { about: object; yes: Connection }
  readonly wallet: { about: Words; yes: true }
  readonly compose: { about: ComposeOptions; yes: ComposedCast }
}

export type Kind = keyof Questions

export type Prompt = {
  [K in Kind]: {
    readonly id: number
    readonly kind: K
    readonly about: Questions[K]['about']
    readonly answer: (yes: Questions[K]['yes'] | undefined) => void
  }
}[Kind]

/** Those that wait behind the one that is shown. */
const MAX_WAITING = 3

export type PromptQueue = {
  readonly current: () => Prompt | undefined
  /** Undefined when the user refuses. */
  ask<K extends Kind>(
    kind: K,
    about: Questions[K]['about'],
  ): Promise<Questions[K]['yes'] | undefined>
  /** Refuses all. */
  clear(): void
}

/**
 * The prompts of one app. Who refuses one refuses all that wait behind it: an app that asks ten times at once must not wear
 * its user down.
 */
export function createPromptQueue(changed: () => void): PromptQueue {
  let queue: readonly Prompt[] = []
  let nextId = 0
  const set = (next: readonly Prompt[]) => {
    queue = next
    changed()
  }
  const clear = () => {
    const open = queue
    set([])
    for (const prompt of open) prompt.answer(undefined)
  }
  return {
    current: () => queue[0],
    clear,
    ask(kind, about) {
      if (queue.length > MAX_WAITING) return Promise.resolve(undefined)
      return new Promise((resolve) => {
        nextId += 1
        const id = nextId
        const answer = (yes: unknown) => {
          const isOpen = queue.some((one) => one.id === id)
          resolve(yes as never)
          if (!isOpen) return
          set(queue.filter((one) => one.id !== id))
          if (yes === undefined) clear()
        }
        set([...queue, { id, kind, about, answer } as unknown as Prompt])
      })
    },
  }
}
