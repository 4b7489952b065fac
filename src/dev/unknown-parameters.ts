import type { FastifyInstance } from 'fastify'
import { namesOf } from '../kernel/http/input/query.ts'
import type { Logger } from '../kernel/http/logger.ts'
import type { RouteSpec } from '../kernel/http/route.ts'

/** Names the parameters of a request that its route does not know. */
export const UNKNOWN_HEADER = 'x-rookery-unknown-parameters'

/** Longer lists of names are cut. */
const MAX_NAMES = 10
const MAX_NAME_CHARACTERS = 40

/**
 * Routes ignore parameters that they do not know, as deployed servers do. A developer is told of them, by a header and in the
 * log: `limit` for `pageSize` would otherwise only give another page.
 */
export function tellUnknownParameters(app: FastifyInstance, logger: Logger): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { route } = request.routeOptions.config
    const unknown = route ? unknownNames(request.url, route.spec) : []
    if (unknown.length > 0) {
      reply.header(UNKNOWN_HEADER, unknown.join(', '))
      logger.warn({ route: route?.spec.path, unknown }, 'parameters that this route does not know')
    }
    done()
  })
}

function unknownNames(url: string, { query = {}, contentType }: RouteSpec): string[] {
  const mark = url.indexOf('?')
  // What stands in the address of a page is read by its own program.
  if (mark === -1 || contentType === 'text/html') return []
  const known = new Set(Object.entries(query).flatMap(([name, param]) => namesOf(name, param)))
  const given = new Set(new URLSearchParams(url.slice(mark)).keys())
  return [...given]
    .filter((name) => !known.has(name))
    .slice(0, MAX_NAMES)
    .map((name) => encodeURIComponent(name).slice(0, MAX_NAME_CHARACTERS))
}
