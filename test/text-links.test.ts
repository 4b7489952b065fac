// What the web client makes a link in a text, and how it writes addresses.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { linksIn } from '../web/client/parts/text-links.ts'

/** What stands in the text, and where it leads. */
const found = (text: string) =>
  linksIn(text).map((link) => [
    text.slice(link.start, link.end),
    'to' in link ? link.to : link.url.href,
  ])
const shown = (text: string) => linksIn(text).map((link) => ('shown' in link ? link.shown : ''))

test('hosts without a scheme are links where their ending is known, and files, names of mail and numbers are not', () => {
  assert.deepEqual(found('See www.town.test/x, example.org! and bit.ly/a?b#c (t.co:8080)'), [
    ['www.town.test/x', 'https://www.town.test/x'],
    ['example.org', 'https://example.org/'],
    ['bit.ly/a?b#c', 'https://bit.ly/a?b#c'],
    ['t.co:8080', 'https://t.co:8080/'],
  ])
  const none = ['anna@example.org', 'README.md', 'node.js', 'e.g. this', '3.14', 'a.com.foo']
  for (const text of [...none, '@anna.eth', 'https://a:b@c.com', '1.2.3.4', 'so.What']) {
    assert.deepEqual(found(text), [], text)
  }
})

test('tags lead to the search for them, and parts of addresses and words are no tags', () => {
  assert.deepEqual(found('#Birds, (#日本語) and https://x.org/#top a#b #1'), [
    ['https://x.org/#top', 'https://x.org/#top'],
    ['#Birds', '/search?q=%23Birds'],
    ['#日本語', '/search?q=%23%E6%97%A5%E6%9C%AC%E8%AA%9E'],
  ])
})

test('addresses are readable in every script, and nothing that hides or could pass for another host is', () => {
  assert.deepEqual(shown('https://ar.wikipedia.org/wiki/%D8%B9%D9%84%D9%85'), [
    'ar.wikipedia.org/wiki/علم',
  ])
  assert.deepEqual(shown('https://日本.jp/%20%E2%80%AE/x'), ['日本.jp/%20%E2%80%AE/x'])
  assert.deepEqual(shown('президент.рф'), ['президент.рф'])
  // Cyrillic letters that look Latin, and scripts that are mixed.
  assert.deepEqual(shown('https://аррӏе.com https://my日本.jp'), [
    'xn--80ak6aa92e.com',
    new URL('https://my日本.jp').host,
  ])
  assert.deepEqual(shown('https://x.org/%ff'), ['x.org/%ff'])
})
