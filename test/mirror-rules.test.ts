// Whom the rules of a mirror name, as the source has it, and what is left of people whom no rule names any more.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { mirrorRows } from '../src/features/mirror/tables/mirror.ts'
import { castAdd, linkAdd, linkCompactState } from '../src/kernel/protocol/build.ts'
import { HOUR_MS } from '../src/kernel/protocol/time.ts'
import { type FakeHub, startFakeHub } from './fake-hub/fake-hub.ts'
import { Author, assertSame } from './mirror-authors.ts'
import { createMirror, hashesOf, heights, type MirrorWorld } from './mirror-support.ts'
import { until } from './until.ts'
import { enginesOf, WORLD_START_MS } from './world.ts'

const CHANNEL = 'https://channels.example/waders'

for (const engine of enginesOf(import.meta.url)) {
  describe(`the rules of a mirror on ${engine}`, () => {
    let fake: FakeHub
    let mirror: MirrorWorld
    let authors: ReadonlyMap<number, Author>
    const dir = mkdtempSync(join(tmpdir(), 'rookery-rules-'))
    before(async () => {
      fake = await startFakeHub({ now: () => WORLD_START_MS })
      const fids = [1, 2, 3, 4, 5, 6, 7]
      authors = new Map(fids.map((fid) => [fid, new Author(fake.account(fid))]))
      for (const author of authors.values()) {
        fake.queueMerge(author.sign((o) => castAdd(o, { text: 'hi' })))
      }
      const of = (fid: number) => authors.get(fid)!
      fake.merge(
        of(2).sign((o) => linkAdd(o, 'follow', 1)),
        of(3).sign((o) => linkAdd(o, 'follow', 1)),
        of(1).sign((o) => linkCompactState(o, 'follow', [4])),
        of(5).sign((o) =>
          castAdd(o, { text: 'in', parent: { case: 'parentUrl', value: CHANNEL } }),
        ),
      )
      const source = { address: fake.address, now: () => WORLD_START_MS }
      mirror = await createMirror(source, { engine })
      fake.startBlocks(250)
    })
    after(async () => {
      await mirror.close()
      await fake.close()
      rmSync(dir, { recursive: true })
    })

    const mirrored = async () =>
      (await mirror.app.storage.of(mirrorRows).fidsAfter(0, 100))
        .filter(({ state }) => state === 'live')
        .map(({ fid }) => fid)

    test('followers, people who are followed, who post in a channel and a file name people', async () => {
      writeFileSync(join(dir, 'people'), '# waders\n6 # by number\n\n')
      for (const [rule, named] of [
        ['followers-of:1', [2, 3]],
        ['following-of:1', [2, 3, 4]],
        [`members-of:${CHANNEL}`, [2, 3, 4, 5]],
        [`file:${join(dir, 'people')}`, [2, 3, 4, 5, 6]],
      ] as const) {
        await mirror.follow(rule)
        await mirror.settled(heights(fake))
        assert.deepEqual(await mirrored(), named, rule)
      }
      await assertSame(mirror.app.storage, fake, [2, 3, 4, 5, 6])
      fake.merge(authors.get(7)!.sign((o) => linkAdd(o, 'follow', 1)))
      mirror.clock.advance(HOUR_MS)
      await mirror.settled(heights(fake))
      await until(async () => (await mirrored()).includes(7))
    })

    test('a rule that was removed while it was evaluated leaves nothing behind in the next one', async () => {
      const asked = () => fake.received.filter(({ method }) => method === 'getLinksByTarget').length
      const before = asked()
      const release = fake.hold('getLinksByTarget')
      await mirror.follow('followers-of:3')
      await until(() => asked() > before)
      await mirror.operate('/mirror/rules/remove', { body: { rule: 'followers-of:3' } })
      const known = await mirror.app.storage.of(mirrorRows).rules()
      await mirror.follow('following-of:3')
      const [added] = (await mirror.app.storage.of(mirrorRows).rules()).slice(known.length)
      release()
      await until(async () => {
        const rules = await mirror.app.storage.of(mirrorRows).rules()
        return rules.every(({ resolved_at }) => resolved_at > 0)
      })
      const [now] = (await mirror.app.storage.of(mirrorRows).rules()).slice(known.length)
      assert.deepEqual([now!.id, now!.kind, now!.value], [added!.id, 'following-of', '3'])
      await mirror.operate('/mirror/rules/remove', { body: { rule: 'following-of:3' } })
    })

    test('people who are compared while their rule is erased are erased at once, and not at their next comparison', async () => {
      fake.account(9)
      const held = 'getAllCastMessagesByFid'
      const asked = () => fake.received.filter(({ method }) => method === held).length
      const before = asked()
      const release = fake.hold(held)
      await mirror.follow('fid:9')
      await until(() => asked() > before)
      await mirror.operate('/mirror/rules/remove', { body: { rule: 'fid:9', erase: true } })
      release()
      await until(async () => (await mirror.app.storage.of(mirrorRows).fids([9])).length === 0)
    })

    test('erasing a rule removes the messages of whom no other rule names, with an event for each', async () => {
      await mirror.follow('fid:5,6')
      await mirror.settled(heights(fake))
      const rule = `members-of:${CHANNEL}`
      await mirror.operate('/mirror/rules/remove', { body: { rule, erase: true } })
      const file = `file:${join(dir, 'people')}`
      await mirror.operate('/mirror/rules/remove', { body: { rule: file } })
      await mirror.operate('/mirror/rules/remove', { body: { rule: 'fid:5,6', erase: true } })
      await until(async () => (await mirror.app.storage.of(mirrorRows).fids([5, 6])).length === 0)
      assert.deepEqual(await hashesOf(mirror.app.storage, [5, 6]), {})
      assert.deepEqual((await mirror.get('/v1/castsByFid?fid=6')).body.messages, [])
      fake.merge(authors.get(6)!.sign((o) => castAdd(o, { text: 'later' })))
      await mirror.settled(heights(fake))
      assert.deepEqual(await hashesOf(mirror.app.storage, [5, 6]), {})
    })
  })
}
