import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import { castTokens, unitsOf } from '../../kernel/views/words.ts'
import { engineMatch, matches, type Node, parseSearch } from './search-query.ts'

const isFound = (q: string, text: string): boolean =>
  matches(parseSearch(q).root, unitsOf(text), (token) => castTokens(text, []).includes(token))

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
  ]
  for (const q of missed) assert.equal(isFound(q, TEXT), false, q)
})

test('a query without a word that must be there is refused, as is one that is too long or too deep', () => {
  const deep = `${'('.repeat(7)}a${')'.repeat(7)}`
  const words = Array.from({ length: 17 }, (_, i) => `w${i}`).join(' ')
  for (const q of ['-a', 'a | -b', '...', '""', 'x'.repeat(501), deep, words, 'after:2026-01-01']) {
    assert.throws(() => parseSearch(q), Rejection, q)
  }
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
      assert.ok(isSound(parseSearch(q).root), q)
    } catch (error) {
      if (!(error instanceof Rejection)) throw error
    }
  }
})
