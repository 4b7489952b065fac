// A mirror has what its source has, whatever happens in between.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { castAdd, linkAdd, reactionAdd } from '../src/protocol/build.ts'
import { encodeEnvelope } from '../src/protocol/codec/envelope.ts'
import { allOf, createMirror, hashesOf, type MirrorWorld, sourceOf } from './mirror-support.ts'
import { createWorld, ENGINES, type World } from './world.ts'

for (const engine of ENGINES) {
  describe(`a mirror on ${engine}`, () => {
    let source: World
    let mirror: MirrorWorld
    before(async () => {
      source = await createWorld({ engine })
      mirror = await createMirror(sourceOf(source), { engine })
    })
    after(async () => {
      await mirror.close()
      await source.close()
    })

    test('chosen people have the messages that the source has, and get its new ones', async () => {
      const [one, two] = await source.accounts([11, 12])
      const casts = ['a', 'b', 'c'].map((text) =>
        source.sign(one!, castAdd(source.origin(one!), { text })),
      )
      for (const cast of casts) assert.equal((await source.submit(cast)).status, 200)
      await source.submit(source.sign(two!, castAdd(source.origin(two!), { text: 'not mirrored' })))
      await mirror.follow('fid:11')
      await mirror.settled(allOf(source))
      assert.deepEqual(
        await hashesOf(mirror.app.storage, [11, 12]),
        await hashesOf(source.app.storage, [11]),
      )
      await source.submit(source.sign(one!, linkAdd(source.origin(one!), 'follow', 12)))
      await source.submit(
        encodeEnvelope(
          source.sign(one!, reactionAdd(source.origin(one!), 1, { fid: 12, hash: casts[0]!.hash })),
        ),
      )
      await mirror.settled(allOf(source))
      assert.deepEqual(
        await hashesOf(mirror.app.storage, [11, 12]),
        await hashesOf(source.app.storage, [11]),
      )
      const { people, state, quarantine } = await mirror.status()
      assert.deepEqual(
        { people, state, quarantine },
        {
          people: { waiting: 0, reading: 0, live: 1, differ: 0, frozen: 0 },
          state: 'following',
          quarantine: {},
        },
      )
    })
  })
}
