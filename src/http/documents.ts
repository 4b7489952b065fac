import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
import { basePathOf } from './mounted.ts'
import type { InterfaceOptions } from './options.ts'
import { JSON_TYPE } from './route.ts'

/** Only the page's own files; its script sets styles on elements. */
const PAGE_POLICY =
  "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; frame-ancestors 'self'"

/**
 * Serves the documentation of an interface: `/` with links, `/openapi.json` for programs, `/docs` for people.
 */
export function mountDocuments(
  app: FastifyInstance,
  document: object,
  { name, title, version, routes }: InterfaceOptions,
): void {
  serveJson(app, '/openapi.json', (base) => ({
    ...document,
    ...(base !== '' && { servers: [{ url: base, description: 'Below the front door.' }] }),
  }))
  if (!routes.some(({ spec }) => spec.path === '/' && spec.method === 'GET')) {
    serveJson(app, '/', (base) => ({
      name,
      version,
      docs: `${base}/docs`,
      openapi: `${base}/openapi.json`,
    }))
  }
  app.register(swagger, { mode: 'static', specification: { document: document as never } })
  app.register(swaggerUi, {
    routePrefix: '/docs',
    theme: { title },
    uiConfig: { layout: 'BaseLayout', defaultModelsExpandDepth: 0 },
    staticCSP: PAGE_POLICY,
  })
}

/** Serves JSON that depends on the prefix below which a request came. */
function serveJson(app: FastifyInstance, url: string, valueAt: (base: string) => object): void {
  // The interface itself, and the front door with one prefix for it.
  const texts = new Map<string, string>()
  app.get(url, ({ raw }, reply) => {
    const base = basePathOf(raw)
    const text = texts.get(base) ?? JSON.stringify(valueAt(base))
    texts.set(base, text)
    reply.header('content-type', JSON_TYPE).send(text)
  })
}
