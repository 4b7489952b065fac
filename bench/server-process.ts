import { type ChildProcess, fork } from 'node:child_process'
import type { Usage } from './server.ts'

/** A server under test in its own process. */
export type Server = {
  readonly url: string
  /** `host:port` of its gRPC interface; empty when it has none. */
  readonly grpc: string
  usage(): Promise<Usage>
  stop(): void
}

/**
 * Starts bench/server.ts: 'rookery' or its 'registry' with so many accounts, its 'platform' with so many channels, its 'app' API with so many accounts, or 'bare', which answers
 * everything with so many bytes.
 */
export async function startServer(
  kind: 'rookery' | 'registry' | 'platform' | 'app' | 'bare',
  argument: number,
  env: Readonly<Record<string, string>>,
): Promise<Server> {
  const child = fork(new URL('./server.ts', import.meta.url), [kind, String(argument)], {
    env: { ...process.env, ...env },
    execArgv: [...process.execArgv, '--expose-gc'],
  })
  const { url, grpc } = await reply<{ url: string; grpc: string }>(child)
  return {
    url,
    grpc,
    usage() {
      child.send('usage')
      return reply<Usage>(child)
    },
    stop: () => child.disconnect(),
  }
}

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
