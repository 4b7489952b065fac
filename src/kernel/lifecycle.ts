import { VERSION } from './base/version.ts'
import { createInterface, type Interface } from './http/interface.ts'
import type { HttpMetrics } from './http/metrics.ts'
import type { InterfaceOptions } from './http/options.ts'
import type { HttpConfig } from './http/settings.ts'
import type { CostBudget } from './limits/cost-budget.ts'
import type { UnreadableHops } from './limits/unreadable-hops.ts'
import type { InterfaceName, Module, ModuleContext } from './module.ts'

/** The modules of a server, in the order in which they start. */
export type Lifecycle = {
  readonly modules: readonly Module[]
  /** Adds a module behind those that were added before. */
  add<M extends Module>(module: M): M
  /** Starts the job runner and the modules, then listens. Returns the URL of each interface. */
  start(): Promise<ListeningUrls>
  /** Takes no more requests, answers those in flight, ends the jobs, then stops the modules in reverse order. */
  stop(): Promise<void>
}

/** By the name of the interface; gRPC's is `host:port`. */
type ListeningUrls = { readonly [Name in InterfaceName | 'grpc']?: string }

export function createLifecycle(
  { jobs, logger, storage }: ModuleContext,
  config: HttpConfig,
  {
    costs,
    metrics,
    hops,
    intercept,
  }: {
    readonly costs: CostBudget
    readonly metrics: HttpMetrics
    readonly hops: UnreadableHops
    readonly intercept: InterfaceOptions['intercept']
  },
): Lifecycle {
  const modules: Module[] = []
  const interfaces: Interface[] = []

  async function serve({ serves }: Module): Promise<ListeningUrls> {
    if (!serves) return {}
    const { name, host, port, ...options } = serves
    const served = createInterface({
      ...options,
      name,
      version: VERSION,
      corsOrigin: config.corsOrigin,
      trustedProxies: config.trustedProxies,
      onUnreadableHop: hops.note,
      intercept,
      costs: name === 'operations' ? undefined : costs,
      logger,
      metrics,
      resets: storage.resets,
      routes: modules.flatMap(({ routes }) => routes?.[name] ?? []),
    })
    interfaces.push(served)
    const { url } = await served.listen(host, port)
    for (const module of modules) await module.listening?.(name, url, served)
    return { [name]: url }
  }

  return {
    modules,
    add(module) {
      modules.push(module)
      return module
    },
    async start() {
      await jobs.start()
      for (const module of modules) {
        await module.start?.()
        jobs.add(module.jobs ?? [])
      }
      let urls: ListeningUrls = {}
      for (const module of modules) urls = { ...urls, ...(await serve(module)) }
      for (const { listens } of modules) {
        if (listens) urls = { ...urls, [listens.name]: await listens.listen() }
      }
      return urls
    },
    async stop() {
      for (const module of modules) module.endRequests?.()
      await Promise.all(interfaces.map((one) => one.close()))
      for (const module of modules) module.abort?.()
      await jobs.stop()
      for (const module of modules.toReversed()) await module.stop?.()
    },
  }
}
