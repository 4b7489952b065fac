import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Rejection } from '../protocol/rejection.ts'
import { mayRetryAlone, StoreUnavailable } from '../storage/engines/unavailable.ts'
import {
  BatchLoader,
  firstResult,
  GroupCommit,
  lazy,
  MAX_GROUP,
  Mutex,
  mapAtMost,
  Semaphore,
  singleFlight,
} from './concurrency.ts'

describe('work on a list of items', () => {
  it('runs for so many at a time, and has its results in the order of the items', async () => {
    const ends: (() => void)[] = []
    const results = mapAtMost([3, 1, 2], 2, async (item) => {
      await new Promise<void>((resolve) => ends.push(resolve))
      return item * 10
    })
    await nextTurn()
    assert.equal(ends.length, 2)
    ends[1]!()
    await nextTurn()
    assert.equal(ends.length, 3)
    ends[2]!()
    ends[0]!()
    assert.deepEqual(await results, [30, 10, 20])
    assert.deepEqual(await mapAtMost([], 2, async () => 1), [])
  })

  it('begins nothing further after a failure', async () => {
    const begun: number[] = []
    const results = mapAtMost([1, 2, 3, 4], 2, async (item) => {
      begun.push(item)
      await nextTurn()
      if (item === 1) throw new Error('no')
    })
    await assert.rejects(results, /^Error: no$/)
    await nextTurn()
    assert.deepEqual(begun, [1, 2])
  })
})

describe('a mutex', () => {
  it('work runs in the order of the calls and never overlaps, also after a failure', async () => {
    const mutex = new Mutex()
    const seen: string[] = []
    const work =
      (name: string, fails = false) =>
      async () => {
        seen.push(`${name} starts`)
        await nextTurn()
        seen.push(`${name} ends`)
        if (fails) throw new Error(name)
        return name
      }
    const [a, b, c] = [mutex.run(work('a')), mutex.run(work('b', true)), mutex.run(work('c'))]
    assert.equal(await a, 'a')
    await assert.rejects(b, /^Error: b$/)
    assert.equal(await c, 'c')
    const expected = ['a', 'b', 'c'].flatMap((name) => [`${name} starts`, `${name} ends`])
    assert.deepEqual(seen, expected)
  })

  it('the queue is idle once what was queued is done, and waiting for that never fails', async () => {
    const mutex = new Mutex()
    let done = false
    const failing = mutex.run(async () => {
      await nextTurn()
      done = true
      throw new Error('failed')
    })
    failing.catch(() => {})
    await mutex.idle()
    assert.equal(done, true)
  })
})

const QUEUE = {
  waiting: 4,
  waitingPerClient: 2,
  timeoutMs: 60_000,
  clientError: () => new Error('the client has too much waiting'),
  busyError: () => new Error('busy'),
}
const LIMITS = { running: 3, runningPerClient: 2, queue: QUEUE }

/** Tasks that end when the test says so. */
function tasks() {
  const ends: (() => void)[] = []
  const started: string[] = []
  const begin = (name: string) => () => {
    started.push(name)
    return new Promise<string>((resolve) => ends.push(() => resolve(name)))
  }
  return { begin, started, endFirst: () => ends.shift()!() }
}

