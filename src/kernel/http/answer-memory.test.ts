import assert from 'node:assert/strict'
import { get } from 'node:http'
import { connect } from 'node:net'
import { describe, type TestContext, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import Type from 'typebox'
import { serve } from '../../../test/http-support.ts'
import { until } from '../../../test/until.ts'
import { UnreadBytes } from '../limits/unread.ts'
import { GIB, MIB } from '../protocol/sizes.ts'
import { AnswerMemory, LentBytes } from './answer-memory.ts'
import { intParam } from './input/params.ts'
import { jsonText, route } from './route.ts'

const lend = (memory: AnswerMemory, text: string): LentBytes => {
  const lent = memory.copyOf(Buffer.from(text))
  assert.ok(lent instanceof LentBytes)
  return lent
}

describe('the memory of answers', () => {
  test('memory is used again once it is given back, and not before', () => {
    const memory = new AnswerMemory()
    const [first, second] = ['a', 'b'].map((letter) => lend(memory, letter.repeat(5_000)))
    assert.notEqual(first!.bytes.buffer, second!.bytes.buffer)
    assert.equal(String(first!.bytes), 'a'.repeat(5_000))
    first!.giveBack()
    const third = lend(memory, 'c'.repeat(6_000))
    assert.equal(third.bytes.buffer, first!.bytes.buffer)
    assert.equal(third.length, 6_000)
    assert.equal(third.heldBytes, 8_192)
    assert.equal(String(second!.bytes), 'b'.repeat(5_000))
  })

  test('what is given back twice is lent to one answer', () => {
    const memory = new AnswerMemory()
    const lent = lend(memory, 'a'.repeat(5_000))
    for (let i = 0; i < 2; i++) lent.giveBack()
    const [first, second] = ['b', 'c'].map((letter) => lend(memory, letter.repeat(5_000)))
    assert.notEqual(first!.bytes.buffer, second!.bytes.buffer)
  })

  test('small and very large answers have memory of their own', () => {
    const memory = new AnswerMemory()
    for (const length of [0, 4_095, MIB + 1]) {
      assert.ok(!(memory.copyOf(Buffer.alloc(length)) instanceof LentBytes))
    }
    for (const length of [4_096, MIB]) {
      assert.ok(memory.copyOf(Buffer.alloc(length)) instanceof LentBytes)
    }
  })

  test('idle memory is bounded however many answers were written at once', () => {
    const memory = new AnswerMemory()
    const lent = Array.from({ length: 100 }, () => lend(memory, 'x'.repeat(200_000)))
    for (const one of lent) one.giveBack()
    assert.equal(memory.idleBytes, 8 * MIB)
    lend(memory, 'x'.repeat(200_000))
    assert.equal(memory.idleBytes, 8 * MIB - 262_144)
  })
})

/** Serves long texts, each with its number, and counts what was asked for. */
async function serveTexts(t: TestContext, text: (n: number) => string) {
  const memory = new AnswerMemory()
  const asked: number[] = []
  const read = route('GET /v1/read', {
    callers: 'anyone',
    summary: 'Says its number',
    query: { n: intParam({ min: 0, max: 1_000 }) },
    reply: Type.Unknown(),
    errors: [],
    cost: 'lookup',
    handler: async (_, { query: { n } }) => {
      asked.push(n)
      return jsonText(memory.copyOf(Buffer.from(text(n))))
    },
  })
  // One reader waits for more than a client may leave unread.
  const unread = new UnreadBytes({ total: GIB, perClient: GIB })
  const served = serve([read], { compressed: true, unread })
  const { url, port } = await served.listen('127.0.0.1', 0)
  t.after(() => served.close())
  return { memory, asked, url, port }
}

test('readers at one time get their own answers, whether others read, compress, stop or ask for the head', async (t) => {
  const text = (n: number) => JSON.stringify(`${n} `.repeat(20_000 + n))
  const { memory, url } = await serveTexts(t, text)
  /** Whether this reader stops in the middle. */
  const stops = (n: number) => n % 5 === 4
  const ask = (n: number, method = 'GET', encoding = 'identity') =>
    new Promise<Buffer>((resolve, reject) => {
      const headers = { 'accept-encoding': encoding }
      const sent = get(`${url}/v1/read?n=${n}`, { method, headers, agent: false }, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk) => {
          chunks.push(chunk)
          if (stops(n)) response.destroy()
        })
        response.on('close', () => resolve(Buffer.concat(chunks)))
      })
      sent.on('error', reject)
    })
  for (let round = 0; round < 3; round++) {
    const answers = await Promise.all(
      Array.from({ length: 60 }, async (_, i) => {
        const n = 60 * round + i
        if (n % 5 === 0) return { n, body: gunzipSync(await ask(n, 'GET', 'gzip')) }
        return { n, body: await ask(n, n % 5 === 1 ? 'HEAD' : 'GET') }
      }),
    )
    for (const { n, body } of answers) {
      const expected = Buffer.from(n % 5 === 1 ? '' : text(n))
      const whole = stops(n) ? expected.subarray(0, body.length) : expected
      assert.ok(body.equals(whole), `answer ${n} begins with ${String(body.subarray(0, 20))}`)
    }
  }
  await until(() => memory.idleBytes > 0)
})

test('a reader who waits gets the own answers whole, whatever others were answered meanwhile', async (t) => {
  const text = (n: number) => JSON.stringify(String(n % 10).repeat(1_000_000))
  const { asked, url, port } = await serveTexts(t, text)
  const waiting = connect(port, '127.0.0.1')
  t.after(() => waiting.destroy())
  const numbers = Array.from({ length: 30 }, (_, i) => i)
  const request = (n: number) => `GET /v1/read?n=${n} HTTP/1.1\r\nhost: test\r\n\r\n`
  waiting.pause()
  waiting.write(numbers.map(request).join(''))
  const isFull = async () => {
    const before = asked.filter((n) => n < 30).length
    for (const n of [107, 108, 109])
      assert.equal(await (await fetch(`${url}/v1/read?n=${n}`)).text(), text(n))
    return before > 0 && asked.filter((n) => n < 30).length === before
  }
  await until(isFull, 'the system takes no more for the reader who waits')
  let received = ''
  waiting.on('data', (chunk) => {
    received += chunk.toString('latin1')
  })
  waiting.resume()
  await until(() => received.endsWith(text(29)), 'the last answer is there')
  const bodies = received.split(/HTTP\/1\.1 200 OK\r\n[^"]*\r\n\r\n/).slice(1)
  assert.equal(bodies.length, 30)
  for (const [n, body] of bodies.entries()) assert.ok(body === text(n), `answer ${n}`)
})
