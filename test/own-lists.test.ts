// Tags that members follow, and their lists of people, with a feed of each: by the member's own token alone.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { MAX_LISTED, MAX_LISTS, MAX_TAGS } from '../src/features/lists/limits.ts'
import { listRows } from '../src/features/lists/tables/lists.ts'
import { createNetwork, type Json, type Network } from './app-api-support.ts'
import { until } from './until.ts'
import { enginesOf } from './world.ts'

const DECISION = { reason: 'house rules', actor: 'the owner' }

for (const engine of enginesOf(import.meta.url)) {
  describe(`own lists on ${engine}`, { concurrency: 1 }, () => {
    let net: Network
    before(async () => {
      net = await createNetwork(engine, [1, 2, 3, 4, 5])
    })
    after(() => net?.world.close())
    const account = (fid: number) => net.accounts.find((one) => one.fid === fid)!

    async function call(
      fid: number | undefined,
      path: string,
      { method = 'GET', body }: { method?: string; body?: object } = {},
    ): Promise<{ status: number; body: Json }> {
      net.world.clock.advance(1_000)
      const response = await fetch(`${net.world.app.urls.app}/v2/farcaster${path}`, {
        method,
        headers: {
          ...(fid && { authorization: `Bearer ${net.world.token(account(fid))}` }),
          'content-type': 'application/json',
          'x-api-key': 'web',
        },
        ...(body && { body: JSON.stringify(body) }),
      })
      return { status: response.status, body: await response.json() }
    }
    const post = (fid: number | undefined, path: string, body: object) =>
      call(fid, path, { method: 'POST', body })
    const remove = (fid: number, path: string, body: object) =>
      call(fid, path, { method: 'DELETE', body })
    const done = ({ status, body }: { status: number; body: Json }) => {
      assert.equal(status, 200, JSON.stringify(body))
      return body
    }
    const textsOf = async (fid: number, path: string): Promise<string[]> =>
      done(await call(fid, path)).casts.map((one: Json) => one.text)

    test('casts with a followed tag are a feed, whatever the case of the tag, in pages and only for the member', async () => {
      for (const tag of ['#Birds', 'café']) done(await post(2, '/tag/own', { tag }))
      // Once more, in another case: nothing changes.
      done(await post(2, '/tag/own', { tag: 'BIRDS' }))
      assert.deepEqual(done(await call(2, '/tag/own')).tags, ['Birds', 'café'])
      for (const text of ['one #birds', 'two #CAFÉ', 'three #fish', 'birds without a sign']) {
        await net.cast(account(1), { text })
      }
      await net.cast(account(3), { text: 'four #BIRDS' })
      await net.indexed()
      assert.deepEqual(await textsOf(2, '/feed/own_tags'), [
        'four #BIRDS',
        'two #CAFÉ',
        'one #birds',
      ])
      const first = done(await call(2, '/feed/own_tags?limit=2'))
      assert.equal(first.casts.length, 2)
      const rest = await textsOf(2, `/feed/own_tags?limit=2&cursor=${first.next.cursor}`)
      assert.deepEqual(rest, ['one #birds'])
      assert.deepEqual(await textsOf(3, '/feed/own_tags'), [])
      done(await remove(2, '/tag/own', { tag: '#bIRDS' }))
      assert.deepEqual(await textsOf(2, '/feed/own_tags'), ['two #CAFÉ'])
    })

    test('what the people on a list write is a feed, and the list is changed by its member alone', async () => {
      const { list } = done(await post(2, '/list/own', { name: '  Friends ' }))
      assert.deepEqual([list.name, list.member_count], ['Friends', 0])
      assert.deepEqual(await textsOf(2, `/feed/own_list?id=${list.id}`), [])
      for (const fid of [3, 4, 4]) done(await post(2, '/list/own/member', { id: list.id, fid }))
      await net.cast(account(3), { text: 'of the third' })
      await net.cast(account(5), { text: 'of a stranger' })
      await net.cast(account(4), { text: 'of the fourth' })
      await net.indexed()
      const texts = await textsOf(2, `/feed/own_list?id=${list.id}&limit=2`)
      assert.deepEqual(texts, ['of the fourth', 'of the third'])
      const members = done(await call(2, `/list/own/member?id=${list.id}`))
      assert.deepEqual(
        members.users.map((one: Json) => one.fid),
        [4, 3],
      )
      const has = async (fid: number) =>
        done(await call(2, `/list/own?fid=${fid}`)).lists.map((one: Json) => one.has_user)
      assert.deepEqual([await has(3), await has(5)], [[true], [false]])
      done(await remove(2, '/list/own/member', { id: list.id, fid: 3 }))
      assert.deepEqual(await has(3), [false])
      done(await call(2, '/list/own', { method: 'PATCH', body: { id: list.id, name: 'Close' } }))
      assert.equal(done(await call(2, '/list/own')).lists[0].name, 'Close')
      // Nobody else has it, and nothing of it is told to others.
      for (const path of [`/feed/own_list?id=${list.id}`, `/list/own/member?id=${list.id}`]) {
        assert.equal((await call(3, path)).status, 404, path)
      }
      assert.equal((await post(3, '/list/own/member', { id: list.id, fid: 5 })).status, 404)
      done(await remove(3, '/list/own', { id: list.id }))
      assert.deepEqual(done(await call(3, '/list/own')), { lists: [], tags: [] })
      assert.equal(done(await call(2, '/list/own')).lists.length, 1)
      done(await remove(2, '/list/own', { id: list.id }))
      assert.deepEqual(done(await call(2, '/list/own')).lists, [])
    })

    test('who is muted, blocked or suspended is not in the feed of a list, and can be taken off it', async () => {
      const { list } = done(await post(2, '/list/own', { name: 'Of all kinds' }))
      const { id } = list
      for (const fid of [1, 3, 4, 5]) {
        done(await post(2, '/list/own/member', { id, fid }))
        await net.cast(account(fid), { text: `kept of ${fid}` })
      }
      await net.indexed()
      const feed = async () => {
        const texts = await textsOf(2, `/feed/own_list?id=${id}`)
        return texts.filter((text) => text.startsWith('kept of '))
      }
      const onList = async () => {
        const members = done(await call(2, `/list/own/member?id=${id}`))
        return [...members.users.map((one: Json) => one.fid), ...members.hidden_fids].sort()
      }
      assert.equal((await feed()).length, 4)
      done(await post(2, '/mute/own', { fid: 3 }))
      const blocked = await net.world.platform('/fc/blocked-users', {
        ...{ method: 'POST', body: { blockFid: 4 } },
        token: net.world.token(account(2)),
      })
      assert.equal(blocked.status, 200)
      await net.world.operate('/moderation/accounts/5/suspend', { body: DECISION })
      await until(async () => (await feed()).length === 1)
      assert.deepEqual(await feed(), ['kept of 1'])
      assert.deepEqual(await onList(), [1, 3, 4, 5])
      for (const fid of [3, 4, 5]) done(await remove(2, '/list/own/member', { id, fid }))
      assert.deepEqual(await onList(), [1])
      done(await remove(2, '/list/own', { id }))
      await net.world.operate('/moderation/accounts/5/restore', { body: DECISION })
      done(await remove(2, '/mute/own', { fid: 3 }))
    })

    test('a name, tag or person that cannot be, or one too many, is refused with what to do', async () => {
      const fault = async (path: string, body: object) => {
        const { status, body: answer } = await post(3, path, body)
        assert.equal(status, 400, JSON.stringify(answer))
        return answer.property ?? answer.message
      }
      for (const tag of ['#', '12', 'two words', 'x'.repeat(65), '']) {
        assert.equal(await fault('/tag/own', { tag }), 'tag', JSON.stringify(tag))
      }
      for (const name of ['', '  ', '\u200d\u2060', 'a\u0007', 'x'.repeat(41)]) {
        assert.equal(await fault('/list/own', { name }), 'name', JSON.stringify(name))
      }
      for (let i = 0; i < MAX_TAGS; i++) done(await post(3, '/tag/own', { tag: `tag${i}` }))
      assert.equal(await fault('/tag/own', { tag: 'more' }), `you follow ${MAX_TAGS} tags already`)
      const ids: string[] = []
      for (let i = 0; i < MAX_LISTS; i++) {
        ids.push(done(await post(3, '/list/own', { name: `list ${i}` })).list.id)
      }
      assert.equal(await fault('/list/own', { name: 'x' }), `you have ${MAX_LISTS} lists already`)
      const [id] = ids
      assert.equal(await fault('/list/own/member', { id, fid: 99 }), 'fid')
      await net.world.app.storage.write('fid/3', async (tx) => {
        for (let i = 0; i < MAX_LISTED; i++) {
          const row = { fid: 3, list_id: id!, member_fid: 1_000 + i, added_at: i }
          await tx.of(listRows).addMember(row)
        }
      })
      const full = `the list has ${MAX_LISTED} people already`
      assert.equal(await fault('/list/own/member', { id, fid: 1 }), full)
    })

    test('nobody without a token of a member has tags or lists', async () => {
      for (const path of ['/tag/own', '/list/own', '/feed/own_tags', '/list/own/member?id=a']) {
        assert.equal((await call(undefined, path)).status, 401, path)
      }
      assert.equal((await post(undefined, '/tag/own', { tag: 'a' })).status, 403)
      assert.equal((await post(undefined, '/list/own', { name: 'a' })).status, 403)
    })

    test('an erased person leaves all lists, and an erased member takes tags and lists along', async () => {
      const { list } = done(await post(4, '/list/own', { name: 'To be erased' }))
      done(await post(4, '/tag/own', { tag: 'erased' }))
      for (const fid of [1, 5]) done(await post(4, '/list/own/member', { id: list.id, fid }))
      const rows = net.world.app.storage.of(listRows)
      await net.world.operate('/moderation/accounts/5/erase', { body: DECISION })
      await until(async () => (await rows.memberCount(4, list.id)) === 1)
      await net.world.operate('/moderation/accounts/4/erase', { body: DECISION })
      await until(async () => (await rows.listCount(4)) + (await rows.tagCount(4)) === 0)
      await until(async () => (await rows.memberCount(4, list.id)) === 0)
    })
  })
}
