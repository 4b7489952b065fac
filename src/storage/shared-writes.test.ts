import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Rejection } from '../protocol/rejection.ts'
import { MAX_SHARED_WORKS, SharedWrites } from './shared-writes.ts'
import { StoreUnavailable } from './unavailable.ts'

type Work = (tx: string[]) => Promise<unknown>

/** Transactions that last until `finish`, and what each of them was asked to do. */
function transactions(fails: (works: readonly Work[]) => Error | undefined = () => undefined) {
  const asked: number[] = []
  const { promise: opened, resolve: open } = Promise.withResolvers<void>()
  const writes = new SharedWrites<Work, unknown>({
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

test('works that wait at the same time share a transaction, up to a bound, in order', async () => {
  const { writes, asked, open } = transactions()
  const all = Array.from({ length: 2 + 2 * MAX_SHARED_WORKS }, (_, n) => writes.run(async () => n))
  open()
  assert.deepEqual(await Promise.all(all), [...all.keys()])
  assert.deepEqual(asked, [MAX_SHARED_WORKS, MAX_SHARED_WORKS, 2])
  assert.equal(await writes.run(async () => 'later'), 'later')
  assert.equal(asked.at(-1), 1, 'one alone needs no savepoint')
})

test('a refused work and the others of its transaction have their own outcomes', async () => {
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

test('works are done one by one when one of them fails with a fault, and none again when the store fails', async () => {
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
