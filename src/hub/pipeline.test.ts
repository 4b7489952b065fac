import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Rejection } from '../protocol/rejection.ts'
import type { Candidate } from './candidate.ts'
import { type Examined, VERDICTS } from './examination.ts'
import type { Outcome } from './merge.ts'
import type { Merger } from './merger.ts'
import { INVALID_SIGNATURE, Pipeline } from './pipeline.ts'
import {
  MAX_BATCH_MESSAGES,
  MAX_MERGING_MESSAGES,
  MAX_QUEUED_BYTES,
  MAX_QUEUED_MESSAGES,
  MIN_SPLIT_MESSAGES,
} from './settings.ts'

// The pipeline reads nothing of a candidate but its size, so a number can stand for the message.
type Numbered = { row: { number: number; data: { length: number } } }
const candidate = (number: number, bytes = 1) =>
  ({ row: { number, data: { length: bytes } } }) as unknown as Candidate
const numberOf = (one: { row: unknown }) => (one as Numbered).row.number

function pipelineOf(merge: Merger['merge'], isValid = (_: number) => true) {
  const failures: unknown[] = []
  const batchSizes: number[] = []
  const pipeline = new Pipeline({
    verifier: {
      verify: async (rows) => rows.map((row) => isValid(numberOf({ row }))),
      // A body is a byte: its number, as the rows and the text of the answer.
      examine: async (bodies) => [examined(bodies, isValid)],
      close: async () => {},
    },
    merger: {
      shards: 1,
      shardOf: () => 1,
      merge(candidates, now) {
        batchSizes.push(candidates.length)
        return merge(candidates, now)
      },
      mergePacked({ numbers }, now) {
        batchSizes.push(numbers.length)
        return merge(
          Array.from(numbers, (number) => candidate(number)),
          now,
        )
      },
    },
    clock: { now: () => 0 },
    onFailure: (error) => failures.push(error),
  })
  return { pipeline, failures, batchSizes }
}

/** Bodies above 100 need more than their bytes. */
function examined(bodies: readonly Uint8Array[], isValid: (n: number) => boolean): Examined {
  const numbers = bodies.map(([number]) => number!)
  const { other, valid, badSignature } = VERDICTS
  const verdicts = numbers.map((n) => (n > 100 ? other : isValid(n) ? valid : badSignature))
  const found = numbers.filter((_, i) => verdicts[i] === valid)
  return {
    verdicts: Uint8Array.from(verdicts),
    types: Uint8Array.from(found),
    rows: { numbers: Float64Array.from(found), bytes: new Uint8Array() },
    texts: Uint8Array.from(found),
    textEnds: Uint32Array.from(found, (_, i) => i + 1),
  }
}

const merged: Merger['merge'] = async (candidates) =>
  candidates.map((one) => ({ id: numberOf(one) }))

const codeOf = (outcome: Outcome) => (outcome instanceof Rejection ? outcome.code : outcome.id)

