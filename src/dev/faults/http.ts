import { Readable, Transform } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { InterfaceOptions } from '../../kernel/http/options.ts'
import { EVENT_STREAM_TYPE } from '../../kernel/http/server-sent-events.ts'
import { BrokenStream } from './broken-stream.ts'
import { type Effects, FAULT_HEADER, type Faults } from './fault.ts'
import { refusalOf } from './refusal.ts'

/** A frame of an event stream, and what ends it. */
const FRAME_END = '\n\n'

/** Lets the requests of an interface meet the faults that are in force. */
export function breakRequests(
  app: FastifyInstance,
  name: InterfaceOptions['name'],
  faults: Faults,
): void {
  // Faults are ended by this interface: none may stop that.
  if (name === 'operations') return
  const prefix = name === 'web' ? '' : `/${name}`
  app.addHook('onRoute', ({ url }) => faults.paths.add(prefix, url))
  app.addHook('onRequest', async (request, reply) => {
    const path = prefix + request.url.split('?', 1)[0]
    const header = request.headers[FAULT_HEADER] as string | undefined
    const effects = faults.take(path, header)
    if (!effects) return
    // Who reads the answer sees that it was meant.
    reply.header(FAULT_HEADER, shown(effects))
    if (effects.delayMs) await delay(effects.delayMs, undefined, { ref: false })
    if (effects.status !== undefined) return refuse(reply, effects.status, effects)
    Object.assign(request, { effects })
  })
  app.addHook('onSend', async (request, reply, payload) => {
    const { effects } = request as { effects?: Effects }
    const isStream = payload instanceof Readable && isEventStream(reply)
    return effects && isStream ? brokenFrames(payload, effects, reply) : payload
  })
}

const isEventStream = (reply: FastifyReply): boolean =>
  String(reply.getHeader('content-type')).startsWith(EVENT_STREAM_TYPE)

const shown = ({ status, delayMs, dropStreamAfter, duplicateEvents, reorder }: Effects): string =>
  Object.entries({ status, delayMs, dropStreamAfter, duplicateEvents, reorder })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${value}`)
    .join('; ')

function refuse(reply: FastifyReply, status: number, effects: Effects): FastifyReply {
  if (status === 0) {
    reply.raw.socket?.destroy()
    return reply.hijack()
  }
  if (status === 429) {
    reply.header('x-ratelimit-limit', 1).header('x-ratelimit-remaining', 0)
    reply.header('x-ratelimit-reset', effects.retryAfterSeconds ?? 1)
  }
  const refusal = refusalOf(status, effects)
  if (refusal) throw refusal
  // The page of a proxy that does not reach the server, such as 502.
  return reply.code(status).type('text/html').send(`<h1>${status}</h1>`)
}

/** The frames of a stream. Those without data pass as they are: they only keep the connection. */
function brokenFrames(source: Readable, effects: Effects, reply: FastifyReply): Readable {
  let rest = ''
  const broken = new BrokenStream<string>(effects, {
    send: (frames) => frames.forEach((frame) => void stream.push(frame)),
    // Once what was sent is on its way.
    cut: () => setImmediate(() => reply.raw.socket?.destroySoon()),
  })
  const stream = new Transform({
    transform(chunk, _, done) {
      const frames = (rest + chunk).split(FRAME_END)
      rest = frames.pop()!
      for (const frame of frames) {
        if (/^data:/m.test(frame)) broken.take(frame + FRAME_END)
        else stream.push(frame + FRAME_END)
      }
      done()
    },
  })
  stream.once('close', () => {
    broken.end()
    source.destroy()
  })
  source.once('error', () => stream.destroy())
  broken.begin()
  return source.pipe(stream)
}
