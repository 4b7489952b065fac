import type { Config } from './config.ts'
import type { InterfaceName } from './kernel/module.ts'
import type { Server } from './kernel/server.ts'

/** `registry` may be another server's. */
export type Urls = { readonly [Name in InterfaceName]: string } & {
  /** `host:port` of the hub's gRPC interface. */
  readonly grpc: string
}

/** What works inside a server. What features do is asked of their ports: `services.of(CHANNELS)`. */
export type Services = Server<Config>

/** The whole server, wired and listening. */
export type App = Services & {
  readonly urls: Urls
  /** Takes no more requests, answers those it has, stores what it accepted, then closes the store. */
  stop(): Promise<void>
}
