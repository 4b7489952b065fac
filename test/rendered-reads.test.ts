// Messages and events that are kept as JSON: within a bound, and only as long as the store has them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RenderedMessage } from '../src/hub/rendered-messages.ts'
import { renderedReads } from '../src/hub/rendered-reads.ts'
import { EVENT_RETENTION_MS, type HubSettings } from '../src/hub/settings.ts'
import { castAdd, castRemove, linkAdd, linkRemove, reactionAdd } from '../src/protocol/build.ts'
import { DEFAULT_JSON_OPTIONS } from '../src/protocol/json.ts'
import type { SignedMessage } from '../src/protocol/message.ts'
import { ReactionType } from '../src/protocol/wire/message_pb.js'
import type { Page } from '../src/storage/page.ts'
import { accepted, hex, newestEventId, onEachEngine, pathOf } from './hub-support.ts'
import type { TestAccount, World } from './world.ts'

const URL = 'https://example.org/kept'
const SETTINGS: HubSettings = {
  network: 3,
  nickname: 'kept',
  operatorFid: 0,
  version: '0',
  json: DEFAULT_JSON_OPTIONS,
  acceptDataSignatures: true,
  revokeOnKeyRemoval: false,
  storageEnds: false,
  enforceBlocks: false,
  verifiers: 1,
  eventRetentionMs: EVENT_RETENTION_MS,
}

/** The reads of a server that keeps at most so many bytes. */
const readsOf = ({ app, clock }: World, maxBytes: number) =>
  renderedReads(
    { storage: app.storage, clock, settings: SETTINGS, signingNetwork: () => app.signingNetwork },
    app.storage,
    maxBytes,
  )

onEachEngine('kept answers', (world) => {
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

  test('kept messages and events never exceed their bound and are answered as if they were not kept', async () => {
    const [author] = (await world().accounts([1])) as [TestAccount]
    const casts: SignedMessage[] = []
    for (let i = 0; i < 40; i++) casts.push(await sendCast(author, `kept \u{1f4be} ${i}`))
    const maxBytes = 16 * 1024
    const few = readsOf(world(), maxBytes)
    const many = readsOf(world(), 1024 * 1024)
    for (let round = 0; round < 2; round++) {
      for (const size of [1, 7, 1_000]) {
        const page = { size, reverse: round === 1 }
        const lists = await Promise.all(
          [few, many].map(({ reads }) => reads.castsByParent({ url: URL }, page)),
        )
        assert.deepEqual(...(lists.map(shown) as [unknown, unknown]))
        assert.equal(lists[0]!.items.length, Math.min(size, casts.length))
        assert.equal(lists[0]!.next === undefined, size === 1_000)
        const pages = await Promise.all([few, many].map((one) => one.events.page(0, size)))
        const events = pages.map(({ write, ...page }) => ({
          ...page,
          text: textOf(write('[', ']')),
        }))
        assert.deepEqual(events[0], events[1])
      }
      assert.ok(few.messages.bytes > 0, 'something is kept')
      assert.ok(few.messages.bytes + few.events.bytes <= maxBytes, 'no more than the bound is kept')
      assert.ok(many.messages.bytes > maxBytes, 'all of them together are larger')
    }
    const { hash } = casts[0]!
    const { text } = await few.reads.castById(1, hash)
    const answer = accepted(await world().get(pathOf('/v1/castById', { fid: 1, hash: hex(hash) })))
    assert.deepEqual(JSON.parse(textOf(text)), answer)
  })

  test('a removed message is in no list although its text is still kept', async () => {
    const [author] = (await world().accounts([2])) as [TestAccount]
    const kept = await sendCast(author, 'stays')
    const removed = await sendCast(author, 'goes')
    accepted(
      await world().submit(world().sign(author, linkAdd(world().origin(author), 'follow', 1))),
    )
    accepted(
      await world().submit(
        world().sign(author, reactionAdd(world().origin(author), ReactionType.LIKE, { url: URL })),
      ),
    )
    const { reads, events } = readsOf(world(), 1024 * 1024)
    const page = { size: 100 }
    const hashesIn = async () => {
      const lists = await Promise.all([
        reads.castsByFid(2, { includeRemoves: false }, page),
        reads.castsByParent({ url: URL }, page),
        reads.castsByMention(1, page),
      ])
      return lists.map(({ items }) =>
        items.filter(({ fid }) => fid === 2).map(({ hash }) => hex(hash)),
      )
    }
    for (const list of await hashesIn()) assert.deepEqual(new Set(list), setOf(kept, removed))
    assert.equal((await reads.linksByFid(2, 'follow', page)).items.length, 1)
    const eventTexts = async (): Promise<unknown[]> => {
      const page = await events.page(0, 1_000)
      return JSON.parse(textOf(page.write('[', ']')))
    }
    const before = await eventTexts()

    world().clock.advance(1_000)
    const later = world().origin(author)
    accepted(await world().submit(world().sign(author, castRemove(later, removed.hash))))
    accepted(await world().submit(world().sign(author, linkRemove(later, 'follow', 1))))

    for (const list of await hashesIn()) assert.deepEqual(new Set(list), setOf(kept))
    assert.equal((await reads.linksByFid(2, 'follow', page)).items.length, 0)
    await assert.rejects(reads.castById(2, removed.hash), { code: 'not_found' })
    const all = await reads.castsByFid(2, { includeRemoves: true }, page)
    assert.equal(all.items.length, 2, 'the kept cast and the remove')
    const after = await eventTexts()
    assert.deepEqual(after.slice(0, before.length), before, 'events stay')
    assert.equal(after.length, before.length + 2)
    assert.equal((await events.page(0, 1_000)).nextId, (await newestEventId(world())) + 1)
  })

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

/** What a page of messages shows, however it is kept. */
const shown = ({ items, next }: Page<RenderedMessage>) => ({
  items: items.map(({ fid, type, timestamp, hash, storedBytes, text }) => [
    fid,
    type,
    timestamp,
    hex(hash),
    storedBytes,
    text,
  ]),
  next,
})

/** A list as it is sent, or a text with one character for each byte. */
const textOf = (body: string | Uint8Array): string =>
  Buffer.from(body as string, 'latin1').toString()

const setOf = (...messages: SignedMessage[]) => new Set(messages.map(({ hash }) => hex(hash)))
