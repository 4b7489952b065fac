import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { TLSSocket } from 'node:tls'

/** The first bytes of a PostgreSQL client that wants TLS. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f])

export type TlsProxy = {
  readonly port: number
  /** Clients that passed the handshake and whose bytes were forwarded. */
  readonly forwarded: number
  close(): Promise<void>
}

/**
 * Puts TLS in front of a PostgreSQL server, as PostgreSQL does it: the client asks, and is told yes or, without a
 * certificate, no. Listens on all addresses.
 */
export async function startTlsProxy(options: {
  readonly target: { readonly host: string; readonly port: number }
  /** PEM; none refuses TLS. */
  readonly certificate?: { readonly cert: Buffer; readonly key: Buffer }
}): Promise<TlsProxy> {
  const sockets = new Set<Socket>()
  let forwarded = 0
  const keep = (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket))
  }
  const forward = (client: Socket, first?: Buffer) => {
    const upstream = connect(options.target)
    keep(upstream)
    if (first) upstream.write(first)
    client.pipe(upstream).pipe(client)
    client.on('close', () => upstream.destroy())
    upstream.on('close', () => client.destroy())
  }
  const server = createServer((client) => {
    keep(client)
    client.once('data', (first: Buffer) => {
      if (!first.equals(SSL_REQUEST)) {
        forwarded++
        forward(client, first)
        return
      }
      client.write(options.certificate ? 'S' : 'N')
      if (!options.certificate) {
        client.once('data', (next: Buffer) => {
          forwarded++
          forward(client, next)
        })
        return
      }
      client.pause()
      const secured = new TLSSocket(client, { isServer: true, ...options.certificate })
      keep(secured)
      secured.once('data', (next: Buffer) => {
        forwarded++
        forward(secured, next)
      })
    })
  })
  await once(server.listen(0, '0.0.0.0'), 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    get forwarded() {
      return forwarded
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
