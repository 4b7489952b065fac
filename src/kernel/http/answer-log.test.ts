import assert from 'node:assert/strict'
import { Writable } from 'node:stream'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import Type from 'typebox'
import { serve } from '../../../test/http-support.ts'
import { Rejection } from '../protocol/rejection.ts'
import { AnswerLog, MAX_REFUSAL_LINES_PER_SECOND } from './answer-log.ts'
import { createLogger } from './logger.ts'
import { route } from './route.ts'

function log(level: string) {
  const lines: Record<string, unknown>[] = []
  const destination = new Writable({
    write: (chunk, _encoding, done) => {
      lines.push(JSON.parse(String(chunk)))
      done()
    },
  })
  return { lines, logger: createLogger({ level, destination }) }
}

/** Floods last less than this many seconds on any machine that runs tests. */
const MAX_SECONDS = 120

test('a flood of refusals is counted in few lines, and no server error is left out', async () => {
  const { lines, logger } = log('info')
  const failing = route('GET /v1/fail', {
    callers: 'anyone',
    summary: 'Fails',
    reply: Type.Object({}),
    errors: [],
    cost: 'lookup',
    handler: () => {
      throw new Rejection('unavailable', 'not now')
    },
  })
  const api = serve([failing], { logger })
  const began = Date.now()
  for (let i = 0; i < 1_000; i++) {
    await api.inject(`/nothing/${i}`)
    if (i % 10 === 0) await api.inject('/v1/fail')
  }
  const seconds = Math.ceil((Date.now() - began) / 1_000) + 1
  assert.ok(seconds < MAX_SECONDS)
  const count = (status: number) => lines.filter((line) => line.status === status).length
  assert.equal(count(503), 100)
  assert.ok(count(404) >= MAX_REFUSAL_LINES_PER_SECOND)
  assert.ok(count(404) <= seconds * (MAX_REFUSAL_LINES_PER_SECOND + 1), `${count(404)} lines`)
})

test('refusals without a line of their own are counted by status and code', async () => {
  const { lines, logger } = log('info')
  const answers = new AnswerLog(logger, 10)
  const line = { requestId: 'r', method: 'GET', route: '/', ms: 1 }
  const kinds = { 404: 'not_found', 400: 'bad_request', 429: 'rate_limited' }
  for (let i = 0; i < 500; i++) {
    for (const [status, code] of Object.entries(kinds)) {
      answers.write({ ...line, status: Number(status), code })
    }
  }
  const total = (code: string) =>
    lines
      .filter((one) => one.code === code)
      .reduce((sum, { msg, count }) => sum + (msg === 'request' ? 1 : Number(count)), 0)
  while (Object.values(kinds).some((code) => total(code) < 500)) await nextTurn()
  for (const code of Object.values(kinds)) assert.equal(total(code), 500)
  assert.ok(lines.length < 500)
})

test('the level debug shows every request', () => {
  const { lines, logger } = log('debug')
  const answers = new AnswerLog(logger)
  const line = { requestId: 'r', method: 'GET', route: '/', ms: 1, status: 404, code: 'not_found' }
  for (let i = 0; i < 100; i++) answers.write(line)
  assert.equal(lines.length, 100)
})
