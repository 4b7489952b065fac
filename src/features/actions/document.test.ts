import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import { readDocument } from './document.ts'

const URL_OF_IT = 'https://example.com/action'
const CAST = {
  name: 'Up or down',
  icon: 'thumbsup',
  description: 'Says what you think of a cast.',
  aboutUrl: 'https://example.com/about',
  action: { type: 'post', postUrl: 'https://example.com/post' },
}
const COMPOSER = { ...CAST, type: 'composer', imageUrl: 'https://example.com/logo.png' }

const read = (json: unknown) => readDocument(json, URL_OF_IT)
const refusal = (json: unknown): string => {
  try {
    read(json)
  } catch (error) {
    assert(error instanceof Rejection, String(error))
    return error.message
  }
  return assert.fail('it was taken')
}

test('a document becomes an action without its action.type', () => {
  assert.deepEqual(read(CAST), {
    kind: 'cast',
    document: {
      name: 'Up or down',
      icon: 'thumbsup',
      description: 'Says what you think of a cast.',
      about_url: 'https://example.com/about',
      image_url: null,
      post_url: 'https://example.com/post',
    },
  })
})

test('a composer action requires a logo', () => {
  const { kind, document } = read(COMPOSER)
  assert.deepEqual([kind, document.image_url], ['composer', 'https://example.com/logo.png'])
  assert.match(refusal({ ...COMPOSER, imageUrl: undefined }), /^imageUrl .* is missing$/)
  // A cast action has none, whatever its document says.
  assert.equal(read({ ...COMPOSER, type: undefined }).document.image_url, null)
})

test('an action without postUrl posts to the URL of its document', () => {
  const { aboutUrl: _, ...rest } = CAST
  const { document } = read({ ...rest, action: { type: 'post' } })
  assert.deepEqual([document.post_url, document.about_url], [URL_OF_IT, null])
})

test('texts are bounded in characters, as people count them', () => {
  const bounds = { name: 30, description: 80 }
  for (const [field, most] of Object.entries(bounds)) {
    for (const letter of ['x', '\u{1f99c}']) {
      read({ ...CAST, [field]: letter.repeat(most) })
      const message = refusal({ ...CAST, [field]: letter.repeat(most + 1) })
      assert.equal(message, `${field} of the action's document must be at most ${most} characters`)
    }
  }
  read({ ...CAST, icon: 'x'.repeat(40) })
  assert.match(refusal({ ...CAST, icon: 'x'.repeat(41) }), /^icon .* at most 40/)
})

test('texts keep no character that moves a cursor, hides or cannot be stored', () => {
  const { document } = read({
    ...CAST,
    name: ' a\u0000b\u001b[2Jc\u202ed\u2028 ',
    description: 'x\ud800y\u200b\u0007\n\u009bz',
  })
  assert.equal(document.name, 'a b [2Jc d')
  assert.equal(document.description, 'x\ufffdy z')
  assert.match(refusal({ ...CAST, name: '\u202e\u0000 ' }), /^name .* is missing$/)
})

test('URLs in a document must be http or https', () => {
  const bad = ['javascript:alert(1)', 'data:,x', 'ftp://x/', 'example.com', '/x', 'https://u:p@x/']
  for (const url of [...bad, 7, {}, ['https://x/'], `https://x/${'x'.repeat(1_024)}`]) {
    assert.match(refusal({ ...CAST, aboutUrl: url }), /^aboutUrl .* must be an http or https URL/)
    assert.match(refusal({ ...CAST, action: { type: 'post', postUrl: url } }), /^action.postUrl /)
    assert.match(refusal({ ...COMPOSER, imageUrl: url }), /^imageUrl /)
  }
})

test('other JSON values are refused as action documents', () => {
  for (const json of [null, undefined, 7, 'x', [], [CAST]]) assert.match(refusal(json), /object/)
  const cases: [object, RegExp][] = [
    [{ action: undefined }, /^action .* must be an object$/],
    [{ action: [] }, /^action .* must be an object$/],
    [{ action: { actionType: 'post' } }, /^action.type .* must be "post"$/],
    [{ action: { type: 'get' } }, /^action.type /],
    [{ name: undefined }, /^name .* must be a text$/],
    [{ name: '' }, /^name .* is missing$/],
    [{ description: 5 }, /^description .* must be a text$/],
    [{ icon: '' }, /^icon /],
    [{ icon: '<svg>' }, /^icon .* must be the id of an icon/],
    [{ type: 'frame' }, /^type .* must be "composer" or left out$/],
    [{ __proto__: null, toString: 1, name: { toString: () => 'x' } }, /^name /],
  ]
  for (const [change, message] of cases) assert.match(refusal({ ...CAST, ...change }), message)
})
