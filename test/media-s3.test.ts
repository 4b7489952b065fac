// Pictures whose bytes are in an S3-compatible storage.

import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { mediaRows } from '../src/features/media/tables/media.ts'
import { mp4Of, plainPng, uploadTo } from './media-support.ts'
import { TestStorage } from './s3-support.ts'
import { until } from './until.ts'
import { createWorld, enginesOf, type World } from './world.ts'

/** Almost the largest that the setting allows: several times what a connection takes. */
const VIDEO_BYTES = 14_900_000
const STANDING = 6

for (const engine of enginesOf(import.meta.url)) {
  describe(`pictures in S3 (${engine})`, { concurrency: 1 }, () => {
    const s3 = new TestStorage()
    let world: World
    const objects = () => s3.objects()

    /** All connections to the storage. What the system keeps of one is not read. */
    const connections: Socket[] = []
    const note = (message: unknown) => {
      const { socket } = message as { socket: Socket }
      socket.once('connect', () => socket.remotePort === s3.port && connections.push(socket))
    }
    const bytesRead = () => connections.reduce((sum, socket) => sum + socket.bytesRead, 0)
    const halfRead = () =>
      connections.filter(({ destroyed, readableLength }) => !destroyed && readableLength > 0)

    before(async () => {
      subscribe('net.client.socket', note)
      await s3.start()
      const env = { ROOKERY_MEDIA_S3_URL: s3.url(), ROOKERY_MEDIA_VIDEO_MB: '15' }
      world = await createWorld({ engine, env })
    })
    after(async () => {
      unsubscribe('net.client.socket', note)
      await world?.close()
      await s3.remove()
    })

    it('both sizes are objects, read whole and in ranges, and gone after the clean-up', async () => {
      const account = await world.account(11)
      const { body } = await uploadTo(world, account, plainPng(600, 600, [9, 9, 9, 255]))
      assert.equal(objects().length, 2)
      const whole = Buffer.from(await (await fetch(body.result.url)).arrayBuffer())
      assert.ok(whole.length > 500)
      const part = await fetch(body.result.url, { headers: { range: 'bytes=10-19' } })
      assert.equal(part.status, 206)
      assert.deepEqual(Buffer.from(await part.arrayBuffer()), whole.subarray(10, 20))
      assert.equal((await fetch(body.result.smallUrl)).status, 200)
      world.clock.advance(25 * 3_600_000)
      await world.app.jobs.run('media clean-up')
      assert.deepEqual(objects(), [])
    })

    it('an object that a rule of the bucket removes is not there, and is there again when it is uploaded again', async () => {
      const account = await world.account(14)
      const bytes = plainPng(601, 10, [9, 9, 9, 255])
      const { url, smallUrl } = (await uploadTo(world, account, bytes)).body.result
      const statuses = () =>
        Promise.all([url, smallUrl].map(async (one) => (await fetch(one)).status))
      for (const file of objects()) rmSync(file)
      assert.deepEqual(await statuses(), [404, 404])
      assert.equal((await uploadTo(world, account, bytes)).status, 200)
      assert.deepEqual(await statuses(), [200, 200])
      world.clock.advance(25 * 3_600_000)
      await world.app.jobs.run('media clean-up')
      assert.deepEqual(objects(), [])
    })

    it('an erasure removes the objects of an account', async () => {
      const account = await world.account(12)
      const { status } = await uploadTo(world, account, mp4Of('moving', 'b', 'c'))
      assert.equal(status, 200)
      assert.equal(objects().length, 1)
      await world.operate('/moderation/accounts/12/erase', {
        body: { actor: 'test', reason: 'asked for' },
      })
      await until(() => objects().length === 0, 'the object is removed')
    })

    it('a storage that does not answer is told as such, and nothing is left when it is back', async () => {
      const account = await world.account(13)
      await s3.stop()
      const refused = await uploadTo(world, account, plainPng(5, 5, [9, 9, 9, 255]))
      assert.deepEqual([refused.status, refused.body.code], [503, 'unavailable'])
      await s3.start()
      world.clock.advance(2 * 3_600_000)
      await world.app.jobs.run('media clean-up')
      assert.deepEqual(objects(), [])
      assert.equal((await world.app.storage.of(mediaRows).totals()).files, 0)
      assert.equal((await uploadTo(world, account, plainPng(5, 5, [9, 9, 9, 255]))).status, 200)
    })

    it('of a video nothing is read from the storage for readers that stand still, and another one gets it whole', async (t) => {
      const video = mp4Of('picture'.repeat(VIDEO_BYTES / 7), 'place', 'name')
      const { status, body } = await uploadTo(world, await world.account(15), video)
      assert.equal(status, 200, JSON.stringify(body))
      const { port, pathname } = new URL(body.result.url)
      const before = bytesRead()
      const readers: Socket[] = []
      const standing = Array.from({ length: STANDING }, async () => {
        const socket = connect({ port: Number(port), host: '127.0.0.1' })
        readers.push(socket)
        t.after(() => socket.destroy())
        await once(socket, 'connect')
        socket.write(`GET ${pathname} HTTP/1.1\r\nhost: localhost\r\n\r\n`)
        await once(socket, 'readable')
        return String(socket.read(12))
      })
      for (const head of await Promise.all(standing)) assert.match(head, / 200$/)
      // What would be read ahead for them is read while this one reads all.
      const whole = await (await fetch(body.result.url)).arrayBuffer()
      assert.equal(whole.byteLength, video.length)
      const ofStanding = bytesRead() - before - video.length
      // Each has what its connection takes: some megabytes on one machine.
      const all = STANDING * video.length
      assert.ok(ofStanding > 0, 'something was read for each')
      assert.ok(ofStanding < all / 2, `${ofStanding} of ${all} bytes are read for nobody`)
      // Who leaves gives the connection to the storage back.
      assert.ok(halfRead().length >= STANDING)
      for (const reader of readers) reader.destroy()
      await until(
        () => halfRead().length === 0,
        'the storage sends nothing for those who have left',
      )
    })
  })
}
