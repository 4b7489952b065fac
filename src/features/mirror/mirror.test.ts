// What a mirror makes of lists and events of its source, over a source in memory and a hub on a store.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { create } from '@bufbuild/protobuf'
import { createMemoryMirror } from '../../../test/mirror-memory.ts'
import { hashesOf } from '../../../test/mirror-support.ts'
import { DEVNET, ENGINES, type TestAccount, WORLD_START_MS } from '../../../test/world.ts'
import {
  buildMessage,
  castAdd,
  type DataInit,
  type Origin,
  userDataAdd,
} from '../../kernel/protocol/build.ts'
import { toHex } from '../../kernel/protocol/codec/bytes.ts'
import { encodeEnvelope } from '../../kernel/protocol/codec/envelope.ts'
import type { SignedMessage } from '../../kernel/protocol/message.ts'
import { MESSAGE_SETS } from '../../kernel/protocol/slots.ts'
import { networkTime } from '../../kernel/protocol/time.ts'
import {
  ChannelPinBodySchema,
  MessageType,
  UserDataType,
} from '../../kernel/protocol/wire/message_pb.js'
import type { EventBody, SourceEvent } from './source/events.ts'

const CASTS = MESSAGE_SETS.casts
const START = networkTime(WORLD_START_MS) - 100_000
let seconds = 0

const sign = (
  account: TestAccount,
  make: (origin: Origin) => DataInit,
  terms: Partial<Origin> = {},
) =>
  buildMessage(
    make({ fid: account.fid, timestamp: START + seconds++, network: DEVNET, ...terms }),
    account.seed,
  )
const cast = (account: TestAccount, text: string) => sign(account, (o) => castAdd(o, { text }))

const channelPin = (origin: Origin): DataInit => ({
  ...castAdd(origin, { text: '' }),
  type: MessageType.CHANNEL_PIN,
  body: { case: 'channelPinBody', value: create(ChannelPinBodySchema) },
})

let lastEvent = 0
const event = (fid: number, what: EventBody): SourceEvent => ({
  id: ++lastEvent,
  type: 1,
  block: 0,
  timestamp: 0,
  fid,
  what,
})
const merged = (message: SignedMessage, deleted: readonly SignedMessage[] = []) =>
  event(message.fid, {
    kind: 'merge',
    message: encodeEnvelope(message),
    deleted: deleted.map(encodeEnvelope),
  })
const removed = (message: SignedMessage, reason: 'prune' | 'revoke') =>
  event(message.fid, { kind: 'remove', message: encodeEnvelope(message), reason })

function withLastByteChanged(bytes: Uint8Array): Uint8Array {
  const changed = Uint8Array.from(bytes)
  changed[changed.length - 1]! ^= 1
  return changed
}

