import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Rejection } from '../protocol/rejection.ts'
import type { Outcome } from './merge.ts'
import type { Candidate } from './merge-state.ts'
import type { Merger } from './merger.ts'
import { Pipeline } from './pipeline.ts'
import { MAX_BATCH_MESSAGES, MAX_QUEUED_BYTES, MAX_QUEUED_MESSAGES } from './settings.ts'

// The pipeline looks into no candidate: numbers that say what should become of them will do.
type Numbered = { message: { number: number; dataBytes: { length: number } } }
const candidate = (number: number, bytes = 1) =>
  ({ message: { number, dataBytes: { length: bytes } } }) as unknown as Candidate
const numberOf = (one: Candidate) => (one as unknown as Numbered).message.number

function pipelineOf(merge: Merger['merge'], isValid = (_: number) => true) {
  const failures: unknown[] = []
  const batches: number[] = []
  const pipeline = new Pipeline({
    verifier: {
      verify: async (messages) => messages.map((message) => isValid(numberOf({ message }))),
      close: async () => {},
    },
    merger: { merge, close: async () => {} },
    clock: { now: () => 0 },
    report: {
      batch: (messages) => batches.push(messages),
      failed: (error) => failures.push(error),
    },
  })
  return { pipeline, failures, batches }
}

const merged: Merger['merge'] = async (candidates) =>
  candidates.map((one) => ({ id: numberOf(one) }))

const codeOf = (outcome: Outcome) => (outcome instanceof Rejection ? outcome.code : outcome.id)

test('takes as many as it may hold, refuses the next at once, and then answers all', async () => {
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const { pipeline, batches } = pipelineOf(async (candidates, now) => {
    await released
    return merged(candidates, now)
  })
  const answers = Array.from({ length: MAX_QUEUED_MESSAGES }, (_, i) =>
    pipeline.submit(candidate(i)),
  )
  assert.equal(pipeline.depth, MAX_QUEUED_MESSAGES)
  const refused = await pipeline.submit(candidate(-1))
  assert.ok(refused instanceof Rejection)
  assert.equal(refused.code, 'unavailable.overloaded')
  assert.ok(refused.retryAfterSeconds! > 0)
  release()
  const outcomes = await Promise.all(answers)
  assert.deepEqual(outcomes.map(codeOf), [...outcomes.keys()])
  assert.equal(pipeline.depth, 0)
  assert.ok(Math.max(...batches) <= MAX_BATCH_MESSAGES)
  assert.equal(codeOf(await pipeline.submit(candidate(7))), 7)
})

test('what does not verify is refused; its neighbours go on', async () => {
  const { pipeline } = pipelineOf(merged, (n) => n % 3 !== 0)
  const outcomes = await Promise.all(
    Array.from({ length: 9 }, (_, i) => pipeline.submit(candidate(i))),
  )
  const invalid = 'bad_request.validation_failure'
  const wanted = [invalid, 1, 2, invalid, 4, 5, invalid, 7, 8]
  assert.deepEqual(outcomes.map(codeOf), wanted)
})

test('a batch that fails is told so, and the next one is merged', async () => {
  let fails = true
  const { pipeline, failures } = pipelineOf(async (candidates, now) => {
    if (fails) throw new Error('disk on fire')
    return merged(candidates, now)
  })
  const lost = await Promise.all([pipeline.submit(candidate(1)), pipeline.submit(candidate(2))])
  assert.deepEqual(lost.map(codeOf), ['unavailable', 'unavailable'])
  assert.equal(failures.length, 1)
  fails = false
  assert.equal(codeOf(await pipeline.submit(candidate(3))), 3)
})

test('answers what it accepted before it closes, and then takes nothing', async () => {
  const { pipeline } = pipelineOf(merged)
  const answers = Array.from({ length: 1_500 }, (_, i) => pipeline.submit(candidate(i)))
  await pipeline.close()
  assert.equal(pipeline.depth, 0)
  assert.deepEqual((await Promise.all(answers)).map(codeOf), [...answers.keys()])
  assert.equal(codeOf(await pipeline.submit(candidate(1))), 'unavailable.overloaded')
})

test('holds no more bytes than it may, however few messages they are', async () => {
  const { pipeline } = pipelineOf(merged)
  const half = MAX_QUEUED_BYTES / 2
  const answers = [pipeline.submit(candidate(1, half)), pipeline.submit(candidate(2, half))]
  assert.equal(codeOf(await pipeline.submit(candidate(3, 1))), 'unavailable.overloaded')
  assert.deepEqual((await Promise.all(answers)).map(codeOf), [1, 2])
  assert.equal(codeOf(await pipeline.submit(candidate(3, 1))), 3)
})
