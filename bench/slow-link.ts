import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A way to a database that is so many milliseconds away, there and back. Without any, it is the database itself. */
export async function startSlowLink(
  url: string,
  tripMs: number,
): Promise<{ url: string; close(): Promise<void> }> {
  if (tripMs === 0) return { url, close: async () => {} }
  const { hostname, port } = new URL(url)
  const sockets = new Set<Socket>()
  const keep = (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket))
  }
  const server = createServer({ noDelay: true }, (client) => {
    const upstream = connect({ host: hostname, port: Number(port), noDelay: true })
    for (const socket of [client, upstream]) keep(socket)
    passLate(client, upstream, tripMs / 2)
    passLate(upstream, client, tripMs / 2)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const slow = new URL(url)
  slow.port = String((server.address() as AddressInfo).port)
  return {
    url: slow.href,
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

function passLate(from: Socket, to: Socket, milliseconds: number): void {
  from.on('data', (bytes) =>
    setTimeout(() => {
      if (to.writable) to.write(bytes)
    }, milliseconds),
  )
  from.on('close', () => setTimeout(() => to.destroy(), milliseconds))
}
