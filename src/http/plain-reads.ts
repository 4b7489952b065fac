import type { RequestListener, Server } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { BASE_UNITS, type Cost, costOf, unitsOf, unitsOfAnswer } from './cost.ts'
import {
  addressOf,
  isOpen,
  type PlainOptions,
  requestId,
  type Send,
  type Serves,
  senderOf,
  servesPlainly,
} from './plain-answers.ts'
import { compileQuery, type QueryReader } from './query.ts'
import type { Answer, Route } from './route.ts'

// Most requests to a hub are GET requests without a body. The framework's overhead for one costs more CPU than the read
// itself, so they are answered directly, with the same checks, headers, metrics, budget and log line. Fastify handles
// everything else: errors, other methods, proxies, a server that is stopping.

type PlainRead = {
  readonly path: string
  readonly readQuery: QueryReader
  readonly read: NonNullable<Route['plainRead']>
  readonly costOfQuery: ((query: object) => Cost) | undefined
  readonly cost: Cost
  readonly units: number
  readonly send: Send
}

export function createPlainReads(app: FastifyInstance, options: PlainOptions): Serves {
  const { costs, isStopping, logger } = options
  const reads = new Map(
    servesPlainly(options)
      ? options.routes.flatMap((route) => plainReadOf(app, route, options))
      : [],
  )
  return (request, response) => {
    const { url = '', headers } = request
    const mark = url.indexOf('?')
    const read = reads.get(mark < 0 ? url : url.slice(0, mark))
    if (!read || request.method !== 'GET' || isStopping()) return false
    if (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined) {
      return false
    }
    const started = performance.now()
    const address = addressOf(request)
    let units = read.units
    const answer = ({ body, contentType, isOneByte }: Answer) => {
      const id = requestId(request)
      const headers = ['content-type', contentType!]
      const sent = { status: 200, headers, body, isOneByte }
      const length = read.send({ request, response, started, id }, sent)
      costs?.settle(address, unitsOfAnswer(read.cost, length))
    }
    try {
      const query = read.readQuery(url)
      if (read.costOfQuery) units += unitsOf(read.costOfQuery(query))
      if (costs?.charge(address, units)) return false
      // The framework does it again, is told the error, and charges for it.
      const failed = () => {
        costs?.settle(address, -units)
        app.routing(request, response)
      }
      read
        .read(query as never)
        .then(answer, failed)
        .catch((error) => {
          logger.error({ err: error, route: read.path }, 'fault')
          response.destroy()
        })
      return true
    } catch {
      // A parameter is wrong.
      return false
    }
  }
}

function plainReadOf(
  app: FastifyInstance,
  route: Route,
  options: PlainOptions,
): [string, PlainRead][] {
  const { spec, plainRead } = route
  if (!plainRead || spec.limit !== undefined || !isOpen(route, options)) return []
  const cost = costOf(spec)
  return [
    [
      spec.path,
      {
        path: spec.path,
        readQuery: compileQuery(spec.query ?? {}),
        read: plainRead,
        costOfQuery: spec.costOfQuery as PlainRead['costOfQuery'],
        cost,
        units: BASE_UNITS + unitsOf(cost),
        send: senderOf(app, route, options),
      },
    ],
  ]
}

/** Lets `serves` answer the requests of a server that it can, before everything else does. */
export function interceptRequests(server: Server, serves: Serves): void {
  const own = server.listeners('request') as RequestListener[]
  server.removeAllListeners('request')
  server.on('request', (request, response) => {
    if (serves(request, response)) return
    for (const listener of own) listener.call(server, request, response)
  })
}
