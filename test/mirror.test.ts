// A mirror has what its source has, whatever happens in between.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { create } from '@bufbuild/protobuf'
import { mirrorRows } from '../src/features/mirror/tables/mirror.ts'
import { castAdd, linkAdd, reactionAdd } from '../src/kernel/protocol/build.ts'
import { encodeEnvelope } from '../src/kernel/protocol/codec/envelope.ts'
import { networkTime } from '../src/kernel/protocol/time.ts'
import {
  type OnChainEvent,
  OnChainEventSchema,
  SignerEventBodySchema,
  SignerEventType,
} from '../src/kernel/protocol/wire/onchain_event_pb.js'
import { effort } from './effort.ts'
import { allOf, createMirror, hashesOf, type MirrorWorld, sourceOf } from './mirror-support.ts'
import { until } from './until.ts'
import { accountEvents, createWorld, enginesOf, type TestAccount, type World } from './world.ts'

for (const engine of enginesOf(import.meta.url)) {
  describe(`a mirror on ${engine}`, () => {
    let source: World
    let mirror: MirrorWorld
    before(async () => {
      source = await createWorld({ engine })
      mirror = await createMirror(sourceOf(source), { engine })
    })
    after(async () => {
      await mirror.close()
      await source.close()
    })

    test('chosen people have the messages that the source has, and get its new ones', async () => {
      const [one, two] = await source.accounts([11, 12])
      const casts = ['a', 'b', 'c'].map((text) =>
        source.sign(one!, castAdd(source.origin(one!), { text })),
      )
      for (const cast of casts) assert.equal((await source.submit(cast)).status, 200)
      await source.submit(source.sign(two!, castAdd(source.origin(two!), { text: 'not mirrored' })))
      await mirror.follow('fid:11')
      await mirror.settled(allOf(source))
      assert.deepEqual(
        await hashesOf(mirror.app.storage, [11, 12]),
        await hashesOf(source.app.storage, [11]),
      )
      await source.submit(source.sign(one!, linkAdd(source.origin(one!), 'follow', 12)))
      await source.submit(
        encodeEnvelope(
          source.sign(one!, reactionAdd(source.origin(one!), 1, { fid: 12, hash: casts[0]!.hash })),
        ),
      )
      await mirror.settled(allOf(source))
      assert.deepEqual(
        await hashesOf(mirror.app.storage, [11, 12]),
        await hashesOf(source.app.storage, [11]),
      )
      const { people, state, quarantine } = await mirror.status()
      assert.deepEqual(
        { people, state, quarantine },
        {
          people: { waiting: 0, reading: 0, live: 1, differ: 0, frozen: 0 },
          state: 'following',
          quarantine: {},
        },
      )
    })

    test('the three authors whose messages a copy by submits loses are complete', async () => {
      const [rotated, lapsed, prolific] = await source.accounts([21, 22, 23], { units: 100 })
      const at = networkTime(source.clock.now())
      const castsOf = (account: TestAccount, count: number, text: string) =>
        Array.from({ length: count }, (_, i) =>
          source.sign(
            account,
            castAdd(source.origin(account, at - count + i), { text: `${i}${text}` }),
          ),
        )
      const LONG = 'x'.repeat(300)
      for (const [account, count, text] of [
        [rotated!, 20, ''],
        [lapsed!, 15, ''],
        [prolific!, effort(150, 4_800), LONG],
      ] as const) {
        for (const cast of castsOf(account, count, text)) {
          assert.equal((await source.submit(cast)).status, 200)
        }
      }
      await source.app.ledger!.importEvents([
        keyRemoval(rotated!, Math.floor(source.clock.now() / 1_000)),
      ])
      // The storage of the second author does not count at the mirror, which got none of it.
      await mirror.follow('fid:21,22,23')
      await mirror.settled(allOf(source))
      await mirror.app.storage.write('hub', async (tx) => {
        await tx.of(mirrorRows).setAllDue(mirror.clock.now())
      })
      await mirror.settled(allOf(source))
      const fids = [21, 22, 23]
      assert.deepEqual(
        await hashesOf(mirror.app.storage, fids),
        await hashesOf(source.app.storage, fids),
      )
      assert.deepEqual((await mirror.status()).quarantine, {})
    })

    test('the hub says whose mirror it is, and where messages are to be sent', async () => {
      // `isComplete` is set once everybody was read.
      const body = await until(async () => {
        const info = (await mirror.get('/v1/info')).body
        return info.mirror.isComplete && info
      })
      assert.deepEqual(
        [body.mirror.host, body.mirror.scope, body.mirror.isComplete, body.isSyncing],
        [source.app.urls.grpc, 'chosen', true, false],
      )
      const account = await source.account(41)
      const answer = await mirror.submit(
        source.sign(account, castAdd(source.origin(account), { text: 'hi' })),
      )
      assert.equal(answer.body.errCode, 'not_implemented')
      assert.match(answer.body.details, new RegExp(source.app.urls.grpc))
      assert.match(JSON.stringify((await source.operate('/mirror')).body), /not_supported/)
    })

    test('reads by fid say whether the person is mirrored, and limits are those of the source', async () => {
      const [read] = await source.accounts([61, 62], { units: 7 })
      await source.submit(source.sign(read!, castAdd(source.origin(read!), { text: 'in scope' })))
      await mirror.follow('fid:61')
      await mirror.settled(allOf(source))
      const scopes = await Promise.all(
        [61, 62].map(async (fid) => {
          const { headers, body } = await mirror.get(`/v1/castsByFid?fid=${fid}`)
          return [body.messages.length, headers.get('x-rookery-scope')]
        }),
      )
      assert.deepEqual(scopes, [
        [1, null],
        [0, 'outside'],
      ])
      const [here, there] = await Promise.all(
        [mirror, source].map((world) => world.get('/v1/storageLimitsByFid?fid=61')),
      )
      const limitsOf = (answer: typeof here) =>
        answer!.body.limits.map(({ name, limit, used }: Record<string, unknown>) => [
          name,
          limit,
          used,
        ])
      assert.deepEqual(limitsOf(here), limitsOf(there))
    })

    test('people whom no rule names any more keep their messages and get no new ones', async () => {
      const account = await source.account(51)
      await source.submit(source.sign(account, castAdd(source.origin(account), { text: 'before' })))
      await mirror.follow('fid:51')
      await mirror.settled(allOf(source))
      const before = await hashesOf(mirror.app.storage, [51])
      await mirror.operate('/mirror/rules/remove', { body: { rule: 'fid:51' } })
      // A rule may name them again for a day.
      await until(async () => {
        mirror.clock.advance(2 * 3_600_000)
        const { frozen, reading } = (await mirror.status()).people
        // A comparison that began before stores what it reads.
        return frozen === 1 && reading === 0
      })
      source.clock.advance(1_000)
      await source.submit(source.sign(account, castAdd(source.origin(account), { text: 'after' })))
      await mirror.settled(allOf(source))
      assert.deepEqual(await hashesOf(mirror.app.storage, [51]), before)
      assert.equal(before['51 casts']!.length, 1)
      const { people } = await mirror.status()
      const stored = mirror.app.storage.of(mirrorRows)
      assert.equal(await stored.dueCount(Number.MAX_SAFE_INTEGER), people.waiting + people.live)
    })
  })
}

/** The key of an account is removed by a later transaction. */
function keyRemoval(account: TestAccount, seconds: number): OnChainEvent {
  const [, added] = accountEvents(account, seconds, 1)
  return create(OnChainEventSchema, {
    ...added!,
    blockNumber: added!.blockNumber + 1,
    body: {
      case: 'signerEventBody',
      value: create(SignerEventBodySchema, {
        key: account.key,
        keyType: 1,
        eventType: SignerEventType.REMOVE,
        metadataType: 1,
      }),
    },
  })
}