for (const engine of ENGINES) {
  describe(`a mirror over a source in memory on ${engine}`, () => {
    let world: Awaited<ReturnType<typeof createMemoryMirror>>
    before(async () => {
      world = await createMemoryMirror(engine)
    })
    after(() => world.close())

    const castsOf = async (fid: number) =>
      (await hashesOf(world.storage, [fid]))[`${fid} casts`] ?? []
    const hexOf = (messages: readonly SignedMessage[]) => messages.map(({ hash }) => toHex(hash))
    const reasonsOf = async (fid: number) =>
      (await world.mirror.quarantineOf(fid, 10)).map(({ reason }) => reason).sort()

    test('a person who is compared has what the source lists, and loses what it lists no more', async () => {
      const author = world.source.add(1)
      const casts = [cast(author, 'one'), cast(author, 'two'), cast(author, 'three')]
      world.source.list(1, ...casts)
      assert.equal((await world.read(1)).state, 'live')
      assert.deepEqual(await castsOf(1), hexOf(casts))
      world.source.clear(1, CASTS)
      world.source.list(1, casts[1]!)
      const row = await world.read(1)
      assert.deepEqual([row.state, row.failures], ['live', 0])
      assert.deepEqual(await castsOf(1), hexOf([casts[1]!]))
    })

    test('an empty list removes nothing as long as the source counts more, and a true one does', async () => {
      const author = world.source.add(2)
      const casts = Array.from({ length: 30 }, (_, i) => cast(author, `${i}`))
      world.source.list(2, ...casts)
      await world.read(2)
      world.source.clear(2, CASTS)
      world.source.counts.set(2, new Map([[CASTS, 30]]))
      assert.equal((await world.read(2)).failures, 1)
      assert.equal((await castsOf(2)).length, 30)
      world.source.counts.delete(2)
      world.source.counts.set(2, new Map([[CASTS, 0]]))
      assert.equal((await world.read(2)).failures, 0)
      assert.deepEqual(await castsOf(2), [])
    })

    test('a list that would remove much is read twice, and what the second one has stays', async () => {
      const author = world.source.add(3)
      const casts = Array.from({ length: 30 }, (_, i) => cast(author, `${i}`))
      world.source.list(3, ...casts)
      await world.read(3)
      world.source.clear(3, CASTS)
      world.source.counts.set(3, new Map([[CASTS, 0]]))
      let pages = 0
      world.source.beforePage = async (method) => {
        if (method === 'GetAllCastMessagesByFid' && ++pages === 1) world.source.list(3, ...casts)
      }
      await world.read(3)
      world.source.beforePage = async () => {}
      assert.equal(pages, 2)
      assert.equal((await castsOf(3)).length, 30)
    })

    const LIES = {
      invalid_hash: (message: SignedMessage) => ({
        ...message,
        hash: withLastByteChanged(message.hash),
      }),
      invalid_signature: (message: SignedMessage) => ({
        ...message,
        signature: withLastByteChanged(message.signature),
      }),
      wrong_fid: (_: SignedMessage, author: TestAccount) =>
        sign(author, (o) => castAdd(o, { text: 'lie' }), { fid: author.fid + 1 }),
      wrong_network: (_: SignedMessage, author: TestAccount) =>
        sign(author, (o) => castAdd(o, { text: 'lie' }), { network: 1 }),
      waiting: (_: SignedMessage, author: TestAccount) =>
        cast({ ...author, seed: new Uint8Array(32).fill(99) }, 'lie'),
    }
    for (const [i, [reason, lie]] of Object.entries(LIES).entries()) {
      test(`a lie is in quarantine as ${reason} and never stored, and the rest is`, async () => {
        const fid = 20 + 2 * i
        const author = world.source.add(fid)
        const [lied, honest] = [cast(author, 'lie'), cast(author, 'honest')]
        world.source.list(fid, lie(lied, author), honest)
        await world.read(fid)
        assert.deepEqual(await reasonsOf(fid), [reason])
        assert.deepEqual(await castsOf(fid), hexOf([honest]))
        world.source.clear(fid, CASTS)
        world.source.list(fid, lied, honest)
        await world.read(fid)
        assert.deepEqual(await reasonsOf(fid), [])
        assert.deepEqual(await castsOf(fid), hexOf([lied, honest]))
      })
    }

    test('a message of a kind that no list has stays in quarantine when its author is compared', async () => {
      const author = world.source.add(4)
      await world.read(4)
      const tooLong = sign(author, (o) => castAdd(o, { text: 'x'.repeat(2_000) }))
      await world.apply([merged(tooLong), merged(sign(author, channelPin))], 10)
      const reasons = ['rule bad_request.validation_failure', 'unsupported_kind']
      assert.deepEqual(await reasonsOf(4), reasons)
      world.source.list(4, tooLong)
      await world.read(4)
      assert.deepEqual(await reasonsOf(4), reasons)
    })

    test('a message that the clock of this server takes for one of the future is stored once it is not', async () => {
      const author = world.source.add(5)
      const timestamp = networkTime(world.clock.now()) + 10 * 60 + 30
      const early = sign(author, (o) => castAdd(o, { text: 'early' }), { timestamp })
      world.source.list(5, early)
      await world.read(5)
      const [row] = await world.mirror.quarantineOf(5, 10)
      assert.equal(row!.reason, 'waiting')
      assert.match(row!.detail, /future/)
      world.clock.advance(60_000)
      await world.read(5)
      assert.deepEqual([await castsOf(5), await reasonsOf(5)], [hexOf([early]), []])
    })

    test('events store, replace and remove, and their shard has come so far in the same step', async () => {
      const author = world.source.add(6)
      await world.read(6)
      const [kept, pruned, revoked] = [cast(author, 'a'), cast(author, 'b'), cast(author, 'c')]
      const bio = (text: string) =>
        sign(author, (o) => userDataAdd(o, UserDataType.USER_DATA_TYPE_BIO, text))
      const [first, second] = [bio('first'), bio('second')]
      await world.apply(
        [kept, pruned, revoked, first].map((one) => merged(one)),
        20,
      )
      assert.equal((await world.mirror.shard(0))!.cursor, 20)
      const later = [removed(pruned, 'prune'), removed(revoked, 'revoke'), merged(second, [first])]
      await world.apply(later, 30)
      const here = await hashesOf(world.storage, [6])
      assert.deepEqual(here, { '6 casts': hexOf([kept]), '6 userData': hexOf([second]) })
      assert.equal((await world.mirror.shard(0))!.cursor, 30)
    })

    test('a message that an event has taken away after its page was read is never stored', async () => {
      const author = world.source.add(7)
      const [gone, stays] = [cast(author, 'gone'), cast(author, 'stays')]
      world.source.list(7, gone, stays)
      world.source.beforePage = async (method) => {
        if (method === 'GetAllCastMessagesByFid') await world.apply([removed(gone, 'revoke')], 40)
      }
      await world.read(7)
      world.source.beforePage = async () => {}
      assert.deepEqual(await castsOf(7), hexOf([stays]))
    })

    test('people whom no rule names any more lose what the source removes, and get nothing new', async () => {
      const author = world.source.add(8)
      const [old, older] = [cast(author, 'old'), cast(author, 'older')]
      world.source.list(8, old, older)
      await world.read(8)
      await world.freeze(8)
      await world.apply([removed(older, 'revoke'), merged(cast(author, 'new'))], 50)
      assert.deepEqual(await castsOf(8), hexOf([old]))
    })

    test('events of people who are not mirrored store nothing', async () => {
      const stranger = world.source.add(9)
      await world.apply([merged(cast(stranger, 'unknown'))], 60)
      assert.deepEqual(await hashesOf(world.storage, [9]), {})
    })
  })
}
