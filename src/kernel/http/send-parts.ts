import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { countUnread, runFileRead } from '../limits/concurrency.ts'
import { unitsOfBytes } from '../limits/cost.ts'
import { waitForBudget } from '../limits/cost-budget.ts'
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
  const pay = body.length === undefined ? payAlong(reply) : payBefore(reply, body.length)
  const heldBytes = Math.min(body.length ?? WINDOW_BYTES, WINDOW_BYTES)
  countUnread(reply.raw, exchange.ip, heldBytes, unread, stallTimeoutMs)
  const parts = body.open()
  // Whoever leaves ends the reading: a file may hold a connection of its storage.
  const end = () => void parts.return?.(undefined).catch(() => {})
  if (reply.raw.closed) end()
  else reply.raw.once('close', end)
  const next = async () => {
    const part = await runFileRead(exchange, () => parts.next())
    await pay(part.value?.length ?? 0)
    return part
  }
  const first = await next()
  begin()
  if (body.length !== undefined) reply.header('content-length', String(body.length))
  // Nothing is read ahead of what the connection takes.
  const options = { objectMode: false, highWaterMark: 0 }
  reply.send(Readable.from(allParts(first, next), options))
}

/** Charges all bytes now, and refunds those that were not read at the end. */
function payBefore({ raw, request: { exchange } }: FastifyReply, length: number) {
  exchange.charge(unitsOfBytes(length))
  // The first part is paid in any case: a refusal is not free.
  let readBytes = 0
  raw.once('close', () => {
    exchange.refund(unitsOfBytes(length - Math.max(readBytes, PART_BYTES)))
  })
  return (bytes: number) => {
    readBytes += bytes
  }
}

/** Charges each part as it was read; the next one waits while the client is in debt. */
function payAlong({ raw, request: { exchange } }: FastifyReply) {
  exchange.charge(unitsOfBytes(PART_BYTES))
  let paidBytes = PART_BYTES
  const gone = new AbortController()
  raw.once('close', () => gone.abort())
  return (bytes: number) => {
    const unpaid = Math.max(0, bytes - paidBytes)
    paidBytes -= bytes - unpaid
    exchange.consume(unpaid)
    return waitForBudget(() => exchange.debtMs(), gone.signal)
  }
}

type Part = IteratorResult<Uint8Array, void>

async function* allParts(first: Part, next: () => Promise<Part>): AsyncGenerator<Uint8Array> {
  for (let part = first; !part.done; part = await next()) yield part.value
}
