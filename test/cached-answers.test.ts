// Answers that are cached are given only as long as they are right.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { castAdd, castRemove } from '../src/kernel/protocol/build.ts'
import { accepted, hex, newestEventId, onEngines, pathOf } from './hub-support.ts'
import type { TestAccount } from './world.ts'

const URL = 'https://example.org/kept'
onEngines('cached answers', (world) => {
  const sendCast = async (author: TestAccount, text: string) => {
    const message = world().sign(
      author,
      castAdd(world().origin(author), {
        text,
        mentions: [1n],
        mentionsPositions: [0],
        parent: { case: 'parentUrl', value: URL },
      }),
    )
    accepted(await world().submit(message))
    return message
  }

  test('an answer that was given often is not given any more once it is another one', async () => {
    const [author] = (await world().accounts([3])) as [TestAccount]
    const cast = await sendCast(author, 'asked for often')
    const { storage } = world().app
    const paths = {
      one: pathOf('/v1/castById', { fid: 3, hash: hex(cast.hash) }),
      list: pathOf('/v1/castsByFid', { fid: 3 }),
      events: pathOf('/v1/events', { from_event_id: await newestEventId(world()) }),
    }
    /** Asks several times. Returns what is there: the cast, casts of its author, events from its own on, its text in them. */
    const seen = async () => {
      const rounds = []
      for (let i = 0; i < 3; i++) {
        const [one, list, events] = await Promise.all(
          Object.values(paths).map((path) => world().get(path)),
        )
        const { messages } = list!.body as { messages: unknown[] }
        const { events: found } = events!.body as { events: unknown[] }
        const isShown = JSON.stringify(found).includes('asked for often')
        rounds.push([one!.status, messages.length, found.length, isShown])
      }
      assert.deepEqual(rounds[1], rounds[0])
      assert.deepEqual(rounds[2], rounds[0])
      return rounds[0]
    }
    const hidden = { hash: cast.hash, fid: 3, hidden_at: 1 }

    assert.deepEqual(await seen(), [200, 1, 1, true])
    await storage.write('platform', (tx) => tx.moderation.hideCast(hidden))
    assert.deepEqual(await seen(), [404, 0, 1, false])
    await storage.write('platform', (tx) => tx.moderation.unhideCast(cast.hash))
    assert.deepEqual(await seen(), [200, 1, 1, true])
    await sendCast(author, 'one more')
    assert.deepEqual(await seen(), [200, 2, 2, true])
    const later = { ...world().origin(author), timestamp: cast.data.timestamp + 1 }
    accepted(await world().submit(world().sign(author, castRemove(later, cast.hash))))
    assert.deepEqual(await seen(), [404, 1, 3, true])
  })
})
