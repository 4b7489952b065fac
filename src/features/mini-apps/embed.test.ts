import assert from 'node:assert/strict'
import { test } from 'node:test'
import { safeParseMiniAppEmbed } from '@farcaster/miniapp-core'
import { readEmbed } from './embed.ts'

const GOOD = {
  version: '1',
  imageUrl: 'https://app.example/card.png',
  button: { title: 'Play', action: { type: 'launch_miniapp', name: 'Chess' } },
}
const PAGE = new URL('https://app.example/game?round=2')
const TERMS = { allowLoopback: false }

const action = (changes: object) => ({
  button: { title: 'Play', action: { type: 'launch_miniapp', name: 'Chess', ...changes } },
})

const CASES: readonly (readonly [isGood: boolean, changes: object])[] = [
  [true, {}],
  [true, { version: 'next' }],
  [true, { version: 1 }],
  [false, { version: '2' }],
  [false, { version: { toString: 1 } }],
  [false, { version: undefined }],
  [true, { aspectRatio: '1:1' }],
  [false, { aspectRatio: '16:9' }],
  [false, { imageUrl: undefined }],
  [false, { imageUrl: 'http://app.example/card.png' }],
  [false, { imageUrl: 'https://127.0.0.1/card.png' }],
  [false, { button: undefined }],
  [false, { button: { title: 'x'.repeat(33), action: GOOD.button.action } }],
  [false, { button: { action: GOOD.button.action } }],
  [true, action({ type: 'launch_frame' })],
  [false, action({ type: 'post' })],
  [true, action({ url: 'https://app.example/other' })],
  [false, action({ url: 'javascript:alert(1)' })],
  [false, action({ name: undefined })],
  [false, action({ name: 'x'.repeat(33) })],
  [true, action({ splashImageUrl: 'https://app.example/s.png', splashBackgroundColor: '#000' })],
  [false, action({ splashBackgroundColor: 'url(x)' })],
]

test('cards with one field changed are judged like by the published schema', () => {
  for (const [isGood, changes] of CASES) {
    const content = JSON.stringify({ ...GOOD, ...changes })
    assert.equal(safeParseMiniAppEmbed(JSON.parse(content)).success, isGood, content)
    const { embed, faults } = readEmbed(content, PAGE, TERMS)
    assert.equal(embed !== undefined, isGood, content)
    assert.equal(faults.length > 0, !isGood, content)
  }
})

test('a card opens the page that has it unless it names another one', () => {
  assert.equal(readEmbed(JSON.stringify(GOOD), PAGE, TERMS).embed?.url, PAGE.href)
  const other = { ...GOOD, ...action({ url: 'https://other.example/' }) }
  assert.equal(readEmbed(JSON.stringify(other), PAGE, TERMS).embed?.url, 'https://other.example/')
})

test('a card that opens a token, and a tag that is no JSON, are no cards here', () => {
  const token = { type: 'view_token', token: 'eip155:8453/native' }
  const content = JSON.stringify({ ...GOOD, button: { title: 'Buy', action: token } })
  assert.ok(safeParseMiniAppEmbed(JSON.parse(content)).success)
  assert.equal(readEmbed(content, PAGE, TERMS).embed, undefined)
  for (const text of [
    '',
    '[]',
    '"x"',
    'null',
    'https://app.example/frame.png',
    '{'.repeat(9_000),
    `{"version":${'['.repeat(20_000)}${']'.repeat(20_000)}}`,
  ]) {
    assert.equal(readEmbed(text, PAGE, TERMS).embed, undefined)
  }
})
