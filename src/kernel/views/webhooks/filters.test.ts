import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Compile } from 'typebox/compile'
import { fromHex } from '../../protocol/codec/bytes.ts'
import { Rejection } from '../../protocol/rejection.ts'
import { compileExpression } from './expression.ts'
import { FiltersSchema } from './filter-schema.ts'
import { type CastFacts, checkFilters, compileFilters } from './filters.ts'

const HASH = `0x${'ab'.repeat(20)}`
const hash = fromHex(HASH)!
const CAST: CastFacts = { fid: 1, text: 'hello world', mentions: [], embeds: [] }

const matches = (filter: object, facts: Partial<CastFacts>) =>
  compileFilters({ 'cast.created': filter }).cast('cast.created', { ...CAST, ...facts })

describe('filters of webhooks', () => {
  test('each condition of casts matches what it names and nothing else', () => {
    const other = fromHex(`0x${'cd'.repeat(20)}`)!
    const cases: [object, Partial<CastFacts>, Partial<CastFacts>][] = [
      [{ author_fids: [1, 2] }, { fid: 2 }, { fid: 3 }],
      [{ mentioned_fids: [7] }, { mentions: [6, 7] }, { fid: 7 }],
      [
        { parent_urls: ['https://a'] },
        { parent: { url: 'https://a' } },
        { rootParentUrl: 'https://a' },
      ],
      [{ root_parent_urls: ['https://a'] }, { rootParentUrl: 'https://a' }, {}],
      [
        { parent_hashes: [HASH.toUpperCase()] },
        { parent: { fid: 2, hash } },
        { parent: { fid: 2, hash: other } },
      ],
      [{ parent_author_fids: [2] }, { parent: { fid: 2, hash } }, { fid: 2 }],
      [
        { embedded_cast_hashes: [HASH] },
        { embeds: [{ fid: 2, hash }] },
        { parent: { fid: 2, hash } },
      ],
      [
        { embedded_cast_author_fids: [2] },
        { embeds: [{ url: 'x' }, { fid: 2, hash }] },
        { fid: 2 },
      ],
      [{ text: '(?i)WORLD$' }, {}, { text: 'hello worlds' }],
      [{ embeds: '\\.png$' }, { embeds: [{ url: 'https://a/b.png' }] }, { text: 'b.png' }],
    ]
    for (const [filter, good, bad] of cases) {
      assert.equal(matches(filter, good), true, JSON.stringify(filter))
      assert.equal(matches(filter, bad), false, JSON.stringify(filter))
    }
  })

  test('conditions are joined by or, and exclusions and the least score by and', () => {
    assert.equal(matches({}, {}), true)
    assert.equal(matches({ author_fids: [] }, {}), false)
    const either = { author_fids: [9], text: 'hello' }
    assert.equal(matches(either, { text: 'hello' }), true)
    assert.equal(matches(either, { fid: 9, text: 'x' }), true)
    assert.equal(matches(either, { text: 'x' }), false)
    assert.equal(matches({ ...either, exclude_author_fids: [9] }, { fid: 9, text: 'hello' }), false)
    assert.equal(matches({ exclude_author_fids: [9] }, { fid: 8 }), true)
    const scored = { minimum_author_score: 0.5 }
    assert.equal(matches(scored, { score: 0.5 }), true)
    assert.equal(matches(scored, { score: 0.49 }), false)
    assert.equal(matches(scored, {}), true, 'as long as no scores were computed')
  })

  test('a type that a subscription does not name matches nothing', () => {
    const { cast, pair } = compileFilters({
      'follow.created': { target_fids: [5] },
      'user.updated': {},
    })
    assert.equal(cast('cast.created', CAST), false)
    assert.equal(pair('follow.created', { fid: 1, targetFid: 5 }), true)
    assert.equal(pair('follow.created', { fid: 5, targetFid: 1 }), false)
    assert.equal(pair('follow.deleted', { fid: 1, targetFid: 5 }), false)
    assert.equal(pair('user.updated', { fid: 1 }), true)
    assert.equal(pair('user.created', { fid: 1 }), false)
    const reactions = compileFilters({ 'reaction.created': { target_cast_hashes: [HASH] } })
    assert.equal(reactions.pair('reaction.created', { fid: 1, targetHash: hash }), true)
    assert.equal(reactions.pair('reaction.created', { fid: 1 }), false)
  })

  test('filters with unknown names, wrong values or trades are refused', () => {
    const schema = Compile(FiltersSchema)
    for (const bad of [
      { 'cast.create': {} },
      { 'cast.created': { author_fid: [1] } },
      { 'cast.created': { author_fids: ['1'] } },
      { 'cast.created': { parent_hashes: ['0x12'] } },
      { 'cast.created': { minimum_author_score: 2 } },
      { 'cast.created': { text: 'x'.repeat(513) } },
      { 'follow.created': { fids: Array.from({ length: 10_001 }, (_, i) => i) } },
    ]) {
      assert.equal(schema.Check(bad), false, JSON.stringify(bad).slice(0, 60))
    }
    const refused = (filters: object, code: string, field: string) =>
      assert.throws(
        () => checkFilters(filters, 'subscription'),
        (error) => error instanceof Rejection && error.code === code && error.field === field,
      )
    refused({ 'trade.created': {} }, 'not_supported', 'subscription.trade.created')
    const field = 'subscription.cast.created.text'
    refused({ 'cast.created': { text: '(' } }, 'bad_request.validation_failure', field)
    refused({ 'cast.created': { text: '(a)\\1' } }, 'bad_request.validation_failure', field)
    refused({ 'cast.created': { text: '(a{500}){500}' } }, 'bad_request.validation_failure', field)
  })
})

describe('expressions of webhooks', () => {
  test('an expression that compiles to too many instructions is refused', () => {
    const refused = (source: string) =>
      assert.throws(
        () => compileExpression(source, 'text'),
        /repeats too much/,
        source.slice(0, 20),
      )
    refused('a{1000}b{1000}')
    refused(`(${'a'.repeat(500)}){1000}`)
    refused(`(${'a'.repeat(200)}){100}`)
    assert.ok(compileExpression('a{1000}', 'text').test('a'.repeat(1000)))
    assert.ok(compileExpression('x.{0,100}y.{0,100}z', 'text').test('x1y2z'))
  })

  test('hostile expressions take linear time on a million characters', () => {
    const short = 'a'.repeat(100_000)
    const long = 'a'.repeat(1_000_000)
    for (const source of [
      '(a+)+$b',
      '(a*)*b',
      '(a|aa)+$b',
      '(.*)*x',
      '^(([a-z])+.)+[A-Z]([a-z])+$',
      '(a?){30}a{30}b',
      '.*.*.*=.*',
      '(?:a|a|a|a|a)*b',
    ]) {
      const expression = compileExpression(source, 'text')
      const time = (text: string) => {
        const started = process.cpuUsage()
        expression.test(text)
        const { user, system } = process.cpuUsage(started)
        return (user + system) / 1000
      }
      time(short)
      const [small, large] = [time(short), time(long)]
      assert.ok(large < 40 * Math.max(small, 25), `${source}: ${small} and ${large} ms`)
    }
  })
})
