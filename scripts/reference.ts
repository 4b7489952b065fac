// Takes the script of the API reference out of the development package that holds it. It is committed, so
// that a server needs neither the package nor its dependencies.
import { gzipSync } from 'node:zlib'
import reference from '@scalar/fastify-api-reference'
import { fastify } from 'fastify'

/** The script as the package serves it. */
export async function referenceScript(): Promise<Buffer> {
  const app = fastify()
  await app.register(reference, { routePrefix: '/docs', configuration: { url: '/openapi.json' } })
  const { rawPayload, statusCode } = await app.inject('/docs/js/scalar.js')
  await app.close()
  if (statusCode !== 200) throw new Error(`the package of the API reference answers ${statusCode}`)
  return rawPayload
}

export const compressed = (script: Buffer): Buffer => gzipSync(script, { level: 9 })
