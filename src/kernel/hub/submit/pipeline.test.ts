import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import * as build from '../../protocol/build.ts'
import { encodeEnvelope } from '../../protocol/codec/envelope.ts'
import { Rejection } from '../../protocol/rejection.ts'
import { networkTime } from '../../protocol/time.ts'
import { UserDataType } from '../../protocol/wire/message_pb.js'
import { StoreUnavailable } from '../../storage/engines/unavailable.ts'
import {
  MAX_BATCH_MESSAGES,
  MAX_MERGING_MESSAGES,
  MAX_QUEUED_BYTES,
  MAX_QUEUED_MESSAGES,
  MIN_SPLIT_MESSAGES,
} from '../settings.ts'
import { examine, packBodies } from './examination.ts'
import { unpackBatch } from './message-batch.ts'
import { type AnswerQuestion, Pipeline, type SubmitOutcome } from './pipeline.ts'
import type { Outcome } from './run.ts'

const NOW_MS = Date.UTC(2026, 0, 1)
const SEED = new Uint8Array(32).fill(7)
const SETTINGS = { network: 3 }
const SENT = { nowMs: NOW_MS, areStored: false }
const origin = { fid: 12, timestamp: networkTime(NOW_MS), network: 3 }
const bodyOf = (init: Parameters<typeof build.buildMessage>[0]) =>
  encodeEnvelope(build.buildMessage(init, SEED))
const CAST = bodyOf(build.castAdd(origin, 'a rook'))
const USERNAME = bodyOf(build.userDataAdd(origin, UserDataType.USER_DATA_TYPE_USERNAME, 'alice'))
const UNREADABLE = Uint8Array.of(0xff)

/** Decides a batch: a list of the outcomes of so many messages, which are numbered in the order of their merges. */
type Merge = (numbers: readonly number[]) => Promise<Outcome[]>

const merged: Merge = async (numbers) => numbers.map((id) => ({ id }))

/** Examines for real, and merges as told. */
function pipelineOf(merge: Merge, answerQuestion: AnswerQuestion = async () => undefined) {
  const failures: unknown[] = []
  const batchSizes: number[] = []
  let count = 0
  const pipeline = new Pipeline({
    // Examining the same cast twenty thousand times would say nothing more about the queue.
    examiners: {
      examine: async (bodies) => {
        const isOneCast = bodies.every((body) => body === CAST)
        return [isOneCast ? casts(bodies.length) : examine(packBodies(bodies, SENT), SETTINGS)]
      },
    },
    merger: {
      merge(rows) {
        const size = unpackBatch(rows).length
        batchSizes.push(size)
        return merge(Array.from({ length: size }, () => count++))
      },
    },
    clock: { now: () => NOW_MS },
    answerQuestion,
    onFailure: (error) => failures.push(error),
  })
  return { pipeline, failures, batchSizes }
}

const ONE_CAST = examine(packBodies([CAST], SENT), SETTINGS)

/** What the examination of so many equal casts answers. */
function casts(count: number) {
  const { numbers, bytes } = ONE_CAST.valid
  const valid = {
    numbers: Float64Array.from(
      { length: count * numbers.length },
      (_, i) => numbers[i % numbers.length]!,
    ),
    bytes: Uint8Array.from({ length: count * bytes.length }, (_, i) => bytes[i % bytes.length]!),
  }
  return { ...ONE_CAST, verdicts: new Uint8Array(count).fill(ONE_CAST.verdicts[0]!), valid }
}

const codeOf = (outcome: SubmitOutcome) => ('id' in outcome ? outcome.id : outcome.rejection.code)

/** Submits so many casts, each by itself. */
const submitTo = async (pipeline: Pipeline, count: number) =>
  (await Promise.all(Array.from({ length: count }, () => pipeline.submit([CAST])))).flat()

async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await nextTurn()
}

test('a full pipeline refuses the next message at once and still answers all it accepted', async () => {
  const released = Promise.withResolvers<void>()
  const { pipeline, batchSizes } = pipelineOf(async (numbers) => {
    await released.promise
    return merged(numbers)
  })
  const answers = submitTo(pipeline, MAX_QUEUED_MESSAGES)
  assert.equal(pipeline.depth, MAX_QUEUED_MESSAGES)
  const [refused] = await pipeline.submit([CAST])
  assert.ok(refused && 'rejection' in refused)
  assert.equal(refused.rejection.code, 'unavailable.overloaded')
  assert.ok(refused.rejection.retryAfterSeconds! > 0)
  const inMerger = () => batchSizes.reduce((sum, count) => sum + count, 0)
  while (inMerger() < MAX_MERGING_MESSAGES) await nextTurn()
  // However long the merger takes, it gets no more.
  await settle()
  assert.equal(inMerger(), MAX_MERGING_MESSAGES)
  released.resolve()
  const outcomes = await answers
  assert.equal(new Set(outcomes.map(codeOf)).size, MAX_QUEUED_MESSAGES)
  assert.equal(pipeline.depth, 0)
  assert.ok(Math.max(...batchSizes) <= MAX_BATCH_MESSAGES)
  assert.equal(codeOf((await pipeline.submit([CAST]))[0]!), MAX_QUEUED_MESSAGES)
})

