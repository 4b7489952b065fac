import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A TCP proxy that can stop forwarding without closing anything, like a host that vanishes. */
export type TcpProxy = {
  readonly port: number
  /** From now on nothing passes in either direction; new connections are accepted and stay silent. */
  freeze(): void
  /** Closes all connections; new ones pass. */
  cut(): void
  /** New connections pass again; those that were silent stay so. */
  thaw(): void
  close(): Promise<void>
}

export async function startTcpProxy(target: { host: string; port: number }): Promise<TcpProxy> {
  let isFrozen = false
  const sockets = new Set<Socket>()
  const keep = (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket))
  }
  const server = createServer((client) => {
    keep(client)
    if (isFrozen) {
      client.pause()
      return
    }
    const upstream = connect(target)
    keep(upstream)
    client.pipe(upstream).pipe(client)
    client.on('close', () => upstream.destroy())
    upstream.on('close', () => client.destroy())
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    freeze() {
      isFrozen = true
      for (const socket of sockets) socket.unpipe().pause()
    },
    cut() {
      for (const socket of sockets) socket.destroy()
    },
    thaw() {
      isFrozen = false
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
