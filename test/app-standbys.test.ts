// The app API with a standby: which server answers, what a reader sees, and who keeps the views.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Message } from '@farcaster/core'
import pg from 'pg'
import { DEVELOPMENT_KEY } from '../src/kernel/app-api/given-keys.ts'
import { castAdd } from '../src/kernel/protocol/build.ts'
import { toHex } from '../src/kernel/protocol/codec/bytes.ts'
import { encodeEnvelope } from '../src/kernel/protocol/codec/envelope.ts'
import type { Json } from './app-api-support.ts'
import { indexed } from './indexed.ts'
import type { Pair } from './postgres-standby.ts'
import { onPair } from './standby-world.ts'
import { until } from './until.ts'
import { createWorld, type World } from './world.ts'

const VIEWS = { ROOKERY_VIEWS: 'on' }
const WRITES = 5
const APPLY_DELAY_MS = 2_000
const POLLS = 150
const POLL_MS = 20

/** Texts differ, so that no cast is another one once more. */
let casts = 0

/** Calls of the app API by a client with the key of development. */
function client(world: () => World) {
  const call = async (path: string, init: RequestInit = {}) => {
    const headers = { 'x-api-key': DEVELOPMENT_KEY, ...init.headers }
    const url = `${world().app.urls.app}/v2/farcaster${path}`
    const response = await fetch(url, { ...init, headers })
    const body = (await response.json()) as Json
    return { status: response.status, headers: response.headers, body }
  }
  const author = async () => (await world().accounts([1]))[0]!
  return {
    call,
    /** Publishes a cast through the app API. `isIndexed`: whether the answer says that it can be read. */
    async publish(): Promise<{ hash: string; event: string; isIndexed: boolean }> {
      const one = await author()
      const text = `published ${++casts}`
      const message = world().sign(one, castAdd(world().origin(one), text))
      const json = JSON.stringify(Message.toJSON(Message.decode(encodeEnvelope(message))))
      const { status, headers, body } = await call('/message', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: json,
      })
      assert.equal(status, 200, JSON.stringify(body))
      const event = headers.get('x-rookery-event-id')!
      return { hash: toHex(message.hash), event, isIndexed: !headers.has('x-rookery-indexed') }
    },
    /** The hashes of a feed. */
    async feed(headers: Record<string, string> = {}): Promise<string[]> {
      const { status, body } = await call('/feed/user/casts?fid=1&limit=100', { headers })
      assert.equal(status, 200, JSON.stringify(body))
      return body.casts.map(({ hash }: { hash: string }) => hash)
    },
  }
}

/** Counts statements on messages and views by the port of their server until `stop` is called. */
function countReads(): { of(url: string): number; stop(): void } {
  const counts = new Map<number, number>()
  const { query } = pg.Client.prototype
  pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
    const text = (args[0] as { text?: string })?.text ?? ''
    if (/^\s*(?:with|select)\b/i.test(text) && /view_(?!delivery|state)|message/.test(text)) {
      counts.set(this.port, (counts.get(this.port) ?? 0) + 1)
    }
    return Reflect.apply(query, this, args)
  } as typeof query
  return {
    of: (url) => counts.get(Number(new URL(url).port)) ?? 0,
    stop() {
      pg.Client.prototype.query = query
    },
  }
}

/** The feed is there on the standby, and the standby is asked. */
async function untilStandbyAnswers(pair: Pair, feed: () => Promise<unknown>): Promise<void> {
  await until(async () => {
    const reads = countReads()
    await feed().finally(reads.stop)
    return reads.of(pair.standby.url) > 0 && reads.of(pair.primary.url) === 0
  }, 'the standby answers alone')
}

describe('the app API with a standby that commits wait for', () => {
  const { place } = onPair({ synchronousCommit: 'remote_apply', applyDelayMs: 100 }, VIEWS)
  const { publish, feed, call } = client(() => place.world)
  before(async () => {
    await publish()
    await untilStandbyAnswers(place.pair, feed)
  })

  test('the standby alone answers pages of the app API, and their author sees each write in them at once', async () => {
    let [alone, atOnce] = [0, 0]
    for (let i = 0; i < WRITES; i++) {
      const { hash, isIndexed } = await publish()
      if (isIndexed) atOnce++
      else await indexed(place.world.app)
      const reads = countReads()
      const found = await feed().finally(reads.stop)
      assert.ok(found.includes(hash), `the feed misses write ${i}`)
      assert.ok(reads.of(place.pair.standby.url) > 0)
      if (reads.of(place.pair.primary.url) === 0) alone++
    }
    // Jobs of the server may read from the primary at the same time.
    assert.ok(alone > 0, 'no feed was read from the standby alone')
    // An answer waits two seconds for the views, which a busy machine may exceed.
    assert.ok(atOnce > 0, 'no answer waited for the views')
  })

  test('pages of the app API are answered while the primary is away', async () => {
    const { hash } = await publish()
    await feed()
    await place.pair.primary.crash()
    const found = await feed()
    assert.ok(found.includes(hash))
    const thread = await call(`/cast/conversation?identifier=${hash}&type=hash`)
    assert.equal(thread.status, 200, JSON.stringify(thread.body))
    assert.equal((await call('/user/bulk?fids=1')).body.users[0].fid, 1)
  })
})

