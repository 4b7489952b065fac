import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Rejection } from '../../protocol/rejection.ts'
import { ClientBudget, clientOf } from '../client-budget.ts'

const MIB = 1024 * 1024

/** Bytes of request bodies that have arrived in part, over all interfaces of this process. */
const MAX_UNFINISHED_BODY_BYTES = 64 * MIB
/** The same from one client, so that one client cannot keep the others from sending. */
const MAX_UNFINISHED_BODY_BYTES_PER_CLIENT = 16 * MIB

/** The budget of interfaces that have none of their own. */
export const processBodies = new ClientBudget({
  total: MAX_UNFINISHED_BODY_BYTES,
  perClient: MAX_UNFINISHED_BODY_BYTES_PER_CLIENT,
})

const tooLarge = () => new Rejection('bad_request.too_large', 'request body is too large')

/** Refuses a body whose announced length is above the limit, before any of it is read. */
export function checkAnnouncedLength(request: FastifyRequest, maxBytes: number): void {
  if (Number(request.headers['content-length']) > maxBytes) throw tooLarge()
}

/**
 * Reads bodies of up to `maxBytes` as one Buffer, of any content type, within the budget for unfinished
 * bodies. The body of a route that declares none is discarded as it comes, up to the same limit.
 */
export function readBodies(
  app: FastifyInstance,
  maxBytes: number,
  budget: ClientBudget = processBodies,
): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (request, payload, done) => {
    const { route } = request.routeOptions.config
    const isKept = route?.spec.body !== undefined
    const mostBytes = route?.maxBytes ?? maxBytes
    const client = clientOf(request.ip)
    const chunks: Buffer[] = []
    let bytes = 0
    let held = 0
    const finish = (error: Error | null) => {
      payload.off('data', onData).off('end', onEnd).off('error', onCutOff).off('close', onCutOff)
      budget.release(client, held)
      if (error !== null) done(error)
      else done(null, isKept ? Buffer.concat(chunks, bytes) : undefined)
    }
    const onData = (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > mostBytes) return finish(tooLarge())
      if (!isKept) return
      if (!budget.take(client, chunk.length)) {
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
