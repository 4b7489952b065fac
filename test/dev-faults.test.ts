// Faults on demand: what an app meets when the network refuses, is slow, or loses its streams.

import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import * as client from 'rookery/client'
import { privateKeyToAccount } from 'viem/accounts'
import { fromHex } from '../src/kernel/protocol/codec/bytes.ts'
import { networkTime } from '../src/kernel/protocol/time.ts'
import { type Network, startNetwork } from '../src/testing/index.ts'
import { rawClient, subscribeRequest } from './grpc-support.ts'
import { ROOT, startCommands } from './program.ts'
import { until } from './until.ts'
import { createWorld } from './world.ts'

const INFO = '/v1/info'

describe('faults on demand', { concurrency: 1 }, () => {
  let network: Network
  let web: client.Network
  let hub: client.Network['hub']
  before(async () => {
    network = await startNetwork()
    web = client.createNetwork({ url: network.urls.web })
    hub = client.createHub({ url: network.urls.hub, retries: 0 })
  })
  after(() => network.stop())

  const cast = async (text: string) => {
    const [{ fid, appPrivateKey }] = network.accounts as [Network['accounts'][0]]
    const signer = await client.keySigner(fromHex(appPrivateKey)!)
    const author = { fid, network: 'devnet', timestamp: networkTime(Date.now()) } as const
    const { bytes, hash } = await client.signMessage(client.castAdd({ text }), author, signer)
    await hub.post('/v1/submitMessage', bytes)
    return hash
  }

  const priceNow = async () =>
    (await (await fetch(`${network.urls.web}/accounts/v1/price`)).json()) as {
      confirmationMs: number
    }

  it('a path is refused with 429 and its headers as often as was asked, and others are not', async () => {
    await network.faults({ path: '/hub/v1/info', status: 429, retryAfterSeconds: 7, times: 2 })
    const answer = await fetch(network.urls.hub + INFO)
    assert.equal(answer.status, 429)
    assert.equal(answer.headers.get('retry-after'), '7')
    assert.equal(answer.headers.get('x-ratelimit-remaining'), '0')
    assert.equal(answer.headers.get('x-rookery-fault'), 'status=429')
    assert.equal((await fetch(`${network.urls.hub}/v1/fids`)).status, 200)
    const refusal = hub.get(INFO)
    await assert.rejects(refusal, { code: 'rate_limited', status: 429, retryAfterSeconds: 7 })
    assert.equal((await fetch(network.urls.hub + INFO)).status, 200)
  })

  it('the front door has the faults of its interfaces, and reset ends them', async () => {
    await network.faults({ path: '/hub/*', status: 502 })
    const answer = await fetch(`${network.urls.web}/hub/v1/info`)
    assert.equal(answer.status, 502)
    assert.match(await answer.text(), /^<h1>/)
    await network.reset()
    assert.equal((await fetch(`${network.urls.web}/hub/v1/info`)).status, 200)
  })

  it('a revert ends faults, so that a test does not meet those of the one before', async () => {
    const base = await network.snapshot('base')
    await network.faults({ path: '/hub/v1/info', status: 503 })
    await network.revert(base)
    assert.equal((await fetch(network.urls.hub + INFO)).status, 200)
  })

  it('a fault for a path that no request has is refused with the path that is meant', async () => {
    const refused = (path: string) =>
      assert.rejects(network.faults({ path, status: 429 }), (error) => {
        const { message } = error as Error
        assert.match(message, /"field":"faults\.0\.path"/)
        assert.ok(message.includes(`no request has the path ${path}`), message)
        return true
      })
    for (const path of [
      '/hub/v1/castsByFidd',
      '/v1/castsByFid',
      '/HubService/GetCats',
      '/hub/x*',
    ]) {
      await refused(path)
    }
    const known = ['/hub/v1/castsByFid', '/hub/*', '*', '/@rook', '/docs', '/media/*', 'chain']
    for (const path of [...known, '/HubService/GetCast', '/registry/transfers', '/assets/x.js']) {
      await network.faults({ path, delayMs: 1 })
    }
    await network.faults([])
  })

  it('a page of another origin reads when to ask again, whichever interface refused', async () => {
    for (const name of ['hub', 'registry', 'platform', 'accounts', 'app']) {
      await network.faults({ path: `/${name}/*`, status: 429, retryAfterSeconds: 3 })
      const headers = { origin: 'https://app.example.org' }
      const answer = await fetch(`${network.urls.web}/${name}/openapi.json`, { headers })
      const exposed = answer.headers.get('access-control-expose-headers')!.split(', ')
      assert.equal(answer.status, 429, name)
      assert.ok(
        ['retry-after', 'x-rookery-fault'].every((one) => exposed.includes(one)),
        name,
      )
    }
    await network.faults([])
  })

  it('a slow hub is slow for the client that waits too short, and a cut connection is no answer', async () => {
    await network.faults([
      { path: '/hub/v1/info', delayMs: 60_000 },
      { path: '/hub/v1/fids', status: 0 },
    ])
    const hasty = client.createHub({ url: network.urls.hub, timeoutMs: 50, retries: 0 })
    await assert.rejects(hasty.get(INFO), (error) => client.hasCode(error, 'timeout'))
    await assert.rejects(hub.get('/v1/fids'), (error) => client.hasCode(error, 'network_failure'))
    await network.faults([])
  })

  it('one request asks for a fault by a header, and a wrong header is refused by name', async () => {
    const ask = (fault: string) =>
      fetch(network.urls.hub + INFO, { headers: { 'x-rookery-fault': fault } })
    assert.equal((await ask('status=503; retryAfterSeconds=3')).headers.get('retry-after'), '3')
    assert.equal((await ask('delayMs=1')).status, 200)
    for (const text of ['stauts=503', 'status=503; delay Ms=5', ';']) {
      const wrong = await ask(text)
      assert.equal(wrong.status, 400, text)
      const { details } = (await wrong.json()) as { details: string }
      assert.match(details, /x-rookery-fault must name/)
    }
  })

  it('a follower sees each message once, in streams that die and send twice', async () => {
    await network.faults({
      path: '/hub/v1/events/stream',
      dropStreamAfter: 2,
      duplicateEvents: true,
    })
    const seen: string[] = []
    const ending = new AbortController()
    const begun = Promise.withResolvers<void>()
    const positions = { load: () => undefined, save: () => begun.resolve() }
    const options = { signal: ending.signal, positions }
    const following = (async () => {
      for await (const { message } of client.followMessages(hub, {}, options)) {
        seen.push(message.hash)
      }
    })()
    await begun.promise
    const made: string[] = []
    for (const n of [1, 2, 3, 4, 5]) made.push(await cast(`number ${n}`))
    await until(() => seen.length >= 5 || undefined)
    ending.abort()
    await following
    assert.deepEqual(seen, made)
    await network.faults([])
  })

  it('neighbouring events of a stream change places', async () => {
    const { id } = (await hub.get('/v1/events', { from_event_id: 0, limit: 1000 })).events.at(-1)!
    for (const n of [1, 2, 3, 4]) await cast(`place ${n}`)
    const ids: number[] = []
    const answer = await fetch(`${network.urls.hub}/v1/events/stream?from_event_id=${id + 1}`, {
      headers: { 'x-rookery-fault': 'reorder; dropStreamAfter=4' },
    })
    const text = await answer.text().catch(() => '')
    assert.equal(text, '', 'the connection was cut')
    const stream = await fetch(`${network.urls.hub}/v1/events/stream?from_event_id=${id + 1}`, {
      headers: { 'x-rookery-fault': 'reorder' },
    })
    let rest = ''
    for await (const chunk of stream.body!.pipeThrough(new TextDecoderStream())) {
      rest += chunk
      const found = [...rest.matchAll(/^id: (\d+)\n(?:event: .*\n)?data:/gm)]
      if (found.length < 4) continue
      ids.push(...found.map(([, one]) => Number(one)))
      break
    }
    const sorted = ids.toSorted((a, b) => a - b)
    assert.deepEqual(ids.slice(0, 4), [sorted[1], sorted[0], sorted[3], sorted[2]])
  })

  it('calls over gRPC are refused and their streams send twice and die', async () => {
    const raw = rawClient(network.urls.grpc)
    try {
      await network.faults([
        { path: '/HubService/GetInfo', status: 429, retryAfterSeconds: 3 },
        { path: '/HubService/Subscribe', duplicateEvents: true, dropStreamAfter: 2 },
      ])
      const refused = await raw.call('GetInfo', new Uint8Array())
      assert.equal(refused.status, 14)
      assert.match(refused.details, /told to answer 429/)
      assert.deepEqual(refused.trailers.get('retry-after'), ['3'])
      const stream = raw.serverStream('Subscribe', subscribeRequest({ fromId: 0n }))
      const ended = new Promise((resolve) =>
        stream.once('error', ({ code }: Error & { code?: number }) => resolve(code)),
      )
      const received: string[] = []
      stream.on('data', (bytes: Buffer) => received.push(bytes.toString('hex')))
      assert.equal(await ended, 14)
      const [first, second, third, fourth, ...more] = received
      assert.deepEqual([first, third, more], [second, fourth, []])
      const one = await raw.call('GetFids', new Uint8Array(), {
        headers: { 'x-rookery-fault': 'status=503' },
      })
      assert.equal(one.status, 14)
    } finally {
      raw.close()
      await network.faults([])
    }
  })

  const POLL_MS = 20
  it('a chain that lags confirms a registration later, and then at once again', async () => {
    await network.faults({ path: 'chain', delayMs: 600_000 })
    assert.equal((await priceNow()).confirmationMs, 600_000)
    const walletOf = (n: number) =>
      privateKeyToAccount(`0x${'00'.repeat(31)}${n + 10}` as `0x${string}`)
    // Long enough for many polls. On a slow machine there are fewer, and the result is the same.
    const ending = AbortSignal.timeout(POLL_MS * 25)
    const late = client.registerAccount(web, walletOf(1), { pollMs: POLL_MS, signal: ending })
    await assert.rejects(late, { name: 'TimeoutError' })
    await network.faults([])
    assert.ok((await priceNow()).confirmationMs < 600_000)
    await network.advance(600)
    assert.ok((await client.registerAccount(web, walletOf(2), { pollMs: POLL_MS })) > 0)
  })

  it('a parameter that a route does not know is named in a header', async () => {
    const ask = async (query: string) =>
      (await fetch(`${network.urls.hub}/v1/castsByFid?${query}`)).headers.get(
        'x-rookery-unknown-parameters',
      )
    assert.equal(await ask('fid=1&limit=3&pagesize=2'), 'limit, pagesize')
    assert.equal(await ask('fid=1&pageSize=3&page_size=3'), null)
    // The web client reads the address of its pages itself.
    const page = await fetch(`${network.urls.web}/search?q=raven&has=pictures`)
    assert.deepEqual([page.status, page.headers.get('x-rookery-unknown-parameters')], [200, null])
  })

  it('faults are given, shown and ended by a command', async () => {
    const commands = startCommands()
    const env = { ROOKERY_OPS_URL: network.urls.operations }
    const said = async (...args: string[]) =>
      (await commands.run(env, 'dev', 'faults', ...args)).stdout
    try {
      const line = '/hub/v1/* status=429 times=1\n'
      assert.equal(await said('/hub/v1/*', 'status=429', 'times=1'), line)
      assert.equal(await said(), line)
      assert.equal((await fetch(network.urls.hub + INFO)).status, 429)
      assert.equal(await said(), 'Nothing is broken on purpose.\n')
      const wrong = await commands.run(env, 'dev', 'faults', '/hub/*', 'stauts=429')
      assert.match(wrong.stderr, /faults\.0\.stauts is not a known field/)
      assert.equal(await said('--off'), 'Nothing is broken on purpose.\n')
    } finally {
      commands.stop()
    }
  })
})

