import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { holdTimeouts } from '../../../test/request-timeouts.ts'
import { toHex } from '../../kernel/protocol/codec/bytes.ts'
import { publicKeyOf, signEd25519 } from '../../kernel/protocol/crypto/ed25519.ts'
import { type SignedMethod, SNAP_TIMEOUT_MS, snapLink } from './asking.ts'
import type { Jfs } from './payload.ts'
import { Snaps } from './snaps.ts'
import { SNAP_TYPE } from './words.ts'

const NOW = 1_800_000_000
const FID = 7
const SEED = new Uint8Array(32).fill(7)
const PAGE = {
  version: '2.0',
  ui: { root: 'a', elements: { a: { type: 'text', props: { content: 'Thanks' } } } },
}

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

describe('presses of snaps', () => {
  const asked: { readonly path: string; readonly headers: object; readonly body: string }[] = []
  let answer: RequestListener = (_, response) => {
    response.writeHead(200, { 'content-type': SNAP_TYPE }).end(JSON.stringify(PAGE))
  }
  const usual = answer
  const server = createServer(async (request, response) => {
    const body = (await request.toArray()).join('')
    asked.push({ path: request.url!, headers: request.headers, body })
    answer(request, response)
  })
  let origin: string
  before(async () => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  after(() => {
    server.closeAllConnections()
    server.close()
  })

  const payloadFor = (more: object = {}) => ({
    fid: FID,
    inputs: { choice: 'a' },
    timestamp: NOW,
    audience: origin,
    user: { fid: FID },
    surface: { type: 'standalone' },
    ...more,
  })
  const signed = (payload: object, head: object = {}): Jfs => {
    const header = encode({ fid: FID, type: 'app_key', key: toHex(publicKeyOf(SEED)), ...head })
    const text = `${header}.${encode(payload)}`
    const signature = Buffer.from(signEd25519(Buffer.from(text), SEED)).toString('base64url')
    return { header, payload: encode(payload), signature }
  }
  const snapsWith = (more: Partial<ConstructorParameters<typeof Snaps>[0]> = {}) =>
    new Snaps({
      isOff: false,
      allowLoopback: true,
      clock: { now: () => NOW * 1_000 } as never,
      accounts: { isActiveKey: async (fid: number) => fid === FID },
      isKeyHere: async () => false,
      resets: () => 0,
      removedHosts: async () => new Set<string>(),
      checkMayAct: async () => {},
      ...more,
    })
  const proven: number[] = []
  const press = (
    jfs: Jfs,
    { target = `${origin}/vote`, snaps = snapsWith(), method = 'POST' as SignedMethod } = {},
  ) =>
    snaps.press({
      ...{ method, target },
      jfs,
      onProven: (fid) => void proven.push(fid),
      runLimited: (_url, work) => work(),
    })

  it('a press is sent as it was signed, and the next page comes back', async () => {
    const jfs = signed(payloadFor())
    const { status, read } = await press(jfs)
    assert.equal(status, 200)
    assert.deepEqual(read?.page?.ui, PAGE.ui)
    const { path, headers, body } = asked.at(-1)!
    assert.equal(path, '/vote')
    assert.deepEqual(JSON.parse(body), jfs)
    assert.equal((headers as { accept?: string }).accept, SNAP_TYPE)
    assert.equal(proven.at(-1), FID)
  })

  it('the same press is sent once, and answered twice', async () => {
    const snaps = snapsWith()
    const jfs = signed(payloadFor({ timestamp: NOW + 1 }))
    const before = asked.length
    const answers = await Promise.all([press(jfs, { snaps }), press(jfs, { snaps })])
    assert.deepEqual(answers[0], answers[1])
    assert.deepEqual(await press(jfs, { snaps }), answers[0])
    assert.equal(asked.length - before, 1)
  })

  it('the same signature for another button of the server is sent, too', async () => {
    const snaps = snapsWith()
    const jfs = signed(payloadFor({ timestamp: NOW + 2 }))
    await press(jfs, { snaps, target: `${origin}/yes` })
    await press(jfs, { snaps, target: `${origin}/no` })
    assert.deepEqual(
      asked.slice(-2).map(({ path }) => path),
      ['/yes', '/no'],
    )
  })

  it('a page for a viewer is asked for with the signature in a header', async () => {
    const jfs = signed(payloadFor({ inputs: {} }))
    const { read } = await press(jfs, { method: 'GET' })
    assert.deepEqual(read?.page?.ui, PAGE.ui)
    const { headers, body } = asked.at(-1)!
    const compact = `${jfs.header}.${jfs.payload}.${jfs.signature}`
    assert.equal((headers as Record<string, string>)['x-snap-payload'], compact)
    assert.equal(body, '')
  })

  it('a suspended account presses nothing', async () => {
    const before = asked.length
    const suspended = new Error('suspended')
    const snaps = snapsWith({ checkMayAct: () => Promise.reject(suspended) })
    await assert.rejects(press(signed(payloadFor({ timestamp: NOW + 3 })), { snaps }), suspended)
    assert.equal(asked.length, before)
  })

  it('answers in memory have a bound in bytes: the oldest press is sent again when others were large', async () => {
    const snaps = snapsWith()
    const before = asked.length
    answer = (_, response) => {
      const large = { ...PAGE, ui: { ...PAGE.ui, unused: 'x'.repeat(200_000) } }
      response.writeHead(200, { 'content-type': SNAP_TYPE }).end(JSON.stringify(large))
    }
    const presses = Array.from({ length: 12 }, (_, n) => signed(payloadFor({ large: n })))
    for (const jfs of presses) assert.ok((await press(jfs, { snaps })).read?.page)
    await press(presses.at(-1)!, { snaps })
    assert.equal(asked.length - before, 12)
    await press(presses[0]!, { snaps })
    assert.equal(asked.length - before, 13)
    answer = usual
  })

  it('what a server of a snap would refuse is not sent', async () => {
    const before = asked.length
    const wrong: [Jfs, RegExp][] = [
      [signed(payloadFor({ audience: 'https://other.example' })), /payload must have the audience/],
      [signed(payloadFor({ audience: undefined })), /payload must have the audience/],
      [signed(payloadFor({ timestamp: NOW - 301 })), /payload must have a timestamp/],
      [signed(payloadFor({ timestamp: NOW + 301 })), /payload must have a timestamp/],
      [signed(payloadFor({ user: { fid: 8 } })), /payload must name fid 7/],
      [signed(payloadFor({ user: { fid: 8 }, fid: 8 }), { fid: 8 }), /not an active key of fid 8/],
      [signed(payloadFor(), { type: 'custody' }), /header must be/],
      [
        { ...signed(payloadFor()), payload: encode(payloadFor({ inputs: {} })) },
        /signature is not/,
      ],
      [{ ...signed(payloadFor()), header: 'x' }, /header must be a JSON object/],
    ]
    for (const [jfs, message] of wrong) await assert.rejects(press(jfs), { message })
    assert.equal(asked.length, before)
  })

  it('a payload of version 1 has a button and no audience', async () => {
    const { audience: _, user: __, surface: ___, ...old } = payloadFor({ button_index: 0 })
    assert.equal((await press(signed(old))).status, 200)
  })

  it('a server that refuses is quoted, and one that answers no page is described', async () => {
    const say = (status: number, type: string, body: string): RequestListener => {
      return (_, response) => void response.writeHead(status, { 'content-type': type }).end(body)
    }
    const outcomes: [RequestListener, RegExp][] = [
      [say(400, 'application/json', '{"error":"Too late"}'), /^Too late$/],
      [say(500, 'text/html', '<h1>no</h1>'), /^The server answered 500/],
      [say(302, 'text/html', ''), /^The server answered 302/],
    ]
    for (const [given, error] of outcomes) {
      answer = given
      assert.match((await press(signed(payloadFor({ n: Math.random() })))).error!, error)
    }
    const faulty: [RequestListener, RegExp][] = [
      [say(200, 'text/html', '<h1>no</h1>'), /not JSON|text\/html/],
      [say(200, SNAP_TYPE, '{'), /not JSON/],
      [say(200, SNAP_TYPE, '[]'), /no JSON object/],
      [say(200, SNAP_TYPE, JSON.stringify('x'.repeat(300_000))), /more than 262144 bytes/],
    ]
    for (const [given, message] of faulty) {
      answer = given
      const { read } = await press(signed(payloadFor({ n: Math.random() })))
      assert.equal(read?.page, undefined)
      assert.match(read!.faults[0]!.message, message)
    }
    answer = usual
  })

  it('an answer after 4.9 seconds is the next page, and one that is not there after 5 is told and may be tried again', async (t) => {
    const snaps = snapsWith()
    const heldPress = async (n: number) => {
      const held = Promise.withResolvers<Parameters<RequestListener>[1]>()
      answer = (_, response) => held.resolve(response)
      const pressed = press(signed(payloadFor({ held: n })), { snaps })
      return { pressed, response: await held.promise }
    }
    const limits = holdTimeouts(t)
    const late = await heldPress(1)
    limits.tick(4_900)
    late.response.writeHead(200, { 'content-type': SNAP_TYPE }).end(JSON.stringify(PAGE))
    assert.ok((await late.pressed).read?.page)
    const lost = await heldPress(2)
    limits.tick(SNAP_TIMEOUT_MS)
    await assert.rejects(lost.pressed, { message: /did not answer in time/ })
    answer = usual
    assert.ok((await press(signed(payloadFor({ held: 2 })), { snaps })).read?.page)
  })

  it('a blocked host, a private address and a server without snaps are refused before anything is sent', async () => {
    const before = asked.length
    const jfs = signed(payloadFor({ n: 1 }))
    const refused = { code: 'unauthorized' }
    await assert.rejects(
      press(jfs, { snaps: snapsWith({ removedHosts: async (hosts) => new Set(hosts) }) }),
      refused,
    )
    await assert.rejects(press(jfs, { snaps: snapsWith({ isOff: true }) }), refused)
    const production = snapsWith({ allowLoopback: false })
    await assert.rejects(press(jfs, { snaps: production }), /not at a public address/)
    await assert.rejects(press(jfs, { target: 'vote' }), /target must be a URL/)
    assert.equal(asked.length, before)
  })
})

describe('Link headers of pages', () => {
  const page = new URL('https://site.example/posts/1')
  const alternate = `rel="alternate"; type="${SNAP_TYPE}"`
  it('the alternate with the type of snaps is found, among others and in any form', () => {
    const links: [string, string | undefined][] = [
      [`</snap>; ${alternate}`, 'https://site.example/snap'],
      [`<snap?a=1,2>; ${alternate}`, 'https://site.example/posts/snap?a=1,2'],
      [`</style.css>; rel=preload; as=style, </s>; ${alternate}`, 'https://site.example/s'],
      [`</s>; title="a, b; c"; REL="next Alternate"; Type=${SNAP_TYPE}`, 'https://site.example/s'],
      [`</s>; rel=alternate; type="application/json"`, undefined],
      [`</s>; type="${SNAP_TYPE}"`, undefined],
      ['', undefined],
    ]
    for (const [header, expected] of links) assert.equal(snapLink(header, page)?.href, expected)
  })
})
