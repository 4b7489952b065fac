// Sends generated requests to every interface of a server in this process and counts what comes back.

import { Agent, type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { processBodies } from '../../src/kernel/limits/bodies.ts'
import { rawClient } from '../grpc-support.ts'
import { PATIENCE_MS } from '../patience.ts'
import { randomFrom } from '../random.ts'
import { until } from '../until.ts'
import { createWorld, type EngineName } from '../world.ts'
import { operationsOf } from './operations.ts'
import {
  type FuzzRequest,
  type GrpcRequest,
  type HttpRequest,
  requestGenerator,
} from './requests.ts'

export type FuzzReport = {
  readonly seed: number
  readonly sent: number
  /** Answers by interface kind and status, such as `http 400` and `grpc 3`. */
  readonly counts: Readonly<Record<string, number>>
  /** Requests that were answered as only a fault of the server may be. */
  readonly faults: readonly string[]
  readonly seconds: number
  /** Bytes of the heap after a collection and of the process, at several moments. */
  readonly memory: readonly { readonly sent: number; readonly heap: number; readonly rss: number }[]
}

export type FuzzOptions = {
  readonly seed: number
  readonly requests: number
  readonly engine?: EngineName
  readonly onProgress?: (sent: number) => void
}

const CONCURRENCY = 32
const MAX_SAMPLE_REQUESTS = 20_000
const SAMPLES = 10
/** A stream is left this soon: it would not end. */
const STREAM_MS = 20
const MAX_FAULTS = 20
/** One request in so many goes over a connection of its own, as bytes that are hardly HTTP. */
const RAW_EVERY = 200
/** gRPC statuses of faults: UNKNOWN, INTERNAL, DATA_LOSS. */
const GRPC_FAULTS = [2, 13, 15]

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

export async function fuzz({
  seed,
  requests,
  engine,
  onProgress,
}: FuzzOptions): Promise<FuzzReport> {
  const env = { ROOKERY_VIEWS: 'on', ROOKERY_TRUSTED_PROXIES: '127.0.0.1' }
  const world = await createWorld({ env, ...(engine && { engine }) })
  const random = randomFrom(seed)
  const accounts = await world.accounts([1, 2, 3, 4, 5])
  const generator = requestGenerator(random, await operationsOf(world.app), { world, accounts })
  const grpc = rawClient(world.app.urls.grpc)
  const agent = new Agent({ keepAlive: true, maxSockets: CONCURRENCY })
  const counts: Record<string, number> = {}
  const faults: string[] = []
  const memory: FuzzReport['memory'][number][] = []
  const startedAt = performance.now()
  let sent = 0
  const one = async () => {
    const request = generator.next()
    const n = ++sent
    const result = await send(request).catch((error) => `failed ${(error as Error).message}`)
    counts[result] = (counts[result] ?? 0) + 1
    if (isFault(result) && faults.length < MAX_FAULTS) {
      faults.push(`request ${n} of seed ${seed}: ${result}: ${describeRequest(request)}`)
    }
  }
  const send = (request: FuzzRequest) =>
    'grpcMethod' in request
      ? sendGrpc(grpc, request)
      : sent % RAW_EVERY === 0
        ? sendRaw(request)
        : sendHttp(agent, request)

  try {
    const step = Math.min(MAX_SAMPLE_REQUESTS, Math.ceil(requests / SAMPLES))
    for (let upTo = step; sent < requests && faults.length < MAX_FAULTS; upTo += step) {
      const end = Math.min(upTo, requests)
      await Promise.all(
        Array.from({ length: CONCURRENCY }, async () => {
          while (sent < end && faults.length < MAX_FAULTS) await one()
        }),
      )
      collect()
      const { heapUsed, rss } = process.memoryUsage()
      memory.push({ sent, heap: heapUsed, rss })
      onProgress?.(sent)
    }
    await until(() => processBodies.used === 0, 'no body is kept').catch((error) => {
      faults.push(`${processBodies.used} bytes of bodies are kept: ${error.message}`)
    })
    // Still alive and well.
    const info = await fetch(`${world.app.urls.hub}/v1/info`)
    if (info.status !== 200) faults.push(`/v1/info answers ${info.status} after all`)
  } finally {
    grpc.close()
    agent.destroy()
    await world.close()
  }
  return { seed, sent, counts, faults, seconds: (performance.now() - startedAt) / 1_000, memory }
}

const isFault = (result: string): boolean => {
  const [kind, status] = result.split(' ')
  if (kind === 'http') return Number(status) >= 500 && Number(status) !== 503
  if (kind === 'grpc') return GRPC_FAULTS.includes(Number(status))
  return kind === 'failed'
}

const describeRequest = (request: FuzzRequest): string =>
  'grpcMethod' in request
    ? `${request.grpcMethod} ${request.request.toString('hex').slice(0, 2_000)}`
    : `${request.method} ${request.url.slice(0, 2_000)} ${JSON.stringify(request.headers).slice(0, 600)} ${
        request.body?.toString('latin1').slice(0, 2_000) ?? ''
      }`

/** Sends a request. Resolves with `http` and the status, or `closed`. */
export function sendHttp(
  agent: Agent,
  { url, method, headers, body, isEndless, pieces, isCutOff }: HttpRequest,
): Promise<string> {
  const { hostname, port, origin } = new URL(url)
  const path = url.slice(origin.length) || '/'
  return new Promise<string>((resolve, reject) => {
    const outgoing = httpRequest(
      { agent, hostname, port, path, method, headers, timeout: PATIENCE_MS },
      (response: IncomingMessage) => {
        const result = `http ${response.statusCode}`
        const isStream = response.headers['content-type'] === 'text/event-stream'
        if (isStream || (isEndless && !response.headers['content-length'])) {
          setTimeout(() => {
            outgoing.destroy()
            resolve(`${result} stream`)
          }, STREAM_MS)
          return
        }
        response.resume().on('end', () => resolve(result))
        response.on('error', () => resolve(`${result} cut`))
      },
    )
    outgoing.on('timeout', () => outgoing.destroy(new Error('no answer in time')))
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      // The server closes a connection whose request it has refused before all of it came.
      if (error.code === 'ECONNRESET' || error.code === 'EPIPE') resolve('closed')
      else reject(error)
    })
    if (pieces) {
      sendPieces(outgoing, pieces, isCutOff === true, () => resolve('closed'))
      return
    }
    outgoing.end(method === 'GET' || method === 'HEAD' ? undefined : body)
  })
}