describe('faults in production', { concurrency: 1 }, () => {
  it('no header and no call turns a fault on', async () => {
    const world = await createWorld({ config: { mode: 'production' } })
    try {
      const { hub, operations, grpc } = world.app.urls
      const headers = { 'x-rookery-fault': 'status=503' }
      const answer = await fetch(`${hub}/v1/info?nothing=1`, { headers })
      assert.equal(answer.status, 200)
      assert.equal(answer.headers.get('x-rookery-fault'), null)
      assert.equal(answer.headers.get('x-rookery-unknown-parameters'), null)
      const faults = JSON.stringify({ faults: [{ path: '*', status: 503 }] })
      const put = await fetch(`${operations}/dev/faults`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: faults,
      })
      assert.equal(put.status, 404)
      assert.equal((await fetch(`${hub}/v1/info`)).status, 200)
      const raw = rawClient(grpc)
      assert.equal((await raw.call('GetInfo', new Uint8Array(), { headers })).status, 0)
      raw.close()
    } finally {
      await world.close()
    }
  })

  it('a production server loads no file of the development network', () => {
    const src = join(ROOT, 'src')
    const files = globSync('**/*.ts', { cwd: src }).filter((path) => !/\.test\.ts$/.test(path))
    const imports = files
      .filter((path) => !path.startsWith('dev/'))
      .flatMap((path) => {
        const text = readFileSync(join(src, path), 'utf8')
        return [...text.matchAll(/^import (?!type)[^;]*?from '([^']*)'/gms)].map(
          ([, from = '']) => [path, from] as const,
        )
      })
      .filter(([, from]) => /(^|\/)dev\//.test(from))
    assert.deepEqual(imports, [])
    assert.ok(files.length > 100)
  })
})
