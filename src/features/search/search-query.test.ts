import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import { authorToken, castTokens, unitsOf } from '../../kernel/views/words.ts'
import {
  authorsIn,
  engineMatch,
  hasOperators,
  matches,
  type Node,
  parseSearch,
} from './search-query.ts'

const AUTHORS = new Map([['alice', 7]])
const URLS = ['https://x.example/a.JPG', 'https://x.example/b']
const tokens = (text: string) => [authorToken(7), ...castTokens(text, URLS)]

const isFound = (q: string, text: string): boolean =>
  matches(parseSearch(q, AUTHORS).root!, unitsOf(text), (token) => tokens(text).includes(token))

const TEXT = 'The quick brown Fox jumps over the lázy dog 日本語 👍🏽 #Night_Walk'

test('words, alternatives, exclusions, phrases and prefixes find what they say', () => {
  const found = ['fox', 'QUICK dog', 'quick+fox', 'cat | dog', '"brown fox"', 'jum*', '日本', '👍']
  const more = [
    'lazy',
    'fox -cat',
    '(cat|fox) dog',
    '"quick brown"~3 fox',
    'fox -"fox brown"',
    ')fox(',
    '#night_walk',
    '#NIGHT_WÁLK -#dog',
    '#dog | fox',
    'from:alice fox',
    'FROM:@Alice (has:pictures | cat)',
    'has:links',
    'fox -has:videos',
  ]
  for (const q of [...found, ...more]) assert.equal(isFound(q, TEXT), true, q)
  const missed = [
    'cat',
    'fox -dog',
    '"fox brown"',
    'ju*',
    '(cat|fox) bird',
    'fox -"brown fox"',
    '#fox',
    '#night',
    'fox -#night_walk',
    'from:bob fox',
    'fox -from:alice',
    'has:videos',
    'has:wings',
  ]
  for (const q of missed) assert.equal(isFound(q, TEXT), false, q)
})

test('a query without a word that must be there is refused, as is one that is too long or too deep', () => {
  const deep = `${'('.repeat(7)}a${')'.repeat(7)}`
  const words = Array.from({ length: 17 }, (_, i) => `w${i}`).join(' ')
  for (const q of ['-a', 'a | -b', '...', '""', 'x'.repeat(501), deep, words, '-from:alice']) {
    assert.throws(() => parseSearch(q), Rejection, q)
  }
})

test('a channel and days bound the result, also without words; the day of until: counts', () => {
  const { root, channelId, from, before } = parseSearch(
    'in:/tides since:2026-01-01 until:2026-01-31',
  )
  assert.deepEqual([root, channelId], [undefined, 'tides'])
  const sameAs = parseSearch('after:2026-01-01 before:2026-02-01')
  assert.deepEqual([from, before], [sameAs.from, sameAs.before])
  for (const q of ['in:a in:b', 'fox -in:a', 'fox -since:2026-01-01', '-(fox until:2026-01-01)']) {
    assert.throws(() => parseSearch(q), Rejection, q)
  }
})

test('operators are told from words, and unknown ones are words', () => {
  assert.deepEqual(authorsIn('from:Bob (from:@eve | -from:bob) xfrom:no'), ['bob', 'eve'])
  assert.deepEqual(authorsIn('"hello from:nobody there" from:@'), [])
  assert.throws(() => authorsIn(`from:a ${'x'.repeat(500)}`), Rejection)
  assert.ok(!hasOperators('"hello from:nobody there"'))
  for (const q of ['from:bob', 'tide -has:links', '(in:x)']) assert.ok(hasOperators(q), q)
  for (const q of ['bob', 'cc:x', 'from: bob', 'berlin:x']) assert.ok(!hasOperators(q), q)
  for (const q of [
    'cc:x',
    'since:yesterday',
    'in:no/channel',
    'from:',
    'has:wings',
    'has:2026-01-01',
    'since:2026-02-31',
  ]) {
    const { root, channelId, from } = parseSearch(q)
    assert.deepEqual([root?.kind, channelId, from], ['term', undefined, 0], q)
  }
})

test('what a query excludes is excluded among what a filter finds', () => {
  assert.throws(() => parseSearch('-fox'), Rejection)
  const { root } = parseSearch('-fox', new Map(), [authorToken(7)])
  const has = (text: string) =>
    matches(root!, unitsOf(text), (token) => tokens(text).includes(token))
  assert.deepEqual([has('a bird'), has('a fox')], [true, false])
})

test('times bound the result, and what is no date is a word', () => {
  const { from, before } = parseSearch('fox after:2026-01-01 before:2026-02-01')
  assert.ok(from > 0 && before > from && before < Number.MAX_SAFE_INTEGER)
  assert.equal(parseSearch('before:never').before, Number.MAX_SAFE_INTEGER)
})

test('any text is read or refused, and engines are asked for tokens beside which every negation stands', () => {
  const alphabet = [
    'a',
    'b',
    ' ',
    '-',
    '|',
    '(',
    ')',
    '"',
    '*',
    '+',
    "'",
    '\\',
    ':',
    '~1',
    '👍',
    '日',
    ' in:a ',
    ' has:links',
    ' from:alice',
  ]
  let seed = 1
  const random = (n: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
    return seed % n
  }
  const isSound = (node: Node): boolean => {
    const match = engineMatch(node)
    const check = (part: typeof match): boolean => {
      if (part.kind === 'token') return true
      if (part.kind === 'not') return part.part.kind !== 'not' && check(part.part)
      if (part.parts.length === 0) return false
      const positive = part.parts.filter(({ kind }) => kind !== 'not')
      const isMixed = positive.length < part.parts.length
      return (part.kind === 'and' ? positive.length > 0 : !isMixed) && part.parts.every(check)
    }
    return match.kind !== 'not' && check(match)
  }
  for (let i = 0; i < 20_000; i++) {
    const q = Array.from({ length: 1 + random(14) }, () => alphabet[random(alphabet.length)]).join(
      '',
    )
    try {
      const { root } = parseSearch(q, AUTHORS)
      assert.ok(root === undefined || isSound(root), q)
    } catch (error) {
      if (!(error instanceof Rejection)) throw error
    }
  }
})
