// Large videos: many who ask for one at once, ranges of it, and its export.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { after, before, describe, it, type TestContext } from 'node:test'
import { mediaRows } from '../src/features/media/tables/media.ts'
import { processUnread } from '../src/kernel/limits/concurrency.ts'
import { castAdd } from '../src/kernel/protocol/build.ts'
import { toHex } from '../src/kernel/protocol/codec/bytes.ts'
import { addressOfPrivateKey } from '../src/kernel/protocol/crypto/secp256k1.ts'
import { KIB } from '../src/kernel/protocol/sizes.ts'
import { exportFiles, exportRequest, mp4Of, plainPng, uploadTo } from './media-support.ts'
import { until } from './until.ts'
import { accountEvents, createWorld, enginesOf, testAccount, type World } from './world.ts'

/** Almost the largest that the setting allows. */
const VIDEO_BYTES = 14_900_000
const PLAYERS = 20
/** Each holds 512 KiB, and a client 16 MiB. */
const MOST_PLAYERS = 32
/** Of a page that many look at: clients of their own. */
const READERS = 60
const MOST_HELD_BYTES = 60_000_000
/** Written by the program, from lists and texts that have bounds. */
const OF_THE_PROGRAM = /^(?:application\/json|text\/html|text\/javascript)/
/** What bounds the bytes of each other answer. One that may have more than a megabyte is a PartedBody, or a stream. */
const BOUNDED: Readonly<Record<string, string>> = {
  'GET /@:name/feed.atom': 'a page of casts',
  'GET /channel/:id/feed.atom': 'a page of casts',
  'GET /docs/proto': 'files of the program',
  'GET /docs/proto/:file': 'files of the program',
  'GET /manifest.webmanifest': 'texts of the operator',
  'GET /media/:name': 'parts',
  'GET /metrics': 'a line for each number',
  'GET /picture': 'pixels: its width is asked for from a list',
  'GET /polls/:id': 'the answers of a poll',
  'GET /v1/archive/:ticket': 'parts',
  'GET /v1/events/stream': 'a stream: what waits for its reader',
  'GET /v1/metrics': 'a line for each number',
  'GET /v2/signed-key-request-events': 'a stream: what waits for its reader',
  'POST /polls/:id': 'the answers of a poll',
}

