// A load generator with little overhead: keep-alive HTTP/1.1 over plain sockets, one request in flight on each
// connection, answers read into one buffer and only counted.

import { connect, type Socket } from 'node:net'

export type Request = Buffer

type LoadResult = {
  readonly requests: number
  readonly seconds: number
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** CPU of this process for each request, microseconds: what the measurement itself costs. */
  readonly clientCpuUs: number
  /** Answers with a status other than 200 and, unchanged, 304. */
  readonly failures: number
}

/** A GET request; `head` is an additional header line. */
export function get(path: string, head?: string): Request {
  const line = head === undefined ? '' : `${head}\r\n`
  return Buffer.from(`GET ${path} HTTP/1.1\r\nhost: bench\r\n${line}\r\n`)
}

export function post(path: string, body: Uint8Array, type = 'application/octet-stream'): Request {
  const head = `POST ${path} HTTP/1.1\r\nhost: bench\r\ncontent-type: ${type}\r\ncontent-length: ${body.length}\r\n\r\n`
  return Buffer.concat([Buffer.from(head), body])
}

/**
 * Sends every request once over this many connections, as fast as they are answered or at a fixed rate. At a fixed rate
 * the time that a request waits for a free connection is part of its latency.
 */
export async function load(
  url: string,
  requests: Iterable<Request>,
  connections: number,
  pace?: { readonly perSecond: number },
): Promise<LoadResult> {
  const source = requests[Symbol.iterator]()
  const latencies: number[] = []
  let failures = 0
  const startedCpu = process.cpuUsage()
  const started = performance.now()
  let sent = 0
  const dueTime = () => (pace ? started + (1_000 / pace.perSecond) * sent++ : performance.now())
  await Promise.all(
    Array.from({ length: connections }, () =>
      drive(new URL(url), source, dueTime, (status, milliseconds) => {
        latencies.push(milliseconds)
        if (status !== 200 && status !== 304) failures++
      }),
    ),
  )
  const seconds = (performance.now() - started) / 1000
  const { user, system } = process.cpuUsage(startedCpu)
  latencies.sort((a, b) => a - b)
  const at = (share: number) => latencies[Math.floor((latencies.length - 1) * share)] ?? 0
  const count = latencies.length
  return {
    requests: count,
    seconds,
    perSecond: count / seconds,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    clientCpuUs: (user + system) / count,
    failures,
  }
}

/** Shared by all sockets: each chunk is parsed before the next read. */
const received = Buffer.allocUnsafeSlow(1024 * 1024)

/** Sends requests one after the other on a connection of its own until there are none left. */
function drive(
  { hostname, port }: URL,
  source: Iterator<Request>,
  dueTime: () => number,
  onAnswer: (status: number, milliseconds: number) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let sentAt = 0
    const send = (socket: Socket) => {
      const next = source.next()
      if (next.done) {
        socket.destroy()
        resolve()
        return
      }
      sentAt = dueTime()
      const early = sentAt - performance.now()
      if (early > 0) setTimeout(() => socket.write(next.value), early)
      else socket.write(next.value)
    }
    const read = answerReader((status) => {
      onAnswer(status, performance.now() - sentAt)
      send(socket)
    })
    const socket = connect({
      host: hostname,
      port: Number(port),
      noDelay: true,
      onread: {
        buffer: received,
        callback: (length) => {
          read(received.subarray(0, length))
          return true
        },
      },
    })
    socket.once('connect', () => send(socket))
    socket.once('error', reject)
    socket.once('end', () => reject(new Error('the server closed a connection')))
  })
}

const HEAD_END = '\r\n\r\n'
const LENGTH = 'content-length: '

/** Calls `onAnswer` with the status of each complete answer. */
function answerReader(onAnswer: (status: number) => void): (chunk: Buffer) => void {
  let head = ''
  let status = 0
  /** Bytes of the body not received yet; negative while the head is incomplete. */
  let missing = -1
  return (chunk) => {
    if (missing < 0) {
      const start = head.length
      head += chunk.toString('latin1', 0, Math.min(chunk.length, 2048))
      const end = head.indexOf(HEAD_END, Math.max(0, start - HEAD_END.length))
      if (end < 0) return
      status = Number(head.slice(9, 12))
      const at = head.toLowerCase().indexOf(LENGTH)
      const length = at < 0 || at > end ? 0 : Number.parseInt(head.slice(at + LENGTH.length), 10)
      missing = end + HEAD_END.length + length - start
      head = ''
    }
    missing -= chunk.length
    if (missing > 0) return
    missing = -1
    onAnswer(status)
  }
}
