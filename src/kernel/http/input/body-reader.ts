import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type BodyMemory, processBodies } from '../../limits/bodies.ts'
import { readClient } from '../../limits/client.ts'
import { Rejection } from '../../protocol/rejection.ts'

const tooLarge = () => new Rejection('bad_request.too_large', 'request body is too large')
const cutOff = () => new Rejection('bad_request.parse_failure', 'the request was cut off')

/** Refuses a body whose announced length is above the limit, before any of it is read. */
export function checkAnnouncedLength(request: FastifyRequest, maxBytes: number): void {
  if (Number(request.headers['content-length']) > maxBytes) throw tooLarge()
}

/** Reads the body of a request when its handler asks for it. */
export type ReadUpload = () => Promise<Buffer>

/**
 * Reads bodies of up to `maxBytes` as one Buffer, of any content type, within the memory for bodies. That of an upload is
 * left for its handler, which gets a ReadUpload. The body of a route that declares none is discarded as it comes, up to the
 * same limit.
 */
export function readBodies(
  app: FastifyInstance,
  maxBytes: number,
  memory: BodyMemory = processBodies,
): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (request, payload, done) => {
    const { route } = request.routeOptions.config
    const body = route?.spec.body
    const options = {
      memory,
      maxBytes: route?.maxBytes ?? maxBytes,
      isKept: body !== undefined,
    }
    if (!body?.isUpload) {
      readBody(request, payload, options, done)
      return
    }
    const readUpload: ReadUpload = () =>
      new Promise((resolve, reject) =>
        readBody(request, payload, options, (error, bytes) =>
          error ? reject(error) : resolve(bytes!),
        ),
      )
    done(null, readUpload)
  })
}

type ReadOptions = {
  readonly memory: BodyMemory
  readonly maxBytes: number
  readonly isKept: boolean
}

/** Plain callbacks, because this is the hot path. */
function readBody(
  { exchange, headers }: FastifyRequest,
  payload: FastifyRequest['raw'],
  { memory, maxBytes, isKept }: ReadOptions,
  done: (error: Error | null, bytes?: Buffer) => void,
): void {
  const chunks: Buffer[] = []
  let bytes = 0
  const finish = (error: Error | null) => {
    payload.off('data', onData).off('end', onEnd).off('error', onCutOff).off('close', onCutOff)
    body.hold(0)
    if (error === null) return done(null, isKept ? Buffer.concat(chunks, bytes) : undefined)
    exchange.consume(bytes)
    done(error)
  }
  const announced = Number(headers['content-length'] ?? 0)
  const body = memory.open(readClient(exchange.ip), finish, announced)
  const onData = (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > maxBytes) return finish(tooLarge())
    if (!isKept) return
    try {
      body.hold(bytes)
      chunks.push(chunk)
    } catch (error) {
      finish(error as Error)
    }
  }
  const onEnd = () => finish(null)
  const onCutOff = () => finish(cutOff())
  if (payload.destroyed) {
    finish(cutOff())
    return
  }
  payload.on('data', onData).on('end', onEnd).on('error', onCutOff).on('close', onCutOff)
}
