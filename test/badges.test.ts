import { BADGES, standingIn } from '../src/features/badges/port.ts'
import { badgeRows } from '../src/features/badges/tables/badges.ts'
import { WEEK_MS } from '../src/kernel/protocol/time.ts'
// Power badges in the whole server: when they are computed, in which process, and what each caller sees.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { type App, startApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { startDevNetwork } from '../src/dev/network.ts'
import { beginRun, finishRun } from '../src/features/badges/runs.ts'
import { lastDue } from '../src/features/badges/schedule.ts'
import { createLogger } from '../src/kernel/http/logger.ts'
import { LeaseLostError } from '../src/kernel/jobs/job.ts'
import { castAdd, linkAdd, reactionAdd, userDataAdd } from '../src/kernel/protocol/build.ts'
import type { SignedMessage } from '../src/kernel/protocol/message.ts'
import { ReactionType, UserDataType } from '../src/kernel/protocol/wire/message_pb.js'
import { toStored } from '../src/kernel/storage/messages/message-rows.ts'
import { createPlace, rookery } from './program.ts'
import { randomFrom } from './random.ts'
import { until } from './until.ts'
import { createWorld, ENGINES, type TestAccount, testAccount, type World } from './world.ts'

const PEOPLE = 16
const RING = { from: 100, count: 40 }
const SILENT = 15
const NAMELESS = 16

const range = (from: number, count: number) => Array.from({ length: count }, (_, i) => from + i)
const people = range(1, PEOPLE)
const ring = range(RING.from, RING.count)

/** The same network in every world: friends, one of them without casts and one without a name, and a ring. */
function messagesOf(world: World): SignedMessage[] {
  const accounts = new Map([...people, ...ring].map((fid) => [fid, testAccount(fid)]))
  const by = (fid: number) => accounts.get(fid)!
  const sign = (account: TestAccount, init: Parameters<World['sign']>[1]) =>
    world.sign(account, init)
  const profile = (fid: number) => {
    const { USER_DATA_TYPE_DISPLAY, USER_DATA_TYPE_BIO, USER_DATA_TYPE_USERNAME } = UserDataType
    return [USER_DATA_TYPE_DISPLAY, USER_DATA_TYPE_BIO, USER_DATA_TYPE_USERNAME].map((type) => {
      const isEmpty = fid === NAMELESS && type === USER_DATA_TYPE_DISPLAY
      return sign(by(fid), userDataAdd(world.origin(by(fid)), type, isEmpty ? '' : `p${fid}`))
    })
  }
  const casts = new Map(
    [...people, ...ring]
      .filter((fid) => fid !== SILENT)
      .map((fid) => [fid, sign(by(fid), castAdd(world.origin(by(fid)), { text: `I am ${fid}` }))]),
  )
  const praise = (from: number, to: number) => {
    const origin = world.origin(by(from))
    const cast = casts.get(to)
    const target = cast && { fid: to, hash: cast.hash }
    return [
      sign(by(from), linkAdd(origin, 'follow', to)),
      ...(target ? [sign(by(from), reactionAdd(origin, ReactionType.LIKE, target))] : []),
    ]
  }
  // Everybody praises the silent and the nameless one, and some neighbours.
  const friends = people.flatMap((fid) =>
    [1, 2, 3, 4, 5]
      .map((step) => ((fid - 1 + step) % PEOPLE) + 1)
      .concat(SILENT, NAMELESS)
      .flatMap((to) => (to === fid ? [] : praise(fid, to))),
  )
  const spam = ring.flatMap((fid, i) =>
    [1, 2, ring[(i + 1) % RING.count]!, RING.from].flatMap((to) =>
      to === fid ? [] : praise(fid, to),
    ),
  )
  const all = [...[...people, ...ring].flatMap(profile), ...casts.values(), ...friends, ...spam]
  return [...new Map(all.map((message) => [message.hash.join(), message])).values()]
}

/** Stored as the hub stores them, in an order of our own. */
async function store(app: App, messages: readonly SignedMessage[]): Promise<void> {
  const rows = messages.map((message, i) => toStored(message, i + 1))
  await app.storage.write('hub', (tx) => tx.messages.insert(rows))
}

const SUMMARY = {
  accounts: 0,
  activeAccounts: 0,
  edges: 0,
  seeds: [],
  threshold: 0,
  supportersNeeded: 0,
}

const sets = new Map<string, readonly number[]>()

