import { mkdtemp, rm } from 'node:fs/promises'
import type { Server } from 'node:http'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const LINE_END = 0x0a

const forwarded = new WeakSet<Socket>()

/** Whether a connection came through a serving thread, which has counted it. */
export const isForwarded = (socket: Socket): boolean => forwarded.has(socket)

export type Receiver = { readonly path: string; close(): Promise<void> }

/**
 * Gives `server` the connections that serving threads forward (forwarding.ts), over a local socket that only this user
 * can reach. The first line of each is the address of its client, so that everything about a request is as if the
 * client had connected to the server itself.
 */
export async function receiveForwarded(server: Server): Promise<Receiver> {
  const directory = await mkdtemp(join(tmpdir(), 'rookery-'))
  const path = join(directory, 'forwarded')
  const open = new Set<Socket>()
  const local = createServer({ allowHalfOpen: true }, (socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
    const failed = () => socket.destroy()
    // The client may leave before the thread has sent anything.
    socket.once('error', failed).once('end', failed)
    socket.once('data', (first: Buffer) => {
      socket.off('error', failed).off('end', failed)
      socket.pause()
      const end = first.indexOf(LINE_END)
      if (end < 0) return void socket.destroy()
      const remoteAddress = first.toString('latin1', 0, end)
      Object.defineProperty(socket, 'remoteAddress', { value: remoteAddress })
      forwarded.add(socket)
      server.emit('connection', socket)
      if (end + 1 < first.length) socket.unshift(first.subarray(end + 1))
      socket.resume()
    })
  })
  await new Promise<void>((resolve, reject) => {
    local.once('error', reject).listen(path, resolve)
  })
  return {
    path,
    async close() {
      const closed = new Promise((resolve) => local.close(resolve))
      // The threads have ended, so nobody waits for an answer.
      for (const socket of open) socket.destroy()
      await closed
      await rm(directory, { recursive: true, force: true })
    },
  }
}
