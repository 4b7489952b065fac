import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pageSizeParam, pageTokenParam } from './paging.ts'
import {
  alias,
  boolParam,
  fidParam,
  optional,
  type ParamSpecs,
  textParam,
  withDefault,
} from './params.ts'
import { compilePath, compileQuery } from './query.ts'

const read = (specs: ParamSpecs, query: string) => compileQuery(specs)(`/v1/x?${query}`)
const url = optional(textParam({ maxBytes: 100 }))

test('a parameter is accepted in camelCase and snake_case', () => {
  assert.deepEqual(read({ target_fid: fidParam }, 'target_fid=7'), { targetFid: 7 })
  assert.deepEqual(read({ target_fid: fidParam }, 'targetFid=7'), { targetFid: 7 })
  assert.deepEqual(read({ pageSize: pageSizeParam }, 'page_size=7'), { pageSize: 7 })
  assert.deepEqual(read({ pageSize: pageSizeParam }, 'pageSize=7'), { pageSize: 7 })
})

test('an alias is accepted in both spellings, and both together only with the same value', () => {
  const specs = { event_id: alias(fidParam, 'id') }
  const again = { code: 'bad_request.invalid_param', field: 'event_id' }
  assert.deepEqual(read(specs, 'id=3'), { eventId: 3 })
  assert.deepEqual(read(specs, 'id=3&event_id=3'), { eventId: 3 })
  assert.deepEqual(read(specs, 'id=&event_id=3'), { eventId: 3 })
  assert.deepEqual(read(specs, 'event_id=3&id='), { eventId: 3 })
  assert.throws(() => read(specs, 'id=3&event_id=4'), again)
  assert.throws(() => read(specs, 'event_id=4&id=3'), again)
  const token = read({ pageToken: pageTokenParam }, 'next_page_token=AA==')
  assert.deepEqual(token, { pageToken: Buffer.from([0]) })
})

test('a parameter that is given twice is refused by its name', () => {
  for (const query of ['fid=1&fid=2', 'fid=1&fid=1', 'fid=1&x=2&fid=', 'fid=&fid=1', 'fid&fid']) {
    const message = 'fid is given more than once'
    assert.throws(() => read({ fid: fidParam }, query), { message, field: 'fid' }, query)
  }
  const twice = () => read({ target_fid: fidParam }, 'target_fid=1&targetFid=2')
  assert.throws(twice, { field: 'target_fid' })
})

test('unknown parameters are ignored, even broken ones and those named like a prototype', () => {
  const values = read({ fid: fidParam }, '__proto__=1&constructor=2&a%zz=%zz&fid=1&&=&x')
  assert.deepEqual(values, { fid: 1 })
  assert.equal(Object.getPrototypeOf(values), Object.prototype)
})

test('an empty parameter counts as missing', () => {
  const specs = { pageToken: pageTokenParam, reverse: boolParam, n: withDefault(fidParam, 5), url }
  const none = { pageToken: undefined, reverse: false, n: 5, url: undefined }
  for (const query of ['pageToken=&reverse=&n=&url=', 'pageToken&reverse&n&url', '']) {
    assert.deepEqual(read(specs, query), none)
  }
})

test('the error for a missing required parameter names it', () => {
  const failing = (specs: ParamSpecs, query: string, message: string, field: string) =>
    assert.throws(() => read(specs, query), { message, field })
  failing({ fid: fidParam }, '', 'fid must be an integer', 'fid')
  failing({ fid: fidParam }, 'fid=', 'fid must be an integer', 'fid')
  failing({ name: textParam({ maxBytes: 9 }) }, 'nam=x', 'name is missing', 'name')
  failing({ target_fid: fidParam }, 'targetFid=x', 'target_fid must be an integer', 'target_fid')
})

test('parameter values are percent-decoded once', () => {
  assert.deepEqual(read({ url }, 'url=a+b%2Bc%20d%2525'), { url: 'a b+c d%25' })
  assert.deepEqual(read({ url }, 'url=chain://eip155:1/erc721:0xab?x=y'), {
    url: 'chain://eip155:1/erc721:0xab?x=y',
  })
  assert.deepEqual(read({ url }, 'url=%F0%9F%90%A6'), { url: '🐦' })
})

test('a malformed escape is refused with the name of its parameter', () => {
  for (const value of ['%', '%z', '%zz', '%F0%9F', '%ff']) {
    const refusal = { code: 'bad_request.parse_failure', field: 'url' }
    assert.throws(() => read({ url }, `url=${value}`), refusal)
  }
})

test('a fragment is not part of the query', () => {
  assert.deepEqual(read({ fid: fidParam }, 'fid=12#fid=13'), { fid: 12 })
  assert.deepEqual(read({ url }, '#url=1'), { url: undefined })
})

test('a URL without a query has the defaults of its parameters', () => {
  assert.deepEqual(compileQuery({ reverse: boolParam })('/v1/x'), { reverse: false })
  assert.deepEqual(compileQuery({})('/v1/x?fid=1'), {})
})

test('path parameters are parsed like query parameters', () => {
  assert.deepEqual(compilePath({ channel_id: fidParam })({ channel_id: '12' }), { channelId: 12 })
})

test('the values of a repeated list parameter are joined', () => {
  const text = textParam({ maxBytes: 100 })
  const specs = { ids: { ...text, repeats: true }, one: text }
  assert.deepEqual(read(specs, 'ids=1,2&one=a&ids=3'), { ids: '1,2,3', one: 'a' })
  assert.deepEqual(read(specs, 'ids=&one=a&ids=3'), { ids: '3', one: 'a' })
})

test('a repeated list counts whole, whether its documented name comes first or an alias', () => {
  const specs = { event_types: { ...textParam({ maxBytes: 100 }), repeats: true } }
  const query = 'eventTypes=1&event_types=2,3&event%5Ftypes=4'
  assert.deepEqual(read(specs, query), { eventTypes: '1,2,3,4' })
})

test('names of parameters are percent-decoded like values', () => {
  assert.deepEqual(read({ target_fid: fidParam }, 'target%5Ffid=7'), { targetFid: 7 })
  assert.deepEqual(read({ target_fid: fidParam }, '%74arget_fi%64=7'), { targetFid: 7 })
  assert.deepEqual(read({ target_fid: fidParam }, 'target%46id=7'), { targetFid: 7 })
  // Once, and not when the escape is malformed.
  assert.deepEqual(read({ url }, 'u%2572l=1&ur%zz=2&%75r%6=3'), { url: undefined })
})
