import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import Type from 'typebox'
import { serve } from '../../../test/http-support.ts'
import { AnswerCache } from './answer-cache.ts'
import { AnswerMemory, type LentBytes } from './answer-memory.ts'
import { fidParam } from './input/params.ts'
import { jsonText, route } from './route.ts'

/** A read whose version and text the test sets. */
function versioned() {
  const state = {
    version: 1 as number | undefined,
    text: 'first',
    reads: 0,
    isRead: Promise.resolve(),
  }
  const cached = route('GET /v1/read', {
    callers: 'anyone',
    summary: 'Says what the test says',
    query: { fid: fidParam },
    reply: Type.Unknown(),
    errors: [],
    cost: 'lookup',
    version: () => state.version,
    handler: async (_, { query: { fid } }) => {
      state.reads++
      const { text } = state
      await state.isRead
      return jsonText(`"${fid} ${text}"`)
    },
  })
  const api = serve([cached], { cache: new AnswerCache(100_000) })
  const ask = async (fid = 7) => {
    const { statusCode, body, headers } = await api.inject(`/v1/read?fid=${fid}`)
    delete headers['x-request-id']
    delete headers.date
    return { statusCode, body, headers }
  }
  return { state, ask }
}

/** Puts an answer as two requests do: it is kept when it is asked for again. */
function put(cache: AnswerCache, key: string, body: string | Uint8Array | LentBytes): void {
  for (let i = 0; i < 2; i++) cache.put(key, { query: {}, version: 1, body })
}

test('an answer out of the cache has the status, headers and body of the first one', async () => {
  const { state, ask } = versioned()
  const first = await ask()
  assert.equal(first.body, '"7 first"')
  for (let i = 0; i < 4; i++) assert.deepEqual(await ask(), first)
  assert.equal(state.reads, 2, 'one that is asked for once does not take the place of another')
  assert.equal((await ask(8)).body, '"8 first"')
})

test('an answer is read anew once its version is another one or not known', async () => {
  const { state, ask } = versioned()
  for (let i = 0; i < 3; i++) await ask()
  Object.assign(state, { version: 2, text: 'second' })
  assert.equal((await ask()).body, '"7 second"')
  Object.assign(state, { version: undefined, text: 'third' })
  for (let i = 0; i < 3; i++) assert.equal((await ask()).body, '"7 third"')
  assert.equal(state.reads, 6)
})

test('an answer that was read before a change is not given after it', async () => {
  const { state, ask } = versioned()
  const { promise, resolve } = Promise.withResolvers<void>()
  state.isRead = promise
  const early = ask()
  while (state.reads < 1) await nextTurn()
  Object.assign(state, { version: 2, text: 'second' })
  resolve()
  assert.equal((await early).body, '"7 first"')
  for (let i = 0; i < 3; i++) assert.equal((await ask()).body, '"7 second"')
})

test('a refusal is not cached', async () => {
  const { state, ask } = versioned()
  assert.equal((await ask(0)).statusCode, 400)
  assert.equal(state.reads, 0)
})

test('the cache stays within its bound in bytes whatever is asked for', () => {
  const cache = new AnswerCache(10_000)
  for (let i = 0; i < 1_000; i++) {
    put(cache, `/v1/read?fid=${i}`, 'x'.repeat(i))
    assert.ok(cache.bytes <= 10_000)
  }
  put(cache, 'large', new Uint8Array(9_000))
  assert.equal(
    cache.find('large', () => 1),
    undefined,
    'one answer does not displace all others',
  )
})

test('an answer that is stale does not stay in memory once it was asked for', () => {
  const cache = new AnswerCache(100_000)
  put(cache, 'key', 'erased words')
  assert.notEqual(cache.bytes, 0)
  assert.equal(
    cache.find('key', () => 2),
    undefined,
  )
  assert.equal(cache.bytes, 0)
})

test('a cached answer keeps its bytes when the memory that it was written in is used again', () => {
  const cache = new AnswerCache(100_000)
  const memory = new AnswerMemory()
  const lent = memory.copyOf(Buffer.alloc(8_000, 'a')) as LentBytes
  put(cache, 'key', lent)
  lent.giveBack()
  memory.copyOf(Buffer.alloc(8_000, 'b'))
  assert.equal(String(cache.find('key', () => 1)!.body), 'a'.repeat(8_000))
})