/** Sends a body piece by piece. A client that cuts it off leaves while the server waits for the rest. */
async function sendPieces(
  outgoing: ClientRequest,
  pieces: readonly Buffer[],
  isCutOff: boolean,
  left: () => void,
): Promise<void> {
  for (const piece of pieces) {
    if (outgoing.destroyed) return
    outgoing.write(piece)
    await nextTurn()
  }
  if (!isCutOff) outgoing.end()
  else {
    outgoing.flushHeaders()
    setTimeout(() => {
      outgoing.destroy()
      left()
    }, STREAM_MS)
  }
}

/** The request as text with its body where the headers belong: the parser has to cope. */
function sendRaw({ url, method, body }: HttpRequest): Promise<string> {
  const { hostname, port, pathname, search } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname)
    let received = ''
    socket.setTimeout(PATIENCE_MS, () => socket.destroy(new Error('no answer in time')))
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1')
      socket.end()
    })
    socket.on('close', () => {
      const status = /^HTTP\/1\.1 (\d{3})/.exec(received)?.[1]
      resolve(status ? `http ${status} raw` : 'closed')
    })
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') reject(error)
    })
    socket.end(
      Buffer.concat([
        Buffer.from(`${method} ${pathname}${search} HTTP/1.1\r\nhost: localhost\r\n`),
        body ?? Buffer.alloc(0),
        Buffer.from('\r\n\r\n'),
      ]),
    )
  })
}

async function sendGrpc(
  client: ReturnType<typeof rawClient>,
  { grpcMethod, request }: GrpcRequest,
): Promise<string> {
  if (grpcMethod !== 'Subscribe' && !grpcMethod.startsWith('Stream')) {
    const { status } = await client.call(grpcMethod, request, { deadlineMs: PATIENCE_MS })
    return `grpc ${status}`
  }
  const duplex = grpcMethod === 'Subscribe' ? undefined : client.duplex(grpcMethod)
  const call = duplex ?? client.serverStream(grpcMethod, request)
  return new Promise((resolve) => {
    const timer = setTimeout(() => call.cancel(), STREAM_MS)
    call.on('data', () => {})
    call.on('error', () => {})
    call.on('status', ({ code }: { code: number }) => {
      clearTimeout(timer)
      resolve(`grpc ${code} stream`)
    })
    duplex?.write(request)
    duplex?.end()
  })
}
