import Type from 'typebox'
import type { InterfaceOptions } from '../options.ts'
import { jsonText, type Route, route } from '../route.ts'
import { referenceRoutes } from './reference.ts'

const Open = Type.Unsafe<object>({ type: 'object' })

/**
 * The documentation of an interface: `/` with links, `/openapi.json` for programs, `/docs` for people. Below
 * the front door its addresses have the prefix of the interface.
 */
export function documentRoutes(document: () => object, options: InterfaceOptions): Route[] {
  const { name, title, version, routes } = options
  const hasStart = routes.some(({ spec }) => spec.path === '/' && spec.method === 'GET')
  const openapi = jsonRoute('/openapi.json', (base) => ({
    ...document(),
    ...(base !== '' && { servers: [{ url: base, description: 'Below the front door.' }] }),
  }))
  const start = jsonRoute('/', (base) => ({
    name,
    version,
    docs: `${base}/docs`,
    openapi: `${base}/openapi.json`,
  }))
  const source = (base: string) => ({ title, slug: name, url: `${base}/openapi.json` })
  return [
    openapi,
    ...(hasStart ? [] : [start]),
    ...referenceRoutes({ title, sources: (base) => [source(base)] }),
  ]
}

/** Serves JSON that depends on the prefix below which a request came. */
function jsonRoute(path: string, valueAt: (base: string) => object): Route {
  // The interface itself, and the front door with one prefix for it.
  const texts = new Map<string, string>()
  return route(`GET ${path}`, {
    callers: 'anyone',
    summary: path,
    reply: Open,
    errors: [],
    cost: 'lookup',
    handler: (_, { request: { basePath } }) => {
      const text = texts.get(basePath) ?? JSON.stringify(valueAt(basePath))
      texts.set(basePath, text)
      return jsonText(text)
    },
  })
}
