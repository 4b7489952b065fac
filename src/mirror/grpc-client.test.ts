import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { createServer } from 'node:http2'
import type { AddressInfo, Socket } from 'node:net'
import { test } from 'node:test'
import { GrpcClient, GrpcError } from './grpc-client.ts'

test('a client that is closed in the moment in which it connects fails its calls, and nothing else', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  const client = new GrpcClient({ host: '127.0.0.1', port, isSecure: false, headers: {} })
  // Between the connection of the socket and the event of the session that tells of it.
  const closeInBetween = (message: unknown) => {
    const { socket } = message as { socket: Socket }
    socket.once('connect', () => process.nextTick(() => client.close()))
  }
  subscribe('net.client.socket', closeInBetween)
  try {
    await assert.rejects(client.call('/HubService/GetInfo', new Uint8Array(0), 5_000), GrpcError)
  } finally {
    unsubscribe('net.client.socket', closeInBetween)
    server.close()
  }
})
