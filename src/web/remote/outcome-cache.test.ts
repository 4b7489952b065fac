import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Rejection } from '../../protocol/rejection.ts'
import { createOutcomeCache } from './outcome-cache.ts'

describe('what is kept of other sites', () => {
  const create = (maxBytes = 10_000) =>
    createOutcomeCache<{ text: string }>({
      maxBytes,
      bytesOf: ({ text }) => text.length,
      ttlMs: 60_000,
      refusalTtlMs: 60_000,
    })

  it('something is made once for all that ask meanwhile and afterwards', async () => {
    const kept = create()
    let made = 0
    const make = async () => ({ text: String(++made) })
    const both = await Promise.all([kept.get('a', make), kept.get('a', make)])
    assert.deepEqual(
      [...both, await kept.get('a', make)].map(({ text }) => text),
      ['1', '1', '1'],
    )
  })

  it('a refusal of the file is kept, and a busy server is asked again', async () => {
    const kept = create()
    let tries = 0
    const fail = (code: 'bad_request.validation_failure' | 'rate_limited') => async () => {
      tries++
      throw new Rejection(code, 'no')
    }
    for (const _ of [1, 2]) {
      await assert.rejects(kept.get('a', fail('bad_request.validation_failure')), { message: 'no' })
    }
    assert.equal(tries, 1)
    for (const _ of [1, 2]) await assert.rejects(kept.get('b', fail('rate_limited')))
    assert.equal(tries, 3)
  })

  it('old entries are evicted when the bytes are used up', async () => {
    const kept = create(3_000)
    let made = 0
    const make = async () => {
      made++
      return { text: 'x'.repeat(1_000) }
    }
    for (const key of ['a', 'b', 'c', 'c', 'a']) await kept.get(key, make)
    assert.equal(made, 4)
  })
})
