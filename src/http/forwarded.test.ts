import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { test } from 'node:test'
import { receiveForwarded } from './forwarded.ts'

test('a local connection that ends before it has sent anything is closed', async () => {
  const receiver = await receiveForwarded(createServer())
  const socket = connect({ path: receiver.path, allowHalfOpen: true })
  await once(socket, 'connect')
  socket.end().resume()
  await once(socket, 'close')
  await receiver.close()
})

test('a receiver closes although a local connection stays open', async () => {
  const server = createServer()
  const receiver = await receiveForwarded(server)
  const socket = connect(receiver.path).resume()
  const closed = new Promise((resolve) => socket.once('close', resolve))
  socket.on('error', () => {}).write('127.0.0.1\n')
  await once(server, 'connection')
  await receiver.close()
  await closed
})