describe('a semaphore', () => {
  it('the next task is of the client with the fewest running tasks, and those of one client follow in order', async () => {
    const semaphore = new Semaphore(LIMITS)
    const { begin, started, endFirst } = tasks()
    const all = ['a', 'a', 'a', 'a', 'b', 'c'].map((client, i) =>
      semaphore.run(client, begin(`${client}${i}`)),
    )
    await nextTurn()
    assert.deepEqual(started, ['a0', 'a1', 'b4'])
    assert.equal(semaphore.waiting, 3)
    const rest: string[][] = []
    for (let i = 0; i < all.length; i++) {
      endFirst()
      await nextTurn()
      rest.push(started.slice(3))
    }
    assert.deepEqual(rest.at(-1), ['c5', 'a2', 'a3'])
    assert.deepEqual(await Promise.all(all), ['a0', 'a1', 'a2', 'a3', 'b4', 'c5'])
  })

  it('a task for which another was ended is next, and a wait ends with its signal', async () => {
    const semaphore = new Semaphore({ running: 1, runningPerClient: 1, queue: QUEUE })
    const order: string[] = []
    const release = await semaphore.acquire('a')
    const wait = async (client: string, how: Parameters<Semaphore['acquire']>[1]) => {
      const done = await semaphore.acquire(client, how)
      order.push(client)
      done()
    }
    const { signal } = new AbortController()
    const ended = new AbortController()
    const all = [wait('b', { signal }), wait('c', { isFirst: true }), wait('d', { signal })]
    const given = wait('e', { signal: ended.signal })
    ended.abort(new Error('gone'))
    await assert.rejects(given, { message: 'gone' })
    release()
    await Promise.all(all)
    assert.deepEqual(order, ['c', 'b', 'd'])
    assert.equal(semaphore.waiting + semaphore.running, 0)
  })

  it('without a limit per client all are first come, first served', async () => {
    const semaphore = new Semaphore({ running: 2 })
    const { begin, started, endFirst } = tasks()
    const all = [...'aaab'].map((client, i) => semaphore.run(client, begin(`${client}${i}`)))
    for (let i = 0; i < all.length; i++) {
      await nextTurn()
      endFirst()
    }
    await Promise.all(all)
    assert.deepEqual(started, ['a0', 'a1', 'a2', 'b3'])
  })

  it('a client may let only so many wait, and so may all clients together', async () => {
    const semaphore = new Semaphore(LIMITS)
    const { begin, endFirst } = tasks()
    const run = (client: string) => semaphore.run(client, begin(client))
    const accepted = [...'aaabc'].map(run)
    await nextTurn()
    const second = run('a')
    await assert.rejects(run('a'), { message: 'the client has too much waiting' })
    const last = run('d')
    assert.equal(semaphore.waiting, 4)
    const fromA = assert.rejects(second, { message: 'busy' })
    const other = run('e')
    await fromA
    assert.equal(semaphore.waiting, 4, 'the client that waits most made room for another')
    await assert.rejects(run('f'), { message: 'busy' })
    for (let i = 0; i < 7; i++) {
      endFirst()
      await nextTurn()
    }
    await Promise.all([...accepted, last, other])
    assert.equal(semaphore.waiting, 0)
  })

  it('a failed task releases the semaphore, and a wait has a timeout', async () => {
    const semaphore = new Semaphore({ running: 1, queue: { ...QUEUE, timeoutMs: 1 } })
    await assert.rejects(
      semaphore.run('a', async () => {
        throw new Error('broken')
      }),
      /broken/,
    )
    const { begin, endFirst } = tasks()
    const first = semaphore.run('a', begin('a'))
    await assert.rejects(semaphore.run('b', begin('b')), { message: 'busy' })
    endFirst()
    assert.equal(await first, 'a')
    assert.equal(await semaphore.run('b', async () => 'b'), 'b')
  })
})

/** Work that ends when told to, and returns the number of its call. */
function controlled() {
  const ends: ((fails?: boolean) => void)[] = []
  const work = () => {
    const call = ends.length
    return new Promise<number>((resolve, reject) => {
      ends.push((fails) => (fails ? reject(new Error(`call ${call}`)) : resolve(call)))
    })
  }
  return { work, ends }
}

describe('single flight', () => {
  it('callers during a call share the next one', async () => {
    const { work, ends } = controlled()
    const shared = singleFlight(work)
    const first = shared()
    const later = [shared(), shared(), shared()]
    await nextTurn()
    assert.equal(ends.length, 1)
    ends[0]!()
    assert.equal(await first, 0)
    await nextTurn()
    assert.equal(ends.length, 2)
    const last = shared()
    ends[1]!()
    assert.deepEqual(await Promise.all(later), [1, 1, 1])
    await nextTurn()
    ends[2]!()
    assert.equal(await last, 2)
  })

  it('a call that fails fails for its own callers alone', async () => {
    const { work, ends } = controlled()
    const shared = singleFlight(work)
    const first = shared()
    const second = shared()
    ends[0]!(true)
    await assert.rejects(first, /call 0/)
    await nextTurn()
    ends[1]!()
    assert.equal(await second, 1)
  })

  it('two calls of shared work never overlap', async () => {
    let running = 0
    let calls = 0
    const shared = singleFlight(async () => {
      calls++
      assert.equal(++running, 1)
      await nextTurn()
      running--
    })
    const callers: Promise<void>[] = []
    for (let i = 0; i < 200; i++) {
      callers.push(shared())
      if (i % 7 === 0) await nextTurn()
    }
    await Promise.all(callers)
    assert.ok(calls < 60, `${calls} calls`)
  })
})

describe('a batch loader', () => {
  it('keys that are requested in one turn are loaded together, at most so many', async () => {
    const batches: number[][] = []
    const loader = new BatchLoader(2, async (keys: readonly number[]) => {
      batches.push([...keys])
      return keys.map((key) => key * 10)
    })
    assert.deepEqual(
      await Promise.all([1, 1, 2, 3].map((key) => loader.load(key))),
      [10, 10, 20, 30],
    )
    assert.equal(await loader.load(4), 40)
    assert.deepEqual(batches, [[1, 2], [3], [4]])
  })

  it('a batch that fails fails for its own callers alone', async () => {
    const loader = new BatchLoader(9, async (keys: readonly number[]) => {
      if (keys.includes(1)) throw new Error('broken')
      return keys
    })
    const failing = [loader.load(1), loader.load(2)]
    for (const one of failing) await assert.rejects(one, /broken/)
    assert.equal(await loader.load(3), 3)
  })
})

