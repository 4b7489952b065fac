import type { RequestListener, Server } from 'node:http'
import { Readable } from 'node:stream'
import { BASE_UNITS, type Cost, costOf, unitsOf, unitsOfAnswer } from './cost.ts'
import type { PlainCount } from './limits.ts'
import { cursorList } from './list-tags.ts'
import {
  type Exchange as AnyExchange,
  addressOf,
  type Behind,
  isOpen,
  type PlainOptions,
  requestId,
  type Send,
  type Serves,
  senderOf,
  servesPlainly,
} from './plain-answers.ts'
import { compileQuery, type QueryReader } from './query.ts'
import { Answer, jsonAnswer, type Reply, type Route, type RouteSpec } from './route.ts'

// Most requests to a hub are GET requests without a body. The framework's overhead for one costs more CPU than the read
// itself, so they are answered directly, with the same checks, headers, metrics, budget and log line. Fastify handles
// everything else: errors, other methods, proxies, a server that is stopping.

type Exchange = AnyExchange & {
  readonly address: string
  /** Header names and values that tell the client the route's rate limit and what is left of it. */
  limitHeaders: readonly string[]
}

type PlainRead = {
  readonly path: string
  readonly readQuery: QueryReader
  readonly read: NonNullable<Route['plainRead']>
  readonly version: Route['version']
  readonly costOfQuery: ((query: object) => Cost) | undefined
  readonly cost: Cost
  readonly units: number
  readonly count: PlainCount | undefined
  readonly send: Send
}

type Options = PlainOptions & {
  /** Counts requests of routes with a rate limit. When absent, the framework serves those routes. */
  countOf?(spec: RouteSpec): PlainCount
}

export function createPlainReads(behind: Behind, options: Options): Serves {
  const { costs, isStopping, logger, keptAnswers: answers } = options
  const reads = new Map(
    servesPlainly(options)
      ? options.routes.flatMap((route) => plainReadOf(behind, route, options))
      : [],
  )

  const send = (read: PlainRead, exchange: Exchange, answer: Answer) => {
    const { address, limitHeaders } = exchange
    const id = requestId(exchange.request)
    const length = read.send({ ...exchange, id }, { answer, limitHeaders })
    // The cost of the route includes bytes that answers share.
    if (!answer.onClose) costs?.settle(address, unitsOfAnswer(read.cost, length))
  }

  /** Charges and counts a request. Returns false, without either, when the framework has to refuse it. */
  const admit = ({ count }: PlainRead, exchange: Exchange, units: number): boolean => {
    if (costs?.charge(exchange.address, units)) return false
    if (!count) return true
    const limitHeaders = count.take(exchange.address)
    if (limitHeaders) exchange.limitHeaders = limitHeaders
    else costs?.settle(exchange.address, -units)
    return limitHeaders !== undefined
  }

  /** Sends what was answered before, when that is the answer still. */
  const sendKept = (read: PlainRead, exchange: Exchange, url: string): boolean => {
    const kept = answers?.find(url)
    if (!kept?.answer || read.version?.(kept.query as never) !== kept.version) return false
    if (!admit(read, exchange, kept.units)) return false
    send(read, exchange, kept.answer)
    return true
  }

  /** Reads and answers. Throws or returns false when the framework has to answer; nothing is charged or sent then. */
  const answerAnew = (read: PlainRead, exchange: Exchange, url: string): boolean => {
    const { address, request, response } = exchange
    const query = read.readQuery(url)
    const units = read.units + (read.costOfQuery ? unitsOf(read.costOfQuery(query)) : 0)
    if (!admit(read, exchange, units)) return false
    // Before it is read, so that a change meanwhile makes what was read the answer of an earlier version.
    const version = answers && read.version?.(query as never)
    const answered = (reply: Reply | undefined) => {
      if (!reply) return failed()
      const answer = reply instanceof Answer ? reply : jsonAnswer(reply)
      if (answer.body instanceof Readable) {
        // Streams are for the framework.
        answer.body.destroy()
        return failed()
      }
      const sent =
        answers && version !== undefined
          ? answers.note(url, { query, version, units, answer })
          : answer
      send(read, exchange, sent)
    }
    // The framework does it again, is told the error, and charges for it.
    const failed = () => {
      costs?.settle(address, -units)
      read.count?.giveBack(address)
      behind.routing(request, response)
    }
    read
      .read(query as never)
      .then(answered, failed)
      .catch((error) => {
        logger.error({ err: error, route: read.path }, 'fault')
        response.destroy()
      })
    return true
  }

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
    const exchange: Exchange = { request, response, started, address, limitHeaders: [] }
    try {
      return sendKept(read, exchange, url) || answerAnew(read, exchange, url)
    } catch {
      // A parameter is wrong.
      return false
    }
  }
}

function plainReadOf(behind: Behind, route: Route, options: Options): [string, PlainRead][] {
  const { spec, plainRead } = route
  const isCounted = spec.limit !== undefined
  if (!plainRead || (isCounted && !options.countOf) || !isOpen(route, options)) return []
  const cost = costOf(spec)
  return [
    [
      spec.path,
      {
        path: spec.path,
        readQuery: compileQuery(spec.query ?? {}, cursorList(spec)),
        read: plainRead,
        version: route.version,
        costOfQuery: spec.costOfQuery as PlainRead['costOfQuery'],
        cost,
        units: BASE_UNITS + unitsOf(cost),
        count: isCounted ? options.countOf?.(spec) : undefined,
        send: senderOf(behind, route, options),
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
