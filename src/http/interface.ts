import type { RequestListener } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { documentRoutes } from './documents.ts'
import { createWindows, plainCount } from './limits.ts'
import { mountRoutes } from './mount.ts'
import { mountInterfaces } from './mounted.ts'
import { describeRoutes } from './openapi.ts'
import type { InterfaceOptions } from './options.ts'
import type { Serves } from './plain-answers.ts'
import { createPlainReads, interceptRequests } from './plain-reads.ts'
import { createPlainWrites } from './plain-writes.ts'
import type { RouteSpec } from './route.ts'
import { createServer } from './server.ts'

export type { InterfaceOptions, Limit } from './options.ts'

export type Interface = {
  /** Starts to listen; port 0 picks a free one. */
  listen(host: string, port: number): Promise<{ url: string; port: number }>
  /** Answers a request that another server received; possible once this one listens. */
  handle: RequestListener
  /** Answers a request without a socket, for tests. */
  inject: FastifyInstance['inject']
  /** Accepts no more requests, finishes those in flight, and stops within a bounded time. */
  close(): Promise<void>
  openapi(): object
}

export const CLOSE_WAIT_MS = 10_000

/** One interface: an address with its routes, their documentation and everything around HTTP. */
export function createInterface(options: InterfaceOptions): Interface {
  const { app, stop, isStopping } = createServer(options)
  const documents = options.isUndocumented ? [] : documentRoutes(() => documentOf(options), options)
  const windows = createWindows(options)
  app.register(async (scope) =>
    mountRoutes(scope, [...options.routes, ...documents], { ...options, windows }),
  )
  const countOf = (spec: RouteSpec) => plainCount(options, windows, spec)
  const reads = createPlainReads(app, { ...options, countOf, isStopping })
  const writes = createPlainWrites(app, { ...options, countOf, isStopping })
  const servesPlainly: Serves = (request, response) =>
    reads(request, response) || writes(request, response)
  interceptRequests(app.server, servesPlainly)
  if (options.mounts) mountInterfaces(app.server, options.mounts)

  return {
    openapi: () => documentOf(options),
    handle: (request, response) => {
      if (!servesPlainly(request, response)) app.routing(request, response)
    },
    inject: app.inject.bind(app) as FastifyInstance['inject'],
    listen: async (host, port) => {
      const url = await app.listen({ host, port })
      return { url, port: Number(new URL(url).port || 80) }
    },
    close: async () => {
      stop()
      const endAll = () => app.server.closeAllConnections()
      const timer = setTimeout(endAll, options.closeWaitMs ?? CLOSE_WAIT_MS)
      await app.close().finally(() => clearTimeout(timer))
    },
  }
}

/** Made when it is asked for: it costs more than the routes themselves. */
function documentOf(options: InterfaceOptions): object {
  return describeRoutes(
    options.routes.map(({ spec }) => spec).filter(({ undocumented }) => !undocumented),
    {
      ...options,
      authenticated: (options.basicAuth?.length ?? 0) > 0,
      // A foreign Host or Origin header.
      everywhere: options.name === 'operations' ? ['unauthorized'] : [],
    },
  )
}
