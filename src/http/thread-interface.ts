import { createServer } from 'node:http'
import type { Socket } from 'node:net'
import type { ThreadServer } from '../thread-server.ts'
import { MAX_CONNECTIONS } from './connections.ts'
import { createForwarder } from './forwarding.ts'
import type { KeptAnswers } from './kept-answers.ts'
import { createPlainReads } from './plain-reads.ts'
import { timeLimits } from './requests.ts'
import type { Route } from './route.ts'
import type { Notice, Opening, Order } from './serving-messages.ts'
import { refuseSocket, TooManyConnectionsError } from './socket-refusals.ts'
import { ThreadAccount } from './thread-account.ts'

type Served = {
  readonly routes: readonly Route[]
  readonly keptAnswers: KeptAnswers
  post(notice: Notice): void
}

/** Answers plain reads on the port of an interface, in a thread, and forwards everything else. */
export function serveInThread(
  { served, address, forwardTo, logsAnswers }: Opening<unknown>,
  { routes, keptAnswers, post }: Served,
): ThreadServer<Order> {
  let isStopping = false
  const connections = new Map<number, Socket>()
  const account = new ThreadAccount({ routes, logsAnswers, post })
  const metrics = {
    route: account.observer,
    rejected: (_name: string, rejected: Extract<Notice, { rejected: unknown }>['rejected']) =>
      post({ rejected }),
  }
  const server = createServer(timeLimits(served.requestTimeoutMs), (request, response) => {
    if (reads(request, response)) return
    response.once('close', () => isStopping && setImmediate(() => server.closeIdleConnections()))
    forward(request, response)
  })
  const forward = createForwarder(forwardTo)
  const reads = createPlainReads(
    { routing: forward, server },
    {
      ...served,
      routes,
      keptAnswers,
      metrics,
      costs: account,
      logger: account.logger,
      isStopping: () => isStopping,
    },
  )
  const refuse = (error: Error, socket: Socket) =>
    refuseSocket({ ...served, metrics }, error, socket)
  server.on('clientError', (error, socket) => refuse(error, socket as Socket))

  // Until the process's own thread, which counts all of them, has said that there are too many.
  server.maxConnections = MAX_CONNECTIONS
  let count = 0
  server.on('connection', (socket: Socket) => {
    count += 1
    const id = count
    connections.set(id, socket)
    post({ opened: id, address: socket.remoteAddress ?? '' })
    socket.once('close', () => {
      connections.delete(id)
      post({ closed: id })
    })
  })
  server.listen({ host: address.address, port: address.port, reusePort: true }, () =>
    post({ routes: routes.map(({ spec }) => spec.path) }),
  )

  return {
    take(order) {
      if ('allowances' in order) return account.settled(order)
      const socket = connections.get(order.refuse)
      if (socket) refuse(new TooManyConnectionsError(), socket)
    },
    async close() {
      isStopping = true
      await new Promise((resolve) => server.close(resolve))
      account.report()
    },
  }
}
