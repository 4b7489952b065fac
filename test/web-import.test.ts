// What an import of an archive sends, and what it takes a refusal for. The server's answers are given.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseData } from '../web/client/import/read-archive.ts'
import { batchesOf, sendItem, sendMessages } from '../web/client/import/sending.ts'
import { Refusal } from '../web/shared/request.ts'

const { signal } = new AbortController()
const lineOf = (text: string) => Buffer.from(text.padEnd(6, '.')).toString('base64')
const GOOD = [1, 2, 3, 4, 5].map((n) => lineOf(`good ${n}`))
const BAD = lineOf('bad 1')

/** Answers requests with `answer`, which is told how many messages came and whether the bad one is among them. */
function answering(
  t: { after: (work: () => void) => void },
  answer: (body: Uint8Array) => Response,
): Uint8Array[] {
  const { fetch } = globalThis
  const sent: Uint8Array[] = []
  globalThis.fetch = async (_, init) => {
    const body = init!.body as Uint8Array
    sent.push(body)
    return answer(body)
  }
  t.after(() => {
    globalThis.fetch = fetch
  })
  return sent
}
const has = (body: Uint8Array, text: string) => Buffer.from(body).includes(text)
const json = (status: number, body: object, headers = {}) =>
  new Response(JSON.stringify(body), { status, headers })

test('a message that has its whole batch refused is found and told, and all others come', async (t) => {
  const came = new Set<string>()
  answering(t, (body) => {
    if (has(body, 'bad 1')) return json(400, { details: 'not a message' })
    for (const line of GOOD) {
      const text = Buffer.from(line, 'base64').toString()
      if (has(body, text)) came.add(text)
    }
    return json(200, { messages: [] })
  })
  const faults = await sendMessages([...GOOD.slice(0, 2), BAD, ...GOOD.slice(2)], signal)
  assert.deepEqual(faults, [{ what: `The message ${BAD.slice(0, 10)}…`, said: 'not a message' }])
  assert.equal(came.size, GOOD.length)
})

test('messages that the server does not take yet are not skipped but stop the import, which says when to go on', async (t) => {
  const answers = ['rate_limited', 'unavailable.storage_failure', 'bad_request.duplicate']
  answering(t, () => {
    const errCode = answers.shift()
    return json(200, { messages: [{ hash: '0x0123456789', errCode, message: 'too many' }] })
  })
  const later = { name: 'Refusal', message: 'too many. Go on in an hour.' }
  await assert.rejects(sendMessages(GOOD, signal), later)
  await assert.rejects(sendMessages(GOOD, signal), later)
  assert.deepEqual(await sendMessages(GOOD, signal), [])
})

test('a limit that is lower than a batch is passed with smaller ones, and a wait ends with the page', async (t) => {
  let isFirst = true
  const sent = answering(t, () => {
    const refused = json(429, { details: 'slow down' }, { 'retry-after': '0.01' })
    const answer = isFirst ? refused : json(200, { messages: [] })
    isFirst = false
    return answer
  })
  assert.deepEqual(await sendMessages(GOOD, signal), [])
  assert.equal(sent.length, 3)
  assert.ok(sent[1]!.length < sent[0]!.length)
  const page = new AbortController()
  answering(t, () => {
    queueMicrotask(() => setImmediate(() => page.abort()))
    return json(429, { details: 'slow down' }, { 'retry-after': '100' })
  })
  await assert.rejects(sendMessages(GOOD, page.signal), { name: 'AbortError' })
  answering(t, () => json(429, { details: 'slow down' }, { 'retry-after': '3600' }))
  await assert.rejects(sendMessages(GOOD, signal), { message: 'slow down. Go on in 60 minutes.' })
})

test('only what is wrong with an item itself is told of it; a key that is gone or a server that fails stops the import', async () => {
  const refusing = (status: number) => () => Promise.reject(new Refusal(status, 'no'))
  for (const status of [400, 404, 409, 422]) {
    assert.deepEqual(await sendItem('a mute', refusing(status), signal), [
      { what: 'a mute', said: 'no' },
    ])
  }
  for (const status of [401, 403, 500, 503]) {
    await assert.rejects(sendItem('a mute', refusing(status), signal), { status })
  }
})

test('an item waits for as long as the server asks, and where that is too long the import says when to go on', async () => {
  const answers = [new Refusal(429, 'slow down', { retryAfter: 0.01 }), undefined]
  const work = () => {
    const refusal = answers.shift()
    return refusal ? Promise.reject(refusal) : Promise.resolve()
  }
  assert.deepEqual(await sendItem('a mute', work, signal), [])
  assert.equal(answers.length, 0)
  answers.push(new Refusal(429, 'slow down', { retryAfter: 3_600 }))
  const later = { message: 'slow down. Go on in 60 minutes.' }
  await assert.rejects(sendItem('a mute', work, signal), later)
})

test('lines that are no messages are told without being sent', () => {
  const { batches, bad } = batchesOf([...GOOD, 'no base64 !', 'A'.repeat(200_000)])
  assert.deepEqual(batches, [GOOD])
  assert.equal(bad.length, 2)
  assert.equal(batchesOf(Array.from({ length: 250 }, () => GOOD[0]!)).batches.length, 3)
})

test('of data that somebody has written only rows and names of the right kind are read', () => {
  const kept = [null, 1, {}, { table: 'muted_term', row: null }, { table: 'x', row: { a: {} } }]
  const good = { table: 'muted_term', row: { kind: 'word', term: 'spoiler' } }
  const account = { fid: 1, displayName: {}, username: null }
  const read = parseData(JSON.stringify({ format: 1, account, kept: [...kept, good], server: {} }))
  assert.deepEqual(read, { account: { fid: 1 }, kept: [good], server: '', madeAt: '' })
  for (const text of [
    'null',
    '[]',
    '{"format":{}}',
    '{"format":1,"account":{"fid":"1"},"kept":[]}',
  ])
    assert.throws(() => parseData(text), Error)
})
