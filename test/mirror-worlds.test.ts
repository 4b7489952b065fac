// Servers that follow each other, and one that keeps messages of its source away.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mirrorRows } from '../src/features/mirror/tables/mirror.ts'
import { castAdd, castRemove, linkAdd, linkCompactState } from '../src/kernel/protocol/build.ts'
import { networkTime } from '../src/kernel/protocol/time.ts'
import { sdk } from './app-writes-support.ts'
import { allOf, createMirror, hashesOf, sourceOf } from './mirror-support.ts'
import { until } from './until.ts'
import { startReceiver } from './webhook-support.ts'
import { accountEvents, createWorld, enginesOf, testAccount, WORLD_START_MS } from './world.ts'

for (const engine of enginesOf(import.meta.url)) {
  test(`a mirror of a mirror of a mirror on ${engine} has what the first has`, async () => {
    const source = await createWorld({ engine })
    const first = await createMirror(sourceOf(source), { engine })
    const second = await createMirror(sourceOf(first), { engine })
    const third = await createMirror(sourceOf(second), { engine })
    const worlds = [source, first, second, third]
    try {
      const fids = [11, 12, 13]
      const accounts = await source.accounts(fids)
      for (const account of accounts) {
        const cast = source.sign(account, castAdd(source.origin(account), { text: 'hi' }))
        const gone = source.sign(account, castAdd(source.origin(account), { text: 'gone' }))
        for (const message of [cast, gone]) assert.equal((await source.submit(message)).status, 200)
        source.clock.advance(1_000)
        for (const init of [
          castRemove(source.origin(account), gone.hash),
          linkAdd(source.origin(account), 'follow', 11),
          linkCompactState(source.origin(account), 'list', [12]),
        ]) {
          assert.equal((await source.submit(source.sign(account, init))).status, 200)
        }
      }
      const expected = await hashesOf(source.app.storage, fids)
      for (const [i, mirror] of [first, second, third].entries()) {
        await mirror.follow(`fid:${fids.join()}`)
        await mirror.settled(allOf(worlds[i]!))
        assert.deepEqual(await hashesOf(mirror.app.storage, fids), expected)
      }
      const late = source.sign(accounts[0]!, castAdd(source.origin(accounts[0]!), { text: 'late' }))
      assert.equal((await source.submit(late)).status, 200)
      const isThere = async () =>
        (await hashesOf(third.app.storage, [11]))['11 casts']!.length ===
        (await hashesOf(source.app.storage, [11]))['11 casts']!.length
      await until(isThere)
      assert.equal((await third.get('/v1/info')).body.mirror.host, second.app.urls.grpc)
    } finally {
      for (const world of worlds.toReversed()) await world.close()
    }
  })
}

for (const engine of enginesOf(import.meta.url)) {
  test(`a mirror on ${engine} that expects another chain than the ledger of its source says which setting to change`, async () => {
    const source = await createWorld({ engine, env: { ROOKERY_LEDGER_CHAIN_ID: '1' } })
    const mirror = await createMirror(sourceOf(source), { engine })
    try {
      const registered = accountEvents(testAccount(31), WORLD_START_MS / 1_000, 1).map((event) => ({
        ...event,
        chainId: 1,
      }))
      await source.app.ledger!.importEvents(registered)
      await mirror.follow('fid:31')
      const problem = async () => (await mirror.status()).problem
      await until(problem)
      assert.match(
        (await problem())!,
        /of chain 1, .*expects chain 10: set ROOKERY_LEDGER_CHAIN_ID=1/,
      )
    } finally {
      await mirror.close()
      await source.close()
    }
  })
}

for (const engine of enginesOf(import.meta.url)) {
  test(`messages of a suspended or erased account stay away from a mirror on ${engine}, and are counted`, async () => {
    const source = await createWorld({ engine })
    const mirror = await createMirror(sourceOf(source), { engine })
    try {
      const fids = [21, 22]
      const accounts = await source.accounts(fids)
      const post = async (text: string) => {
        for (const account of accounts) {
          const cast = source.sign(account, castAdd(source.origin(account), { text }))
          assert.equal((await source.submit(cast)).status, 200)
        }
        source.clock.advance(1_000)
      }
      await post('before')
      await mirror.follow('fid:21,22')
      await mirror.settled(allOf(source))
      const decision = { body: { reason: 'spam', actor: 'test' } }
      for (const path of ['21/suspend', '22/erase']) {
        const answer = await mirror.operate(`/moderation/accounts/${path}`, decision)
        assert.equal(answer.status, 200, JSON.stringify(answer.body))
      }
      await until(async () => Object.keys(await hashesOf(mirror.app.storage, [22])).length === 0)
      const published = async (fid: number) =>
        (await mirror.get(`/v1/castsByFid?fid=${fid}`)).body.messages?.length ?? 0
      for (let round = 1; round <= 2; round++) {
        // Whether they come by events or by comparison.
        if (round === 1) await post('after')
        await mirror.app.storage.write('hub', (tx) =>
          tx.of(mirrorRows).setAllDue(mirror.clock.now()),
        )
        await mirror.settled(allOf(source))
        assert.deepEqual([await published(21), await published(22)], [0, 0])
        const before22 = await hashesOf(mirror.app.storage, [22])
        assert.ok((before22['22 casts']?.length ?? 0) <= 1)
        const { withheld, people } = await mirror.status()
        assert.ok(withheld > 0)
        assert.equal(people.differ, 0)
      }
    } finally {
      await mirror.close()
      await source.close()
    }
  })
}

for (const engine of enginesOf(import.meta.url)) {
  test(`webhooks of a mirror on ${engine} are told of recent messages, and not of what is read of the past`, async () => {
    const source = await createWorld({ engine })
    const mirror = await createMirror(sourceOf(source), { engine, env: { ROOKERY_VIEWS: 'on' } })
    const receiver = await startReceiver()
    try {
      const author = await source.account(31)
      const post = async (text: string, secondsAgo: number) => {
        const at = networkTime(source.clock.now()) - secondsAgo
        const cast = source.sign(author, castAdd(source.origin(author, at), { text }))
        assert.equal((await source.submit(cast)).status, 200)
      }
      const subscription = { 'cast.created': { author_fids: [31] } }
      await sdk(mirror).publishWebhook({ name: 'mine', url: receiver.url, subscription })
      await post('of the past', 2 * 3_600)
      await mirror.follow('fid:31')
      await mirror.settled(allOf(source))
      await post('recent', 0)
      await until(async () => receiver.events().length > 0)
      const texts = receiver.events().map(({ data }) => data.text)
      assert.deepEqual([...new Set(texts)], ['recent'])
    } finally {
      receiver.close()
      await mirror.close()
      await source.close()
    }
  })
}
