import assert from 'node:assert/strict'
import { test } from 'node:test'
import { termMatcher } from './held-terms.ts'

const domain = (term: string) => ({ kind: 'domain', term }) as const
const { find } = termMatcher([
  domain('about.me'),
  domain('t.co'),
  domain('spam.example'),
  domain('xn--bcher-kva.example'),
  { kind: 'word', term: 'cheap boats' },
])

test('a domain is found however it is written, and those below it', () => {
  for (const text of [
    'see spam.example',
    'See: SPAM.Example.',
    'http://spam.example./offer',
    '(www.spam.example:8080/x)',
    'spam.example/offer?x=1',
    'https://%73pam.example/',
    'https://ok.example/?to=https://spam.example',
    'write to me@spam.example!',
    'spam\u200b.exa\u00admple',
    'ｓｐａｍ．example',
    'spam。example',
    'a_b.spam.example',
  ]) {
    assert.equal(find(text, []), 'spam.example', text)
    assert.equal(find('look', [text]), 'spam.example', `carried: ${text}`)
  }
  for (const text of ['bücher.example', 'BÜCHER.example', 'https://www.xn--bcher-kva.example/x']) {
    assert.equal(find(text, []), 'xn--bcher-kva.example', text)
  }
})

test('prose is no domain, nor is a name that only looks like the beginning or the end of one', () => {
  for (const text of [
    'Tell them about me',
    "I can't co-operate",
    'all about.Me and you about.men',
    'see t.com, t.co.uk and at.co',
    'spam.example.org',
    'notspam.example',
    'spam example',
    'about. me',
  ]) {
    // With a mark and a capital it is a domain as people write them.
    assert.equal(find(text, []), text.includes('about.Me') ? 'about.me' : undefined, text)
  }
})

test('words are found as searches find them, and long texts of marks and dots take no time to speak of', () => {
  assert.equal(find('CHEAP, bóats', []), 'cheap boats')
  for (const part of ['.', 'a.', 'https://.', 'ä.', 'x', 'www.', '-', ')']) {
    const started = performance.now()
    assert.equal(find(`https://${part.repeat(100_000)}\nx`, []), undefined)
    assert.ok(performance.now() - started < 10_000, part)
  }
})
