// Search of casts by person, channel, day, what they carry and tag; and what there is to explore.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { Compile } from 'typebox/compile'
import { ExploreScreenReply } from '../src/features/app-api/screens/schemas.ts'
import { CHANNELS } from '../src/features/channels/port.ts'
import { mutedTermRows } from '../src/features/mutes/tables/muted-terms.ts'
import { WEB_KEY } from '../src/kernel/app-api/given-keys.ts'
import { DAY_MS } from '../src/kernel/protocol/time.ts'
import { bytesOfHash, createNetwork, type Json, type Network } from './app-api-support.ts'
import { registryClient } from './registry-support.ts'
import { enginesOf } from './world.ts'

const urls = (...all: string[]) => ({
  embeds: all.map((value) => ({ embed: { case: 'url' as const, value } })),
})
const PICTURE = 'https://pictures.example/heron.jpg'

for (const engine of enginesOf(import.meta.url)) {
  describe(`filters of the search on ${engine}`, { concurrency: 1 }, () => {
    let net: Network
    let firstDay: string
    let third: Parameters<Network['cast']>[0]
    before(async () => {
      net = await createNetwork(engine, [])
      const registry = registryClient(net.world)
      const people = await registry.people([1, 2, 3, 4, 5])
      for (const person of people) {
        await registry.register(person, `user${person.fid}`)
        assert.equal((await registry.setUsername(person, `user${person.fid}`)).status, 200)
      }
      const [one, two, three, four] = people.map(({ app }) => app)
      third = three!
      const { url } = await net.world.app.of(CHANNELS).createFor({
        channelId: 'tides',
        name: 'Tides',
        description: '',
        ownerFid: 2,
      })
      const inTides = { parent: { case: 'parentUrl' as const, value: url } }
      firstDay = new Date(net.world.clock.now()).toISOString().slice(0, 10)
      await net.cast(one!, { text: 'a heron by the water #Birds' })
      const root = await net.cast(two!, { text: 'a heron in the channel', ...inTides })
      net.world.clock.advance(2 * DAY_MS)
      const parent = { fid: 2n, hash: bytesOfHash(root) }
      await net.cast(three!, {
        text: 'a reply about a heron',
        parent: { case: 'parentCastId', value: parent },
      })
      await net.cast(two!, { text: 'this heron #birds', ...urls(PICTURE) })
      await net.cast(three!, { text: 'a film', ...urls('https://films.example/heron.mp4') })
      await net.cast(four!, { text: 'a page #Mud', ...urls('https://pages.example/heron') })
      await net.recast(four!, 2, root)
      await net.indexed()
    })
    after(() => net?.world.close())

    const search = (query: Record<string, string>) =>
      net.get('/cast/search', { sort_type: 'chron', ...query })
    const found = async (query: Record<string, string>): Promise<string[]> => {
      const { status, body } = await search(query)
      assert.equal(status, 200, JSON.stringify(body))
      assert.equal(body.result.next.cursor, null)
      return body.result.casts.map(({ text }: Json) => text)
    }
    const explore = async (viewer?: number): Promise<Json> => {
      const query: Record<string, string> = viewer ? { viewer_fid: String(viewer) } : {}
      const { status, body } = await net.get('/screen/explore', query, WEB_KEY)
      assert.equal(status, 200, JSON.stringify(body))
      assert.ok(Compile(ExploreScreenReply).Check(body), JSON.stringify(body))
      return body
    }

    it('operators in the query and parameters find the same', async () => {
      const later = new Date(net.world.clock.now()).toISOString().slice(0, 10)
      const ofTwo = ['a heron in the channel', 'this heron #birds']
      const ofTides = ['a heron in the channel', 'a reply about a heron']
      const early = ['a heron by the water #Birds', 'a heron in the channel']
      const cases: [q: string, parameters: Record<string, string>, texts: string[]][] = [
        ['from:user2', { author_fid: '2' }, ofTwo],
        ['from:@User2 heron', { q: 'heron', author_fid: '2' }, ofTwo],
        ['from:!2', { author_fid: '2' }, ofTwo],
        ['in:tides', { channel_id: 'tides' }, ofTides],
        ['in:/Tides reply', { q: 'reply', channel_id: 'tides' }, ofTides.slice(1)],
        ['has:pictures', { has: 'pictures' }, ['this heron #birds']],
        ['has:videos', { has: 'videos' }, ['a film']],
        ['has:links', { has: 'links' }, ['a page #Mud']],
        [`until:${firstDay}`, { until: firstDay }, early],
        [
          `heron since:${later} from:user3`,
          { q: 'heron', since: later, author_fid: '3' },
          ['a reply about a heron', 'a film'],
        ],
        ['#birds from:user2', { tag: '#BIRDS', author_fid: '2' }, ['this heron #birds']],
        [
          `from:user2 in:tides until:${firstDay}`,
          { author_fid: '2', channel_id: 'tides', until: firstDay },
          ofTwo.slice(0, 1),
        ],
      ]
      for (const [q, parameters, texts] of cases) {
        assert.deepEqual(await found({ q }), texts, q)
        assert.deepEqual(await found(parameters), texts, JSON.stringify(parameters))
      }
      assert.deepEqual(await found({ q: '(from:user1 | from:user3) heron -has:videos' }), [
        'a heron by the water #Birds',
        'a reply about a heron',
      ])
      const others = await found({ q: '-#birds -film', author_fid: '2' })
      assert.deepEqual(others, ['a heron in the channel'])
      assert.deepEqual(await found({ q: '"hello from:nobody there"' }), [])
      const phrase = await found({ q: '"a heron" from:user2', channel_id: 'tides' })
      assert.deepEqual(phrase, ['a heron in the channel'])
    })

    it('a list of a channel or of a time alone comes in pages, each cast once', async () => {
      for (const q of ['in:tides', `since:${firstDay}`]) {
        for (const sort of ['chron', 'desc_chron']) {
          const whole = (await search({ q, sort_type: sort })).body.result.casts
          const walked: Json[] = []
          for (let cursor: string | null = ''; cursor !== null; ) {
            const place: Record<string, string> = cursor ? { cursor } : {}
            const { result }: Json = (await search({ q, sort_type: sort, limit: '1', ...place }))
              .body
            walked.push(...result.casts)
            cursor = result.next.cursor
          }
          assert.deepEqual(walked, whole, `${q} ${sort}`)
        }
      }
    })

    it('a filter that cannot be met is named', async () => {
      const refusals: [Record<string, string>, field: string, message: RegExp][] = [
        [{ q: 'from:nobody' }, 'q', /from:nobody, and nobody is called so/],
        [{ q: 'in:nowhere' }, 'q', /in:nowhere, and there is no such channel/],
        [{ q: 'in:tides', channel_id: 'dogs' }, 'q', /another channel/],
        [{ q: 'heron -in:tides' }, 'q', /must not have `-` before in:/],
        [{}, 'q', /q or a filter is missing/],
        [{ since: '2026-13-01' }, 'since', /a day such as/],
        [{ since: '2026-02-31' }, 'since', /a day such as/],
        [{ until: 'now' }, 'until', /a day such as/],
        [{ has: 'wings' }, 'has', /pictures/],
        [{ tag: 'two words' }, 'tag', /letters and digits/],
      ]
      for (const [query, field, message] of refusals) {
        const { status, body } = await search(query)
        assert.equal(status, 400, JSON.stringify(query))
        assert.equal(body.property ?? body.field ?? field, field)
        assert.match(body.message, message)
      }
      const screen = await net.get('/screen/search', { q: 'from:nobody tides' }, WEB_KEY)
      assert.match(screen.body.refused, /nobody is called so/)
      // Who narrows a search by them looks for casts.
      assert.deepEqual(screen.body.channels.channels, [])
    })

    it('a cast that moderators have hidden is neither found nor counted', async () => {
      const hash = await net.cast(third, { text: 'an unwanted word' })
      await net.indexed()
      const counted = async () => {
        const { body } = await net.get('/cast/metrics', { q: 'unwanted' })
        return body.metrics.reduce((sum: number, one: Json) => sum + one.cast_count, 0)
      }
      assert.equal(await counted(), 1)
      const body = { reason: 'test', actor: 'test' }
      const { status } = await net.world.operate(`/moderation/casts/${hash}/hide`, { body })
      assert.equal(status, 200)
      assert.equal(await counted(), 0)
      assert.deepEqual(await found({ q: 'unwanted' }), [])
    })

    it('explore has tags of several people, pictures, new people and channels in one answer', async () => {
      const all = await explore()
      assert.deepEqual(all.tags, [{ tag: 'birds', people: 2, casts: 2 }])
      assert.deepEqual(
        all.pictures.map(({ text }: Json) => text),
        ['this heron #birds'],
      )
      assert.deepEqual(
        all.users.map(({ fid }: Json) => fid),
        [5, 4, 3, 2, 1],
      )
      assert.deepEqual(
        all.channels.map(({ id }: Json) => id),
        ['tides'],
      )
      assert.ok(!(await explore(5)).users.some(({ fid }: Json) => fid === 5))
    })

    it('explore shows nobody whom moderators have limited, and no muted words', async () => {
      const body = { reason: 'test', actor: 'test' }
      const decide = async (what: string) =>
        assert.equal(
          (await net.world.operate(`/moderation/accounts/2/${what}`, { body })).status,
          200,
        )
      await decide('limit')
      const limited = await explore()
      assert.deepEqual([limited.tags, limited.pictures], [[], []])
      assert.ok(!limited.users.some(({ fid }: Json) => fid === 2))
      assert.deepEqual(await found({ q: 'from:user2' }), [])
      await decide('unlimit')
      assert.equal((await explore()).pictures.length, 1)
      const term = { fid: 5, kind: 'word', term: 'birds', muted_at: 1 } as const
      await net.world.app.storage.write('platform', (tx) => tx.of(mutedTermRows).add(term))
      const muted = await explore(5)
      assert.deepEqual([muted.tags, muted.pictures], [[], []])
    })
  })
}
