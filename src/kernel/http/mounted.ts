import type { IncomingMessage, RequestListener, Server } from 'node:http'

/** Interfaces by the first part of their paths, such as `/hub`, or by a whole path that only they answer. */
export type Mounts = ReadonlyMap<string, RequestListener>

const FIRST_PART = /^\/[^/?#]+/
const WHOLE_PATH = /^[^?#]*/

/** Where the interface of a request lies on its origin, as its client sees it. */
const basePaths = new WeakMap<IncomingMessage, string>()

/** `/hub` for a request that came through a prefix; empty for one on the interface's own port. */
export const basePathOf = (request: IncomingMessage): string => basePaths.get(request) ?? ''

/**
 * The listener of a server that answers for other interfaces below prefixes, and by `own` elsewhere. They are asked as on
 * their own ports, without the prefix, so that limits, budgets, request ids and error bodies are theirs. Looks at
 * `mounts` for each request: interfaces may be added later.
 */
export const withMounts =
  (own: RequestListener, mounts: Mounts, serverOf: () => Server): RequestListener =>
  (request, response) => {
    const url = request.url ?? '/'
    const [path] = WHOLE_PATH.exec(url)!
    const first = FIRST_PART.exec(url)?.[0] ?? ''
    const isWhole = path !== first && mounts.has(path)
    const prefix = isWhole ? '' : first
    const mounted = mounts.get(isWhole ? path : first)
    if (mounted === undefined) {
      own(request, response)
      return
    }
    const rest = url.slice(prefix.length)
    request.url = rest.startsWith('/') ? rest : `/${rest}`
    basePaths.set(request, prefix)
    // Answers share their origin with pages: a browser must not take data for a page or a script.
    response.setHeader('x-content-type-options', 'nosniff')
    // The mounted interface knows only the connections of its own port. A stop must not wait for this one.
    response.once('close', () => {
      const server = serverOf()
      if (!server.listening) setImmediate(() => server.closeIdleConnections())
    })
    mounted(request, response)
  }
