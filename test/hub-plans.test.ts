// On the embedded store a statement is prepared once: preparing takes longer than reading most pages.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { encodeList } from '../src/kernel/protocol/codec/envelope.ts'
import { accountLists, FIDS, initsOf, messageLists } from './hub-lists.ts'
import { accepted, hex, pathOf, post } from './hub-support.ts'
import { watchPreparedAgain } from './prepared-again.ts'
import { createWorld, type World } from './world.ts'

const watch = watchPreparedAgain()
let world: World
before(async () => {
  world = await createWorld()
})
after(async () => {
  watch.stop()
  await world.close()
})

test('no statement of the reads of the hub is prepared again when it is run with other values', async () => {
  const accounts = await world.accounts(FIDS)
  const messages = accounts.flatMap((author) =>
    initsOf(author, world).map((init) => world.sign(author, init)),
  )
  accepted(await post(world, '/v1/submitBulkMessages', encodeList(messages.slice(0, 256))))
  const casts = messages.slice(0, 4).map(({ fid, hash }) => ({ fid, hash: hex(hash) }))
  const events = accepted(await world.get('/v1/events')).events as { id: number }[]

  for (const [round, cast] of casts.entries()) {
    const before = watch.runs
    // The answer to the same request may be kept.
    const size = { pageSize: round + 1 }
    for (const { path, params } of [...messageLists(messages), ...accountLists()]) {
      for (const reverse of [false, true]) {
        accepted(await world.get(pathOf(`/v1/${path}`, { ...params, ...size, reverse })))
      }
    }
    accepted(await world.get(pathOf('/v1/castById', cast)))
    const from = { from_event_id: events[round]!.id, ...size }
    accepted(await world.get(pathOf('/v1/events', from)))
    assert.ok(watch.runs - before > 50, 'the reads run statements')
    // A job that measures the disk may run meanwhile, and pragmas are prepared each time.
    const again = [...watch.take()].filter((text) => !text.includes('from pragma_'))
    if (round > 0) assert.deepEqual(again, [])
  }
})
