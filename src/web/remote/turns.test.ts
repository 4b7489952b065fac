import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Rejection } from '../../protocol/rejection.ts'
import { createOutcomeCache } from './outcome-cache.ts'
import { Turns } from './turns.ts'

const BOUNDS = { running: 3, runningPerClient: 2, waiting: 4, waitingPerClient: 2, waitMs: 60_000 }

/** Work that ends when the test says so. */
function work() {
  const ends: (() => void)[] = []
  const started: string[] = []
  const begin = (name: string) => () => {
    started.push(name)
    return new Promise<string>((resolve) => ends.push(() => resolve(name)))
  }
  return { begin, started, endFirst: () => ends.shift()!() }
}

describe('turns of clients', () => {
  it('a client with many requests leaves room for others, and waiters follow in order', async () => {
    const turns = new Turns(BOUNDS)
    const { begin, started, endFirst } = work()
    const all = ['a', 'a', 'a', 'a', 'b', 'c'].map((client, i) =>
      turns.run(client, begin(`${client}${i}`)),
    )
    await nextTurn()
    assert.deepEqual(started, ['a0', 'a1', 'b4'])
    assert.equal(turns.waiting, 3)
    const rest: string[][] = []
    for (let i = 0; i < all.length; i++) {
      endFirst()
      await nextTurn()
      rest.push(started.slice(3))
    }
    assert.deepEqual(rest.at(-1), ['a2', 'a3', 'c5'])
    assert.deepEqual(await Promise.all(all), ['a0', 'a1', 'a2', 'a3', 'b4', 'c5'])
  })

  it('a client may let only so many wait, and so may all clients together', async () => {
    const turns = new Turns(BOUNDS)
    const { begin, endFirst } = work()
    const run = (client: string) => turns.run(client, begin(client))
    const accepted = [...'aaaabb'].map(run)
    await nextTurn()
    await assert.rejects(run('a'), { code: 'rate_limited' })
    const last = run('d')
    await assert.rejects(run('e'), { code: 'unavailable.overloaded' })
    for (let i = 0; i < 7; i++) {
      endFirst()
      await nextTurn()
    }
    await Promise.all([...accepted, last])
    assert.equal(turns.waiting, 0)
  })

  it('a turn is passed on after a failure, and a wait has an end', async () => {
    const turns = new Turns({ ...BOUNDS, running: 1, waitMs: 1 })
    await assert.rejects(
      turns.run('a', async () => {
        throw new Error('broken')
      }),
      /broken/,
    )
    const { begin, endFirst } = work()
    const first = turns.run('a', begin('a'))
    await assert.rejects(turns.run('b', begin('b')), { code: 'unavailable.overloaded' })
    endFirst()
    assert.equal(await first, 'a')
    assert.equal(await turns.run('b', async () => 'b'), 'b')
  })
})

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
