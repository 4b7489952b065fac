import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Worker } from 'node:worker_threads'
import { CLOSE, newWorker } from '../thread.ts'
import { connectionOf } from './connections.ts'
import { type Receiver, receiveForwarded } from './forwarded.ts'
import type { InterfaceOptions } from './options.ts'
import type { Allowance, Notice, Opening, Order, Report } from './serving-messages.ts'

/** A thread that fails at once is replaced no more often than this. */
const REPLACE_DELAY_MS = 1_000
/** MiB of each half of the young generation of a thread: it holds the requests that are in flight. */
const YOUNG_MIB = 8

/** Threads besides the process's own that answer on the port of an interface. */
export type ServingThreads = {
  /** Resolves when all of them listen where `server` does. */
  start(server: Server): Promise<void>
  /** Resolves when their requests are answered. */
  stop(): Promise<void>
  /** Ends what is not answered. */
  terminate(): void
}

type Options = InterfaceOptions & { readonly threads: NonNullable<InterfaceOptions['threads']> }

export function createServingThreads(options: Options): ServingThreads {
  const { logger, threads } = options
  const workers = new Set<Worker>()
  let receiver: Receiver | undefined
  let isStopping = false

  const open = (opening: Opening<unknown>): Promise<void> =>
    new Promise((resolve, reject) => {
      const worker = newWorker(threads.script, YOUNG_MIB)
      // It serves until it is stopped, and the process waits for it then.
      worker.ref()
      workers.add(worker)
      const desk = createDesk(options, (order) => worker.postMessage(order))
      let cause: unknown = new Error('it ended by itself')
      worker.on('message', (notice: Notice | typeof CLOSE) => {
        if (notice === CLOSE) void worker.terminate()
        else if ('routes' in notice) resolve(desk.setRoutes(notice.routes))
        else desk.take(notice)
      })
      worker.on('error', (error) => {
        cause = error
      })
      worker.on('exit', () => {
        workers.delete(worker)
        desk.close()
        reject(cause)
        if (!isStopping) replace(opening, cause)
      })
      worker.postMessage({ open: opening })
    })

  const replace = (opening: Opening<unknown>, err: unknown) => {
    logger.error({ err, interface: options.name }, 'a serving thread ended; another one is started')
    const again = () => isStopping || open(opening).catch(() => {})
    setTimeout(again, REPLACE_DELAY_MS).unref()
  }

  return {
    async start(server) {
      receiver = await receiveForwarded(server)
      const { name, errors, exposedHeaders, headers, requestTimeoutMs } = options
      const opening = {
        served: { name, errors, exposedHeaders, headers, requestTimeoutMs },
        address: server.address() as AddressInfo,
        forwardTo: receiver.path,
        logsAnswers: logger.isLevelEnabled('debug'),
        settings: threads.settings,
      }
      await Promise.all(Array.from({ length: threads.count }, () => open(opening)))
    },
    async stop() {
      isStopping = true
      const ended = [...workers].map((worker) => {
        worker.postMessage(CLOSE)
        return new Promise((resolve) => worker.once('exit', resolve))
      })
      await Promise.all(ended)
      await receiver?.close()
    },
    terminate() {
      for (const worker of workers) void worker.terminate()
    },
  }
}

/** Keeps the budgets, metrics and log of one thread. */
function createDesk(options: Options, order: (order: Order) => void) {
  const { name, costs, logger, metrics, threads } = options
  // With the process's own.
  const serving = threads.count + 1
  const connections = new Map<number, () => void>()
  let observers: ReturnType<typeof metrics.route>[] = []

  const settle = (report: Report) => {
    for (let i = 0; i < report.answers.length; i += 2) {
      observers[report.answers[i]!]?.('GET', 200, report.answers[i + 1]!)
    }
    for (const [level, entry, text] of report.lines) logger[level](entry, text)
    order({ allowances: report.owed.map(spend), isShort: costs?.isShort ?? false })
  }

  const spend = ([address, units]: Report['owed'][number]): Allowance => {
    if (!costs) return [address, 0, Number.POSITIVE_INFINITY]
    let waitMs = 0
    if (units < 0) costs.settle(address, units)
    else waitMs = costs.spend(address, units)
    // All threads together spend no more than what is left.
    return [address, waitMs, costs.left(address) / serving]
  }

  const openConnection = (id: number, address: string) => {
    const release = connectionOf(address, options.connectionBudget)
    if (release) connections.set(id, release)
    else order({ refuse: id })
  }

  return {
    setRoutes(paths: readonly string[]) {
      observers = paths.map((path) => metrics.route(name, path))
    },
    take(notice: Exclude<Notice, { routes: unknown }>) {
      if ('answers' in notice) return settle(notice)
      if ('rejected' in notice) return metrics.rejected(name, notice.rejected)
      if ('opened' in notice) return openConnection(notice.opened, notice.address)
      connections.get(notice.closed)?.()
      connections.delete(notice.closed)
    },
    /** Gives back what the connections of an ended thread took. */
    close() {
      for (const release of connections.values()) release()
      connections.clear()
    },
  }
}
