import type { RequestListener } from 'node:http'
import type { HttpConfig } from '../http/settings.ts'
import type { InterfaceName, Module, ModuleContext } from '../module.ts'
import { webRoutes } from './routes.ts'
import type { WebConfig } from './settings.ts'

/** Not served to the public. */
const NOT_MOUNTED: readonly InterfaceName[] = ['operations', 'web']

/**
 * The front door: one origin for the web client at `/` and for every public interface below `/<name>`. An
 * interface answers there with the same instance as on its own port.
 */
export function createWebModule(_context: ModuleContext, config: WebConfig & HttpConfig): Module {
  const mounts = new Map<string, RequestListener>()
  return {
    name: 'web',
    serves: {
      name: 'web',
      title: 'Rookery',
      description: 'The web client, and every public interface below its prefix.',
      errors: 'plain',
      host: config.host,
      port: config.webPort,
      mounts,
      isUndocumented: true,
    },
    routes: { web: webRoutes() },
    listening: (name, _url, handle) => {
      if (!NOT_MOUNTED.includes(name)) mounts.set(`/${name}`, handle)
    },
  }
}
