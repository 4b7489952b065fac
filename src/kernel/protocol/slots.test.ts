import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import * as build from './build.ts'
import { toHex, toUtf8, u32be } from './codec/bytes.ts'
import type { SignedMessage } from './message.ts'
import * as slots from './slots.ts'
import type { Protocol, UserNameType } from './wire/message_pb.js'

const seed = new Uint8Array(32).fill(7)
const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length })
const fid = fc.constantFrom(1, 2, 255, 256, 65_535, 65_536, 2 ** 32 - 1)
const origin = fid.map((fid) => ({ fid, timestamp: 1, network: 1 }))
const hash = fc.constantFrom(...[1, 2].map((byte) => new Uint8Array(20).fill(byte)))
const url = fc.constantFrom('a', 'b', 'https://a', 'https://ab')
const linkType = fc.constantFrom('a', 'ab', 'follow', '12345678')
const target = fc.oneof(
  fc.record({ fid, hash }),
  url.map((url) => ({ url })),
)
const protocol = fc.constantFrom(0, 1) as fc.Arbitrary<Protocol>
const address = (of: Protocol) => new Uint8Array(of === 1 ? 32 : 20).fill(1)

/** What a message is about, told without any bytes: two messages share a slot when this is equal. */
type Case = { init: build.DataInit; about: unknown[] }
const about = (init: build.DataInit, ...about: unknown[]): Case => ({ init, about })

const anyCase: fc.Arbitrary<Case> = fc.oneof(
  fc.tuple(origin, fc.constantFrom('a', 'b')).map(([o, text]) => {
    const init = build.castAdd(o, text)
    return about(init, 'cast', o.fid, toHex(build.buildMessage(init, seed).hash))
  }),
  fc.tuple(origin, hash).map(([o, h]) => about(build.castRemove(o, h), 'cast', o.fid, toHex(h))),
  fc.tuple(origin, fc.constantFrom(1, 2), target, fc.boolean()).map(([o, type, to, add]) => {
    const make = add ? build.reactionAdd : build.reactionRemove
    const key = 'url' in to ? to.url : [to.fid, toHex(to.hash)]
    return about(make(o, type, to), 'reaction', o.fid, type, key)
  }),
  fc.tuple(origin, linkType, fid, fc.boolean()).map(([o, type, to, add]) => {
    const make = add ? build.linkAdd : build.linkRemove
    return about(make(o, type, to), 'link', o.fid, type, to)
  }),
  fc
    .tuple(origin, linkType, fid)
    .map(([o, type, to]) => about(build.linkCompactState(o, type, [to]), 'compact', o.fid, type)),
  fc
    .tuple(origin, fc.constantFrom(1, 2, 3, 6), fc.constantFrom('a', 'b'))
    .map(([o, type, value]) => about(build.userDataAdd(o, type, value), 'profile', o.fid, type)),
  fc.tuple(origin, protocol).map(([o, p]) => {
    return about(build.verificationRemove(o, address(p), p), 'claim', o.fid, toHex(address(p)))
  }),
  fc.tuple(origin, fc.constantFrom('a.eth', 'b.eth')).map(([o, name]) => {
    const proof = { name, owner: seed.subarray(12), signature: seed, type: 2 as UserNameType }
    return about(build.usernameProof(o, proof), 'name', name)
  }),
)

test('two messages share a slot exactly when they are about the same thing', () => {
  const slotsOfThings = new Map<string, string>()
  const thingsOfSlots = new Map<string, string>()
  fc.assert(
    fc.property(anyCase, ({ init, about }) => {
      const slot = toHex(slots.slotOf(build.buildMessage(init, seed)))
      const thing = JSON.stringify(about)
      assert.equal(slotsOfThings.get(thing) ?? slot, slot)
      assert.equal(thingsOfSlots.get(slot) ?? thing, thing)
      slotsOfThings.set(thing, slot)
      thingsOfSlots.set(slot, thing)
    }),
    { numRuns: 20_000, seed: 7 },
  )
  assert.ok(thingsOfSlots.size > 300, `${thingsOfSlots.size} slots`)
})

const at = { fid: 258, timestamp: 1, network: 1 }
const signed = (init: build.DataInit): SignedMessage => build.buildMessage(init, seed)
const castHash = new Uint8Array(20).fill(9)

