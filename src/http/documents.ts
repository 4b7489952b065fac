import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
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
  serveText(app, '/openapi.json', JSON.stringify(document))
  if (!routes.some(({ spec }) => spec.path === '/' && spec.method === 'GET')) {
    const start = { name, version, docs: '/docs', openapi: '/openapi.json' }
    serveText(app, '/', JSON.stringify(start))
  }
  app.register(swagger, { mode: 'static', specification: { document: document as never } })
  app.register(swaggerUi, {
    routePrefix: '/docs',
    theme: { title },
    uiConfig: { layout: 'BaseLayout', defaultModelsExpandDepth: 0 },
    staticCSP: PAGE_POLICY,
  })
}

function serveText(app: FastifyInstance, url: string, text: string): void {
  app.get(url, (_request, reply) => {
    reply.header('content-type', JSON_TYPE).send(text)
  })
}
