import type { Config } from './config.ts'
import type { MirrorStatus } from './features/mirror/status.ts'
import type { Platform } from './features/platform/platform.ts'
import type { Registry } from './features/registry/registry.ts'
import type { AccountsModule } from './kernel/accounts/module.ts'
import type { KeyCalls } from './kernel/accounts/port.ts'
import type { Clock } from './kernel/base/clock.ts'
import type { Logger } from './kernel/http/logger.ts'
import type { Hub } from './kernel/hub/hub.ts'
import type { JobRunner } from './kernel/jobs/job.ts'
import type { InterfaceName } from './kernel/module.ts'
import type { Storage } from './kernel/storage/storage.ts'
import type { Views } from './kernel/views/port.ts'

/** `registry` may be another server's. */
export type Urls = { readonly [Name in InterfaceName]: string } & {
  /** `host:port` of the hub's gRPC interface. */
  readonly grpc: string
}

/** What works inside a server. */
export type Services = Pick<
  AccountsModule,
  'accounts' | 'ledger' | 'followers' | 'signingNetwork'
> & {
  readonly config: Config
  readonly clock: Clock
  readonly logger: Logger
  readonly storage: Storage
  readonly jobs: JobRunner
  /** What users sign about keys, on its way to wherever accounts are kept. */
  readonly keyCalls: KeyCalls
  readonly hub: Hub
  /** How far the mirror is; undefined when this server mirrors nothing. */
  readonly mirrorStatus: (() => Promise<MirrorStatus>) | undefined
  /** Undefined when names come from another server's. */
  readonly registry: Registry | undefined
  readonly platform: Platform
  /** Undefined when the settings leave the views out. */
  readonly views: Views | undefined
}

/** The whole server, wired and listening. */
export type App = Services & {
  readonly urls: Urls
  /** Takes no more requests, answers those it has, stores what it accepted, then closes the store. */
  stop(): Promise<void>
}
