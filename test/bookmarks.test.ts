// Bookmarks: only a member's own token reads and changes them, they go with the account and with an erased author, and a cast that
// cannot be seen any more is said to be unavailable.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { bookmarkRows, MAX_BOOKMARKS } from '../src/features/bookmarks/tables/bookmarks.ts'
import { castRemove } from '../src/kernel/protocol/build.ts'
import { bytesOfHash, createNetwork, type Json, type Network } from './app-api-support.ts'
import { until } from './until.ts'
import { enginesOf } from './world.ts'

const OWN = '/v2/farcaster/bookmark/own'
const DECISION = { reason: 'house rules', actor: 'the owner' }

for (const engine of enginesOf(import.meta.url)) {
  describe(`bookmarks on ${engine}`, { concurrency: 1 }, () => {
    let net: Network
    before(async () => {
      net = await createNetwork(engine, [1, 2, 3, 4])
    })
    after(() => net?.world.close())
    const account = (fid: number) => net.accounts.find((one) => one.fid === fid)!

    async function call(
      fid: number | undefined,
      { method = 'GET', query = '', hash }: { method?: string; query?: string; hash?: string } = {},
    ): Promise<{ status: number; body: Json }> {
      const response = await fetch(net.world.app.urls.app + OWN + query, {
        method,
        headers: {
          ...(fid && { authorization: `Bearer ${net.world.token(account(fid))}` }),
          'content-type': 'application/json',
          'x-api-key': 'web',
        },
        ...(hash && { body: JSON.stringify({ cast_hash: hash }) }),
      })
      const cached = response.headers.get('cache-control')
      assert.equal(cached, fid === undefined ? null : 'private, no-store')
      return { status: response.status, body: await response.json() }
    }
    const keep = async (fid: number, hash: string) => {
      net.world.clock.advance(1_000)
      return call(fid, { method: 'POST', hash })
    }
    const hashesOf = async (fid: number, query = ''): Promise<string[]> =>
      (await call(fid, { query })).body.bookmarks.map((one: Json) => one.cast_hash)
    const shownOf = async (fid: number, hash: string) => {
      const { bookmarks } = (await call(fid, { query: `?cast_hash=${hash}` })).body
      return bookmarks.map((one: Json) => one.cast?.text ?? null)
    }

    test('what is kept comes in pages, the last first, and only to who has kept it', async () => {
      const hashes: string[] = []
      for (const text of ['one', 'two', 'three']) hashes.push(await net.cast(account(1), { text }))
      await net.indexed()
      for (const hash of hashes) assert.deepEqual((await keep(2, hash)).body, { success: true })
      assert.deepEqual(await hashesOf(2), hashes.toReversed())
      // Once more: nothing moves.
      assert.equal((await keep(2, hashes[0]!)).status, 200)
      const first = (await call(2, { query: '?limit=2' })).body
      assert.deepEqual(
        first.bookmarks.map((one: Json) => one.cast.text),
        ['three', 'two'],
      )
      const rest = await hashesOf(2, `?limit=2&cursor=${first.next.cursor}`)
      assert.deepEqual(rest, [hashes[0]])
      assert.deepEqual(await shownOf(2, hashes[1]!), ['two'])
      assert.deepEqual(await hashesOf(3), [])
      const all = async (fid?: number) => call(fid, { query: '/hashes' })
      const marked = (await all(2)).body.cast_hashes
      assert.deepEqual(new Set(marked), new Set(hashes))
      assert.deepEqual((await all(3)).body, { cast_hashes: [] })
      assert.equal((await all()).status, 401)
      assert.equal((await call(undefined)).status, 401)
      assert.equal((await call(undefined, { method: 'POST', hash: hashes[0]! })).status, 403)
      // Nothing of it is in what others read.
      const read = await net.get('/cast', { identifier: hashes[0]!, type: 'hash', viewer_fid: '2' })
      assert.doesNotMatch(JSON.stringify(read.body), /bookmark/)
      assert.equal((await call(2, { method: 'DELETE', hash: hashes[1]! })).status, 200)
      assert.deepEqual(await hashesOf(2), [hashes[2], hashes[0]])
    })

    test('a cast that is unknown, or one too many, is refused with what to do', async () => {
      const unknown = await keep(3, `0x${'12'.repeat(20)}`)
      assert.deepEqual([unknown.status, unknown.body.code], [404, 'NotFound'])
      assert.equal((await keep(3, '0x12')).status, 400)
      await net.world.app.storage.write('fid/3', async (tx) => {
        for (let i = 0; i < MAX_BOOKMARKS; i++) {
          const cast_hash = Buffer.alloc(20)
          cast_hash.writeUInt32BE(i)
          await tx.of(bookmarkRows).add({ fid: 3, author_fid: 9, cast_hash, saved_at: i })
        }
      })
      const hash = await net.cast(account(1), { text: 'one too many' })
      const refused = await keep(3, hash)
      assert.deepEqual([refused.status, refused.body.message], [400, 'you keep 2000 casts already'])
      assert.deepEqual(await shownOf(3, hash), [])
    })

    test('hidden, deleted and blocked casts are unavailable, and one that is shown again is back', async () => {
      const hidden = await net.cast(account(1), { text: 'hidden' })
      const deleted = await net.cast(account(1), { text: 'deleted' })
      const ofOther = await net.cast(account(4), { text: 'of a stranger' })
      await net.indexed()
      for (const hash of [hidden, deleted, ofOther]) assert.equal((await keep(2, hash)).status, 200)
      await net.world.operate(`/moderation/casts/${hidden}/hide`, { body: DECISION })
      await net.send(account(1), (origin) => castRemove(origin, bytesOfHash(deleted)))
      await until(async () => (await shownOf(2, hidden))[0] === null)
      await until(async () => (await shownOf(2, deleted))[0] === null)
      assert.deepEqual(await shownOf(2, ofOther), ['of a stranger'])
      await net.world.operate(`/moderation/casts/${hidden}/unhide`, { body: DECISION })
      await until(async () => (await shownOf(2, hidden))[0] === 'hidden')
      // What cannot be seen can still be given up.
      assert.equal((await call(2, { method: 'DELETE', hash: deleted })).status, 200)
      assert.deepEqual(await shownOf(2, deleted), [])
    })

    test('an erased author takes the bookmarks of the casts along, and an erased member all', async () => {
      const hash = await net.cast(account(4), { text: 'to be erased' })
      await net.indexed()
      assert.equal((await keep(2, hash)).status, 200)
      await net.world.operate('/moderation/accounts/4/erase', { body: DECISION })
      const rows = net.world.app.storage.of(bookmarkRows)
      await until(async () => (await rows.of(2, bytesOfHash(hash))).length === 0)
      await net.world.operate('/moderation/accounts/2/erase', { body: DECISION })
      await until(async () => (await rows.count(2)) === 0)
    })
  })
}
