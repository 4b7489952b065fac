import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundleBench } from '../scripts/bundled-program.ts'

export type Usage = {
  readonly cpuSeconds: number
  readonly rssBytes: number
  /** Peak since the last report. */
  readonly peakRssBytes: number
  readonly diskBytes: number
  /** Heap and buffers after a garbage collection, if requested; otherwise 0. */
  readonly heldBytes: number
  /** The longest delay of the event loop since `stalls from now on`; 0 without it. */
  readonly longestStallMs: number
}

/**
 * Stalls are measured until the next order only: the timer takes 20 us of CPU each millisecond, which would distort other
 * figures.
 */
export type UsageOrder = 'now' | 'after a collection' | 'stalls from now on'

export type ServerUrls = {
  readonly url: string
  /** Of its hub and its operations interface, when it has any. */
  readonly hubUrl: string
  readonly opsUrl: string
  /** `host:port` of its gRPC interface; empty when it has none. */
  readonly grpc: string
}

/** A server under test in its own process. */
export type Server = ServerUrls & {
  usage(order?: UsageOrder): Promise<Usage>
  stop(): void
  /** Resolved once the process has ended. */
  readonly ended: Promise<unknown>
}

let script = fileURLToPath(new URL('./server.ts', import.meta.url))

/** Bundles the server, as in the npm package, for all later starts. Returns a function that removes the files. */
export async function packServer(): Promise<() => void> {
  const directory = mkdtempSync(join(tmpdir(), 'rookery-bench-'))
  script = await bundleBench(process.cwd(), join(directory, 'packed'))
  return () => rmSync(directory, { recursive: true })
}

/**
 * Starts bench/server.ts. The argument is the number of accounts for 'rookery', 'registry', 'app-fill' and 'hub-fill' (which
 * also store messages), the number of channels for 'platform', unused for 'app', and the size of an answer for the bare servers:
 * 'bare' (node:http), 'bare-submits' (verifies signatures) and 'bare-http2' (answers as gRPC does).
 */
export async function startServer(
  kind:
    | 'rookery'
    | 'registry'
    | 'platform'
    | 'app'
    | 'app-fill'
    | 'hub-fill'
    | 'bare'
    | 'bare-submits'
    | 'bare-http2',
  argument: number,
  env: Readonly<Record<string, string>>,
): Promise<Server> {
  const child = fork(script, [kind, String(argument)], {
    env: { ...process.env, ...env },
    execArgv: [...process.execArgv, '--expose-gc'],
  })
  const ended = once(child, 'exit')
  const urls = await reply<ServerUrls>(child)
  return {
    ...urls,
    ended,
    usage(order = 'now') {
      child.send(order)
      return reply<Usage>(child)
    },
    stop: () => child.disconnect(),
  }
}

export type StartServer = typeof startServer

function reply<T>(child: ChildProcess): Promise<T> {
  return new Promise((resolve, reject) => {
    const ended = () => reject(new Error('the server under test ended'))
    child.once('exit', ended)
    child.once('message', (message) => {
      child.off('exit', ended)
      resolve(message as T)
    })
  })
}
