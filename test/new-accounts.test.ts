// What new accounts may send, where the operator limits it: nothing else changes, and what is refused says until when.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { castAdd } from '../src/kernel/protocol/build.ts'
import { DAY_MS } from '../src/kernel/protocol/time.ts'
import { createNetwork, type Network } from './app-api-support.ts'
import { hex } from './hub-support.ts'
import { appToken, enginesOf } from './world.ts'

const PATH = '/moderation/new-accounts'

for (const engine of enginesOf(import.meta.url)) {
  describe(`what new accounts may send on ${engine}`, { concurrency: 1 }, () => {
    let net: Network
    const account = (fid: number) => net.accounts.find((one) => one.fid === fid)!
    before(async () => {
      net = await createNetwork(engine, [2, 3, 4], { ROOKERY_PUBLIC_URL: 'https://birds.example' })
    })
    after(() => net.world.close())

    const limit = async (body: object) => {
      const answer = await net.world.operate(PATH, { method: 'PUT', body })
      assert.equal(answer.status, 200, JSON.stringify(answer.body))
      return answer.body
    }
    const send = (fid: number, text: string, more: object = {}) => {
      const { world } = net
      world.clock.advance(1_000)
      const one = account(fid)
      return world.submit(world.sign(one, castAdd(world.origin(one), { text, ...more })))
    }
    const links = (...urls: string[]) => ({
      embeds: urls.map((value) => ({ embed: { case: 'url' as const, value } })),
    })
    const own = async (fid: number) => {
      const { world } = net
      const token = appToken(account(fid), {
        exp: Math.floor(world.clock.now() / 1_000) + 60,
        aud: 'https://birds.example/platform',
      })
      const answer = await fetch(`${world.app.urls.platform}/v1/own-standing`, {
        headers: { authorization: `Bearer ${token}` },
      })
      return ((await answer.json()) as { result: { newAccount: unknown } }).result.newAccount
    }

    test('nothing is limited before the operator says so, and the log says who did', async () => {
      const { body } = await net.world.operate(PATH)
      assert.deepEqual([body.days, body.changedAt], [0, null])
      assert.equal((await send(2, 'see https://a.example https://b.example')).status, 200)
      assert.equal(await own(2), null)
      const rule = await limit({ days: 3, posts: 3, links: 0, mentions: 1, actor: 'Ada' })
      assert.deepEqual([rule.days, rule.posts, rule.changedBy], [3, 3, 'Ada'])
      await limit({ days: 3, posts: 3, links: 0, mentions: 1, actor: 'somebody else' })
      const log = await net.world.operate('/moderation/log?limit=10')
      const changes = log.body.result.entries.filter(
        ({ action }: { action: string }) => action === 'limit-newcomers',
      )
      assert.deepEqual(
        changes.map(({ actor, name }: Record<string, string>) => [actor, name]),
        [['Ada', '3 days: posts 3, links 0, mentions 1']],
      )
    })

    test('links are refused with the time when that ends, and those to this server are none', async () => {
      for (const [text, more] of [
        ['see www.spam.example.org', {}],
        ['see SPAM.EXAMPLE.COM', {}],
        ['see spam.example.It/offer', {}],
        ['x', links('https://spam.example/offer')],
        ['x', links('spam.example/offer')],
      ] as const) {
        const { status, body } = await send(2, text, more)
        assert.deepEqual([status, body.errCode], [403, 'unauthorized.new_account'], text)
        assert.match(
          body.details,
          /^this account is new on this server: until 20\d\d-\d\d-\d\d \d\d:\d\d UTC it may write posts, but none with links; “.*spam\.example.*” is a link$/,
        )
      }
      // A sentence that begins without a space is no link.
      const own = await send(
        2,
        'I went there.It was e.g. this',
        links('https://birds.example/media/5f6c.jpg'),
      )
      assert.equal(own.status, 200, JSON.stringify(own.body))
    })

    test('mentions and posts in a day are bounded, several sent at once too; refused ones do not count, and reactions are free', async () => {
      const two = { text: ' and  hello', mentions: [3n, 4n], mentionsPositions: [0, 5] }
      assert.equal((await send(2, two.text, two)).body.errCode, 'unauthorized.new_account')
      const one = { mentions: [3n], mentionsPositions: [0] }
      assert.equal((await send(2, ' hello', one)).status, 200)
      const answers = await Promise.all(['a', 'b', 'c'].map((text) => send(2, text)))
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 429, 429])
      const refused = answers.find(({ status }) => status === 429)!
      assert.match(refused.body.details, /but no more than 3 in 24 hours/)
      await net.like(account(2), 3, await net.cast(account(3), { text: 'likeable' }))
    })

    test('the account reads it before it writes, and who has a role is not limited', async () => {
      const found = (await own(4)) as Record<string, number>
      assert.deepEqual([found.posts, found.links, found.mentions], [3, 0, 1])
      assert.ok(found.endsAt! * 1_000 > net.world.clock.now())
      const made = await net.world.operate('/moderation/staff/4/appoint', {
        body: { role: 'moderator', reason: 'kind', custody: hex(account(4).custody) },
      })
      assert.equal(made.status, 200)
      assert.equal(await own(4), null)
      assert.equal((await send(4, 'see https://a.example')).status, 200)
    })

    test('the limit ends by itself with the days, and at once when the operator ends it', async () => {
      assert.equal((await send(3, 'see https://a.example')).status, 403)
      const off = await limit({ days: 0 })
      assert.deepEqual([off.days, off.posts, off.links, off.mentions], [0, 3, 0, 1])
      assert.equal((await send(3, 'see https://a.example')).status, 200)
      assert.equal(await own(3), null)
      await limit({ days: 3, links: 0 })
      assert.equal((await send(3, 'see https://b.example')).status, 403)
      // Without any posts there is nothing to try again.
      await limit({ days: 3, posts: 0 })
      const none = await send(3, 'hello')
      assert.deepEqual([none.status, none.body.errCode], [403, 'unauthorized.new_account'])
      assert.match(none.body.details, /UTC it may write no posts$/)
      // Nor need anybody wait longer than the account is new.
      await limit({ days: 2, posts: 1 })
      net.world.clock.advance(1.5 * DAY_MS)
      assert.equal((await send(3, 'first')).status, 200)
      const second = await send(3, 'second')
      assert.equal(second.status, 429)
      assert.ok(Number(second.headers.get('retry-after')) < DAY_MS / 1_000 / 2)
      await limit({ days: 3, links: 0 })
      net.world.clock.advance(3 * DAY_MS)
      assert.equal(await own(3), null)
      assert.equal((await send(3, 'see https://b.example')).status, 200)
    })
  })
}
