// What the security review could make the server store or answer without a bound in bytes.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { castAdd, linkCompactState } from '../src/kernel/protocol/build.ts'
import { encodeList } from '../src/kernel/protocol/codec/envelope.ts'
import { CastType } from '../src/kernel/protocol/wire/message_pb.js'
import { MAX_PAGE_BYTES } from '../src/kernel/storage/reads/page.ts'
import { channelClient, refused as platformRefused } from './channels-support.ts'
import { accepted, onEngines, pathOf, post, readPages, refused } from './hub-support.ts'

/** Fids of five bytes each in a compact state of nearly 64 KiB. */
const TARGETS = Array.from({ length: 13_000 }, (_, i) => 2 ** 32 - 1 - i)

onEngines(
  'what one account may store and cause to be answered',
  (world) => {
    test('security finding 3: compact states are refused when a fid has stored its bytes of the day', async () => {
      const account = await world().account(1, { units: 1 })
      const before = await world().app.storage.sizeBytes()
      let stored = 0
      for (;;) {
        const origin = world().origin(account, 100 + stored)
        const message = world().sign(account, linkCompactState(origin, 'follow', TARGETS))
        const answer = await world().submit(message)
        if (answer.status !== 200) {
          refused(answer, {
            status: 429,
            code: 'unavailable',
            says: /rate limit exceeded for FID 1/,
          })
          assert.ok(Number(answer.headers.get('retry-after')) > 0)
          break
        }
        stored += 1
        assert.ok(stored < 100, 'the quota ends it')
      }
      assert.ok(stored >= 60, `${stored} compact states`)
      const grown = (await world().app.storage.sizeBytes()) - before
      // On SQLite the write-ahead log holds as much again until its checkpoint.
      assert.ok(grown < 32 * 1024 * 1024, `the store has grown by ${grown} bytes`)

      // Another fid is not affected, and the feed can be read to its end.
      const other = await world().account(2)
      accepted(await world().submit(world().sign(other, castAdd(world().origin(other), 'hello'))))
      let from = 0
      for (let pages = 0; pages < 200; pages++) {
        const body = accepted(await world().get(`/v1/events?from_event_id=${from}`))
        if (body.events.length === 0) break
        from = body.nextPageEventId
      }
      const last = accepted(await world().get(`/v1/events?from_event_id=${from}`))
      assert.deepEqual(last.events, [])

      world().clock.advance(24 * 3_600_000)
      const tomorrow = world().sign(
        account,
        linkCompactState(world().origin(account), 'follow', [2]),
      )
      accepted(await world().submit(tomorrow))
    })

    test('security finding 3: how many compact states a fid may have grows with its storage', async () => {
      const account = await world().account(3, { units: 1 })
      const submit = (type: string) =>
        world().submit(world().sign(account, linkCompactState(world().origin(account), type, [1])))
      for (const type of ['a', 'b', 'c', 'd']) accepted(await submit(type))
      refused(await submit('e'), { code: 'bad_request.no_storage', says: /more than 4 link types/ })
    })

    test('security finding 3: a page of messages ends after a mebibyte with a token that continues it', async () => {
      const account = await world().account(4, { units: 20 })
      const count = Math.ceil(MAX_PAGE_BYTES / 1_000) + 50
      const messages = Array.from({ length: count }, (_, i) =>
        world().sign(
          account,
          castAdd(world().origin(account, 1_000 + i), {
            text: String(i).padEnd(1_024, 'x'),
            type: CastType.LONG_CAST,
          }),
        ),
      )
      const hub = world().app.urls.hub
      for (let at = 0; at < count; at += 200) {
        const some = encodeList(messages.slice(at, at + 200))
        accepted(await post(world(), '/v1/submitBulkMessages', some))
      }
      const pages = await readPages(world(), '/v1/castsByFid', { fid: 4 })
      assert.deepEqual(
        pages.flat().map((message) => (message as { hash: string }).hash),
        messages.map(({ hash }) => `0x${Buffer.from(hash).toString('hex')}`),
      )
      assert.equal(pages.length, 2)
      const text = await (await fetch(hub + pathOf('/v1/castsByFid', { fid: 4 }))).text()
      assert.ok(text.length > MAX_PAGE_BYTES / 2 && text.length < 4 * MAX_PAGE_BYTES)
    })

    test('security finding 8: users together create a bounded number of channels', async () => {
      const [one, two] = await world().accounts([11, 12])
      const client = channelClient(world())
      for (const id of ['first', 'second']) await client.create(one!, id)
      await client.create(two!, 'third')
      const more = await client.call(two!, 'POST', '/fc/channels', { channelId: 'fourth' })
      platformRefused(more, 403, 'this server has 3 channels of users, and takes no more')
      // A repeated request still gets its answer, and the operator may create more.
      await client.create(two!, 'third')
      const created = await client.operator('/channels', { body: { channelId: 'fourth' } })
      assert.equal(created.status, 200, JSON.stringify(created.body))
    })
  },
  () => ({ config: { maxChannels: 3 } }),
)
