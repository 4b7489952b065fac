import type { Registry } from 'prom-client'
import type { Clock } from './base/clock.ts'
import type { Mode } from './base/setting.ts'
import type { Interface, InterfaceOptions } from './http/interface.ts'
import type { Logger } from './http/logger.ts'
import type { Route } from './http/route.ts'
import type { Job, JobRunner } from './jobs/job.ts'
import type { Limit } from './limits/window.ts'
import type { OnChainEvent } from './protocol/wire/onchain_event_pb.js'
import type { EventLog } from './storage/messages/event-log.ts'
import type { Storage, Writer } from './storage/storage.ts'

/** Each interface has its own port. */
export type InterfaceName = InterfaceOptions['name']

/** What every module is built with; its settings are given beside it. */
export type ModuleContext = {
  readonly mode: Mode
  readonly storage: Storage
  readonly clock: Clock
  readonly logger: Logger
  /** A module registers its metrics here itself. */
  readonly metrics: Registry
  /** Runs the jobs of all modules once they have started. */
  readonly jobs: JobRunner
  /** Logs a failure that has no caller to be told. */
  readonly onError: (error: unknown, what: string) => void
}

/** Something that this process cannot work without. */
export type Check = {
  readonly name: string
  /** Resolves when it works, rejects when it does not. */
  check(): Promise<void>
}

/**
 * What a part of the server brings. app.ts makes modules; lifecycle.ts starts them in order, serves their
 * routes, runs their jobs and stops them in reverse order. Settings are declared beside the module, in the
 * settings.ts of its folder; metrics are registered when the module is made.
 */
export type Module = {
  readonly name: string
  /** The interface that the module owns; any module may add routes to it. */
  readonly serves?: ServedInterface
  /** An address that is no HTTP interface; listened on after those of HTTP. */
  readonly listens?: { readonly name: 'grpc'; listen(): Promise<string> }
  readonly routes?: { readonly [Name in InterfaceName]?: readonly Route[] }
  /** Served on the operations interface to operators only. */
  readonly operatorRoutes?: readonly Route[]
  /** Run from the moment the module has started. */
  readonly jobs?: readonly Job[]
  /** What must hold, beside the store, before this process takes traffic. */
  readonly checks?: readonly Check[]
  /** Parts of /health/ready that do not decide whether the process is ready. */
  readonly details?: Readonly<Record<string, () => object | Promise<object>>>
  /**
   * Removes what the module keeps of an account beyond the rows that its tables declare, once its messages are gone from the
   * store; `upTo` is the last event before. Returns whether it could: an erasure is tried again until it can.
   */
  erase?(fid: number, upTo: number, signal: AbortSignal): Promise<boolean>
  onMerged?: OnMerged
  onReorg?: OnReorg
  /** Runs before any interface listens, after the modules before this one have started. */
  start?(): Promise<void>
  /** Called when an interface listens; `served` also answers requests that did not come over its port. */
  listening?(name: InterfaceName, url: string, served: ServedHere): void | Promise<void>
  /** Ends streams and other requests that would keep an interface from closing. */
  endRequests?(): void
  /** Aborts calls to other servers, once no request waits for them and before jobs are awaited. */
  abort?(): void
  /** Runs after all interfaces and jobs have stopped. */
  stop?(): Promise<void>
}

/** Called in the transaction that made on-chain events account state, with just those events. */
export type OnMerged = (
  tx: Writer,
  log: EventLog,
  events: readonly OnChainEvent[],
) => void | Promise<void>

/** Called in the transaction that rolls on-chain events back after a reorg, with those events. */
export type OnReorg = (tx: Writer, events: readonly OnChainEvent[]) => void | Promise<void>

/** An interface of this process. */
export type ServedHere = Pick<Interface, 'handle' | 'inject'>

type ServedInterface = Omit<
  InterfaceOptions,
  | 'routes'
  | 'version'
  | 'logger'
  | 'metrics'
  | 'corsOrigin'
  | 'trustedProxies'
  | 'onUnreadableHop'
  | 'intercept'
  | 'costs'
  | 'resets'
> & {
  readonly host: string
  /** 0 picks a free one. */
  readonly port: number
}

/**
 * A limit for each client. Loopback is exempt in development only: in production it may be a TLS proxy that
 * is not named as trusted, and then all clients have its address.
 */
export const limitFor = (mode: Mode, max: number, windowSeconds: number): Limit => ({
  max,
  windowSeconds,
  exemptLoopback: mode === 'development',
})

export const perMinute = (mode: Mode, max: number): Limit => limitFor(mode, max, 60)
