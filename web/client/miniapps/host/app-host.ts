import type { FromFrame, ToFrame } from '../../../frame/port.ts'
import type { Call } from '../../../frame/wire.ts'
import { t } from '../../../shared/messages.ts'
import type { Connection } from '../../../wallets/provider.ts'
import type { BrowserKey } from '../../act/key-store.ts'
import type { HostTerms, MiniAppDetails } from '../calls.ts'
import type { Launch, Opening } from '../launch.ts'
import { type Bridge, connectFrame } from './bridge.ts'
import type { Insets } from './context.ts'
import { createPromptQueue, type Prompt, type PromptQueue } from './prompts.ts'

// One running app: what it has asked for, what it shows around itself, and what it is answered.

export type PrimaryButton = {
  readonly text: string
  readonly isLoading: boolean
  readonly isDisabled: boolean
}

export type HostState = {
  /** `late`: it has not said that it is ready; `blocked`: it went to another origin. */
  readonly phase: 'loading' | 'late' | 'shown' | 'blocked'
  /** Why it is late or blocked, for developers. */
  readonly cause: string | undefined
  readonly button: PrimaryButton | undefined
  readonly isBackVisible: boolean
  readonly prompt: Prompt | undefined
  readonly connection: Connection | undefined
}

/** What the dialog or the room around the app does for it. */
export type HostPorts = {
  readonly launch: Launch
  readonly domain: string
  readonly key: BrowserKey
  /** Waits until it is read; undefined for apps without a manifest. */
  readonly app: () => Promise<MiniAppDetails | undefined>
  readonly setApp: (change: Partial<MiniAppDetails>) => void
  readonly terms: () => Promise<HostTerms>
  readonly insets: () => Insets
  readonly isDevelopment: boolean
  readonly close: () => void
  /** Shows a page of the client over the app, or in place of it. */
  readonly showPage: (path: string, options?: { readonly closes?: boolean }) => void
  /** Opens another app in place of this one. */
  readonly openApp: (launch: Omit<Launch, 'id'>) => void
  readonly tell: (text: string) => void
  readonly room?: RoomPorts | undefined
}

/** What the developer's room sees and changes. */
export type RoomPorts = {
  readonly log: (entry: LogEntry) => void
  /** An error that takes the place of the next answer to this method. */
  readonly takeFault: (method: string) => { readonly fault: unknown } | undefined
  /** How long the next answer is held back. */
  readonly delayMs: () => number
  readonly opening: () => Opening | undefined
  readonly platformType: () => 'web' | 'mobile' | undefined
}

export type LogEntry =
  | {
      readonly at: number
      readonly way: 'in'
      readonly id: string
      readonly method: string
      readonly value: unknown
    }
  | {
      readonly at: number
      readonly way: 'out'
      readonly id: string
      readonly isError: boolean
      readonly value: unknown
    }
  | { readonly at: number; readonly way: 'event' | 'refused' | 'blocked'; readonly value: unknown }

/** Does what a method of the app asks for. */
export type AnswerCall = (
  host: AppHost,
  method: Call['method'],
  args: Call['args'],
) => Promise<unknown>

const LATE_MS = { development: 3_000, production: 10_000 }

