// A proxy in front of PostgreSQL that reads what the server answers, and changes or drops single messages.

import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** One message of the server: its type (PostgreSQL, "Message Formats") and all its bytes, head included. */
export type ServerMessage = { readonly type: string; readonly bytes: Buffer }

const HEAD_BYTES = 5

/** Passes on what `filter` gives; undefined drops the message. Understands connections without TLS only. */
export async function startPostgresProxy(
  url: string,
  filter: (message: ServerMessage) => Buffer | undefined,
): Promise<{ url: string; close(): Promise<void> }> {
  const { hostname, port } = new URL(url)
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname)
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket))
    }
    client.pipe(upstream)
    client.on('close', () => upstream.destroy())
    upstream.on('close', () => client.destroy())
    let waiting: Buffer = Buffer.alloc(0)
    upstream.on('data', (bytes: Buffer) => {
      waiting = Buffer.concat([waiting, bytes])
      while (waiting.length >= HEAD_BYTES) {
        const length = 1 + waiting.readInt32BE(1)
        if (waiting.length < length) return
        const message = waiting.subarray(0, length)
        waiting = waiting.subarray(length)
        const passed = filter({ type: String.fromCharCode(message[0]!), bytes: message })
        if (passed) client.write(passed)
      }
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const proxied = new URL(url)
  proxied.port = String((server.address() as AddressInfo).port)
  return {
    url: proxied.href,
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Names a server process of its own, as poolers do. */
export function asPooler({ type, bytes }: ServerMessage): Buffer {
  const BACKEND_KEY_DATA = 'K'
  if (type !== BACKEND_KEY_DATA) return bytes
  const changed = Buffer.from(bytes)
  changed.writeInt32BE(1, HEAD_BYTES)
  return changed
}

/** Whether the server passes on what a session listens to. */
export const isNotification = ({ type }: ServerMessage): boolean => type === 'A'
