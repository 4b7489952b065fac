// Pages of any size and direction, joined, are the list, in its
// order, also while others write.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { create } from '@bufbuild/protobuf'
import { castAdd, castRemove } from '../src/kernel/protocol/build.ts'
import { encodeList } from '../src/kernel/protocol/codec/envelope.ts'
import type { SignedMessage } from '../src/kernel/protocol/message.ts'
import {
  IdRegisterEventBodySchema,
  IdRegisterEventType,
} from '../src/kernel/protocol/wire/onchain_event_pb.js'
import { effort } from './effort.ts'
import {
  accountLists,
  FIDS,
  idOfMessage,
  initsOf,
  keyEvents,
  messageLists,
  parentCast,
  survivors,
} from './hub-lists.ts'
import {
  accepted,
  bytes,
  hex,
  onBothEngines,
  type Params,
  pathOf,
  post,
  readPages,
  refused,
} from './hub-support.ts'
import { accountEvents, type TestAccount, WORLD_START_MS } from './world.ts'

onBothEngines('pages', (world) => {
  let all: SignedMessage[] = []

  before(async () => {
    const accounts = await world().accounts(FIDS)
    await world().app.ledger!.importEvents(keyEvents(256))
    const messages = accounts.flatMap((author) =>
      initsOf(author, world()).map((init) => world().sign(author, init)),
    )
    all = survivors(messages)
    for (let at = 0; at < messages.length; at += 256) {
      const list = encodeList(messages.slice(at, at + 256))
      accepted(await post(world(), '/v1/submitBulkMessages', list))
    }
  })

  test('the pages of a list joined are the list in its order, for any page size and direction', async () => {
    for (const list of [...messageLists(all), ...accountLists()]) {
      const { path, params, key = 'messages', expected, idOf = idOfMessage } = list
      const name = `${path} ${JSON.stringify(params)}`
      const n = expected.length
      for (const reverse of [false, true]) {
        const wanted = reverse ? expected.toReversed() : expected
        for (const pageSize of sizesFor(n)) {
          const pages = await readPages(
            world(),
            `/v1/${path}`,
            { ...params, pageSize, reverse },
            key,
          )
          const found = pages.flat().map((item) => idOf(item as never))
          assert.deepEqual(found, wanted, `${name} by ${pageSize}`)
          // The last page is known as such: no empty one follows a full one.
          assert.equal(pages.length, Math.max(1, Math.ceil(n / pageSize)), name)
        }
      }
    }
  })

  test('the pages of fids hold each fid once, also after a transfer', async () => {
    const account = await world().account(6_000)
    const to = bytes(20, 77)
    const [registration] = accountEvents(account, WORLD_START_MS / 1000, 1)
    const eventType = IdRegisterEventType.TRANSFER
    const value = create(IdRegisterEventBodySchema, { to, from: account.custody, eventType })
    const body = { case: 'idRegisterEventBody', value } as const
    await world().app.ledger!.importEvents([{ ...registration!, blockNumber: 50, body }])
    const fids = (await readPages(world(), '/v1/fids', { pageSize: 3 }, 'fids')).flat()
    assert.deepEqual(fids, [...new Set(fids)])
    assert.ok(fids.includes(6_000))
    const holder = `/v1/onChainIdRegistryEventByAddress?address=${hex(to)}`
    assert.equal(accepted(await world().get(holder)).fid, 6_000)
    const former = `/v1/onChainIdRegistryEventByAddress?address=${hex(account.custody)}`
    refused(await world().get(former), { status: 404, code: 'not_found' })
  })

  test('pages of casts respect the start and stop time, both inclusive', async () => {
    for (const [from, to] of [
      [100, 100],
      [101, 102],
      [99, 101],
      [103, 200],
      [undefined, 101],
      [101, undefined],
    ]) {
      const params = { fid: 256, startTimestamp: from, stop_timestamp: to, pageSize: 2 }
      const pages = await readPages(world(), '/v1/castsByFid', params)
      const isWithin = ({ data: { timestamp } }: SignedMessage) =>
        timestamp >= (from ?? 0) && timestamp <= (to ?? 1_000)
      const { expected } = messageLists(all.filter(isWithin)).find(
        ({ path, params }) => path === 'castsByFid' && params.fid === 256,
      )!
      assert.deepEqual(
        pages.flat().map((item) => idOfMessage(item as never)),
        expected,
      )
    }
  })

  test('a page token of another list, of other parameters or of the other direction is refused by every list', async () => {
    const requests = [...messageLists(all), ...accountLists()].flatMap(({ path, params }) =>
      [false, true].map((reverse) => ({ path, params: { ...params, reverse } })),
    )
    const lists = [...new Map(requests.map((list) => [JSON.stringify(list), list])).values()]
    const read = (list: (typeof lists)[number], more: Params) =>
      world().get(pathOf(`/v1/${list.path}`, { ...list.params, ...more, pageSize: 1 }))
    const given = await Promise.all(
      lists.map(async (list) => ({ list, token: accepted(await read(list, {})).nextPageToken })),
    )
    const tokens = given.filter(({ token }) => token !== '')
    assert.ok(tokens.length > 40, `${tokens.length} lists have a second page`)
    assert.equal(new Set(tokens.map(({ token }) => token)).size, tokens.length)
    for (const list of lists) {
      for (const { list: other, token } of tokens) {
        const answer = await read(list, { pageToken: token })
        if (list === other) {
          accepted(answer)
          continue
        }
        const what = `${JSON.stringify(other)} at ${JSON.stringify(list)}`
        assert.equal(answer.status, 400, what)
        const body = refused(answer, { code: 'bad_request.invalid_param', says: /of this list/ })
        assert.equal(body.field, 'pageToken')
      }
    }
  })

  test('a page token is longer than the position in its list by four bytes, and other page sizes take it', async () => {
    const lists = [...messageLists(all), ...accountLists()]
    const lengths = new Set<number>()
    for (const { path, params, key = 'messages' } of lists) {
      const read = async (more: Params) =>
        accepted(await world().get(pathOf(`/v1/${path}`, { ...params, ...more })))
      const { nextPageToken: pageToken } = await read({ pageSize: 1 })
      lengths.add(Buffer.from(pageToken, 'base64').length)
      if (pageToken === '') continue
      const rest = (await read({ pageToken }))[key]
      assert.deepEqual(rest, (await read({}))[key].slice(1), path)
      assert.deepEqual((await read({ pageToken, pageSize: 0 }))[key], rest)
    }
    // None; a fid; a block and a log; a time and a hash; these and an author; a key.
    assert.deepEqual([...lengths].sort(byNumber), [0, 8, 12, 28, 32, 36])
  })

  test('pages neither repeat nor skip messages while others are added and removed', async () => {
    const [author, other] = await world().accounts([5_000, 5_001])
    const reply = (who: TestAccount, second: number, i: number) =>
      world().sign(
        who,
        castAdd(world().origin(who, second), {
          text: `${i}`,
          parent: parentCast({ fid: 5_000, hash: bytes(20, 1) }),
          mentions: [5_000n],
          mentionsPositions: [0],
        }),
      )
    const start = Array.from({ length: 12 }, (_, i) => reply(author!, 1_000 + (i >> 2), i))
    accepted(await post(world(), '/v1/submitBulkMessages', encodeList(start)))
    const lists: [string, Params][] = [
      ['castsByFid', { fid: 5_000 }],
      ['castsByParent', { fid: 5_000, hash: hex(bytes(20, 1)) }],
      ['castsByMention', { fid: 5_000 }],
    ]
    let added = 100
    const gone = new Set<string>()
    for (const [path, params] of lists) {
      for (const reverse of [false, true]) {
        const present = start.map(({ hash }) => hex(hash)).filter((hash) => !gone.has(hash))
        const seen: string[] = []
        for (let pageToken: string | undefined; pageToken !== ''; ) {
          const query = { ...params, pageSize: 2, reverse, pageToken }
          const body = accepted(await world().get(pathOf(`/v1/${path}`, query)))
          seen.push(...body.messages.map((message: { hash: string }) => message.hash))
          pageToken = body.nextPageToken
          if (seen.length > 8) continue
          const more = [1, 999, 1_001, 5_000].flatMap((second) => [
            reply(author!, second, added++),
            reply(other!, second, added++),
          ])
          accepted(await post(world(), '/v1/submitBulkMessages', encodeList(more)))
          // The row that the token stands on goes away.
          const last = start.find(({ hash }) => hex(hash) === seen.at(-1))
          if (!last || gone.size >= 6) continue
          accepted(
            await world().submit(
              world().sign(author!, castRemove(world().origin(author!), last.hash)),
            ),
          )
          gone.add(hex(last.hash))
        }
        assert.equal(new Set(seen).size, seen.length, `${path} repeats nothing`)
        const skipped = present.filter((hash) => !seen.includes(hash) && !gone.has(hash))
        assert.deepEqual(skipped, [], `${path} skips nothing`)
      }
    }
    assert.ok(gone.size > 3)
  })

  test('a page holds at most a thousand items, whatever page size is asked for', async () => {
    const account = await world().account(9_000, { units: 11 })
    for (let at = 0; at < 1_001; at += 256) {
      const casts = Array.from({ length: Math.min(256, 1_001 - at) }, (_, i) =>
        world().sign(account, castAdd(world().origin(account, at + i), 'one of many')),
      )
      accepted(await post(world(), '/v1/submitBulkMessages', encodeList(casts)))
    }
    for (const pageSize of [undefined, 1_000, 1_001, 4_000_000_000]) {
      const pages = await readPages(world(), '/v1/castsByFid', { fid: 9_000, pageSize })
      assert.deepEqual(
        pages.map((page) => page.length),
        [1_000, 1],
      )
    }
    const [whole] = await readPages(world(), '/v1/castsByFid', { fid: 9_000, stopTimestamp: 999 })
    assert.equal(whole!.length, 1_000)
  })

  test('the pages of events joined are the events, each once and in the order of their ids', async () => {
    const newest = await world().app.storage.events.newestId()
    const ids: number[] = []
    const sizes: number[] = []
    for (let from = 0; ; ) {
      const body = accepted(await world().get(pathOf('/v1/events', { from_event_id: from })))
      if (body.events.length === 0) {
        assert.equal(body.nextPageEventId, from)
        break
      }
      ids.push(...body.events.map((event: { id: number }) => event.id))
      sizes.push(body.events.length)
      assert.equal(body.nextPageEventId, ids.at(-1)! + 1)
      from = body.nextPageEventId
    }
    assert.deepEqual(
      ids,
      [...new Set(ids)].sort((a, b) => a - b),
    )
    assert.equal(ids.at(-1), newest)
    assert.ok(sizes.length > 1 && sizes.slice(0, -1).every((size) => size === 1_000))
    for (const id of [ids[0]!, ids[999]!, ids[1_000]!, newest]) {
      assert.equal(accepted(await world().get(`/v1/eventById?event_id=${id}`)).id, id)
      const rest = accepted(await world().get(`/v1/events?from_event_id=${id}`))
      assert.equal(rest.events[0].id, id)
    }
  })
})

const byNumber = (a: number, b: number) => a - b

/** 1 to n + 1; of a longer list the ends and what divides it, and everyday only sizes of up to eight pages. */
function sizesFor(n: number): number[] {
  const all = Array.from({ length: n + 1 }, (_, i) => i + 1)
  if (n <= effort(4, 12)) return all
  const shortest = effort(Math.ceil(n / 8), 1)
  const always = effort(shortest, 3)
  return all.filter((size) => {
    return size >= shortest && (size <= always || size >= n - 1 || n % size === 0)
  })
}
