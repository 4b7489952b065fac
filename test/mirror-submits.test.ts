// Messages that clients submit to a mirror which forwards them.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { GrpcClient } from '../src/features/mirror/source/grpc-client.ts'
import { mirrorRows } from '../src/features/mirror/tables/mirror.ts'
import { castAdd } from '../src/kernel/protocol/build.ts'
import { toHex } from '../src/kernel/protocol/codec/bytes.ts'
import { encodeEnvelope } from '../src/kernel/protocol/codec/envelope.ts'
import { MINUTE_MS } from '../src/kernel/protocol/time.ts'
import { storeIdOf } from '../src/kernel/storage/engines/data-mode.ts'
import { type FakeHub, startFakeHub } from './fake-hub/fake-hub.ts'
import { Author, assertSame } from './mirror-authors.ts'
import { createMirror, heights, type MirrorWorld } from './mirror-support.ts'
import { until } from './until.ts'
import { enginesOf, WORLD_START_MS } from './world.ts'

function clientOf(address: string): GrpcClient {
  const [host, port] = address.split(':')
  return new GrpcClient({ host: host!, port: Number(port), isSecure: false, headers: {} })
}

for (const engine of enginesOf(import.meta.url)) {
  describe(`submits to a mirror on ${engine}`, () => {
    let fake: FakeHub
    let mirror: MirrorWorld
    let author: Author
    before(async () => {
      fake = await startFakeHub({ now: () => WORLD_START_MS })
      author = new Author(fake.account(1))
      const source = { address: fake.address, now: () => WORLD_START_MS }
      const env = { ROOKERY_MIRROR_SUBMITS: 'forward' }
      mirror = await createMirror(source, { engine, env })
      await mirror.follow('fid:1')
      fake.startBlocks(250)
      await mirror.settled(heights(fake))
    })
    after(async () => {
      await mirror.close()
      await fake.close()
    })

    const cast = (text: string) => author.sign((o) => castAdd(o, { text }))
    const isHere = async (hash: Uint8Array) =>
      (await mirror.get(`/v1/castById?fid=1&hash=${toHex(hash)}`)).status === 200
    const outbox = () => mirror.app.storage.of(mirrorRows).outboxOf(1)

    test('a message that is answered with 200 can be read at once, and is at the source', async () => {
      assert.equal((await mirror.get('/v1/info')).body.mirror.submits, 'forward')
      const message = cast('forwarded')
      const answer = await mirror.submit(message)
      assert.equal(answer.status, 200, JSON.stringify(answer.body))
      assert.ok(Number(answer.headers.get('x-rookery-event-id')) > 0)
      assert.equal(await isHere(message.hash), true)
      await mirror.settled(heights(fake))
      await until(async () => (await outbox()).length === 0)
      await assertSame(mirror.app.storage, fake, [1])
    })

    test('a repeated submit of a stored message is answered as by any hub, and the source is not asked', async () => {
      const message = cast('twice')
      assert.equal((await mirror.submit(message)).status, 200)
      const asked = fake.received.length
      const again = await mirror.submit(message)
      assert.deepEqual([again.status, again.body.errCode], [400, 'bad_request.duplicate'])
      assert.ok(!fake.received.slice(asked).some(({ method }) => method === 'submitMessage'))
    })

    test('calls carry the ids of the mirrors on their way, and one that comes back is refused', async () => {
      const id = await storeIdOf(mirror.app.storage)
      const read = fake.received.find(({ method }) => method === 'getInfo')
      assert.equal(read!.metadata['x-rookery-path'], id)
      const client = clientOf(mirror.app.urls.grpc)
      const submit = (path: string) =>
        client.call('/HubService/SubmitMessage', encodeEnvelope(cast(path)), MINUTE_MS, {
          'x-rookery-path': path,
        })
      await submit('aa,bb')
      const sent = fake.received.findLast(({ method }) => method === 'submitMessage')
      assert.equal(sent!.metadata['x-rookery-path'], `aa,bb,${id}`)
      for (const path of [`aa,${id}`, Array.from({ length: 17 }, (_, i) => `${i}`).join()]) {
        const refused = await submit(path).catch((error) => error)
        assert.equal(refused.code, 'bad_request.mirror_loop', path)
      }
      client.close()
    })

    test('what the source refuses is refused here with its code, and what is invalid does not reach it', async () => {
      fake.refuseSubmits('bad_request.no_storage')
      const message = cast('refused')
      const answer = await mirror.submit(message)
      fake.heal()
      assert.deepEqual([answer.status, answer.body.errCode], [400, 'bad_request.no_storage'])
      assert.equal(await isHere(message.hash), false)
      const asked = fake.received.length
      const unsigned = { ...cast('unsigned'), signature: new Uint8Array(64) }
      assert.equal((await mirror.submit(unsigned)).body.errCode, 'bad_request.validation_failure')
      assert.ok(!fake.received.slice(asked).some(({ method }) => method === 'submitMessage'))
    })

    test('a source that does not answer makes a 503 that stores nothing, and a repeat is safe', async () => {
      const message = cast('unanswered')
      fake.leaveSubmitsUnanswered()
      const answer = await mirror.submit(message)
      assert.equal(answer.status, 503, JSON.stringify(answer.body))
      assert.ok(Number(answer.headers.get('retry-after')) > 0)
      // It is in a block meanwhile, and may have come from there.
      const again = await mirror.submit(message)
      assert.ok(again.status === 200 || again.body.errCode === 'bad_request.duplicate')
      await mirror.settled(heights(fake))
      assert.equal(await isHere(message.hash), true)
      await assertSame(mirror.app.storage, fake, [1])
    })

    test('a message that the source has accepted and lost is sent again, and revoked in the end', async () => {
      const [found, lost] = [cast('lost once'), cast('lost for good')]
      fake.loseSubmits(1)
      assert.equal((await mirror.submit(found)).status, 200)
      mirror.clock.advance(MINUTE_MS + 1)
      await until(async () => (await outbox()).length === 0)
      assert.equal(await isHere(found.hash), true)
      fake.loseSubmits(1_000)
      assert.equal((await mirror.submit(lost)).status, 200)
      await until(async () => {
        mirror.clock.advance(MINUTE_MS)
        return (await outbox()).length === 0
      })
      assert.equal(await isHere(lost.hash), false)
      fake.heal()
      await mirror.settled(heights(fake))
      await assertSame(mirror.app.storage, fake, [1])
      // Counted after the message has left the outbox.
      const metrics = await until(async () => {
        const text = await (await fetch(`${mirror.app.urls.operations}/metrics`)).text()
        return text.includes('rookery_mirror_submits_total{outcome="lost"} ') ? text : undefined
      })
      const countOf = (outcome: string) =>
        Number(metrics.match(`rookery_mirror_submits_total{outcome="${outcome}"} (\\d+)`)?.[1])
      assert.equal(countOf('lost'), 1)
      // A submit whose event arrived before the submit was stored here is not counted as confirmed.
      assert.ok(countOf('confirmed') > 0 && countOf('confirmed') < countOf('accepted'))
    })
  })
}