export class AppHost {
  readonly ports: HostPorts
  readonly prompts: PromptQueue
  readonly #answerCall: AnswerCall
  #state: HostState = {
    phase: 'loading',
    cause: undefined,
    button: undefined,
    isBackVisible: false,
    prompt: undefined,
    connection: undefined,
  }
  #bridge: Bridge | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #calls = 0
  #lastFault: string | undefined
  readonly #listeners = new Set<() => void>()

  constructor(ports: HostPorts, answerCall: AnswerCall) {
    this.ports = ports
    this.#answerCall = answerCall
    this.prompts = createPromptQueue(() => this.set({ prompt: this.prompts.current() }))
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  readonly state = (): HostState => this.#state

  set(change: Partial<HostState>): void {
    this.#state = { ...this.#state, ...change }
    for (const listener of this.#listeners) listener()
  }

  /** The page around the app has loaded. A second time it is another page, and the end. */
  start(frame: Window): void {
    if (this.#bridge) {
      this.ports.close()
      return
    }
    this.#bridge = connectFrame(frame, this.ports.launch.url, (message) => this.#receive(message))
    const wait = LATE_MS[this.ports.isDevelopment ? 'development' : 'production']
    this.#timer = setTimeout(() => this.#late(), wait)
  }

  end(reason: string): void {
    clearTimeout(this.#timer)
    this.prompts.clear()
    this.#bridge?.end(reason)
    this.#bridge = undefined
  }

  emit(event: object): void {
    this.#send({ kind: 'event', event })
    this.ports.room?.log({ at: Date.now(), way: 'event', value: event })
  }

  emitWallet(event: string, params: readonly unknown[]): void {
    this.#send({ kind: 'wallet', event, params })
    this.ports.room?.log({ at: Date.now(), way: 'event', value: { event, params } })
  }

  focus(): void {
    this.#send({ kind: 'focus' })
  }

  show(): void {
    clearTimeout(this.#timer)
    if (this.#state.phase !== 'blocked') this.set({ phase: 'shown', cause: undefined })
  }

  #send(message: ToFrame): void {
    this.#bridge?.send(message)
  }

  #receive(message: FromFrame): void {
    const { room } = this.ports
    const at = Date.now()
    if (message.kind === 'call') {
      this.#calls += 1
      this.#explain()
      this.#answer(message)
    } else if (message.kind === 'refused') {
      this.#calls += 1
      this.#lastFault = `${message.method || 'a message'}: ${message.reason}`
      this.#explain()
      room?.log({ at, way: 'refused', value: { method: message.method, reason: message.reason } })
    } else if (message.kind === 'blocked') {
      room?.log({ at, way: 'blocked', value: message.url })
      this.prompts.clear()
      this.set({
        phase: 'blocked',
        cause: t('It tried to go to {url}, another origin.', { url: message.url }),
      })
    }
  }

  async #answer({ id, method, args }: Call): Promise<void> {
    const { room } = this.ports
    room?.log({ at: Date.now(), way: 'in', id, method, value: args })
    const say = (isError: boolean, value: unknown) => {
      if (isError) {
        this.#lastFault = `${method}: ${value}`
        this.#explain()
      }
      room?.log({ at: Date.now(), way: 'out', id, isError, value })
    }
    try {
      const delayMs = room?.delayMs() ?? 0
      if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs))
      const wanted = room?.takeFault(method)
      const value = wanted ? wanted.fault : await this.#answerCall(this, method, args)
      say(false, value)
      this.#send({ kind: 'answer', id, value })
    } catch (error) {
      const reason = (error as Error).message || t('The host failed.')
      say(true, reason)
      this.#send({ kind: 'fail', id, reason })
    }
  }

  #late(): void {
    if (this.#state.phase !== 'loading') return
    this.set({ phase: 'late' })
    this.#explain()
  }

  /** Says why the app does not appear. A slow app may send its first message after that. */
  #explain(): void {
    if (this.#state.phase !== 'late') return
    const cause =
      this.#calls === 0
        ? t(
            'No message came. Its page forbids frames, could not be loaded, or does not load the SDK.',
          )
        : this.#lastFault
          ? t(
              '{count, plural, one {It sent # message, but never called sdk.actions.ready(). The last fault was {fault}} other {It sent # messages, but never called sdk.actions.ready(). The last fault was {fault}}}',
              { count: this.#calls, fault: this.#lastFault },
            )
          : t(
              '{count, plural, one {It sent # message, but never called sdk.actions.ready().} other {It sent # messages, but never called sdk.actions.ready().}}',
              { count: this.#calls },
            )
    this.set({ cause })
  }
}
