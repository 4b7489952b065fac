import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Turns } from './turns.ts'

const WAIT = {
  waiting: 4,
  waitingPerClient: 2,
  waitMs: 60_000,
  clientError: () => new Error('the client has too much waiting'),
  busyError: () => new Error('busy'),
}
const BOUNDS = { running: 3, runningPerClient: 2, wait: WAIT }

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
  it('the next turn is of the client of which least runs, and those of one client follow in order', async () => {
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
    assert.deepEqual(rest.at(-1), ['c5', 'a2', 'a3'])
    assert.deepEqual(await Promise.all(all), ['a0', 'a1', 'a2', 'a3', 'b4', 'c5'])
  })

  it('without bounds for each client all are first come, first served', async () => {
    const turns = new Turns({ running: 2 })
    const { begin, started, endFirst } = work()
    const all = [...'aaab'].map((client, i) => turns.run(client, begin(`${client}${i}`)))
    for (let i = 0; i < all.length; i++) {
      await nextTurn()
      endFirst()
    }
    await Promise.all(all)
    assert.deepEqual(started, ['a0', 'a1', 'a2', 'b3'])
  })

  it('a client may let only so many wait, and so may all clients together', async () => {
    const turns = new Turns(BOUNDS)
    const { begin, endFirst } = work()
    const run = (client: string) => turns.run(client, begin(client))
    const accepted = [...'aaabc'].map(run)
    await nextTurn()
    const second = run('a')
    await assert.rejects(run('a'), { message: 'the client has too much waiting' })
    const last = run('d')
    assert.equal(turns.waiting, 4)
    const fromA = assert.rejects(second, { message: 'busy' })
    const other = run('e')
    await fromA
    assert.equal(turns.waiting, 4, 'the client that waits most made room for another')
    await assert.rejects(run('f'), { message: 'busy' })
    for (let i = 0; i < 7; i++) {
      endFirst()
      await nextTurn()
    }
    await Promise.all([...accepted, last, other])
    assert.equal(turns.waiting, 0)
  })

  it('a turn is passed on after a failure, and a wait has an end', async () => {
    const turns = new Turns({ running: 1, wait: { ...WAIT, waitMs: 1 } })
    await assert.rejects(
      turns.run('a', async () => {
        throw new Error('broken')
      }),
      /broken/,
    )
    const { begin, endFirst } = work()
    const first = turns.run('a', begin('a'))
    await assert.rejects(turns.run('b', begin('b')), { message: 'busy' })
    endFirst()
    assert.equal(await first, 'a')
    assert.equal(await turns.run('b', async () => 'b'), 'b')
  })
})
