// What events tell about the messages that left the store.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { submitMessages } from '../src/kernel/hub/submit/submit-messages.ts'
import {
  castAdd,
  castRemove,
  reactionAdd,
  reactionRemove,
  userDataAdd,
} from '../src/kernel/protocol/build.ts'
import type { SignedMessage } from '../src/kernel/protocol/message.ts'
import { networkTime } from '../src/kernel/protocol/time.ts'
import { UserDataType } from '../src/kernel/protocol/wire/message_pb.js'
import { NOTHING_STORED } from '../src/kernel/storage/messages/events.ts'
import { accepted, onEngines } from './hub-support.ts'

onEngines(
  'the log of events',
  (world) => {
    /** Ids of the stored messages, and the ids that remain when the events are applied in order. */
    async function storedAndFolded(): Promise<[number[], number[]]> {
      const { storage } = world().app
      const folded = new Set<number>()
      for (const event of await storage.events.list(0, 10_000)) {
        if (event.removed === NOTHING_STORED) continue
        if (event.removed !== null) assert.ok(folded.delete(event.removed), `event ${event.id}`)
        const isMerge = [1, 6].includes(event.type) && (event.merged ?? event.message)
        if (isMerge) folded.add(event.id)
      }
      const stored = await storage.messages.scan(0, 10_000)
      return [stored.map(({ id }) => id), [...folded]]
    }

    const submit = async (...messages: SignedMessage[]) => {
      for (const answer of await submitMessages(world().app.hub, messages)) {
        assert.equal(typeof answer, 'number')
      }
    }

    test('an answered submit names the event that reports the message', async () => {
      const account = await world().account(100)
      const message = world().sign(account, castAdd(world().origin(account), 'named'))
      const answer = await world().submit(message)
      accepted(answer)
      const id = Number(answer.headers.get('x-rookery-event-id'))
      const event = await world().app.storage.events.byId(id)
      assert.deepEqual(event?.merged && [...event.merged.hash], [...message.hash])
    })

    test('the events name every message that is replaced, removed, pruned or revoked', async () => {
      const { clock, app } = world()
      const account = await world().account(1, { units: 1 })
      const other = await world().account(2)
      const at = (seconds: number) => world().origin(account, networkTime(clock.now()) - seconds)
      const cast = world().sign(account, castAdd(at(50), 'first'))
      const target = { fid: 1, hash: cast.hash }
      const bio = UserDataType.USER_DATA_TYPE_BIO
      await submit(
        cast,
        world().sign(account, reactionAdd(at(40), 1, target)),
        world().sign(account, userDataAdd(at(40), bio, 'a')),
        world().sign(account, userDataAdd(at(30), bio, 'b')),
        world().sign(account, reactionRemove(at(30), 1, target)),
      )
      await submit(world().sign(account, castRemove(at(20), cast.hash)))
      // More casts than a storage unit holds.
      for (let round = 0; round < 3; round++) {
        const casts = Array.from({ length: 50 }, (_, i) =>
          world().sign(account, castAdd(at(10 - round), `cast ${round}/${i}`)),
        )
        await submit(...casts)
      }
      await submit(world().sign(other, castAdd(world().origin(other), 'stays')))
      const [stored, folded] = await storedAndFolded()
      assert.deepEqual(folded.sort(), stored.sort())
      assert.ok(stored.length < 140)

      const moderate = (path: string) =>
        world().operate(path, { body: { reason: 'because', actor: 'test' } })
      for (const path of ['/moderation/accounts/1/suspend', '/moderation/accounts/1/restore']) {
        accepted(await moderate(path))
        await app.jobs.run('moderation')
        const [still, shown] = await storedAndFolded()
        assert.deepEqual(shown.sort(), still.sort(), path)
      }
      accepted(await moderate('/moderation/accounts/1/erase'))
      await app.jobs.run('moderation')
      const [left, foldedLeft] = await storedAndFolded()
      assert.deepEqual(foldedLeft.sort(), left.sort())
      assert.ok(left.length < 5)
    })
  },
  () => ({ env: { ROOKERY_STORAGE_GROWS: 'off' } }),
)
