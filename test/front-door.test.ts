// One origin for everything: the web client, and each interface below its prefix.

import assert from 'node:assert/strict'
import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import { BUILT_WEB, readStaticFiles } from '../src/kernel/http/files/static-files.ts'
import { CLOSE_WAIT_MS } from '../src/kernel/http/interface.ts'
import { castAdd } from '../src/kernel/protocol/build.ts'
import { toHex } from '../src/kernel/protocol/codec/bytes.ts'
import { encodeEnvelope } from '../src/kernel/protocol/codec/envelope.ts'
import { appKey, keyRequestClient } from './key-requests-support.ts'
import { emptyStore, startServer } from './production.ts'
import { createWorld, type TestAccount, type World } from './world.ts'

const MOUNTED = ['hub', 'registry', 'platform', 'accounts'] as const
/** A page of a browser asks so. */
const HTML = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

describe('the front door', () => {
  let world: World
  let account: TestAccount
  let web: string
  before(async () => {
    world = await createWorld()
    account = await world.account(1)
    web = world.app.urls.web
  })
  after(() => world.close())

  const same = async (path: string, prefix: string, own: string, init: RequestInit = {}) => {
    const [through, direct] = await Promise.all([
      fetch(`${web}${prefix}${path}`, init),
      fetch(own + path, init),
    ])
    const [text, expected] = [await through.text(), await direct.text()]
    const withoutId = (body: string) => body.replace(/"requestId":"[^"]*"/, '')
    assert.equal(through.status, direct.status, path)
    assert.equal(withoutId(text), withoutId(expected), path)
    assert.equal(through.headers.get('content-type'), direct.headers.get('content-type'))
    assert.equal(through.headers.get('allow'), direct.headers.get('allow'))
    return through
  }

  it('each interface answers below its prefix as on its own port, errors included', async () => {
    const paths = {
      hub: [
        '/v1/info',
        '/v1/castsByFid?fid=1',
        '/v1/castsByFid?fid=x',
        '/v1/castById?fid=1',
        '/v9',
      ],
      registry: ['/transfers', '/transfers?from_id=x', '/transfers/current?name=nobody', '/none'],
      platform: ['/v2/all-channels', '/fc/channel-follows', '/v1/channel?channelId=none'],
      accounts: ['/v1/account?fid=1', '/v1/account', '/v1/none'],
    }
    for (const name of MOUNTED) {
      for (const path of paths[name]) {
        const answer = await same(path, `/${name}`, world.app.urls[name])
        assert.equal(answer.headers.get('x-content-type-options'), 'nosniff')
      }
    }
    await same('/v1/info', '/hub', world.app.urls.hub, { method: 'DELETE' })
    await same('/v1/info', '/hub', world.app.urls.hub, { method: 'OPTIONS' })
  })

  it('a message is submitted through the front door and read on the own port', async () => {
    const message = world.sign(account, castAdd(world.origin(account), 'Through the front door'))
    const body = encodeEnvelope(message) as Uint8Array<ArrayBuffer>
    const headers = { 'content-type': 'application/octet-stream' }
    const submitted = await fetch(`${web}/hub/v1/submitMessage`, { method: 'POST', headers, body })
    assert.equal(submitted.status, 200)
    const path = `/v1/castById?fid=1&hash=${toHex(message.hash)}`
    assert.equal((await same(path, '/hub', world.app.urls.hub)).status, 200)
  })

  it('requests take turns below a prefix as on the own port: one connection cannot send any number at once', async () => {
    const request = (prefix: string) => `GET ${prefix}/v1/info HTTP/1.1\r\nhost: localhost\r\n\r\n`
    const answersOf = async (base: string, prefix: string) => {
      const socket = connect(Number(new URL(base).port), '127.0.0.1')
      socket.write(request(prefix).repeat(200))
      return buffer(socket).then(String)
    }
    for (const [base, prefix] of [
      [world.app.urls.hub, ''],
      [web, '/hub'],
    ] as const) {
      const text = await answersOf(base, prefix)
      assert.match(text, /too many requests of this connection wait for an answer/, base + prefix)
    }
    assert.equal((await fetch(`${web}/hub/v1/info`)).status, 200)
  })

  it('the request id of a caller is kept and every answer has one', async () => {
    const kept = await fetch(`${web}/hub/v1/none`, { headers: { 'x-request-id': 'mine-1' } })
    assert.equal(kept.headers.get('x-request-id'), 'mine-1')
    assert.match(await kept.text(), /"requestId":"mine-1"/)
    for (const path of ['/', '/registry/transfers', '/health/live', '/assets/none']) {
      assert.ok((await fetch(web + path)).headers.get('x-request-id'), path)
    }
  })

  it('an event stream passes without waiting for its end', async () => {
    const abort = new AbortController()
    const response = await fetch(`${web}/hub/v1/events/stream?from_event_id=latest`, {
      signal: abort.signal,
    })
    assert.equal(response.headers.get('content-type'), 'text/event-stream')
    const { value } = await response.body!.getReader().read()
    assert.match(Buffer.from(value!).toString(), /retry:/)
    abort.abort()
  })

  it('bodies have the bounds of their interface', async () => {
    for (const [path, bytes] of [
      ['/hub/v1/submitMessage', 1_048_577],
      ['/registry/transfers', 1_048_577],
    ] as const) {
      const [prefix, rest] = [`/${path.split('/')[1]}`, path.replace(/^\/\w+/, '')]
      const own = world.app.urls[prefix.slice(1) as 'hub' | 'registry']
      const type = prefix === '/hub' ? 'application/octet-stream' : 'application/json'
      const init = { method: 'POST', headers: { 'content-type': type }, body: 'x'.repeat(bytes) }
      const answer = await same(rest, prefix, own, init)
      assert.equal(answer.status, 413)
    }
  })

  it('a document below the front door names the prefix as its server', async () => {
    const below = (await (await fetch(`${web}/hub/openapi.json`)).json()) as Document
    const own = (await (await fetch(`${world.app.urls.hub}/openapi.json`)).json()) as Document
    assert.equal(below.servers[0]!.url, '/hub')
    assert.equal(own.servers[0]!.url, '/')
    assert.deepEqual(below.paths, own.paths)
    const start = await (await fetch(`${web}/hub`)).json()
    assert.equal((start as { docs: string }).docs, '/hub/docs')
  })

  it('operations and paths that only resemble a prefix are not served', async () => {
    for (const path of [
      '/operations/metrics',
      '/metrics',
      '/dev/accounts',
      '/hubs',
      '/HUB/v1/info',
    ]) {
      const answer = await fetch(web + path)
      assert.equal(answer.status, 404, path)
      assert.match(await answer.text(), /"code":"not_found"/)
    }
  })

  it('deep links of people show the start page, which is checked again each time', async () => {
    const start = await fetch(`${web}/`, { headers: HTML })
    assert.equal(start.status, 200)
    assert.equal(start.headers.get('cache-control'), 'no-cache')
    const text = await start.text()
    for (const [path, status] of [
      ['/names?tab=1', 200],
      ['/name/birds/', 200],
      ['/rook/0x1234', 404],
      ['/preferences?tab=1', 404],
    ] as const) {
      const page = await fetch(web + path, { headers: HTML })
      assert.deepEqual([page.status, await page.text()], [status, text], path)
    }
    const etag = start.headers.get('etag')!
    const again = await fetch(`${web}/`, { headers: { ...HTML, 'if-none-match': etag } })
    assert.equal(again.status, 304)
    assert.equal((await fetch(`${web}/nothing`, { headers: { accept: '*/*' } })).status, 404)
    assert.equal((await fetch(`${web}/`, { method: 'POST', headers: HTML })).status, 405)
  })

  it('pages allow only what this origin serves, and no inline scripts or frames', async () => {
    const policy = (await fetch(`${web}/`)).headers.get('content-security-policy')!
    for (const part of [
      "default-src 'none'",
      "script-src 'self';",
      "frame-src 'self';",
      "frame-ancestors 'none'",
    ]) {
      assert.ok(policy.includes(part), part)
    }
    assert.doesNotMatch(policy, /unsafe|\*|https?:/)
    const html = await (await fetch(`${web}/`)).text()
    assert.doesNotMatch(html, /<script(?![^>]*\bsrc=)|\bstyle=|<style|\bon\w+=|"https?:/)
  })

  it('the page around a mini app may frame that app alone, and only this origin may frame it', async () => {
    const page = await fetch(`${web}/frame/localhost:3999`)
    assert.equal(page.status, 200)
    assert.equal(
      page.headers.get('content-security-policy'),
      "default-src 'none'; script-src 'self'; frame-src http://localhost:3999; frame-ancestors 'self'; base-uri 'none'; form-action 'none'",
    )
    assert.equal(page.headers.get('cache-control'), 'no-store')
    const html = await page.text()
    assert.match(html, /<meta name="app-origin" content="http:\/\/localhost:3999">/)
    const script = /src="(\/frame\/assets\/[^"]+)"/.exec(html)![1]!
    const { headers } = await fetch(web + script)
    assert.match(headers.get('content-type')!, /javascript/)
    const policy = (await fetch(`${web}/frame/app.example`)).headers.get('content-security-policy')!
    assert.match(policy, /frame-src https:\/\/app\.example;/)
  })

  it('there is no page around an app of this origin or of a malformed domain', async () => {
    const { host, port } = new URL(web)
    for (const domain of [
      host,
      `localhost:${port}`,
      `127.0.0.1:${port}`,
      'app',
      'app.example:8443',
      '10.0.0.1',
      encodeURIComponent('app.example; frame-src *'),
      encodeURIComponent('app.example/x'),
    ]) {
      assert.equal((await fetch(`${web}/frame/${domain}`)).status, 404, domain)
    }
  })

  it('pages of the client platform are found without its prefix', async () => {
    for (const [path, target] of [
      ['/~/apps', '/platform/~/apps'],
      ['/~/apps?fid=2', '/platform/~/apps?fid=2'],
      ['/~/connect?token=0x1&x=1', '/platform/~/connect?token=0x1'],
    ] as const) {
      const page = await fetch(web + path, { headers: HTML })
      assert.deepEqual([page.status, page.url], [200, web + target])
      assert.match(await page.text(), /assets\/(?:apps|connect)/)
    }
    assert.equal((await fetch(`${web}/~/none`, { headers: HTML })).status, 404)
  })

  it('assets are immutable, and unknown ones are refused', async () => {
    const names = [...readStaticFiles(`${BUILT_WEB}/client/assets`).keys()]
    assert.ok(names.length > 0)
    const asset = await fetch(`${web}/assets/${names[0]}`)
    assert.match(asset.headers.get('cache-control')!, /immutable/)
    for (const name of ['none.js', '..%2findex.html', '__proto__']) {
      const refused = await fetch(`${web}/assets/${name}`, { headers: HTML })
      assert.equal(refused.status, 404, name)
    }
    assert.equal((await fetch(`${web}/icon.svg`)).headers.get('content-type'), 'image/svg+xml')
  })

  it('health is answered for load balancers', async () => {
    for (const path of ['/health/live', '/health/ready']) {
      const answer = await fetch(web + path)
      assert.deepEqual([answer.status, await answer.json()], [200, { status: 'ok' }])
    }
  })

  it('a target in absolute form is not mistaken for a prefix', async () => {
    const { port } = new URL(web)
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const target = { port, host: '127.0.0.1', path: `http://127.0.0.1:${port}/hub/v1/info` }
      httpRequest(target, (answer) => {
        answer.resume()
        resolve(answer.statusCode)
      })
        .on('error', reject)
        .end()
    })
    assert.equal(status, 404)
  })
})

