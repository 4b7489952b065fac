import { setTimeout as delay } from 'node:timers/promises'
import { type Call, type Method, type StreamCall, withWrite } from '../../kernel/grpc/method.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import { BrokenStream } from './broken-stream.ts'
import { type Effects, FAULT_HEADER, type Faults } from './fault.ts'
import { refusalOf } from './refusal.ts'

/** A method whose calls meet the faults that are in force. */
export function breakCalls(path: string, method: Method, faults: Faults): Method {
  const [, service, name] = path.split('/')
  faults.paths.add(`/${service}`, `/${name}`)
  const begin = async (call: Call): Promise<Effects | undefined> => {
    const effects = faults.take(path, call.header(FAULT_HEADER))
    if (effects?.delayMs) await delay(effects.delayMs, undefined, { ref: false })
    if (effects?.status !== undefined) throw refusalOf(effects.status, effects) ?? lost()
    return effects
  }
  switch (method.kind) {
    case 'unary':
      return {
        ...method,
        async handle(request: Uint8Array, call: Call) {
          await begin(call)
          return method.handle(request, call)
        },
      }
    case 'serverStream':
      return {
        ...method,
        handle: async (request: Uint8Array, call: StreamCall) =>
          brokenCall(call, await begin(call), (broken) => method.handle(request, broken)),
      }
    case 'duplex':
      return {
        ...method,
        handle: async (requests: AsyncIterable<Uint8Array>, call: StreamCall) =>
          brokenCall(call, await begin(call), (broken) => method.handle(requests, broken)),
      }
  }
}

/** What a client sees of a lost connection. */
const lost = () => new Rejection('unavailable', 'the connection was lost')

function brokenCall(
  call: StreamCall,
  effects: Effects | undefined,
  handle: (call: StreamCall) => Promise<void>,
): Promise<void> {
  if (!effects) return handle(call)
  const cut = Promise.withResolvers<never>()
  let written: Promise<void> | undefined
  const broken = new BrokenStream<Uint8Array>(effects, {
    send(events) {
      written = call.write(events)
    },
    cut: () => cut.reject(lost()),
  })
  broken.begin()
  const handled = handle(
    withWrite(call, (events) => {
      for (const event of events) broken.take(event)
      return written
    }),
  )
  return Promise.race([handled, cut.promise]).finally(() => broken.end())
}