describe('power badges', () => {
  for (const [seed, engine] of ENGINES.entries()) {
    describe(`on ${engine}`, () => {
      let world: World
      before(async () => {
        world = await createWorld({ engine, env: { ROOKERY_BADGE_MAX: '100' } })
      })
      after(() => world.close())

      const badges = () => world.app.of(BADGES)
      const get = async () => {
        const { status, body, headers } = await world.platform('/v2/power-badge-users')
        assert.equal(status, 200)
        return { fids: body.result.fids as number[], headers }
      }
      const operator = async (method: string, path: string, body?: object) => {
        const response = await fetch(`${world.app.urls.operations}/platform/badges${path}`, {
          method,
          ...(body && { body: JSON.stringify(body) }),
          headers: body ? { 'content-type': 'application/json' } : {},
        })
        const text = await response.text()
        return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
      }
      const set = () => badges().set()

      it('the first badge set of an empty network is computed at the start and is empty', async () => {
        assert.deepEqual((await get()).fids, [])
        await until(async () => (await set()) !== undefined)
        assert.equal((await set())?.due, lastDue(world.clock.now()))
        assert.deepEqual((await get()).fids, [])
      })

      it('badges stay the same until Tuesday noon and change then', async () => {
        await world.accounts([...people, ...ring])
        await store(world.app, randomFrom(seed).shuffled(messagesOf(world)))
        world.clock.set(Date.parse('2026-01-06T11:59:59.000Z'))
        await badges().runIfDue()
        const before = await get()
        assert.deepEqual(before.fids, [])
        assert.equal(before.headers.get('cache-control'), 'public, max-age=1')
        world.clock.set(Date.parse('2026-01-06T12:00:00.000Z'))
        assert.equal((await get()).headers.get('cache-control'), 'no-cache')
        await badges().runIfDue()
        const { fids, headers } = await get()
        sets.set(engine, fids)
        assert.ok(fids.length >= 3 && fids.every((fid) => fid <= PEOPLE), `${fids}`)
        assert.deepEqual(
          fids,
          fids.toSorted((a, b) => a - b),
        )
        assert.equal(headers.get('cache-control'), `public, max-age=${WEEK_MS / 1000}`)
        assert.notEqual(headers.get('etag'), before.headers.get('etag'))
        assert.equal((await set())?.due, world.clock.now())
        assert.deepEqual([...(await set())!.fids], fids)
      })

      it('a client that has the current badges gets 304', async () => {
        const etag = (await get()).headers.get('etag')!
        const response = await fetch(`${world.app.urls.platform}/v2/power-badge-users`, {
          headers: { 'if-none-match': etag },
        })
        assert.equal(response.status, 304)
      })

      it('the explanation of a badge has score, rank, supporters and missing requirements', async () => {
        const [holder] = (await get()).fids
        const why = (await operator('GET', `/explanations/${holder}`)).body
        assert.equal(why.hasBadge, true)
        assert.deepEqual(why.failed, [])
        assert.ok(why.rank >= 1 && why.supporters >= 3)
        assert.ok(why.score >= why.set.summary.threshold)
        const silent = (await operator('GET', `/explanations/${SILENT}`)).body
        assert.equal(silent.hasBadge, false)
        assert.ok(silent.failed.includes('not active'))
        const nameless = (await operator('GET', `/explanations/${NAMELESS}`)).body
        assert.deepEqual([nameless.hasBadge, nameless.failed], [false, ['profile incomplete']])
        const spammer = (await operator('GET', `/explanations/${RING.from}`)).body
        assert.deepEqual([spammer.score, spammer.failed], [0, ['below threshold']])
        assert.equal((await operator('GET', '/explanations/9999')).body.score, 0)
      })

      it('badges that the operator adds or excludes change the next answer', async () => {
        const { fids } = await get()
        const reason = 'known to us'
        const put = await operator('PUT', '/marks/9999', { kind: 'add', reason })
        assert.equal(put.status, 200)
        assert.deepEqual((await get()).fids, [...fids, 9999])
        await operator('PUT', `/marks/${fids[0]}`, { kind: 'exclude', reason })
        assert.deepEqual((await get()).fids, [...fids.slice(1), 9999])
        const { marks } = (await operator('GET', '/marks')).body
        assert.deepEqual(
          marks.map(({ fid, kind }: { fid: number; kind: string }) => [fid, kind]),
          [
            [fids[0], 'exclude'],
            [9999, 'add'],
          ],
        )
        assert.equal((await operator('DELETE', '/marks/9999')).status, 204)
        assert.equal((await operator('DELETE', '/marks/9999')).status, 404)
        assert.equal((await operator('DELETE', `/marks/${fids[0]}`)).status, 204)
        assert.deepEqual((await get()).fids, fids)
        assert.equal((await operator('PUT', '/marks/5', { kind: 'x', reason })).status, 400)
        assert.equal((await operator('PUT', '/marks/5', { kind: 'add', reason: '' })).status, 400)
      })

      it('the score of an account follows its rank, its badge and the decision of the operator', async () => {
        const { scores } = standingIn(world.app.storage)
        const { fids } = await get()
        const [holder, spammer] = [fids[0]!, RING.from]
        const { rank } = (await operator('GET', `/explanations/${SILENT}`)).body
        assert.ok(rank >= 1, 'the silent account has trust and no badge')
        const scoreOf = (await scores())!
        assert.deepEqual([scoreOf(holder), scoreOf(spammer), scoreOf(9999)], [1, 0.4, 0.4])
        assert.ok(scoreOf(SILENT) >= 0.5 && scoreOf(SILENT) < 0.99, `${scoreOf(SILENT)}`)
        const ranked = [SILENT, NAMELESS].toSorted((a, b) => scoreOf(b) - scoreOf(a))
        const ranks = await Promise.all(
          ranked.map(async (fid) => (await operator('GET', `/explanations/${fid}`)).body.rank),
        )
        assert.ok(ranks[0] < ranks[1], 'a better rank has a better score')
        const reason = 'decided by hand'
        await operator('PUT', `/marks/${spammer}`, { kind: 'add', reason })
        for (const fid of [holder, SILENT]) {
          await operator('PUT', `/marks/${fid}`, { kind: 'exclude', reason })
        }
        const marked = (await scores())!
        assert.deepEqual([holder, SILENT, spammer].map(marked), [0.4, 0.4, 1])
        for (const fid of [holder, SILENT, spammer]) await operator('DELETE', `/marks/${fid}`)
        assert.deepEqual([holder, spammer].map((await scores())!), [1, 0.4])
      })

      it('the leader computes badges again when the process that computed them died', async () => {
        world.clock.advance(WEEK_MS)
        const due = lastDue(world.clock.now())
        await world.app.storage.write('platform', (tx) => tx.of(badgeRows).claim(due, 'dead'))
        await badges().runIfDue()
        assert.equal((await set())?.due, due)
        assert.ok((await get()).fids.length >= 3)
      })

      it('a process that lost the leader lease cannot change badges', async () => {
        const { storage } = world.app
        const before = await get()
        const lease = { holder: 'former leader', epoch: 1 }
        const due = lastDue(world.clock.now())
        await assert.rejects(beginRun(storage, due, lease), LeaseLostError)
        const claim = await storage.write('platform', (tx) =>
          tx.of(badgeRows).claim(due, lease.holder),
        )
        const found = { fids: new Uint32Array(), summary: SUMMARY, records: () => [] }
        const finished = finishRun(storage, { claim, lease }, { ...found, now: world.clock.now() })
        await assert.rejects(finished, LeaseLostError)
        assert.deepEqual((await get()).fids, before.fids)
      })

      it('badges are computed once when the server was down for weeks', async () => {
        const before = (await set())!
        world.clock.advance(3 * WEEK_MS)
        await world.restart()
        await until(async () => (await set())!.due > before.due)
        assert.equal((await set())!.due, lastDue(world.clock.now()))
        await badges().runIfDue()
        assert.equal((await set())!.id, before.id + 1)
      })

      it('readers see all changes of badges at once', async () => {
        const old = (await get()).fids
        const { storage } = world.app
        const casts = people.map((fid) =>
          world.sign(testAccount(fid), castAdd(world.origin(testAccount(fid)), { text: 'again' })),
        )
        const rows = casts.map((message, i) => toStored(message, 1_000_000 + i))
        await storage.write('hub', (tx) => tx.messages.insert(rows))
        const seen = new Set<string>()
        let done = false
        const reading = (async () => {
          while (!done) seen.add((await get()).fids.join())
        })()
        await badges().runAgain()
        done = true
        await reading
        const fresh = (await get()).fids
        assert.notDeepEqual(fresh, old)
        assert.ok([...seen].every((fids) => fids === old.join() || fids === fresh.join()))
      })
    })
  }

  it('badges are the same on every engine and in any order of messages', () => {
    const [one, ...others] = ENGINES.map((engine) => sets.get(engine))
    assert.ok(one && one.length > 0)
    for (const other of others) assert.deepEqual(other, one)
  })

  it('of two servers on one PostgreSQL one computes badges, and both serve them', async (t) => {
    const world = await createWorld({ engine: 'postgres', env: { ROOKERY_BADGE_MAX: '100' } })
    const apps: App[] = []
    t.after(async () => {
      for (const app of apps) await app.stop()
      await world.close()
    })
    await world.accounts(people)
    const other = await startApp({
      config: readConfig(world.env, 'development'),
      clock: world.clock,
      logger: createLogger({ level: 'fatal' }),
    })
    apps.push(other)
    const both = [world.app, other]
    const set = () => other.storage.of(badgeRows).current()
    await until(async () => (await set()) !== undefined)
    const messages = messagesOf(world).filter(({ fid }) => fid <= PEOPLE)
    await store(world.app, messages)
    const first = (await set())!
    for (let week = 1; week <= 2; week++) {
      world.clock.advance(WEEK_MS)
      await Promise.all(both.flatMap(({ of }) => [1, 2].map(() => of(BADGES).runIfDue())))
      await until(async () => (await set())!.due === lastDue(world.clock.now()))
      assert.equal((await set())!.id, first.id + week)
    }
    const answers = () => Promise.all(both.map(({ of }) => of(BADGES).current()))
    const [one, two] = await answers()
    assert.ok(one!.fids.length > 0)
    assert.deepEqual(one, two)
    await other.of(BADGES).mark(9_999, 'add', 'test')
    for (const { fids } of await answers()) assert.equal(fids.at(-1), 9_999)
  })

  describe('power badges of a development network', () => {
    let app: App
    let place: Awaited<ReturnType<typeof createPlace>>
    before(async () => {
      place = await createPlace('sqlite')
      const config = readConfig({ ...place.env, ROOKERY_BADGE_MAX: '100' }, 'development')
      app = await startDevNetwork({ config, logger: createLogger({ level: 'fatal' }) })
    })
    after(async () => {
      await app.stop()
      await place.remove()
    })
    const badges = () => app.of(BADGES)
    const dev = async (path: string, body: object) => {
      const headers = { 'content-type': 'application/json' }
      const init = { method: 'POST', headers, body: JSON.stringify(body) }
      assert.equal((await fetch(app.urls.operations + path, init)).status, 200)
    }
    const command = async (...args: string[]) => {
      const result = await rookery({ ROOKERY_OPS_URL: app.urls.operations }, 'badge', ...args)
      return { ...result, lines: result.stdout.trim().split('\n') }
    }

    it('some of the ten development accounts have badges soon after the start', async () => {
      await until(async () => (await badges().set()) !== undefined)
      const { fids } = await badges().current()
      assert.ok(fids.length >= 2 && fids.length <= 6, `${fids}`)
    })

    it('badges are computed when the clock has been moved past Tuesday', async () => {
      const { id, due } = (await badges().set())!
      await dev('/dev/clock', { advanceSeconds: WEEK_MS / 1000 })
      assert.equal((await badges().set())?.due, due + WEEK_MS)
      await dev('/dev/clock', { advanceSeconds: (5 * WEEK_MS) / 1000 })
      assert.equal((await badges().set())?.id, id + 2, 'late, and once')
      assert.deepEqual((await badges().current()).fids, [], 'no account has cast for a month')
    })

    it('badges are computed again by the end of a reset, also when it was their turn in the middle of it', async () => {
      let isOver = false
      const turns = (async () => {
        while (!isOver) {
          await app.jobs.run('power badges').catch(() => {})
          await setImmediate()
        }
      })()
      await dev('/dev/reset', {})
      isOver = true
      await turns
      assert.ok((await badges().current()).fids.length > 0)
    })

    it('badges are explained, added and excluded on the command line', async () => {
      const [fid] = (await badges().current()).fids
      const why = await command('explain', String(fid))
      assert.equal(why.lines[0], `fid ${fid} has the badge`)
      assert.match(why.stdout, /missing on .*: nothing\n/)
      const excluded = await command('exclude', String(fid), '--reason', 'sells follows')
      assert.equal(excluded.code, 0)
      assert.ok(!(await badges().current()).fids.includes(fid!))
      const { lines } = await command('list')
      assert.equal(lines[0], `exclude ${fid}: sells follows`)
      assert.match(lines[1]!, /^due \S+T12:00:00Z, computed .* \d+ badges of 10 accounts/)
      assert.equal((await command('clear', String(fid))).code, 0)
      assert.ok((await badges().current()).fids.includes(fid!))
    })
  })
})