test('an add and its remove share a slot', () => {
  const cast = signed(build.castAdd(at, 'hi'))
  assert.deepEqual(slots.slotOf(signed(build.castRemove(at, cast.hash))), slots.slotOf(cast))
  const like = [1, { fid: 3, hash: castHash }] as const
  assert.deepEqual(
    slots.slotOf(signed(build.reactionAdd(at, ...like))),
    slots.slotOf(signed(build.reactionRemove(at, ...like))),
  )
})

test('slots computed from names and targets equal those of the messages', () => {
  const state = signed(build.linkCompactState(at, 'follow', [1]))
  assert.deepEqual(slots.slotOf(state), slots.compactSlotOf(258, 'follow'))
  const name = signed(build.userDataAdd(at, 6, 'alice'))
  assert.deepEqual(slots.slotOf(name), slots.userDataSlot(258, 6))
  const address = new Uint8Array(20).fill(1)
  const verification = signed(build.verificationRemove(at, address))
  assert.deepEqual(slots.slotOf(verification), slots.verificationSlot(258, address))
})

test('the slot of a link contains its target fid and the slot of its compact state', () => {
  for (const type of ['follow', 'a', '12345678']) {
    const slot = slots.slotOf(signed(build.linkRemove(at, type, 2 ** 32 - 1)))
    assert.equal(slots.targetFidOfSlot(slot), 2 ** 32 - 1)
    assert.deepEqual(slots.compactSlotOfLink(slot), slots.compactSlotOf(258, type))
  }
})

test('adds have a target and removes have none', () => {
  const cast = slots.castTargetKey(3, castHash)
  const reply = signed(
    build.castAdd(at, {
      text: 'a',
      parent: { case: 'parentCastId', value: { fid: 3n, hash: castHash } },
    }),
  )
  const post = signed(build.castAdd(at, { text: 'a', parent: { case: 'parentUrl', value: 'u' } }))
  assert.deepEqual(slots.targetOf(reply), slots.castsByParentKey(cast))
  assert.deepEqual(slots.targetOf(post), slots.castsByParentKey(slots.urlTargetKey('u')))
  assert.equal(slots.targetOf(signed(build.castAdd(at, 'a'))), undefined)

  const target = { fid: 3, hash: castHash }
  assert.deepEqual(
    slots.targetOf(signed(build.reactionAdd(at, 2, target))),
    slots.reactionsByTargetKey(2, cast),
  )
  assert.equal(slots.targetOf(signed(build.reactionRemove(at, 2, target))), undefined)

  const follow = slots.targetOf(signed(build.linkAdd(at, 'follow', 65_536)))
  assert.deepEqual(follow, slots.linksByTargetKey(65_536, 'follow'))
  assert.deepEqual(follow?.subarray(0, 5), slots.linksByTargetPrefix(65_536))
  assert.equal(slots.targetOf(signed(build.linkCompactState(at, 'follow', [1]))), undefined)
})

test('a cast counts each mentioned fid once', () => {
  const body = { text: 'a', mentions: [5n, 3n, 5n], mentionsPositions: [0, 0, 1] }
  assert.deepEqual(slots.mentionsOf(signed(build.castAdd(at, body))), [5, 3])
  assert.deepEqual(slots.mentionsOf(signed(build.userDataAdd(at, 1, 'a'))), [])
})

test('URL targets and cast targets never collide', () => {
  fc.assert(
    fc.property(fc.string(), fid, bytes(20), (text, target, hash) => {
      assert.notDeepEqual(slots.urlTargetKey(text), slots.castTargetKey(target, hash))
    }),
    { seed: 7 },
  )
})

test('link types of 1 to 8 bytes are padded with zeros to 8', () => {
  assert.deepEqual(slots.paddedLinkType('a'), Uint8Array.of(97, 0, 0, 0, 0, 0, 0, 0))
  assert.deepEqual(slots.paddedLinkType('12345678'), toUtf8('12345678'))
})

test('the time and hash of a message order as bytes', () => {
  const key = slots.tsHashOf({ timestamp: 160_000_000, hash: castHash })
  assert.equal(key.length, 24)
  assert.deepEqual(key.subarray(0, 4), u32be(160_000_000))
})

test('every storable type is an add or a remove of one message set', () => {
  for (let type = 0; type <= 21; type++) {
    const storable = (type >= 1 && type <= 8) || [11, 12, 14, 15, 16, 17].includes(type)
    assert.equal(slots.isStorable(type), storable, `type ${type}`)
    assert.equal(slots.isAdd(type) !== slots.isRemove(type), storable)
    assert.equal(slots.messageSetOf(type) !== 0, storable)
  }
})
