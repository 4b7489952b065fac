// `rookery`: the server inside a program of yours. It needs Node 26.

import { startApp } from './app.ts'
import { readConfig } from './config.ts'

export { VERSION } from './kernel/base/version.ts'

/** A server that runs in this process. */
export type Server = {
  /** By the name of the interface; that of gRPC is `host:port`. */
  readonly urls: Readonly<Record<string, string>>
  /** Finishes accepted requests, then closes the store. */
  stop(): Promise<void>
}

/**
 * Starts a server with settings by the name of their variable, such as `ROOKERY_DATA_DIR`. Throws an error
 * that names every wrong setting. A development server has the world and the helpers of `rookery start`.
 */
export async function startServer(
  env: Readonly<Record<string, string | undefined>>,
  mode: 'production' | 'development' = 'production',
): Promise<Server> {
  const config = readConfig(env, mode)
  if (mode === 'production') return startApp({ config })
  const { startDevNetwork } = await import('./dev/network.ts')
  return startDevNetwork({ config })
}
