import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AnswerCache } from '../http/answer-cache.ts'
import { cachedCall } from './cached-calls.ts'
import type { Call } from './method.ts'

/** A read that answers its request and a text that the test sets. */
function versioned() {
  const state = { version: 1 as number | undefined, text: 'first', reads: 0, isCancelled: false }
  const call: Call = {
    method: 'Get',
    peer: '192.0.2.1',
    header: () => undefined,
    isCancelled: () => state.isCancelled,
  }
  const handle = cachedCall(new AnswerCache(100_000), {
    decode: (bytes) => ({ text: Buffer.from(bytes).toString() }),
    version: () => state.version,
    answer: async (request) => {
      state.reads++
      return Buffer.from(`${request.text} ${state.text}`)
    },
  })
  const ask = async (request = 'a', method = 'Get') =>
    Buffer.from((await handle(Buffer.from(request), { ...call, method })) as Uint8Array).toString()
  return { state, ask }
}

test('an answer is cached by its method and its request', async () => {
  const { state, ask } = versioned()
  for (let i = 0; i < 4; i++) assert.equal(await ask(), 'a first')
  assert.equal(state.reads, 2, 'what is asked for again is kept')
  assert.equal(await ask('b'), 'b first')
  await ask('a', 'GetOther')
  assert.equal(state.reads, 4)
})

test('a cached answer is read anew once its version is another one or not known', async () => {
  const { state, ask } = versioned()
  for (let i = 0; i < 3; i++) await ask()
  Object.assign(state, { version: 2, text: 'second' })
  for (let i = 0; i < 3; i++) assert.equal(await ask(), 'a second')
  assert.equal(state.reads, 3)
  Object.assign(state, { version: undefined, text: 'third' })
  for (let i = 0; i < 3; i++) assert.equal(await ask(), 'a third')
})

test('what was read for a caller that went away is not cached: its page may have ended early', async () => {
  const { state, ask } = versioned()
  Object.assign(state, { isCancelled: true, text: 'half' })
  for (let i = 0; i < 3; i++) await ask()
  Object.assign(state, { isCancelled: false, text: 'whole' })
  assert.equal(await ask(), 'a whole')
})

test('an answer to a long request is not cached', async () => {
  const { state, ask } = versioned()
  for (let i = 0; i < 3; i++) await ask('x'.repeat(513))
  assert.equal(state.reads, 3)
})
