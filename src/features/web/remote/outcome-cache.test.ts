import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Rejection } from '../../../kernel/protocol/rejection.ts'
import { createOutcomeCache, type RunLimited } from './outcome-cache.ts'

const atOnce: RunLimited = (work) => work()

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
    const both = await Promise.all([kept.get('a', atOnce, make), kept.get('a', atOnce, make)])
    assert.deepEqual(
      [...both, await kept.get('a', atOnce, make)].map(({ text }) => text),
      ['1', '1', '1'],
    )
  })

  it('a client with a turn does not wait for one whose turn has not come, and takes what it made', async () => {
    const kept = create()
    let made = 0
    const make = async () => ({ text: String(++made) })
    const turn = Promise.withResolvers<void>()
    const later: RunLimited = async (work) => {
      await turn.promise
      return work()
    }
    const first = kept.get('a', later, make)
    assert.deepEqual(await kept.get('a', atOnce, make), { text: '1' })
    turn.resolve()
    assert.deepEqual(await first, { text: '1' })
  })

  it('a turn ends when what it was for has been begun by another client', async () => {
    const kept = create()
    const file = Promise.withResolvers<{ text: string }>()
    const turn = Promise.withResolvers<void>()
    let ended = false
    const first = kept.get(
      'a',
      async (work) => {
        await turn.promise
        const done = await work()
        ended = true
        return done
      },
      () => file.promise,
    )
    const second = kept.get('a', atOnce, () => file.promise)
    turn.resolve()
    while (!ended) await nextTurn()
    file.resolve({ text: 'x' })
    assert.deepEqual(await Promise.all([first, second]), [{ text: 'x' }, { text: 'x' }])
  })

  it('a refusal of the file is kept, and a busy server is asked again', async () => {
    const kept = create()
    let tries = 0
    const fail = (code: 'bad_request.validation_failure' | 'rate_limited') => async () => {
      tries++
      throw new Rejection(code, 'no')
    }
    for (const _ of [1, 2]) {
      await assert.rejects(kept.get('a', atOnce, fail('bad_request.validation_failure')), {
        message: 'no',
      })
    }
    assert.equal(tries, 1)
    for (const _ of [1, 2]) await assert.rejects(kept.get('b', atOnce, fail('rate_limited')))
    assert.equal(tries, 3)
  })

  it('a refusal for want of memory is kept for the time that it names, and then asked again', async () => {
    const kept = createOutcomeCache<{ text: string }>({
      ...{ maxBytes: 10_000, bytesOf: () => 1, ttlMs: 60_000, refusalTtlMs: 60_000 },
      isKeptBriefly: ({ message }) => message === 'no memory',
    })
    let tries = 0
    const fail = (retryAfterSeconds: number) => async () => {
      tries++
      throw new Rejection('unavailable.overloaded', 'no memory', { retryAfterSeconds })
    }
    for (const _ of [1, 2]) await assert.rejects(kept.get('a', atOnce, fail(600)))
    assert.equal(tries, 1)
    while (tries < 3) {
      await assert.rejects(kept.get('b', atOnce, fail(0.001)))
      await nextTurn()
    }
  })

  it('old entries are evicted when the bytes are used up', async () => {
    const kept = create(3_000)
    let made = 0
    const make = async () => {
      made++
      return { text: 'x'.repeat(1_000) }
    }
    for (const key of ['a', 'b', 'c', 'c', 'a']) await kept.get(key, atOnce, make)
    assert.equal(made, 4)
  })
})
