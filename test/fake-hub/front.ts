import { once } from 'node:events'
import {
  createServer as createHttp2Server,
  constants as http2,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import * as grpc from '@grpc/grpc-js'
import type { Refusal } from './faults.ts'

/** Passes connections to the hub, or to something that answers every request with HTTP 429. */
export class Front {
  readonly #grpc: grpc.Server
  readonly #injector: ReturnType<grpc.Server['createConnectionInjector']>
  readonly #server: Server
  readonly #proxy = createHttp2Server()
  readonly #sockets = new Set<Socket>()

  constructor(server: grpc.Server, refusal: () => Refusal | undefined) {
    this.#grpc = server
    this.#injector = server.createConnectionInjector(grpc.ServerCredentials.createInsecure())
    this.#server = createServer((socket) => {
      this.#sockets.add(socket)
      socket.on('error', () => socket.destroy()).on('close', () => this.#sockets.delete(socket))
      if (refusal()) this.#proxy.emit('connection', socket)
      else this.#injector.injectConnection(socket)
    })
    this.#proxy.on('session', (session: ServerHttp2Session) => session.on('error', () => {}))
    this.#proxy.on('stream', (stream: ServerHttp2Stream) => {
      stream.on('error', () => {})
      const refused = refusal()
      if (refused) refused.left--
      const { retryAfterSeconds } = refused ?? {}
      stream.respond({
        [http2.HTTP2_HEADER_STATUS]: 429,
        'content-type': 'text/plain',
        ...(retryAfterSeconds !== undefined && { 'retry-after': `${retryAfterSeconds}` }),
      })
      stream.end('too many requests')
      // The next connection reaches the hub.
      if (!refusal()) stream.session?.close()
    })
  }

  async listen(): Promise<number> {
    await once(this.#server.listen(0, '127.0.0.1'), 'listening')
    return (this.#server.address() as AddressInfo).port
  }

  cut(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  async close(): Promise<void> {
    this.cut()
    this.#grpc.forceShutdown()
    this.#server.close()
    await once(this.#server, 'close')
  }
}