test('a refused message does not affect the others of its batch', async () => {
  const { pipeline } = pipelineOf(merged)
  const outcomes = await pipeline.submit([CAST, UNREADABLE, CAST, UNREADABLE, CAST])
  const parse = 'bad_request.parse_failure'
  assert.deepEqual(outcomes.map(codeOf), [0, parse, 1, parse, 2])
  assert.ok('message' in outcomes[0]! && outcomes[0].message.fid === origin.fid)
})

test('what the merge refuses is answered with what is known of the message', async () => {
  const twice = new Rejection('bad_request.duplicate', 'twice')
  const { pipeline } = pipelineOf(async (numbers) => numbers.map(() => twice))
  const [outcome] = await pipeline.submit([CAST])
  assert.ok(outcome && 'rejection' in outcome)
  assert.equal(outcome.rejection, twice)
  assert.equal(outcome.head!.fid, origin.fid)
})

test('a message with a question is merged when it is answered, and the others do not wait for it', async () => {
  const answer = Promise.withResolvers<Uint8Array>()
  const { pipeline, batchSizes } = pipelineOf(merged, () => answer.promise)
  const asking = pipeline.submit([USERNAME])
  assert.equal(codeOf((await pipeline.submit([CAST]))[0]!), 0)
  assert.equal(pipeline.depth, 1)
  answer.resolve(new Uint8Array(20))
  assert.equal(codeOf((await asking)[0]!), 1)
  assert.deepEqual(batchSizes, [1, 1])
})

test('the answer to a question may refuse the message', async () => {
  const { pipeline } = pipelineOf(merged, async () => {
    throw new Rejection('unavailable.network_failure', 'the registry cannot be asked')
  })
  const [outcome] = await pipeline.submit([USERNAME])
  assert.equal(codeOf(outcome!), 'unavailable.network_failure')
  assert.equal(pipeline.depth, 0)
})

test('the messages of a failed batch are answered unavailable, and the next batch is merged', async () => {
  let failure: Error | undefined = new Error('disk on fire')
  const { pipeline, failures } = pipelineOf(async (numbers) => {
    if (failure) throw failure
    return merged(numbers)
  })
  const lost = await submitTo(pipeline, 2)
  assert.deepEqual(lost.map(codeOf), ['unavailable', 'unavailable'])
  assert.equal(failures.length, 1)
  failure = new StoreUnavailable('full', 'no space left')
  assert.deepEqual((await submitTo(pipeline, 1)).map(codeOf), ['unavailable.storage_full'])
  failure = undefined
  assert.deepEqual((await submitTo(pipeline, 1)).map(codeOf), [3])
  assert.equal(pipeline.depth, 0)
})

test('closing the pipeline answers every accepted message and refuses later ones', async () => {
  const { pipeline } = pipelineOf(merged)
  const answers = submitTo(pipeline, 1_500)
  await pipeline.close()
  assert.equal(pipeline.depth, 0)
  assert.ok((await answers).every((outcome) => 'id' in outcome))
  assert.equal(codeOf((await pipeline.submit([CAST]))[0]!), 'unavailable.overloaded')
})

test('the queue is bounded in bytes as well as in messages', async () => {
  const { pipeline } = pipelineOf(merged)
  const large = new Uint8Array(MAX_QUEUED_BYTES)
  const first = pipeline.submit([large])
  assert.equal(codeOf((await pipeline.submit([CAST]))[0]!), 'unavailable.overloaded')
  assert.equal(codeOf((await first)[0]!), 'bad_request.parse_failure')
  assert.equal(codeOf((await pipeline.submit([CAST]))[0]!), 0)
})

/** A merger that holds each batch until it is released. */
function heldMerger() {
  const releases: (() => void)[] = []
  return {
    releases,
    ...pipelineOf(async (numbers) => {
      await new Promise<void>((resolve) => releases.push(resolve))
      return merged(numbers)
    }),
  }
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
  const request = (count: number) => pipeline.submit(Array(count).fill(CAST))
  await Promise.all([request(40), request(30), request(10)])
  assert.deepEqual(batchSizes, [40, 40])
  batchSizes.length = 0
  await Promise.all([request(30), request(30), request(20)])
  assert.deepEqual(batchSizes, [60, 20])
})

test('few messages that come at the same time are one batch', async () => {
  const { pipeline, batchSizes } = pipelineOf(merged)
  await submitTo(pipeline, MIN_SPLIT_MESSAGES - 1)
  assert.deepEqual(batchSizes, [MIN_SPLIT_MESSAGES - 1])
})
