// What the moderators of a channel get to know of reports, and what they keep out of conversations.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { MAX_SCANNED } from '../src/features/app-api/tables/channel-reports.ts'
import { reportRows, UNANSWERED } from '../src/features/moderation-records/port.ts'
import { WEB_KEY } from '../src/kernel/app-api/given-keys.ts'
import { bytesOfHash, createNetwork, type Json, type Network } from './app-api-support.ts'
import { channelClient } from './channels-support.ts'
import { enginesOf } from './world.ts'

const ORDERS = ['chron', 'desc_chron', 'algorithmic']

for (const engine of enginesOf(import.meta.url)) {
  describe(`reports in channels on ${engine}`, { concurrency: 1 }, () => {
    let network: Network
    let channels: ReturnType<typeof channelClient>
    let url: string
    before(async () => {
      network = await createNetwork(engine, [1, 2, 3, 4])
      channels = channelClient(network.world)
      ;({ url } = await channels.create(account(2), 'reeds', { name: 'Reeds' }))
    })
    after(() => network?.world.close())

    const account = (fid: number) => network.accounts[fid - 1]!
    const castIn = (fid: number, text: string) =>
      network.cast(account(fid), { text, parent: { case: 'parentUrl', value: url } })
    const replyTo = (fid: number, [author, hash]: [number, string], text: string) =>
      network.cast(account(fid), {
        text,
        parent: { case: 'parentCastId', value: { fid: BigInt(author), hash: bytesOfHash(hash) } },
      })
    async function report(fid: number, castHash: string, reason: string): Promise<void> {
      const { status } = await network.world.platform('/v1/reports', {
        token: network.world.token(account(fid)),
        body: { castHash, reason },
      })
      assert.equal(status, 200)
    }
    async function reportsFor(fid: number, channel = 'reeds') {
      const base = `${network.world.app.urls.app}/v2/farcaster/channel/report/list`
      const response = await fetch(`${base}?channel_id=${channel}`, {
        headers: {
          'x-api-key': WEB_KEY,
          ...(fid > 0 && { authorization: `Bearer ${network.world.token(account(fid))}` }),
        },
      })
      const body = (await response.json()) as Json
      return { status: response.status, body }
    }
    const shown = async (fid: number) => {
      const { status, body } = await reportsFor(fid)
      assert.equal(status, 200, JSON.stringify(body))
      return body.reports.map(({ cast, reasons }: Json) => [cast.text, reasons])
    }
    const decide = (castHash: string, action: 'hide' | 'unhide', fid = 2) =>
      channels.call(account(fid), 'POST', '/fc/moderated-casts', { castHash, action })

    it('reports of casts and replies in a channel reach those who moderate it, and nobody else', async () => {
      const [spam, other] = [await castIn(3, 'buy boots'), await castIn(4, 'a poem')]
      const answer = await replyTo(3, [4, other], 'buy more boots')
      const outside = await network.cast(account(3), { text: 'outside' })
      await network.indexed()
      assert.deepEqual(await shown(2), [])
      await report(1, spam, 'an advertisement')
      await report(4, spam, 'again')
      await report(4, answer, 'here too')
      await report(4, outside, 'elsewhere')
      const expected = [
        ['buy more boots', ['here too']],
        ['buy boots', ['again', 'an advertisement']],
      ]
      assert.deepEqual(await shown(2), expected)
      const { body } = await reportsFor(2)
      assert.ok(!JSON.stringify(body).includes('reporter'))
      for (const fid of [3, 4]) assert.equal((await reportsFor(fid)).status, 403)
      assert.equal((await reportsFor(0)).status, 401)
      assert.equal((await reportsFor(2, 'no-such')).status, 404)
      // An invited moderator reads them after accepting.
      await channels.follow(account(4), 'reeds')
      for (const role of ['member', 'moderator']) {
        assert.equal((await reportsFor(4)).status, 403)
        assert.equal((await channels.invite(account(2), 'reeds', 4, role)).status, 200)
        assert.equal((await channels.answer(account(4), 'reeds', role)).status, 200)
      }
      assert.deepEqual(await shown(4), expected)
    })

    it('a decision of the channel ends its reports there, and the operator has them still', async () => {
      const { body } = await reportsFor(2)
      const [answer, spam] = body.reports.map(({ cast }: Json) => cast.hash)
      assert.equal((await decide(spam, 'hide')).status, 200)
      assert.deepEqual(await shown(2), [['buy more boots', ['here too']]])
      assert.equal((await decide(answer, 'unhide')).status, 200)
      assert.deepEqual(await shown(2), [])
      const { result } = (await network.world.operate('/moderation/reports')).body
      assert.equal(result.reports.length, 4)
      // A later report is another matter.
      network.world.clock.advance(2_000)
      await report(2, spam, 'hidden already')
      await report(2, answer, 'still there')
      assert.deepEqual(await shown(2), [['buy more boots', ['still there']]])
      network.world.clock.advance(2_000)
      assert.equal((await decide(answer, 'unhide')).status, 200)
      assert.deepEqual(await shown(2), [])
      // Without a report nothing is there to be left.
      const quiet = await castIn(4, 'quiet')
      await network.indexed()
      assert.equal((await decide(quiet, 'unhide')).status, 200)
      const moderated = await channels.result('/fc/moderated-casts?channelId=reeds')
      assert.deepEqual(
        moderated.moderationActions.map(({ castHash, action }: Json) => [castHash, action]),
        [
          [answer, 'unhide'],
          [answer, 'unhide'],
          [spam, 'hide'],
        ],
      )
    })

    it('what waits for the moderators of the server takes no place among the reports of a channel', async () => {
      const told = await castIn(1, 'too loud')
      await network.indexed()
      await report(3, told, 'unkind')
      const held = {
        ...{ reporter_fid: 0, fid: 1, mini_app: null, reason: 'Held' },
        ...{ created_at: 1, kind: null, rule: null },
        ...UNANSWERED,
      }
      await network.world.app.storage.write('all/reports', async (tx) => {
        for (let i = 0; i < MAX_SCANNED; i++) {
          await tx.of(reportRows).add({ ...held, cast_hash: Buffer.alloc(20, `${i}`) })
        }
      })
      assert.deepEqual(await shown(2), [['too loud', ['unkind']]])
      assert.equal((await decide(told, 'unhide')).status, 200)
      // Nor is there anything to be left where only the server has reported.
      const quiet = await castIn(1, 'waits')
      await network.indexed()
      await network.world.app.storage.write('all/reports', (tx) =>
        tx.of(reportRows).add({ ...held, cast_hash: bytesOfHash(quiet), created_at: 2 ** 31 }),
      )
      assert.equal((await decide(quiet, 'unhide')).status, 200)
      const { moderationActions } = await channels.result('/fc/moderated-casts?channelId=reeds')
      assert.ok(!moderationActions.some(({ castHash }: Json) => castHash === quiet))
    })

    it('who moderates a channel sees no reports about their own casts, and the others do', async () => {
      const own = await castIn(4, 'by a moderator')
      await network.indexed()
      await report(1, own, 'unkind')
      assert.deepEqual(await shown(4), [])
      assert.deepEqual(await shown(2), [['by a moderator', ['unkind']]])
      assert.equal((await decide(own, 'unhide')).status, 200)
    })

    it('who moderates a channel ends no report about an own cast, and does not show what others hid', async () => {
      const own = await castIn(4, 'mine')
      const quiet = await castIn(4, 'also mine')
      await network.indexed()
      await report(1, own, 'unkind')
      const reported = [['mine', ['unkind']]]
      // The answers for a cast with and without reports are the same: they do not tell whether there are any.
      for (const cast of [own, quiet]) {
        for (const action of ['unhide', 'hide', 'unhide'] as const) {
          assert.equal((await decide(cast, action, 4)).status, 200)
        }
      }
      assert.deepEqual(await shown(2), reported)
      for (const cast of [own, quiet]) {
        assert.equal((await decide(cast, 'hide')).status, 200)
        assert.equal((await decide(cast, 'hide', 4)).status, 200)
        const refused = await decide(cast, 'unhide', 4)
        assert.equal(refused.status, 403)
        assert.match(JSON.stringify(refused.body), /somebody else who moderates the channel/)
        assert.equal((await decide(cast, 'unhide')).status, 200)
      }
      assert.deepEqual(await shown(2), [])
    })

    it('conversations below casts of a channel leave out whom it bans and what it hides, at every depth and in every order', async () => {
      const root = await castIn(1, 'a question')
      const good = await replyTo(4, [1, root], 'good')
      const bad = await replyTo(3, [1, root], 'bad')
      await replyTo(3, [4, good], 'bad below')
      const hidden = await replyTo(4, [4, good], 'hidden below')
      const deep = await replyTo(1, [4, good], 'good below')
      const elsewhere = await network.cast(account(1), { text: 'in no channel' })
      await replyTo(3, [1, elsewhere], 'free')
      await network.indexed()
      const textsOf = (cast: Json): Json => [cast.text, ...cast.direct_replies.map(textsOf)]
      const conversation = async (identifier: string, order = 'chron') => {
        const query = { identifier, type: 'hash', reply_depth: '3', sort_type: order }
        const { status, body } = await network.get('/cast/conversation', query, WEB_KEY)
        assert.equal(status, 200, JSON.stringify(body))
        return textsOf(body.conversation.cast)
      }
      const all = ['good', ['bad below'], ['hidden below'], ['good below']]
      assert.deepEqual(await conversation(root), ['a question', all, ['bad']])
      assert.equal((await decide(hidden, 'hide')).status, 200)
      assert.equal((await channels.ban(account(2), 'reeds', 3)).status, 200)
      for (const order of ORDERS) {
        const left = ['a question', ['good', ['good below']]]
        assert.deepEqual(await conversation(root, order), left, order)
      }
      assert.deepEqual(await conversation(good), ['good', ['good below']])
      // Elsewhere, and at their own addresses, they are as they were.
      assert.deepEqual(await conversation(elsewhere), ['in no channel', ['free']])
      assert.deepEqual(await conversation(bad), ['bad'])
      assert.deepEqual(await conversation(deep), ['good below'])
      assert.equal((await channels.unban(account(2), 'reeds', 3)).status, 200)
      assert.equal((await decide(hidden, 'unhide')).status, 200)
      assert.deepEqual(await conversation(root), ['a question', all, ['bad']])
    })
  })
}
