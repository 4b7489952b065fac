// A load generator with little overhead: keep-alive HTTP/1.1 over plain sockets, one request in flight on each
// connection.

import { connect, type Socket } from 'node:net'

export type Request = Buffer

export type LoadResult = {
  readonly requests: number
  readonly seconds: number
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** Answers with a status other than 200 and, unchanged, 304. */
  readonly failures: number
}

/** `head` is one more line of the head. */
export function get(path: string, head?: string): Request {
  const line = head === undefined ? '' : `${head}\r\n`
  return Buffer.from(`GET ${path} HTTP/1.1\r\nhost: bench\r\n${line}\r\n`)
}

export function post(path: string, body: Uint8Array, type = 'application/octet-stream'): Request {
  const head = `POST ${path} HTTP/1.1\r\nhost: bench\r\ncontent-type: ${type}\r\ncontent-length: ${body.length}\r\n\r\n`
  return Buffer.concat([Buffer.from(head), body])
}

/** Sends every request once over this many connections and measures. */
export async function load(
  url: string,
  requests: Iterable<Request>,
  connections: number,
): Promise<LoadResult> {
  const { hostname, port } = new URL(url)
  const source = requests[Symbol.iterator]()
  const latencies: number[] = []
  let failures = 0
  const started = performance.now()
  await Promise.all(
    Array.from({ length: connections }, async () => {
      const socket = await open(hostname, Number(port))
      const answers = reader(socket)
      for (let next = source.next(); !next.done; next = source.next()) {
        const sent = performance.now()
        socket.write(next.value)
        const status = await answers()
        latencies.push(performance.now() - sent)
        if (status !== 200 && status !== 304) failures++
      }
      socket.destroy()
    }),
  )
  const seconds = (performance.now() - started) / 1000
  latencies.sort((a, b) => a - b)
  const at = (share: number) => latencies[Math.floor((latencies.length - 1) * share)] ?? 0
  const count = latencies.length
  return {
    requests: count,
    seconds,
    perSecond: count / seconds,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    failures,
  }
}

function open(host: string, port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, noDelay: true }, () => resolve(socket))
    socket.once('error', reject)
  })
}

const HEAD_END = '\r\n\r\n'
const LENGTH = /content-length: (\d+)/i

/** Waits for one whole response at a time and says its status. */
function reader(socket: Socket): () => Promise<number> {
  let chunks: Buffer[] = []
  let have = 0
  let need = -1
  let status = 0
  let wake: (status: number) => void = () => {}
  socket.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    have += chunk.length
    if (need < 0) {
      const bytes = chunks.length === 1 ? chunk : Buffer.concat(chunks)
      chunks = [bytes]
      const end = bytes.indexOf(HEAD_END)
      if (end < 0) return
      const head = bytes.toString('latin1', 0, end)
      status = Number(head.slice(9, 12))
      need = end + HEAD_END.length + Number(LENGTH.exec(head)?.[1] ?? 0)
    }
    if (have < need) return
    chunks = []
    have = 0
    need = -1
    wake(status)
  })
  return () =>
    new Promise((resolve) => {
      wake = resolve
    })
}
