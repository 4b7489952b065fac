// What casts of chosen people refer to: the casts that they answer and quote, and who is in them.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { mirrorRows } from '../src/features/mirror/tables/mirror.ts'
import { mirrorContextRows } from '../src/features/mirror/tables/mirror-context.ts'
import { castAdd, castRemove, userDataAdd } from '../src/kernel/protocol/build.ts'
import { toHex } from '../src/kernel/protocol/codec/bytes.ts'
import type { SignedMessage } from '../src/kernel/protocol/message.ts'
import { UserDataType } from '../src/kernel/protocol/wire/message_pb.js'
import { type FakeHub, startFakeHub } from './fake-hub/fake-hub.ts'
import { Author, assertSame } from './mirror-authors.ts'
import { createMirror, hashesOf, heights, type MirrorWorld } from './mirror-support.ts'
import { until } from './until.ts'
import { enginesOf, WORLD_START_MS } from './world.ts'

type CastInit = Omit<Exclude<Parameters<typeof castAdd>[1], string>, '$typeName' | '$unknown'>

const BIO = UserDataType.USER_DATA_TYPE_BIO
const idOf = ({ fid, hash }: SignedMessage) => ({ fid: BigInt(fid), hash })

for (const engine of enginesOf(import.meta.url)) {
  describe(`the context of mirrored casts on ${engine}`, () => {
    let fake: FakeHub
    let mirror: MirrorWorld
    let authors: ReadonlyMap<number, Author>
    let thread: SignedMessage[]
    let quoted: SignedMessage
    const of = (fid: number) => authors.get(fid)!
    const cast = (fid: number, body: CastInit = {}) =>
      of(fid).sign((o) => castAdd(o, { text: 'cast', ...body }))
    const answer = (fid: number, to: SignedMessage, body: CastInit = {}) =>
      cast(fid, { ...body, parent: { case: 'parentCastId', value: idOf(to) } })

    before(async () => {
      fake = await startFakeHub({ now: () => WORLD_START_MS })
      const fids = [1, 2, 3, 4, 5, 6, 7]
      authors = new Map(fids.map((fid) => [fid, new Author(fake.account(fid))]))
      for (const author of authors.values()) {
        const bio = `bio of ${author.account.fid}`
        fake.queueMerge(author.sign((o) => userDataAdd(o, BIO, bio)))
        fake.queueMerge(author.sign((o) => castAdd(o, { text: 'besides' })))
      }
      // The cast of fid 1 answers 2, who answers 3, who answers 4, and so on up to 6; depth 3 ends at 4.
      quoted = cast(7, { mentions: [3n], mentionsPositions: [0] })
      thread = [cast(6)]
      for (const fid of [5, 4, 3, 2]) thread.push(answer(fid, thread.at(-1)!))
      const embeds = [{ embed: { case: 'castId' as const, value: idOf(quoted) } }]
      thread.push(answer(1, thread.at(-1)!, { embeds }))
      fake.merge(quoted, ...thread)
      const source = { address: fake.address, now: () => WORLD_START_MS }
      mirror = await createMirror(source, { engine, env: { ROOKERY_MIRROR_CONTEXT_DEPTH: '3' } })
      fake.startBlocks(250)
    })
    after(async () => {
      await mirror.close()
      await fake.close()
    })

    const casts = async (fid: number) =>
      (await hashesOf(mirror.app.storage, [fid]))[`${fid} casts`] ?? []
    const isHere = async ({ fid, hash }: SignedMessage) => (await casts(fid)).includes(toHex(hash))
    const bioOf = async (fid: number) => {
      const { body } = await mirror.get(`/v1/userDataByFid?fid=${fid}&user_data_type=${BIO}`)
      return body.data?.userDataBody.value
    }
    const context = async () => (await mirror.status()).context

    test('casts above a reply up to the depth, quoted casts and the profiles of their authors are mirrored', async () => {
      await mirror.follow('fid:1')
      await until(async () => {
        await mirror.settled(heights(fake))
        const { people, casts: stored, waiting } = await context()
        assert.deepEqual([people, stored, waiting], [4, 4, 0])
        return true
      })
      const [root, ...others] = thread
      const [fifth, ...near] = others
      assert.deepEqual([await isHere(root!), await isHere(fifth!)], [false, false])
      for (const one of near) assert.equal(await isHere(one), true, `cast of fid ${one.fid}`)
      assert.equal(await isHere(quoted), true)
      for (const fid of [2, 3, 4, 7]) {
        assert.equal((await casts(fid)).length, 1)
        assert.equal(await bioOf(fid), `bio of ${fid}`)
      }
      assert.equal(await bioOf(5), undefined)
      const { headers } = await mirror.get('/v1/castsByFid?fid=2')
      assert.equal(headers.get('x-rookery-scope'), 'frozen')
      const { people } = await mirror.status()
      assert.deepEqual([people.live, people.waiting, people.differ], [1, 0, 0])
    })

    test('people who are context get no new casts, lose those that they remove, and show their newest profile', async () => {
      const fourth = thread.find(({ fid }) => fid === 4)!
      fake.merge(
        cast(2, { text: 'no answer to it' }),
        of(4).sign((o) => castRemove(o, fourth.hash)),
        of(3).sign((o) => userDataAdd(o, BIO, 'new bio')),
      )
      await until(async () => (await bioOf(3)) === 'new bio' && !(await isHere(fourth)))
      fake.prune(quoted.hash)
      await until(async () => !(await isHere(quoted)))
      await mirror.settled(heights(fake))
      assert.equal((await casts(2)).length, 1)
      // A comparison finds what events did not tell.
      await mirror.app.storage.write('hub', (tx) => tx.of(mirrorRows).setAllDue(mirror.clock.now()))
      await mirror.settled(heights(fake))
      assert.deepEqual([await isHere(fourth), await isHere(quoted)], [false, false])
      assert.equal((await context()).missing, 2)
    })

    test('a new cast brings its context, and a person whom it mentions', async () => {
      const before = cast(5, { text: 'before' })
      fake.merge(before)
      const mentioning = { mentions: [6n], mentionsPositions: [0] }
      fake.merge(answer(1, before, mentioning))
      await until(async () => (await isHere(before)) && (await bioOf(6)) === 'bio of 6')
      assert.deepEqual(await casts(6), [])
      await mirror.settled(heights(fake))
    })

    test('somebody who was context and is chosen is mirrored with everything', async () => {
      const { length } = await casts(2)
      assert.equal(length, 1)
      const contextCasts = () => mirror.app.storage.of(mirrorContextRows).castsOf(2, 10)
      assert.equal((await contextCasts()).length, 1)
      await mirror.follow('fid:2')
      await until(async () => {
        await mirror.settled(heights(fake))
        await assertSame(mirror.app.storage, fake, [1, 2])
        return true
      })
      // What is mirrored anyway is not counted as context, nor waited for.
      assert.deepEqual(await contextCasts(), [])
    })

    test('erasing a rule removes the context of its people, and keeps that of others', async () => {
      await mirror.operate('/mirror/rules/remove', { body: { rule: 'fid:1', erase: true } })
      await until(async () => {
        const people = await mirror.app.storage.of(mirrorRows).fids([1, 5, 6, 7])
        return people.length === 0
      })
      assert.deepEqual(await hashesOf(mirror.app.storage, [1, 5, 6, 7]), {})
      // Fid 2 answers 3.
      assert.equal(await isHere(thread.find(({ fid }) => fid === 3)!), true)
      await assertSame(mirror.app.storage, fake, [2])
    })

    test('somebody who is being erased gets no new casts, and is context of casts that come meanwhile', async () => {
      await mirror.follow('fid:5')
      await mirror.settled(heights(fake))
      // Nobody is erased before it is resumed.
      await mirror.operate('/mirror/pause', { body: {} })
      await mirror.operate('/mirror/rules/remove', { body: { rule: 'fid:5', erase: true } })
      const [answered, late] = [thread.find(({ fid }) => fid === 5)!, cast(5, { text: 'late' })]
      fake.merge(late, answer(2, answered))
      const hasAll = heights(fake)
      await until(async () => hasAll((await mirror.status()).shards))
      assert.equal(await isHere(late), false)
      const noted = () => mirror.app.storage.of(mirrorContextRows).castsOf(5, 10)
      await until(async () => (await noted()).length === 1)
      await mirror.operate('/mirror/resume', { body: {} })
      await until(async () => {
        const [person] = await mirror.app.storage.of(mirrorRows).fids([5])
        return person?.state === 'context' && person.read_at > 0
      })
      assert.deepEqual(await casts(5), [toHex(answered.hash)])
    })
  })
}
