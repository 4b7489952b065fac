import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundleBench } from '../scripts/bundled-program.ts'
import type { Usage, UsageOrder } from './server.ts'

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

/** From now on the server is joined into few files, as the npm package has the program. Returns what removes them. */
export async function packServer(): Promise<() => void> {
  const directory = mkdtempSync(join(tmpdir(), 'rookery-bench-'))
  script = await bundleBench(process.cwd(), join(directory, 'packed'))
  return () => rmSync(directory, { recursive: true })
}

/**
 * Starts bench/server.ts: 'rookery' or its 'registry' with so many accounts, its 'platform' with so many channels,
 * its 'app' API on the store as it is, 'app-fill' and 'hub-fill' which store messages of so many accounts first, or 'bare' and 'bare-http2', which answer
 * everything with so many bytes, the latter as gRPC does, or 'bare-submits', which verifies signatures before it does.
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
