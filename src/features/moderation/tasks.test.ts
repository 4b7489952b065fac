import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MessageSet } from '../../kernel/protocol/kinds/kind.ts'
import { ALL_MESSAGE_SETS } from '../../kernel/protocol/kinds/kinds.ts'
import { MESSAGE_SETS } from '../../kernel/protocol/slots.ts'
import { ANNOUNCED, ERASED } from './tasks.ts'

const {
  casts,
  links,
  reactions,
  userData,
  verifications,
  usernameProofs,
  linkCompactState,
  gaslessKeys,
  storageLends,
} = MESSAGE_SETS

test('every set is announced and erased, profile entries after what they depend on and before it', () => {
  assert.deepEqual(ANNOUNCED, [
    usernameProofs,
    verifications,
    userData,
    casts,
    reactions,
    linkCompactState,
    links,
    gaslessKeys,
    storageLends,
  ])
  assert.deepEqual(ERASED, [
    userData,
    usernameProofs,
    verifications,
    casts,
    reactions,
    linkCompactState,
    links,
    gaslessKeys,
    storageLends,
  ])
  const places = ALL_MESSAGE_SETS.map(({ announceOrder }) => announceOrder)
  assert.deepEqual(
    places.toSorted((a, b) => a - b),
    places.map((_, i) => i),
  )
})

test('a set of messages that does not say when moderation announces and erases it does not compile', () => {
  const numbers = { key: 'casts', number: 9, name: 'NEW', messagesPerUnit: undefined } as const
  // @ts-expect-error: two properties are missing.
  const set: MessageSet = numbers
  assert.ok(set)
})
