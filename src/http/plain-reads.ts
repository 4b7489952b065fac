import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { BASE_UNITS, type Cost, costOf, unitsOf, unreadUnits } from './cost.ts'
import type { RouteObserver } from './metrics.ts'
import type { InterfaceOptions } from './options.ts'
import { compileQuery, type QueryReader } from './query.ts'
import type { Answer, Route } from './route.ts'
import { corsOriginOf, requestId } from './server.ts'

// Most requests to a hub are GET requests without a body. The framework's overhead for one costs more CPU than the read
// itself, so they are answered directly, with the same checks, headers, metrics, budget and log line. Fastify handles
// everything else: errors, bodies, other methods, proxies, a server that is stopping.

/** Serves a request and returns true, or returns false and has done nothing. */
export type PlainReads = (request: IncomingMessage, response: ServerResponse) => boolean

type Options = InterfaceOptions & { isStopping(): boolean }

type PlainRead = {
  readonly path: string
  readonly readQuery: QueryReader
  readonly read: NonNullable<Route['plainRead']>
  readonly costOfQuery: ((query: object) => Cost) | undefined
  readonly cost: Cost
  readonly units: number
  readonly observe: RouteObserver
}

/** Reads that are refused to somebody are no plain reads. */
const isOpen = ({ spec }: Route): boolean =>
  spec.limit === undefined && !spec.protected && !spec.needsKey && !spec.isOperatorOnly

export function createPlainReads(app: FastifyInstance, options: Options): PlainReads {
  const { costs, isStopping, logger } = options
  const commonHeaders = commonHeadersOf(options)
  // Behind a proxy the client's address is in a header, which the framework reads.
  const isServed = commonHeaders !== undefined && (options.trustedProxies ?? []).length === 0
  const reads = new Map(
    isServed ? options.routes.flatMap((route) => plainReadOf(route, options)) : [],
  )

  const answer = (
    { answer, read }: { answer: Answer; read: PlainRead },
    { request, response, started }: Exchange,
  ): void => {
    const body = answer.body as string | Uint8Array
    const length = typeof body === 'string' ? Buffer.byteLength(body) : body.length
    const id = requestId(request)
    response.writeHead(200, [
      'x-request-id',
      id,
      ...commonHeaders!,
      'content-type',
      answer.contentType!,
      'content-length',
      String(length),
    ])
    response.end(body)
    if (read.cost.rows) costs?.refund(addressOf(request), unreadUnits(read.cost, length))
    const milliseconds = performance.now() - started
    read.observe('GET', 200, milliseconds)
    if (logger.isLevelEnabled('debug')) {
      const ms = Math.round(milliseconds * 1_000) / 1_000
      const route = read.path
      logger.debug({ requestId: id, method: 'GET', route, status: 200, ms }, 'request')
    }
    if (isStopping()) setImmediate(() => app.server.closeIdleConnections())
  }

  return (request, response) => {
    const { url = '', headers } = request
    const mark = url.indexOf('?')
    const read = reads.get(mark < 0 ? url : url.slice(0, mark))
    if (!read || request.method !== 'GET' || isStopping()) return false
    if (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined) {
      return false
    }
    const exchange = { request, response, started: performance.now() }
    const address = addressOf(request)
    let units = read.units
    try {
      const query = read.readQuery(url)
      if (read.costOfQuery) units += unitsOf(read.costOfQuery(query))
      if (costs?.charge(address, units)) return false
      // The framework does it again, is told the error, and charges for it.
      const failed = () => {
        costs?.refund(address, units)
        app.routing(request, response)
      }
      read
        .read(query as never)
        .then((given) => answer({ answer: given, read }, exchange), failed)
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

type Exchange = {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly started: number
}

const addressOf = ({ socket }: IncomingMessage): string => socket.remoteAddress ?? ''

function plainReadOf(route: Route, options: Options): [string, PlainRead][] {
  const { spec, plainRead } = route
  if (!plainRead || !isOpen(route)) return []
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
        observe: options.metrics.route(options.name, spec.path),
      },
    ],
  ]
}

/** The headers of every answer, as the framework sends them; undefined where they depend on the request. */
function commonHeadersOf(options: InterfaceOptions): string[] | undefined {
  if (corsOriginOf(options) !== '*') return undefined
  return [
    ...Object.entries(options.headers ?? {}).flat(),
    'access-control-allow-origin',
    '*',
    'access-control-expose-headers',
    (options.exposedHeaders ?? []).join(', '),
  ]
}

/** Lets `serves` answer the requests of a server that it can, before everything else does. */
export function interceptRequests(server: Server, serves: PlainReads): void {
  const own = server.listeners('request') as RequestListener[]
  server.removeAllListeners('request')
  server.on('request', (request, response) => {
    if (serves(request, response)) return
    for (const listener of own) listener.call(server, request, response)
  })
}