describe('the app API with a standby that is two seconds behind and that commits do not wait for', () => {
  const { place } = onPair({ synchronousCommit: 'local', applyDelayMs: APPLY_DELAY_MS }, VIEWS)
  const { publish, feed, call } = client(() => place.world)
  before(async () => {
    await publish()
    await untilStandbyAnswers(place.pair, feed)
  })

  test('a reader who names the own write sees it in a feed of a late standby', async () => {
    let missed = 0
    await until(async () => {
      const { hash, event } = await publish()
      if (!(await feed()).includes(hash)) missed++
      assert.ok((await feed({ 'x-rookery-after': event })).includes(hash))
      return missed > 0
    }, 'a feed of the standby')
  })

  test('a cast that a late standby lacks is found by its hash, alone and among others', async () => {
    const { hash: old } = await publish()
    await until(async () => (await feed()).includes(old), 'the standby has the first cast')
    await untilStandbyAnswers(place.pair, feed)
    const { hash } = await publish()
    assert.equal((await call(`/cast?identifier=${hash}&type=hash`)).body.cast.hash, hash)
    const thread = await call(`/cast/conversation?identifier=${hash}&type=hash`)
    assert.equal(thread.body.conversation?.cast.hash, hash)
    const { body } = await call(`/casts?casts=${old},${hash}`)
    assert.deepEqual(
      body.result.casts.map((cast: { hash: string }) => cast.hash),
      [old, hash],
    )
    const [fid] = (await place.world.accounts([77])).map((account) => account.fid)
    await indexed(place.world.app)
    assert.equal((await call(`/user/bulk?fids=1,${fid}`)).body.users.length, 2)
  })

  test('no reader of a late standby sees a part of the views while they are built anew', async () => {
    const { event } = await publish()
    const all = await until(() => feed({ 'x-rookery-after': event }), 'a feed with all casts')
    await until(async () => (await feed()).length === all.length, 'the standby has all casts')
    await untilStandbyAnswers(place.pair, feed)
    await place.world.app.views!.rebuild()
    await until(() => place.world.app.views!.state().status === 'ready', 'the views are built')
    for (let i = 0; i < POLLS; i++) {
      assert.deepEqual(await feed(), all)
      await sleep(POLL_MS)
    }
    await untilStandbyAnswers(place.pair, feed)
    assert.deepEqual(await feed(), all)
  })
})

describe('two processes on a primary and a standby', () => {
  const { place } = onPair({ synchronousCommit: 'remote_apply' }, VIEWS)
  const first = client(() => place.world)
  let other: World
  before(async () => {
    const { DATABASE_URL, DATABASE_READ_URL } = place.world.env as Record<string, string>
    other = await createWorld({
      env: { ...VIEWS, DATABASE_URL: DATABASE_URL!, DATABASE_READ_URL: DATABASE_READ_URL! },
    })
  })
  after(() => other?.close())

  test('views are built by one process and read by all, and the other process takes the work over', async () => {
    const second = client(() => other)
    const appliedByBoth = async () => {
      for (const { app } of [place.world, other]) await indexed(app)
      return Promise.all([place.world, other].map(appliedEvents))
    }
    // The accounts may have come before the views were there, or after.
    const [ownBefore, otherBefore] = await appliedByBoth()
    const written: string[] = []
    for (let i = 0; i < WRITES; i++) written.push((await first.publish()).hash)
    const applied = await appliedByBoth()
    assert.equal(applied[0]! + applied[1]!, ownBefore! + otherBefore! + WRITES)
    const worker = applied[0]! >= applied[1]! ? place.world : other
    for (const { feed } of [first, second]) {
      assert.deepEqual(new Set(await feed()), new Set(written))
    }
    const idle = worker === other ? first : second
    const left = worker === other ? place.world : other
    await worker.close()
    const before = await appliedEvents(left)
    const { hash, event } = await idle.publish()
    assert.ok(await left.app.views!.passed(Number(event), 60_000))
    assert.ok((await idle.feed()).includes(hash))
    assert.equal(await appliedEvents(left), before + 1)
  })
})

/** The events that a process has applied to the views. */
async function appliedEvents({ app }: World): Promise<number> {
  const text = await (await fetch(`${app.urls.operations}/metrics`)).text()
  return Number(/^rookery_views_events_total (\d+)/m.exec(text)![1])
}