for (const engine of enginesOf(import.meta.url)) {
  describe(`large videos (${engine})`, { concurrency: 1 }, () => {
    const secret = randomBytes(32)
    const owner = { ...testAccount(800), custody: addressOfPrivateKey(secret) }
    const video = mp4Of('picture'.repeat(VIDEO_BYTES / 7), 'place', 'name')
    let world: World
    let url: string

    before(async () => {
      world = await createWorld({ engine, env: { ROOKERY_MEDIA_VIDEO_MB: '15' } })
      const seconds = Math.floor(world.clock.now() / 1000)
      await world.app.ledger!.importEvents(accountEvents(owner, seconds, 10))
      const { status, body } = await uploadTo(world, owner, video)
      assert.equal(status, 200, JSON.stringify(body))
      url = body.result.url
    })
    after(() => world.close())

    /** Begins to read the video, and goes on when the test says so. */
    const play = async (t: TestContext, localAddress = '127.0.0.1') => {
      const { port, pathname } = new URL(url)
      const socket = connect({ port: Number(port), host: '127.0.0.1', localAddress })
      t.after(() => socket.destroy())
      await once(socket, 'connect')
      socket.write(`GET ${pathname} HTTP/1.1\r\nhost: localhost\r\n\r\n`)
      await once(socket, 'readable')
      assert.match(String(socket.read(12)), / 200$/)
      return socket
    }

    it('many players of one address have a video open at once, each for a few hundred kilobytes', async (t) => {
      const sockets = await Promise.all(Array.from({ length: PLAYERS }, () => play(t)))
      assert.ok(processUnread.used < VIDEO_BYTES, `${processUnread.used} bytes are unread`)
      const other = await fetch(url)
      assert.equal((await other.arrayBuffer()).byteLength, video.length)
      for (const socket of sockets) socket.destroy()
      await until(() => processUnread.used === 0, 'the answers are forgotten')
    })

    it('sixty clients that read a video slowly hold less than 60 MB, and another one reads casts meanwhile', async (t) => {
      const origin = world.origin(owner)
      const message = world.sign(owner, castAdd(origin, { text: 'look' }))
      assert.equal((await world.submit(message)).status, 200)
      const addresses = Array.from({ length: READERS }, (_, i) => `127.0.1.${i + 1}`)
      const sockets = await Promise.all(addresses.map((address) => play(t, address)))
      // Until each connection has taken as much as it takes.
      let before = -1
      await until(() => {
        const isSteady = processUnread.used === before
        before = processUnread.used
        return isSteady
      }, 'the answers wait for their readers')
      assert.ok(before > 0 && before < MOST_HELD_BYTES, `${before} bytes are unread`)
      const query = new URLSearchParams({ fid: String(owner.fid), hash: toHex(message.hash) })
      const cast = await fetch(`${world.app.urls.hub}/v1/castById?${query}`)
      assert.equal(cast.status, 200)
      for (const socket of sockets) socket.destroy()
      await until(() => processUnread.used === 0, 'the answers are forgotten')
    })

    it('a client that has not read its videos is refused before another file is looked up', async (t) => {
      const sockets = await Promise.all(Array.from({ length: MOST_PLAYERS }, () => play(t)))
      const unknown = new URL('x.mp4', url)
      const refused = await fetch(unknown)
      assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '1'])
      for (const socket of sockets) socket.destroy()
      await until(() => processUnread.used === 0, 'the answers are forgotten')
      assert.equal((await fetch(unknown)).status, 404)
    })

    it('exports that one client does not read hold half a megabyte each, and beyond sixteen it is refused', async (t) => {
      const body = JSON.stringify(exportRequest(world, owner.fid, secret))
      const { port, hostname } = new URL(world.app.urls.accounts)
      const ask = async () => {
        const socket = connect({ port: Number(port), host: hostname })
        t.after(() => socket.destroy())
        await once(socket, 'connect')
        socket.write(
          `POST /v1/export-media HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
        )
        await once(socket, 'readable')
        return { socket, status: Number(String(socket.read(12)).slice(-3)) }
      }
      const asked = await Promise.all(Array.from({ length: MOST_PLAYERS + 8 }, ask))
      const answers = Object.groupBy(asked, ({ status }) => status)
      assert.equal(answers[200]?.length, MOST_PLAYERS)
      assert.equal(answers[503]?.length, 8)
      assert.ok(processUnread.used <= MOST_PLAYERS * 512 * KIB, `${processUnread.used} are unread`)
      for (const { socket } of asked) socket.destroy()
      await until(() => processUnread.used === 0, 'the answers are forgotten')
      const files = await exportFiles(world, owner.fid, secret)
      assert.equal(files.length, 1)
    })

    it('the head of a video is answered without its bytes', async () => {
      const hash = Buffer.from(/[0-9a-f]{64}/.exec(url)![0], 'hex')
      const media = await world.app.storage.of(mediaRows).find(hash)
      const part = await world.app.storage.of(mediaRows).part(media!.object, 'large', 0)
      await world.app.storage.write('all/media', (tx) =>
        tx.of(mediaRows).removeParts(media!.object),
      )
      const head = await fetch(url, { method: 'HEAD' })
      assert.deepEqual([head.status, head.headers.get('content-length')], [200, `${video.length}`])
      const removed = await fetch(url)
      assert.deepEqual([removed.status, removed.headers.get('cache-control')], [404, null])
      // A file of which a part is missing is cut off, and is never taken for a whole one.
      await world.app.storage.write('all/media', (tx) => tx.of(mediaRows).putPart(part!))
      await assert.rejects(fetch(url).then((response) => response.arrayBuffer()))
    })

    it('an export has a video of 15 MB and what comes after it', async () => {
      const account = { ...testAccount(801), custody: owner.custody }
      const seconds = Math.floor(world.clock.now() / 1000)
      await world.app.ledger!.importEvents(accountEvents(account, seconds, 10))
      const own = mp4Of('another'.repeat(VIDEO_BYTES / 7), 'place', 'name')
      const picture = plainPng(21, 20, [255, 0, 0, 255])
      for (const bytes of [own, picture])
        assert.equal((await uploadTo(world, account, bytes)).status, 200)
      const files = await exportFiles(world, account.fid, secret)
      assert.deepEqual(files.map(({ contentType }) => contentType).sort(), [
        'image/jpeg',
        'video/mp4',
      ])
      for (const file of files) {
        const served = Buffer.from(await (await fetch(file.url)).arrayBuffer())
        assert.ok(served.equals(Buffer.from(file.data, 'base64')), file.contentType)
      }
    })

    it('each route that answers something else than JSON or pages of the program is known, with what bounds its bytes', () => {
      const { modules } = world.app
      const routes = modules.flatMap(({ routes = {}, operatorRoutes = [] }) => [
        ...Object.values(routes).flatMap((of) => of ?? []),
        ...operatorRoutes,
      ])
      assert.ok(routes.length > 300, `${routes.length} routes`)
      const found = routes
        .filter(({ spec }) => spec.contentType && !OF_THE_PROGRAM.test(spec.contentType))
        .map(({ spec }) => `${spec.method} ${spec.path}`)
      assert.deepEqual([...new Set(found)].sort(), Object.keys(BOUNDED).sort())
    })

    it('the proxy of pictures does not read a video', async () => {
      const response = await fetch(
        `${world.app.urls.web}/picture?${new URLSearchParams({ url, width: '96' })}`,
      )
      assert.equal(response.status, 400)
      assert.match(await response.text(), /no file of at most 8388608 bytes/)
    })
  })
}
