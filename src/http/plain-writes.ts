import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { Rejection } from '../protocol/rejection.ts'
import { bodyLimitOf, compileBody, isUncoded, mediaTypeOf } from './body.ts'
import { processBodies } from './body-reader.ts'
import { clientOf } from './client-budget.ts'
import { BASE_UNITS, costOf, unitsOf } from './cost.ts'
import type { PlainCount } from './limits.ts'
import { chargePrincipal, FREE_BODY_BYTES, jsonParser } from './mount.ts'
import type { InterfaceOptions } from './options.ts'
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
import { Answer, type Route, type RouteSpec } from './route.ts'
import { refusalOf } from './server.ts'

// A submitted message or a request for a name is a small body. The framework's overhead costs as much CPU as checking it,
// so it is received and answered directly, with the same limits, headers, metrics, budget and log line. Fastify handles
// everything else: larger bodies, bodies of unknown length, other media types, and what a limit or a budget refuses.

type PlainWrite = {
  readonly path: string
  readonly mediaType: string
  readonly maxBytes: number
  readonly units: number
  /** Reads and answers the body of an address. */
  write(body: Uint8Array, address: string): Promise<Answer>
  readonly send: Send
  readonly count: PlainCount
}

type Options = InterfaceOptions & PlainOptions & { countOf(spec: RouteSpec): PlainCount }

export function createPlainWrites(app: FastifyInstance, options: Options): Serves {
  const { costs, isStopping, logger, bodyBudget = processBodies } = options
  const writes = new Map(
    servesPlainly(options)
      ? options.routes.flatMap((route) => plainWriteOf(app, route, options))
      : [],
  )

  /** Charges and counts a request. Returns undefined when the framework has to refuse it. */
  const admit = (write: PlainWrite, address: string) => {
    if (costs?.charge(address, write.units)) return undefined
    const limitHeaders = write.count.take(address)
    if (!limitHeaders) costs?.settle(address, -write.units)
    return limitHeaders
  }

  return (request, response) => {
    const write = writes.get(request.url ?? '')
    if (!write || request.method !== 'POST' || isStopping()) return false
    const length = plainLength(request.headers, write)
    if (length === undefined) return false
    const started = performance.now()
    const address = addressOf(request)
    const client = clientOf(address)
    if (!bodyBudget.take(client, length)) return false
    const limitHeaders = admit(write, address)
    if (!limitHeaders) {
      bodyBudget.release(client, length)
      return false
    }
    const id = requestId(request)
    const exchange = { request, response, started, id }
    const refuse = (error: unknown) => {
      const { body, rejection, ...hints } = refusalOf(options, error, { id, route: write.path })
      const answer = new Answer(body, undefined, hints)
      write.send(exchange, { answer, limitHeaders, code: rejection.code })
    }
    const serve = async () => {
      try {
        const body = await receive(request, () => bodyBudget.release(client, length))
        write.send(exchange, { answer: await write.write(body, address), limitHeaders })
      } catch (error) {
        refuse(error)
      }
    }
    serve().catch((error) => {
      logger.error({ err: error, route: write.path }, 'fault')
      response.destroy()
    })
    return true
  }
}

/** The announced length of a body that can be received here. */
function plainLength(headers: IncomingHttpHeaders, write: PlainWrite): number | undefined {
  if (headers['transfer-encoding'] !== undefined || headers.expect !== undefined) return undefined
  if (headers['content-type'] !== write.mediaType || !isUncoded(headers)) return undefined
  const length = Number(headers['content-length'])
  return length > 0 && length <= write.maxBytes ? length : undefined
}

/** Node ensures that a body is as long as announced. Calls `onEnd` when it has arrived or was cut off. */
function receive(request: IncomingMessage, onEnd: () => void): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let hasEnded = false
    const cutOff = () => {
      // Requests that have ended are closed, too.
      if (hasEnded) return
      hasEnded = true
      onEnd()
      reject(new Rejection('bad_request.parse_failure', 'the request was cut off'))
    }
    request
      .on('data', (chunk: Buffer) => chunks.push(chunk))
      .on('end', () => {
        hasEnded = true
        onEnd()
        resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks))
      })
      .on('error', cutOff)
      .on('close', cutOff)
  })
}

function plainWriteOf(
  app: FastifyInstance,
  route: Route,
  options: Options,
): [string, PlainWrite][] {
  const { spec, plainWrite } = route
  if (!plainWrite || !spec.body || !isOpen(route, options)) return []
  const units = BASE_UNITS + unitsOf(costOf(spec))
  const readBody = compileBody(spec.body, jsonParser(app))
  return [
    [
      spec.path,
      {
        path: spec.path,
        mediaType: mediaTypeOf(spec.body),
        // Larger bodies pay for their bytes before they are read.
        maxBytes: Math.min(FREE_BODY_BYTES, bodyLimitOf(spec.body, options)),
        units,
        write: async (body, ip) =>
          plainWrite(readBody(body), {
            chargeTo: (principal) =>
              chargePrincipal(options, { ip, chargedUnits: units }, principal),
          }),
        send: senderOf(app, route, options),
        count: options.countOf(spec),
      },
    ],
  ]
}
