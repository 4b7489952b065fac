import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { countUnread, runFileRead } from '../limits/concurrency.ts'
import { unitsOfBytes } from '../limits/cost.ts'
import type { InterfaceOptions } from './options.ts'
import { PART_BYTES, type PartedBody } from './parted-body.ts'

/** What one answer holds: a part that is being read, and what the connection has not taken of the one before. */
const WINDOW_BYTES = 2 * PART_BYTES

/** Charges a body and counts its memory before any of it is read. `begin` writes status and headers once the first part is there. */
export async function sendParts(
  reply: FastifyReply,
  body: PartedBody,
  { unread, stallTimeoutMs }: InterfaceOptions,
  begin: () => void,
): Promise<void> {
  const { exchange } = reply.request
  exchange.charge(unitsOfBytes(body.length))
  // The first part is paid in any case: a refusal is not free.
  let readBytes = 0
  reply.raw.once('close', () => {
    exchange.refund(unitsOfBytes(body.length - Math.max(readBytes, PART_BYTES)))
  })
  const heldBytes = Math.min(body.length, WINDOW_BYTES)
  countUnread(reply.raw, exchange.ip, heldBytes, unread, stallTimeoutMs)
  const parts = body.open()
  const next = async () => {
    const part = await runFileRead(exchange, () => parts.next())
    readBytes += part.value?.length ?? 0
    return part
  }
  const first = await next()
  begin()
  reply.header('content-length', String(body.length))
  // Nothing is read ahead of what the connection takes.
  const options = { objectMode: false, highWaterMark: 0 }
  reply.send(Readable.from(allParts(first, next), options))
}

type Part = IteratorResult<Uint8Array, void>

async function* allParts(first: Part, next: () => Promise<Part>): AsyncGenerator<Uint8Array> {
  for (let part = first; !part.done; part = await next()) yield part.value
}