type Work = (tx: string[]) => Promise<unknown>

/** Transactions that last until `finish`, and what each of them was asked to do. */
function transactions(fails: (works: readonly Work[]) => Error | undefined = () => undefined) {
  const asked: number[] = []
  const { promise: opened, resolve: open } = Promise.withResolvers<void>()
  const writes = new GroupCommit<Work, unknown>({
    mayRetry: mayRetryAlone,
    async alone(work) {
      asked.push(1)
      await opened
      return work([])
    },
    async together(works) {
      asked.push(works.length)
      const error = fails(works)
      if (error) throw error
      return Promise.all(
        works.map((work) =>
          work([]).then(
            (value) => ({ value }),
            (refused: Rejection) => ({ refused }),
          ),
        ),
      )
    },
  })
  return { writes, asked, open }
}

const settled = (promises: Promise<unknown>[]) =>
  Promise.allSettled(promises).then((results) =>
    results.map((result) => (result.status === 'fulfilled' ? result.value : result.reason.message)),
  )

describe('a group commit', () => {
  it('works that wait at the same time share a transaction, up to a bound, in order', async () => {
    const { writes, asked, open } = transactions()
    const all = Array.from({ length: 2 + 2 * MAX_GROUP }, (_, n) => writes.run(async () => n))
    open()
    assert.deepEqual(await Promise.all(all), [...all.keys()])
    assert.deepEqual(asked, [MAX_GROUP, MAX_GROUP, 2])
    assert.equal(await writes.run(async () => 'later'), 'later')
    assert.equal(asked.at(-1), 1, 'one alone needs no savepoint')
  })

  it('a refused work and the others of its transaction have their own outcomes', async () => {
    const { writes, open } = transactions()
    const all = ['first', 'good', 'bad', 'fine'].map((name) =>
      writes.run(async () => {
        if (name === 'bad') throw new Rejection('bad_request.conflict', 'refused')
        return name
      }),
    )
    open()
    assert.deepEqual(await settled(all), ['first', 'good', 'refused', 'fine'])
  })

  it('works are done one by one when one of them fails with a fault, and none again when the store fails', async () => {
    const faulty = transactions(() => new TypeError('a fault'))
    const some = ['first', 'good', 'bad', 'fine'].map((name) =>
      faulty.writes.run(async () => {
        if (name === 'bad') throw new TypeError('a fault')
        return name
      }),
    )
    faulty.open()
    assert.deepEqual(await settled(some), ['first', 'good', 'a fault', 'fine'])
    assert.deepEqual(faulty.asked, [4, 1, 1, 1, 1])

    const broken = transactions(() => new StoreUnavailable('full', 'the disk is full'))
    const more = [0, 1, 2].map((n) => broken.writes.run(async () => n))
    broken.open()
    assert.deepEqual(new Set(await settled(more)), new Set(['the disk is full']))
    assert.deepEqual(broken.asked, [3])
  })
})

it('a lazy class creates each part once, on first use', () => {
  const made: string[] = []
  const make = (part: string) => (owner: string) => {
    made.push(part)
    return `${part} of ${owner}`
  }
  const Parts = lazy({ door: make('door'), roof: make('roof') })
  const parts = new Parts('house')
  assert.deepEqual(made, [])
  assert.equal(parts.roof, 'roof of house')
  assert.equal(parts.roof, 'roof of house')
  assert.deepEqual(made, ['roof'])
})

describe('the first of several results', () => {
  const never = () => new Promise<string>(() => {})
  const fails = (text: string) => () => Promise.reject(new Error(text))

  it('a task that hangs or fails does not hold up the next one', async () => {
    const result = await firstResult([fails('a'), never, async () => 'c'], 10, () => {})
    assert.equal(result, 'c')
  })

  it('a result that comes after the first one is handed to who discards it', async () => {
    const [slow, late] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()]
    const first = firstResult([() => slow.promise, async () => 'b'], 10, late.resolve)
    assert.equal(await first, 'b')
    slow.resolve('a')
    assert.equal(await late.promise, 'a')
  })

  it('a task that has failed is tried again while another one hangs', async () => {
    let tries = 0
    const later = async () => {
      if (++tries < 3) throw new Error('not yet')
      return 'b'
    }
    assert.equal(await firstResult([never, later], 10, () => {}), 'b')
  })

  it('all errors are reported when every task has failed', async () => {
    await assert.rejects(
      firstResult([fails('a'), fails('b')], 10, () => {}),
      (error) => {
        assert.deepEqual(
          (error as AggregateError).errors.map(({ message }) => message),
          ['a', 'b'],
        )
        return true
      },
    )
  })
})
