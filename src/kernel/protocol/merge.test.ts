import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { compareBytes } from './codec/bytes.ts'
import {
  type CompactState,
  type Contender,
  compacts,
  type Decision,
  decideMerge,
  decideNameProof,
} from './merge.ts'
import { MessageType } from './wire/message_pb.js'

const add = (type: number, timestamp: number, hash: number): Contender => ({
  type,
  timestamp,
  hash: new Uint8Array(20).fill(hash),
})
const { CAST_ADD, CAST_REMOVE, REACTION_ADD, REACTION_REMOVE, LINK_ADD, LINK_REMOVE } = MessageType
const { LINK_COMPACT_STATE, USER_DATA_ADD } = MessageType

const told = (decision: Decision): string =>
  decision.outcome === 'merged'
    ? 'merged'
    : `${decision.rejection.code.replace('bad_request.', '')}: ${decision.rejection.message}`

const NEWER_ADD = 'conflict: message conflicts with a more recent add'
const NEWER_REMOVE = 'conflict: message conflicts with a more recent remove'
const DUPLICATE = 'duplicate: message has already been merged'

// Each row: who comes, who is there, what is decided. A contender is (type, second, hash byte).
const ROWS: readonly [string, Contender, Contender, string][] = [
  ['a later add', add(REACTION_ADD, 2, 1), add(REACTION_ADD, 1, 9), 'merged'],
  ['an earlier add', add(REACTION_ADD, 1, 9), add(REACTION_ADD, 2, 1), NEWER_ADD],
  ['a higher hash', add(REACTION_ADD, 1, 2), add(REACTION_ADD, 1, 1), 'merged'],
  ['a lower hash', add(REACTION_ADD, 1, 1), add(REACTION_ADD, 1, 2), NEWER_ADD],
  ['a remove of the same second', add(REACTION_REMOVE, 1, 1), add(REACTION_ADD, 1, 9), 'merged'],
  ['an add of the same second', add(REACTION_ADD, 1, 9), add(REACTION_REMOVE, 1, 1), NEWER_REMOVE],
  ['an add after the remove', add(REACTION_ADD, 2, 1), add(REACTION_REMOVE, 1, 9), 'merged'],
  ['a remove before the add', add(REACTION_REMOVE, 1, 9), add(REACTION_ADD, 2, 1), NEWER_ADD],
  ['the same again', add(REACTION_ADD, 1, 1), add(REACTION_ADD, 1, 1), DUPLICATE],
  ['the same remove again', add(REACTION_REMOVE, 1, 1), add(REACTION_REMOVE, 1, 1), DUPLICATE],
  ['a later link remove', add(LINK_REMOVE, 2, 1), add(LINK_ADD, 1, 2), 'merged'],
  ['an older profile value', add(USER_DATA_ADD, 1, 9), add(USER_DATA_ADD, 2, 1), NEWER_ADD],
  ['a cast remove older than the cast', add(CAST_REMOVE, 1, 1), add(CAST_ADD, 2, 9), 'merged'],
  ['a cast newer than its remove', add(CAST_ADD, 2, 9), add(CAST_REMOVE, 1, 1), NEWER_REMOVE],
  ['a later cast remove', add(CAST_REMOVE, 2, 1), add(CAST_REMOVE, 1, 9), 'merged'],
  ['a cast remove of a lower hash', add(CAST_REMOVE, 1, 1), add(CAST_REMOVE, 1, 2), NEWER_REMOVE],
  ['a cast again', add(CAST_ADD, 1, 1), add(CAST_ADD, 1, 1), DUPLICATE],
]

for (const [name, incoming, holder, expected] of ROWS) {
  test(`merging ${name} gives ${expected}`, () => {
    assert.equal(told(decideMerge(incoming, holder, undefined)), expected)
  })
}

test('any message wins an empty slot', () => {
  for (const type of [CAST_ADD, CAST_REMOVE, LINK_ADD, LINK_REMOVE, LINK_COMPACT_STATE]) {
    assert.equal(told(decideMerge(add(type, 1, 1), undefined, undefined)), 'merged')
  }
})

for (const types of [
  [CAST_ADD, CAST_REMOVE],
  [REACTION_ADD, REACTION_REMOVE],
  [LINK_ADD, LINK_REMOVE],
] as const) {
  test(`any order of arrival of ${types.map((type) => MessageType[type])} gives the same result`, () => {
    const contender = fc
      .tuple(fc.constantFrom(...types), fc.nat({ max: 3 }), fc.nat({ max: 3 }))
      .map(([type, timestamp, hash]) => add(type, timestamp, hash * 2 + (type % 2)))
    const survivor = (arrivals: readonly Contender[]) =>
      arrivals.reduce<Contender | undefined>((holder, incoming) => {
        return decideMerge(incoming, holder, undefined).outcome === 'merged' ? incoming : holder
      }, undefined)
    fc.assert(
      fc.property(fc.array(contender, { minLength: 1, maxLength: 6 }), (arrivals) => {
        // One slot holds one cast only, so all adds of it are the same message.
        const messages = distinct(
          arrivals.map((one) => (one.type === CAST_ADD ? add(CAST_ADD, 1, 1) : one)),
        )
        const winner = survivor(messages)
        for (const again of permutations(messages)) assert.deepEqual(survivor(again), winner)
      }),
      { seed: 7 },
    )
  })
}

