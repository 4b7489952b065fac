import type { FastifyInstance, FastifyRequest } from 'fastify'
import { clientOf } from '../../limits/client.ts'
import { type ConcurrencyLimit, processBodies } from '../../limits/concurrency.ts'
import { Rejection } from '../../protocol/rejection.ts'

const tooLarge = () => new Rejection('bad_request.too_large', 'request body is too large')

/** Refuses a body whose announced length is above the limit, before any of it is read. */
export function checkAnnouncedLength(request: FastifyRequest, maxBytes: number): void {
  if (Number(request.headers['content-length']) > maxBytes) throw tooLarge()
}

/**
 * Reads bodies of up to `maxBytes` as one Buffer, of any content type, within the limit of unfinished
 * bodies. The body of a route that declares none is discarded as it comes, up to the same limit.
 */
export function readBodies(
  app: FastifyInstance,
  maxBytes: number,
  bodies: ConcurrencyLimit = processBodies,
): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (request, payload, done) => {
    const { route } = request.routeOptions.config
    const isKept = route?.spec.body !== undefined
    const mostBytes = route?.maxBytes ?? maxBytes
    const client = clientOf(request.exchange.ip)
    const chunks: Buffer[] = []
    let bytes = 0
    let held = 0
    const finish = (error: Error | null) => {
      payload.off('data', onData).off('end', onEnd).off('error', onCutOff).off('close', onCutOff)
      bodies.release(client, held)
      if (error !== null) done(error)
      else done(null, isKept ? Buffer.concat(chunks, bytes) : undefined)
    }
    const onData = (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > mostBytes) return finish(tooLarge())
      if (!isKept) return
      if (!bodies.tryAcquire(client, chunk.length)) {
        return finish(
          new Rejection('unavailable.overloaded', 'too many request bodies are being received'),
        )
      }
      held += chunk.length
      chunks.push(chunk)
    }
    const onEnd = () => finish(null)
    const onCutOff = () => {
      finish(new Rejection('bad_request.parse_failure', 'the request was cut off'))
    }
    payload.on('data', onData).on('end', onEnd).on('error', onCutOff).on('close', onCutOff)
  })
}
