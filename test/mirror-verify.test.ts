// How a mirror is compared with its source and with other hubs.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { mirrorRows } from '../src/features/mirror/tables/mirror.ts'
import { castAdd } from '../src/kernel/protocol/build.ts'
import { toHex } from '../src/kernel/protocol/codec/bytes.ts'
import type { SignedMessage } from '../src/kernel/protocol/message.ts'
import { castSlot } from '../src/kernel/protocol/slots.ts'
import { type FakeHub, startFakeHub } from './fake-hub/fake-hub.ts'
import { Author } from './mirror-authors.ts'
import { createMirror, heights, type MirrorWorld } from './mirror-support.ts'
import { startCommands } from './program.ts'
import { until } from './until.ts'
import { enginesOf, WORLD_START_MS } from './world.ts'

const KEY = { 'x-api-key': 'sesame' }
const LEVELS = ['counts', 'roots', 'lists'] as const

for (const engine of enginesOf(import.meta.url)) {
  describe(`verification of a mirror on ${engine}`, () => {
    const commands = startCommands()
    let fake: FakeHub
    let other: FakeHub
    let mirror: MirrorWorld
    let author: Author
    before(async () => {
      const options = { now: () => WORLD_START_MS }
      fake = await startFakeHub(options)
      other = await startFakeHub({ ...options, key: KEY })
      author = new Author(fake.account(1))
      other.account(1)
      fake.account(2)
      mirror = await createMirror({ address: fake.address, ...options }, { engine })
      await mirror.follow('fid:1,2')
      fake.startBlocks(250)
      await mirror.settled(heights(fake))
    })
    after(async () => {
      commands.stop()
      await mirror.close()
      await Promise.all([fake.close(), other.close()])
    })

    const cast = (text: string) => author.sign((origin) => castAdd(origin, { text }))
    const verify = (level: string) => mirror.operate(`/mirror/verify?level=${level}`)
    const against = (body: object) => mirror.operate('/mirror/verify', { body })
    const run = (...args: string[]) =>
      commands.run({ ROOKERY_OPS_URL: mirror.app.urls.operations }, 'mirror', 'verify', ...args)
    const forget = ({ fid, hash }: SignedMessage) =>
      mirror.app.hub.mirror(
        [{ remove: { fid, slot: castSlot(fid, hash), hash, reason: 'revoke' } }],
        {
          lease: undefined,
        },
      )

    test('a message that is missing here is named, at each level that names messages', async () => {
      const lost = cast('lost')
      fake.merge(lost, cast('kept'))
      await mirror.settled(heights(fake))
      for (const level of LEVELS) assert.deepEqual((await verify(level)).body.differences, [])
      await forget(lost)
      const difference = { fid: 1, set: 'casts', here: 1, there: 2, allowed: 0, extra: [] }
      for (const level of LEVELS) {
        const missing = level === 'counts' ? [] : [toHex(lost.hash)]
        assert.deepEqual((await verify(level)).body.differences, [{ ...difference, missing }])
      }
      const { code, stdout } = await run('--fids', '1')
      assert.equal(code, 1)
      assert.match(stdout, /fid 1 casts: 1 here, 2 at the source\n/)
      assert.match(stdout, /1 people compared, 1 sets differ/)
      const some = await run('--fids', '2,3,1')
      assert.equal(some.code, 1)
      assert.match(some.stdout, /^fid 3: not mirrored here\nfid 1 casts: 1 here/)
      assert.match(some.stdout, /2 people compared, 1 sets differ/)
      const equal = await run('--fids', '2,4', '--json')
      assert.equal(equal.code, 1)
      assert.deepEqual(JSON.parse(equal.stdout), {
        checked: 1,
        differences: [],
        notRead: 0,
        notMirrored: [4],
      })
      const compare = (fid: string) =>
        commands.run({ ROOKERY_OPS_URL: mirror.app.urls.operations }, 'mirror', 'compare', fid)
      assert.match((await compare('3')).stderr, /fid 3 is not mirrored/)
      assert.match((await compare('1')).stdout, /Fid 1 is compared again/)
      await mirror.settled(heights(fake))
      assert.deepEqual((await verify('lists')).body.differences, [])
    })

    test('several people are compared at a time, and named in the order of their fids', async () => {
      const method = 'getCurrentStorageLimitsByFid'
      const asked = () => fake.received.filter((one) => one.method === method).length
      const others = [51, 52, 53, 54].map((fid) => new Author(fake.account(fid)))
      const casts = others.map((one) => one.sign((origin) => castAdd(origin, { text: 'hi' })))
      fake.merge(...casts)
      await mirror.follow('fid:51,52,53,54')
      await mirror.settled(heights(fake))
      for (const one of casts) await forget(one)
      const before = asked()
      const release = fake.hold(method)
      const verified = verify('counts')
      await until(() => asked() >= before + 2)
      release()
      const { checked, differences } = (await verified).body
      assert.equal(checked, 6)
      assert.deepEqual(
        differences.map(({ fid }: { fid: number }) => fid),
        [51, 52, 53, 54],
      )
      await mirror.app.storage.write('hub', (tx) => tx.of(mirrorRows).setAllDue(mirror.clock.now()))
      await mirror.settled(heights(fake))
    })

    test('nothing is said while events of the source are not applied', async () => {
      fake.silent('streams')
      fake.merge(cast('unseen'))
      const answer = await verify('counts')
      assert.equal(answer.status, 503, JSON.stringify(answer.body))
      assert.match(answer.body.message, /not applied yet/)
      assert.ok(Number(answer.headers.get('retry-after')) > 0)
      fake.heal()
      fake.reset()
      await mirror.settled(heights(fake))
      assert.deepEqual((await verify('counts')).body.differences, [])
    })

    test('another hub shows what the source leaves out, and gets no keys of the source', async () => {
      const url = `grpc://${other.address}`
      const hidden = cast('only there')
      const known = await mirror.app.storage.messages.listByFid({ fid: 1, store: 1 }, { size: 100 })
      other.merge(hidden)
      const { body } = await against({ url, headers: KEY, level: 'lists', fids: [1] })
      const [found] = body.differences
      assert.deepEqual([found.missing, found.here], [[toHex(hidden.hash)], known.items.length])
      const refused = await against({ url, level: 'counts' })
      assert.equal(refused.status, 503)
      assert.match(refused.body.message, /refuses GetInfo/)
      const { code, stdout } = await run('--against', url, '--header', 'x-api-key=sesame')
      assert.equal(code, 1)
      assert.match(stdout, /fid 1 casts/)
      const source = await run('--against', `grpc://${fake.address}`, '--level', 'roots')
      assert.equal(source.code, 0, source.stderr)
    })

    test('an address that is none, and a header that cannot be sent, are named', async () => {
      for (const [given, field] of [
        [{ url: 'http://127.0.0.1:1' }, 'url'],
        [{ url: 'grpc://hub.example:3383' }, 'url'],
        [{ url: 'grpc://127.0.0.1:1,grpc://127.0.0.1:2' }, 'url'],
        [{ url: 'grpc://127.0.0.1:1', headers: { 'x y': 'a' } }, 'headers'],
        [{ url: 'grpc://127.0.0.1:1', headers: { 'x-key': 'a\nb' } }, 'headers'],
      ] as const) {
        const { status, body } = await against({ level: 'counts', ...given })
        assert.deepEqual([status, body.field], [400, field], JSON.stringify(body))
      }
    })

    test('people who were not read yet are counted, and nothing is said to be proven', async () => {
      fake.account(30)
      await mirror.operate('/mirror/pause', { body: {} })
      await mirror.follow('fid:30')
      await until(async () => (await mirror.status()).people.waiting === 1)
      const some = await run('--level', 'lists', '--fids', '30')
      assert.deepEqual([some.code, some.stdout.includes('not compared: 1.')], [1, true])
      assert.match(some.stdout, /0 people compared, 0 sets differ/)
    })
  })
}