type Document = { readonly servers: readonly { readonly url: string }[]; readonly paths: object }

it('approval links and audiences of tokens begin with the public URL', async () => {
  const publicUrl = 'https://social.example'
  const world = await createWorld({ env: { ROOKERY_PUBLIC_URL: `${publicUrl}/` } })
  try {
    const client = keyRequestClient(world)
    const [app] = await client.people([1])
    const asked = await client.post(await client.bodyOf(app!, appKey(1)))
    const { approvalUrl, token } = asked.body.result.signedKeyRequest
    assert.equal(approvalUrl, `${publicUrl}/platform/~/connect?token=${token}`)
    const page = await fetch(approvalUrl.replace(publicUrl, world.app.urls.web))
    const html = await page.text()
    const [, script] = /src="(\.\/assets\/[^"]+)"/.exec(html)!
    const address = new URL(script!, page.url)
    assert.match(address.pathname, /^\/platform\/~\/assets\//)
    assert.equal((await fetch(address)).status, 200)
  } finally {
    await world.close()
  }
})

describe('the front door in production', () => {
  it('a rate limit counts requests on both addresses together', async (t) => {
    const settings = { ...(await emptyStore(t)), ROOKERY_REGISTRY_LIMIT: '5' }
    const { urls } = await startServer(t, settings)
    const statuses: number[] = []
    for (const base of [`${urls.web}/registry`, urls.registry].flatMap((url) => [url, url, url])) {
      const answer = await fetch(`${base}/transfers`, { method: 'POST', body: '{}' })
      await answer.text()
      statuses.push(answer.status)
    }
    assert.deepEqual(statuses, [415, 415, 415, 415, 415, 429])
  })

  it('a stop ends streams that came through the front door', async (t) => {
    const { urls, stop } = await startServer(t, await emptyStore(t))
    const stream = await fetch(`${urls.web}/hub/v1/events/stream`)
    const reader = stream.body!.getReader()
    await reader.read()
    const ended = readToTheEnd(reader)
    const begun = performance.now()
    await stop()
    assert.ok(performance.now() - begun < CLOSE_WAIT_MS, 'no connection was closed by force')
    await ended
    await assert.rejects(fetch(`${urls.web}/health/live`))
  })
})

/** A stream of a server that stops ends, or its connection is closed. */
async function readToTheEnd(reader: ReadableStreamDefaultReader): Promise<void> {
  try {
    while (!(await reader.read()).done);
  } catch {
    // The connection was closed.
  }
}
