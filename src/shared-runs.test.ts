import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedRuns } from './shared-runs.ts'

/** Work that ends when told to, and says which run it was. */
function controlled() {
  const ends: ((fails?: boolean) => void)[] = []
  const work = () => {
    const run = ends.length
    return new Promise<number>((resolve, reject) => {
      ends.push((fails) => (fails ? reject(new Error(`run ${run}`)) : resolve(run)))
    })
  }
  return { work, ends }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

test('callers during a run share the one after it', async () => {
  const { work, ends } = controlled()
  const shared = sharedRuns(work)
  const first = shared()
  const later = [shared(), shared(), shared()]
  await turn()
  assert.equal(ends.length, 1)
  ends[0]!()
  assert.equal(await first, 0)
  await turn()
  assert.equal(ends.length, 2)
  const last = shared()
  ends[1]!()
  assert.deepEqual(await Promise.all(later), [1, 1, 1])
  await turn()
  ends[2]!()
  assert.equal(await last, 2)
})

test('a run that fails fails for its own callers alone', async () => {
  const { work, ends } = controlled()
  const shared = sharedRuns(work)
  const first = shared()
  const second = shared()
  ends[0]!(true)
  await assert.rejects(first, /run 0/)
  await turn()
  ends[1]!()
  assert.equal(await second, 1)
})

test('two runs are never under way at once', async () => {
  let running = 0
  let runs = 0
  const shared = sharedRuns(async () => {
    runs++
    assert.equal(++running, 1)
    await turn()
    running--
  })
  const callers: Promise<void>[] = []
  for (let i = 0; i < 200; i++) {
    callers.push(shared())
    if (i % 7 === 0) await turn()
  }
  await Promise.all(callers)
  assert.ok(runs < 60, `${runs} runs`)
})