// A hash stands for one message, so two with one hash are the same in all else.
function distinct(messages: readonly Contender[]): Contender[] {
  const byHash = new Map(messages.map((message) => [message.hash[0], message]))
  return [...byHash.values()]
}

function permutations<T>(items: readonly T[]): T[][] {
  if (items.length <= 1) return [[...items]]
  return items.flatMap((item, i) =>
    permutations(items.filter((_, j) => j !== i)).map((rest) => [item, ...rest]),
  )
}

const state: CompactState = { timestamp: 10, targets: new Set([2]) }
const linked = (type: number, timestamp: number, targetFid: number) => ({
  ...add(type, timestamp, 1),
  targetFid,
})

const UNLISTED = 'conflict: Target fid 3 not in the compact state target fids'
const PRUNED =
  'prunable: Remove message earlier than the compact state message will be immediately pruned'
const COMPACTED: readonly [string, ReturnType<typeof linked>, string, boolean][] = [
  ['an older add of a listed target', linked(LINK_ADD, 9, 2), 'merged', false],
  ['an older add of another target', linked(LINK_ADD, 9, 3), UNLISTED, true],
  ['an add of the same second', linked(LINK_ADD, 10, 3), 'merged', true],
  ['a newer add', linked(LINK_ADD, 11, 3), 'merged', false],
  ['an older remove', linked(LINK_REMOVE, 9, 2), PRUNED, true],
  ['a remove of the same second', linked(LINK_REMOVE, 10, 2), 'merged', true],
  ['a newer remove', linked(LINK_REMOVE, 11, 2), 'merged', false],
]

for (const [name, link, arriving, deleted] of COMPACTED) {
  test(`under a compact state ${name} is ${arriving} on arrival and ${deleted ? 'deleted' : 'kept'} when stored`, () => {
    assert.equal(told(decideMerge(link, undefined, state)), arriving)
    assert.equal(compacts(state, link), deleted)
  })
}

test('of two compact states the strictly later one wins', () => {
  const text = 'conflict: A newer Compact State message is already merged'
  const at = (timestamp: number, hash: number) => add(LINK_COMPACT_STATE, timestamp, hash)
  assert.equal(told(decideMerge(at(11, 1), at(10, 9), undefined)), 'merged')
  assert.equal(told(decideMerge(at(9, 9), at(10, 1), undefined)), text)
  assert.equal(told(decideMerge(at(10, 9), at(10, 1), undefined)), text)
  assert.equal(told(decideMerge(at(10, 1), at(10, 1), undefined)), text)
})

const proof = (timestamp: number, signature: number, fid = 1) => ({
  timestamp,
  signature: Uint8Array.of(signature),
  fid,
})
const OLD_PROOF = 'conflict: event conflicts with a more recent UserNameProof'
const PROOFS: readonly [
  string,
  ReturnType<typeof proof> | undefined,
  ReturnType<typeof proof>,
  string,
][] = [
  ['the first', undefined, proof(1, 1), 'merged'],
  ['a later one', proof(1, 9), proof(2, 1), 'merged'],
  ['an earlier one', proof(2, 1), proof(1, 9), OLD_PROOF],
  ['a higher signature', proof(1, 1), proof(1, 2), 'merged'],
  ['a lower signature', proof(1, 2), proof(1, 1), OLD_PROOF],
  ['the same', proof(1, 1), proof(1, 1), 'duplicate: username proof already exists'],
  ['a release of nothing', undefined, proof(1, 1, 0), 'conflict: proof does not exist'],
  ['a release', proof(1, 1), proof(2, 1, 0), 'merged'],
  ['an older proof after a release', proof(2, 1, 0), proof(1, 1), OLD_PROOF],
  ['a later proof after a release', proof(2, 1, 0), proof(3, 1), 'merged'],
]

for (const [name, existing, incoming, expected] of PROOFS) {
  test(`merging a registry proof, ${name}, gives ${expected}`, () => {
    assert.equal(told(decideNameProof(existing, incoming)), expected)
  })
}

test('hashes are compared as unsigned bytes', () => {
  assert.ok(compareBytes(Uint8Array.of(0x80), Uint8Array.of(0x7f)) > 0)
  assert.equal(
    told(decideMerge(add(LINK_ADD, 1, 0x80), add(LINK_ADD, 1, 0x7f), undefined)),
    'merged',
  )
})
