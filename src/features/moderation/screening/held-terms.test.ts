import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cleanText } from '../../../../web/shared/text.ts'
import { domainOf, matcherOfList, termInCast, termMatcher } from './held-terms.ts'

const domain = (term: string) => ({ kind: 'domain', term }) as const
const { find } = termMatcher([
  domain('about.me'),
  domain('t.co'),
  domain('spam.example'),
  domain('xn--bcher-kva.example'),
  { kind: 'word', term: 'cheap boats' },
])

/** What the text and what an address beside it name. */
const FOUND: readonly (readonly [written: string, term: string])[] = [
  ['see spam.example', 'spam.example'],
  ['See: SPAM.Example.', 'spam.example'],
  ['http://spam.example./offer', 'spam.example'],
  ['(www.spam.example:8080/x)', 'spam.example'],
  ['spam.example/offer?x=1', 'spam.example'],
  ['write to me@spam.example!', 'spam.example'],
  ['a_b.spam.example', 'spam.example'],
  // Where prose goes on without a space, and in longer names.
  ['Go to spam.example.It is great', 'spam.example'],
  ['spam.example...look', 'spam.example'],
  ['spam.example…look', 'spam.example'],
  ['spam.example-', 'spam.example'],
  ['-spam.example-', 'spam.example'],
  ['spam.example-look', 'spam.example'],
  ['spam.example.org', 'spam.example'],
  // Escaped, also in the addresses of redirections.
  ['https://%73pam.example/', 'spam.example'],
  ['https://spam%2eexample/', 'spam.example'],
  ['50%spam.example', 'spam.example'],
  ['https://ok.example/?to=https://spam.example', 'spam.example'],
  ['https://ok.example/?to=https%3A%2F%2Fspam.example%2Fx', 'spam.example'],
  ['https://ok.example/?to=https%253A%252F%252Fspam.example%252Fx', 'spam.example'],
  ['https://ok.example/?a=%FF&to=%2F%2Fspam.example', 'spam.example'],
  // With what is not seen, and in other forms of the same letters.
  ['spam\u200b.exa\u00admple', 'spam.example'],
  ['spam\u0001.exa\ufff9mple', 'spam.example'],
  ['spam.example\u0332', 'spam.example'],
  ['spam.\u0332example', 'spam.example'],
  ['ｓｐａｍ．example', 'spam.example'],
  ['spam。example', 'spam.example'],
  ['spam․example', 'spam.example'],
  ['ⓢpam.example', 'spam.example'],
  ['bücher.example', 'xn--bcher-kva.example'],
  ['bu\u0308cher.example', 'xn--bcher-kva.example'],
  ['BÜCHER.example', 'xn--bcher-kva.example'],
  ['https://www.xn--bcher-kva.example/x', 'xn--bcher-kva.example'],
]
/** What only the parser of URLs understands: in addresses beside the text. */
const CARRIED = [
  'https://spa\tm.example/',
  'https://spam.exa\nmple/',
  'https:/%73pam.example',
  'https:%73pam.example/x',
  'HTTPS:\\\\%73pam.example',
  '//%73pam.example',
  ' https://me@spam.example:8080/x',
]

test('a domain is found however it is written, and those below it', () => {
  for (const [written, term] of FOUND) {
    assert.equal(find(written, []), term, written)
    assert.equal(find('look', ['https://ok.example', written]), term, `carried: ${written}`)
  }
  for (const url of CARRIED) assert.equal(find('look', [url]), 'spam.example', url)
})

test('what pages leave out of a text parts no word', () => {
  for (let code = 0; code <= 0x10ffff; code++) {
    if (code >= 0xd800 && code <= 0xdfff) continue
    const sign = String.fromCodePoint(code)
    if (cleanText(`a${sign}b`) !== 'ab') continue
    assert.equal(find(`cheap bo${sign}ats`, []), 'cheap boats', code.toString(16))
    assert.equal(find(`spam.exam${sign}ple`, []), 'spam.example', code.toString(16))
  }
})

test('prose is no domain, nor is a name that only ends or begins like one', () => {
  for (const text of [
    'Tell them about me',
    "I can't co-operate",
    'all about.men',
    'see t.com and at.co',
    'not-spam.example',
    'notspam.example',
    'spam.examples',
    'spam example',
    'spam..example',
    'about. me',
    '100%be sure',
  ]) {
    assert.equal(find(text, []), undefined, text)
  }
  // With a mark and a capital it is a domain as people write them.
  assert.equal(find('all about.Me and you', []), 'about.me')
})

test('words are found as searches find them, and long texts of marks and dots take no time to speak of', () => {
  assert.equal(find('CHEAP, bóats', []), 'cheap boats')
  assert.equal(find('cheap b\u20ddoats', []), 'cheap boats')
  for (const part of [
    '.',
    'a.',
    'https://.',
    'ä.',
    'x',
    'www.',
    '-',
    ')',
    '-.',
    '%2',
    '%25',
    '%2e',
    'a\u0332',
    '﷽',
  ]) {
    const started = performance.now()
    assert.equal(find(`https://${part.repeat(100_000)}\nx`, []), undefined)
    assert.ok(performance.now() - started < 10_000, part)
  }
})

test('a domain is kept in one form, whatever says that those below it are meant', () => {
  for (const [given, kept] of [
    ['Spam.Example', 'spam.example'],
    ['www.spam.example', 'spam.example'],
    ['*.spam.example', 'spam.example'],
    ['spam.example.', 'spam.example'],
    ['https://www.spam.example/offer?x=1', 'spam.example'],
    ['www.example', 'www.example'],
    ['203.0.113.5', '203.0.113.5'],
    ['https://203.0.113.5/offer', '203.0.113.5'],
    ['127.0.0.1', undefined],
    ['spam', undefined],
    ['spam example', undefined],
  ] as const) {
    assert.equal(domainOf(given), kept, given)
  }
  const address = termMatcher([domain('203.0.113.5')])
  assert.equal(address.find('see 203.0.113.5:8080', []), '203.0.113.5')
  assert.equal(address.find('look', ['https://3405803781/']), '203.0.113.5')
})

test('a list that is the same as before is not built again, and one that has changed is', () => {
  const matcherOf = matcherOfList()
  const list = () => [domain('spam.example'), { kind: 'word', term: 'boats' } as const]
  const built = matcherOf(list())
  assert.equal(matcherOf(list()), built)
  const changed = matcherOf([domain('spam.example'), { kind: 'word', term: 'coats' }])
  assert.notEqual(changed, built)
  assert.deepEqual([changed.find('boats', []), changed.find('coats', [])], [undefined, 'coats'])
  assert.notEqual(matcherOf([domain('spam.example')]), changed)
  assert.equal(matcherOf([]).find('spam.example', []), undefined)
})

test('a phrase is found in a post, a question or an answer, and not across two of them', () => {
  const id = 'aaaaaaaaaaaaaaaa'
  const matcher = termMatcher([{ kind: 'word', term: 'cheap boats' }])
  const found = (text: string, ...said: string[]) => {
    const cast = { text, urls: [`https://club.example/polls/${id}`], parentUrls: [] }
    return termInCast(cast, matcher, new Map([[id, said]])) !== undefined
  }
  assert.deepEqual(
    [found('cheap boats', 'x'), found('x', 'cheap boats', 'y'), found('x', 'y', 'Cheap  Boats!')],
    [true, true, true],
  )
  assert.deepEqual(
    [found('cheap', 'boats'), found('x', 'cheap', 'boats'), found('x', 'y', 'cheap', 'boats')],
    [false, false, false],
  )
})
