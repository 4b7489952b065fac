import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { createServer, type ServerHttp2Stream } from 'node:http2'
import type { AddressInfo, Socket } from 'node:net'
import { test } from 'node:test'
import { until } from '../../../../test/until.ts'
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

test('a call over TLS to a hub without it says which address such a hub has', async (t) => {
  const server = createServer().listen(0, '127.0.0.1')
  t.after(() => server.close())
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  const client = new GrpcClient({ host: '127.0.0.1', port, isSecure: true, headers: {} })
  t.after(() => client.close())
  await assert.rejects(
    client.call('/HubService/GetInfo', new Uint8Array(0), 60_000),
    /a hub without TLS has an address with grpc:\/\/ in place of grpcs:\/\//,
  )
})

test('a call of one answer ends at the second message of a source that sends them without end', async (t) => {
  const message = Buffer.alloc(5 + 100_000)
  message.writeUInt32BE(100_000, 1)
  let sent = 0
  let isClosed = false
  const server = createServer().listen(0, '127.0.0.1')
  t.after(() => server.close())
  server.on('stream', (stream: ServerHttp2Stream) => {
    stream.on('error', () => {})
    stream.on('close', () => {
      isClosed = true
    })
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' })
    const goOn = () => {
      while (!stream.destroyed && stream.write(message)) sent++
      stream.once('drain', goOn)
    }
    goOn()
  })
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  const client = new GrpcClient({ host: '127.0.0.1', port, isSecure: false, headers: {} })
  t.after(() => client.close())
  await assert.rejects(
    client.call('/HubService/GetInfo', new Uint8Array(0), 60_000),
    /more than one answer/,
  )
  await until(() => isClosed, 'the source is told')
  assert.ok(sent < 1_000, `${sent} messages`)
})