test('a full pipeline refuses the next message at once and still answers all it accepted', async () => {
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const { pipeline, batchSizes } = pipelineOf(async (candidates, now) => {
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
  const inMerger = () => batchSizes.reduce((sum, count) => sum + count, 0)
  while (inMerger() < MAX_MERGING_MESSAGES) await nextTurn()
  // However long the merger takes, it gets no more.
  for (let turn = 0; turn < 10; turn++) await nextTurn()
  assert.equal(inMerger(), MAX_MERGING_MESSAGES)
  release()
  const outcomes = await Promise.all(answers)
  assert.deepEqual(outcomes.map(codeOf), [...outcomes.keys()])
  assert.equal(pipeline.depth, 0)
  assert.ok(Math.max(...batchSizes) <= MAX_BATCH_MESSAGES)
  assert.equal(codeOf(await pipeline.submit(candidate(7))), 7)
})

test('an invalid signature refuses its own message and no other of the batch', async () => {
  const { pipeline } = pipelineOf(merged, (n) => n % 3 !== 0)
  const outcomes = await Promise.all(
    Array.from({ length: 9 }, (_, i) => pipeline.submit(candidate(i))),
  )
  const invalid = 'bad_request.validation_failure'
  const wanted = [invalid, 1, 2, invalid, 4, 5, invalid, 7, 8]
  assert.deepEqual(outcomes.map(codeOf), wanted)
})

test('the messages of a failed batch are answered unavailable, and the next batch is merged', async () => {
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

test('closing the pipeline answers every accepted message and refuses later ones', async () => {
  const { pipeline } = pipelineOf(merged)
  const answers = Array.from({ length: 1_500 }, (_, i) => pipeline.submit(candidate(i)))
  await pipeline.close()
  assert.equal(pipeline.depth, 0)
  assert.deepEqual((await Promise.all(answers)).map(codeOf), [...answers.keys()])
  assert.equal(codeOf(await pipeline.submit(candidate(1))), 'unavailable.overloaded')
})

test('the queue is bounded in bytes as well as in messages', async () => {
  const { pipeline } = pipelineOf(merged)
  const half = MAX_QUEUED_BYTES / 2
  const answers = [pipeline.submit(candidate(1, half)), pipeline.submit(candidate(2, half))]
  assert.equal(codeOf(await pipeline.submit(candidate(3, 1))), 'unavailable.overloaded')
  assert.deepEqual((await Promise.all(answers)).map(codeOf), [1, 2])
  assert.equal(codeOf(await pipeline.submit(candidate(3, 1))), 3)
})

/** A merger that holds each batch until it is released. */
function heldMerger() {
  const releases: (() => void)[] = []
  const merge: Merger['merge'] = async (candidates, now) => {
    await new Promise<void>((resolve) => releases.push(resolve))
    return merged(candidates, now)
  }
  return { releases, ...pipelineOf(merge) }
}

const submitTo = (pipeline: Pipeline, count: number) =>
  Promise.all(Array.from({ length: count }, (_, i) => pipeline.submit(candidate(i))))

async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await nextTurn()
}

test('while a batch is merged, the next one grows until it is as large, and begins when the merge is done', async () => {
  const { pipeline, batchSizes, releases } = heldMerger()
  const first = submitTo(pipeline, 4)
  await settle()
  const second = submitTo(pipeline, 2)
  await settle()
  assert.deepEqual(batchSizes, [4])
  const third = submitTo(pipeline, 2)
  await settle()
  assert.deepEqual(batchSizes, [4, 4])
  const fourth = submitTo(pipeline, 1)
  await settle()
  assert.deepEqual(batchSizes, [4, 4])
  releases.shift()!()
  releases.shift()!()
  await settle()
  assert.deepEqual(batchSizes, [4, 4, 1])
  releases.shift()!()
  await Promise.all([first, second, third, fourth])
})

test('messages that come at the same time become two batches, and stay two when their submitters go on', async () => {
  const { pipeline, batchSizes, releases } = heldMerger()
  const count = MIN_SPLIT_MESSAGES + 1
  const [large, small] = [Math.ceil(count / 2), Math.floor(count / 2)]
  const first = submitTo(pipeline, count)
  await settle()
  assert.deepEqual(batchSizes, [large, small])
  releases.shift()!()
  await settle()
  const second = submitTo(pipeline, large)
  await settle()
  assert.deepEqual(batchSizes, [large, small, large])
  for (const release of releases) release()
  await Promise.all([first, second])
})

test('the messages of one request are in one batch', async () => {
  const { pipeline, batchSizes } = pipelineOf(merged)
  const request = (first: number, count: number) =>
    Array.from({ length: count }, (_, i) => pipeline.submitBody(Uint8Array.of(first + i), i > 0))
  await Promise.all([...request(0, 40), ...request(40, 30), ...request(70, 10)])
  assert.deepEqual(batchSizes, [40, 40])
  batchSizes.length = 0
  await Promise.all([...request(0, 30), ...request(30, 30), ...request(60, 20)])
  assert.deepEqual(batchSizes, [60, 20])
})

test('few messages that come at the same time are one batch', async () => {
  const { pipeline, batchSizes } = pipelineOf(merged)
  await submitTo(pipeline, MIN_SPLIT_MESSAGES - 1)
  assert.deepEqual(batchSizes, [MIN_SPLIT_MESSAGES - 1])
})

test('bodies are checked and merged together, and each gets its own outcome', async () => {
  const { pipeline, batchSizes } = pipelineOf(
    async (candidates) =>
      candidates.map((one) =>
        numberOf(one) === 5
          ? new Rejection('bad_request.duplicate', 'twice')
          : { id: numberOf(one) },
      ),
    (n) => n % 3 !== 0,
  )
  const submit = (n: number) => pipeline.submitBody(Uint8Array.of(n))
  const outcomes = await Promise.all([1, 2, 3, 200, 4, 5, 7].map(submit))
  const stored = (id: number) => ({ id, type: id, text: String.fromCharCode(id) })
  const [one, two, unsigned, other, four, twice, seven] = outcomes
  assert.deepEqual([one, two, four, seven], [1, 2, 4, 7].map(stored))
  assert.equal(unsigned, INVALID_SIGNATURE)
  assert.equal(other, undefined, 'it is left to the caller')
  assert.ok(twice instanceof Rejection && twice.code === 'bad_request.duplicate')
  assert.deepEqual(batchSizes, [5])
  assert.equal(pipeline.depth, 0)
})

test('bodies count for the bounds of the queue, and those of a failed batch are answered unavailable', async () => {
  const { pipeline, failures } = pipelineOf(async () => {
    throw new Error('disk on fire')
  })
  const large = new Uint8Array(MAX_QUEUED_BYTES).fill(1)
  const codes = [large, Uint8Array.of(2), Uint8Array.of(2)].map(async (body) => {
    const outcome = await pipeline.submitBody(body)
    return outcome instanceof Rejection && outcome.code
  })
  const full = 'unavailable.overloaded'
  assert.deepEqual(await Promise.all(codes), ['unavailable', full, full])
  assert.equal(failures.length, 1)
  assert.equal(pipeline.depth, 0)
})
