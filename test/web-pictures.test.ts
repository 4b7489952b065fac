import assert from 'node:assert/strict'
import { test } from 'node:test'
import { picturesIn } from '../web/client/media/pictures-in.ts'

const FILE = `https://town.test/media/${'ab'.repeat(32)}`
const PATH = `/media/${'ab'.repeat(32)}`
const image = { content_type: 'image/jpeg', image: { width_px: 2_000, height_px: 1_000 } }
const face = { username: 'raven', pfp_url: 'https://other.test/raven.png' }
const FACE = '/picture?url=https%3A%2F%2Fother.test%2Fraven.png&width=96'

test('the small pictures of a list are those of its people and of what they wrote, quotes included', () => {
  const quoted = { author: face, embeds: [{ url: `${FILE}.jpg`, metadata: image }] }
  const casts = [
    { author: face, text: 'one', embeds: [{ cast: quoted }, { url: 'https://other.test/a.webp' }] },
  ]
  assert.deepEqual(picturesIn({ casts, next: { cursor: null } }), [
    FACE,
    FACE,
    `${PATH}-small.jpg`,
    '/picture?url=https%3A%2F%2Fother.test%2Fa.webp&width=640',
  ])
})

test('of a video it is its picture, and of an animation the file itself', () => {
  const film = { content_type: 'video/mp4', video: { poster_url: 'https://town.test/p.jpg' } }
  const embeds = [
    { url: `${FILE}.mp4`, metadata: film },
    { url: `${FILE}.webm`, metadata: { content_type: 'video/webm' } },
    { url: `${FILE}.gif`, metadata: { content_type: 'image/gif' } },
  ]
  assert.deepEqual(picturesIn({ embeds }), [`${PATH}-small.jpg`, `${PATH}.gif`])
})

test('what is sensitive, no picture, or no address is left out', () => {
  const embeds = [
    { url: `${FILE}.jpg`, metadata: image, sensitive: true },
    { url: 'https://other.test/page' },
    { url: 'javascript:alert(1)//.png' },
  ]
  assert.deepEqual(picturesIn({ author: { pfp_url: null }, embeds }), [])
  assert.deepEqual(picturesIn({ author: { pfp_url: 'data:image/png;base64,AAAA' } }), [])
  assert.deepEqual(picturesIn('https://other.test/a.png'), [])
})
