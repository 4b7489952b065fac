import type { FastifyInstance } from 'fastify'
import type { Credentials } from './auth.ts'
import type { ErrorShape } from './errors.ts'
import type { Logger } from './logger.ts'
import type { HttpMetrics } from './metrics.ts'
import type { Route } from './route.ts'

export type Limit = {
  max: number
  windowSeconds: number
  /** Whether requests from this machine itself count; they do not in the hub's submit bucket. */
  exemptLoopback?: boolean
}

export type InterfaceOptions = {
  name: 'hub' | 'registry' | 'platform' | 'accounts' | 'operations'
  title: string
  description: string
  version: string
  routes: readonly Route[]
  errors: ErrorShape
  /** What protected routes ask for; none or empty leaves them open. */
  basicAuth?: Credentials
  /** The one web origin that may read answers; `*`, the default, is any. */
  corsOrigin?: string
  /** Addresses and CIDR ranges whose X-Forwarded-For is believed. */
  trustedProxies?: readonly string[]
  limits?: Readonly<Record<string, Limit>>
  logger: Logger
  metrics: HttpMetrics
  bodyLimitBytes?: number
}

export type Interface = {
  /** Starts to listen; port 0 picks a free one. */
  listen(host: string, port: number): Promise<{ url: string; port: number }>
  /** Answers a request without a socket, for tests. */
  inject: FastifyInstance['inject']
  /** Takes no more requests, finishes those in flight, and does not wait for ever. */
  close(): Promise<void>
  openapi(): object
}

export declare function createInterface(options: InterfaceOptions): Interface
