// What a development network says about mini apps: faults with their mends, cards of links, and the log of deliveries.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { createClient } from '@farcaster/quick-auth'
import type { App } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { devAccount } from '../src/dev/accounts.ts'
import { startDevNetwork } from '../src/dev/network.ts'
import { createLogger } from '../src/kernel/http/logger.ts'
import {
  type AppServer,
  associationOf,
  custodian,
  signEvent,
  startAppServer,
} from './mini-apps-support.ts'
import { createPlace, ROOT } from './program.ts'
import { appToken } from './world.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into JSON as they find it
type Json = any

const CARD = {
  version: '1',
  imageUrl: 'https://cards.example/poll.png',
  button: { title: 'Vote', action: { type: 'launch_miniapp', name: 'Poll' } },
}
const pageWith = (content: string | undefined) =>
  `<!doctype html><title>Poll</title>${
    content === undefined ? '' : `<meta name="fc:miniapp" content='${content}'>`
  }<body>Poll</body>`

/** 1024 × 1024, opaque: as much of a PNG as tells its size. */
const ICON = Buffer.concat([
  Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'),
  Buffer.from('0000040000000400080200000000000000', 'hex'),
])

describe('mini apps of developers', { concurrency: 1 }, () => {
  let place: Awaited<ReturnType<typeof createPlace>>
  let app: App
  let server: AppServer
  const headers: Record<string, string> = { 'content-type': 'text/html' }
  let page = pageWith(JSON.stringify(CARD))

  before(async () => {
    place = await createPlace('sqlite')
    app = await startDevNetwork({
      config: readConfig({ ...place.env, ROOKERY_VIEWS: 'on' }, 'development'),
      logger: createLogger({ level: 'fatal' }),
    })
    server = await startAppServer('localhost')
    server.pages.set('/', (_, response) => response.writeHead(200, headers).end(page))
    server.pages.set('/icon.png', (_, response) =>
      response.writeHead(200, { 'content-type': 'image/png' }).end(ICON),
    )
  })
  after(async () => {
    await server.close()
    await app.stop()
    await place.remove()
  })

  const get = async (url: string, init: RequestInit = {}): Promise<Json> => {
    const response = await fetch(url, init)
    assert.equal(response.status, 200, `${url}: ${response.status}`)
    return response.json()
  }
  const report = (url = server.origin) =>
    get(`${app.urls.operations}/dev/mini-app-report?${new URLSearchParams({ url })}`)
  const codes = async () =>
    (await report()).faults
      .filter(({ code }: Json) => code !== 'loopback')
      .map(({ severity, code, path }: Json) => [severity, code, path ?? ''].join(' ').trim())
  const post = (path: string, fid: number, body: object, method = 'POST') =>
    get(app.urls.platform + path, {
      method,
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${appToken(custodian(fid), { exp: Math.floor(Date.now() / 1_000) + 300 })}`,
      },
      body: JSON.stringify(body),
    })

  test('an app without faults is ready, and what production refuses is a warning', async () => {
    server.association = await associationOf(1, server.domain)
    const found = await report()
    assert.deepEqual(found.association, { fid: 1 })
    assert.equal(found.manifest.name, 'Poll')
    assert.equal(found.embed.title, 'Vote')
    assert.equal(found.isReady, true)
    assert.deepEqual(await codes(), [])
    assert.ok(found.faults.every(({ severity, fix }: Json) => severity === 'warning' && fix))
    // The web client asks at its own address.
    const url = new URLSearchParams({ url: server.origin })
    assert.deepEqual(await get(`${app.urls.web}/dev/mini-app-report?${url}`), found)
  })

  test('each fault of manifest, card and headers is named with its mend', async () => {
    const manifest = { ...server.manifest }
    Object.assign(server.manifest, { subtitle: 'Wow!!', webhookUrl: undefined })
    assert.deepEqual(await codes(), ['error field miniapp.subtitle'])
    Object.assign(server.manifest, { subtitle: 'Wow' })
    server.association = await associationOf(2, 'elsewhere.example')
    assert.deepEqual(await codes(), [
      'warning domain_mismatch accountAssociation',
      'warning webhook miniapp.webhookUrl',
    ])
    Object.assign(server.manifest, manifest)
    server.association = await associationOf(1, server.domain)
    headers['x-frame-options'] = 'DENY'
    assert.deepEqual(await codes(), ['error frame_refused'])
    headers['content-security-policy'] = `default-src 'self'; frame-ancestors ${app.urls.web}`
    assert.deepEqual(await codes(), [])
    headers['content-security-policy'] = "frame-ancestors 'none'"
    assert.deepEqual(await codes(), ['error frame_refused'])
    for (const name of ['x-frame-options', 'content-security-policy']) delete headers[name]
    page = pageWith('{"version":"1"}')
    assert.ok((await codes()).includes('error embed embed.button.title'))
    page = pageWith(undefined)
    assert.deepEqual(await codes(), ['warning embed'])
    page = pageWith(JSON.stringify(CARD))
  })

  test('a page that redirects away, is not there, or is another program is named as the cause', async () => {
    server.pages.set('/away', (_, response) =>
      response.writeHead(302, { location: 'https://elsewhere.example/' }).end(),
    )
    const away = await report(`${server.origin}/away`)
    assert.deepEqual(
      away.faults
        .filter(({ severity }: Json) => severity === 'error')
        .map(({ code }: Json) => code),
      ['redirect'],
    )
    const nothing = await report(`${server.origin}/nothing`)
    assert.ok(nothing.faults.some(({ code }: Json) => code === 'unreachable'))
    server.contentType = 'text/html'
    assert.deepEqual(await codes(), ['error not_json'])
    server.contentType = 'application/json'
    for (const url of ['nonsense', 'ftp://localhost/', 'https://10.0.0.1/']) {
      const query = new URLSearchParams({ url })
      const { status } = await fetch(`${app.urls.operations}/dev/mini-app-report?${query}`)
      assert.equal(status, 400, url)
    }
  })

  test('a link to a page with a card has it in its preview', async () => {
    const preview = () =>
      get(
        `${app.urls.web}/preview?${new URLSearchParams({ url: `${server.origin}/?a=${Math.random()}` })}`,
      )
    const { miniApp } = await preview()
    assert.equal(miniApp.name, 'Poll')
    assert.equal(miniApp.aspectRatio, '3:2')
    assert.ok(miniApp.url.startsWith(`${server.origin}/?a=`))
    page = pageWith('{"version":"1"}')
    assert.equal((await preview()).miniApp, undefined)
    page = pageWith(undefined)
    assert.equal((await preview()).miniApp, undefined)
    page = pageWith(JSON.stringify(CARD))
  })

  test('an author reads what the server of the app was told, and has it told again', async () => {
    const { domain } = server
    const { result } = await post('/fc/mini-app-events', 1, { domain, event: 'miniapp_added' })
    await post('/fc/mini-app-events', 1, signEvent(custodian(1), result), 'PUT')
    while (server.events.length < 1) await delay(20)
    const list = async (fid: number) => {
      const exp = Math.floor(Date.now() / 1_000) + 300
      const authorization = `Bearer ${appToken(custodian(fid), { exp })}`
      const path = `/fc/mini-app-deliveries?domain=${domain}`
      const response = await fetch(app.urls.platform + path, { headers: { authorization } })
      return { status: response.status, body: (await response.json()) as Json }
    }
    let deliveries: Json[] = []
    while (deliveries[0]?.state !== 'delivered') {
      deliveries = (await list(1)).body.result.deliveries
      await delay(20)
    }
    assert.equal(deliveries[0].answer, 'answered 200')
    assert.deepEqual(JSON.parse(deliveries[0].body), server.events[0])
    await post('/fc/mini-app-deliveries/again', 1, { domain, n: deliveries[0].n })
    while (server.events.length < 2) await delay(20)
    assert.deepEqual(server.events[1], server.events[0])
    assert.equal((await list(2)).status, 403)
  })

  test('the server of the example verifies sign-ins, tokens and events with published libraries, and notifies', async () => {
    const child = spawn(process.execPath, [join(ROOT, 'examples/mini-app/server.js')], {
      env: { ...process.env, ROOKERY: app.urls.web, PORT: '0' },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    try {
      const [said] = (await once(child.stdout!, 'data')) as [Buffer]
      const origin = /http:\S+/.exec(String(said))![0]
      const domain = new URL(origin).host
      assert.equal((await report(origin)).isReady, true)
      const ask = (path: string, body: object) =>
        get(origin + path, { method: 'POST', body: JSON.stringify(body) })
      const { custody } = devAccount(4)
      const signed = async (nonce: string) => {
        const message = [
          `${domain} wants you to sign in with your Ethereum account:`,
          `${custody.address}\n\nFarcaster Auth\n\nURI: ${origin}/`,
          `Version: 1\nChain ID: 10\nNonce: ${nonce}`,
          `Issued At: ${new Date().toISOString()}\nResources:\n- farcaster://fid/5`,
        ].join('\n')
        return { message, signature: await custody.signMessage({ message }) }
      }
      const { nonce } = await ask('/api/nonce', {})
      const answer = { nonce, ...(await signed(nonce)) }
      assert.deepEqual(await ask('/api/sign-in', answer), { signedIn: 5 })
      const again = { method: 'POST', body: JSON.stringify(answer) }
      assert.equal((await fetch(`${origin}/api/sign-in`, again)).status, 401)
      const quickAuth = createClient({ origin: `${app.urls.web}/platform` })
      const fresh = await quickAuth.generateNonce()
      const verified = await quickAuth.verifySiwf({
        domain,
        ...(await signed(fresh.nonce)),
      } as never)
      const authorization = `Bearer ${verified.token}`
      assert.deepEqual(await get(`${origin}/api/me`, { headers: { authorization } }), { fid: 5 })
      const { result } = await post('/fc/mini-app-events', 5, { domain, event: 'miniapp_added' })
      await post('/fc/mini-app-events', 5, signEvent(custodian(5), result), 'PUT')
      const events = async () => (await get(`${origin}/api/events`)) as Json[]
      while ((await events()).length === 0) await delay(20)
      assert.deepEqual(await events(), [{ fid: 5, event: 'miniapp_added' }])
      const { successfulTokens } = await ask('/api/notify', { fid: 5 })
      assert.equal(successfulTokens.length, 1)
    } finally {
      child.kill()
    }
  })

  test('a manifest that never ends, redirects in circles or hangs stops nothing', async () => {
    let open = 0
    const hostile = createServer((request, response) => {
      open++
      response.on('close', () => open--)
      if (request.url!.startsWith('/.well-known')) {
        response.writeHead(200, { 'content-type': 'application/json' })
        const send = () => {
          while (response.write('x'.repeat(65_536)));
        }
        response.on('drain', send)
        send()
      } else response.writeHead(302, { location: `/?${Math.random()}` }).end()
    })
    hostile.listen(0, '127.0.0.1')
    await once(hostile, 'listening')
    try {
      const { port } = hostile.address() as AddressInfo
      const found = await report(`http://127.0.0.1:${port}/`)
      assert.deepEqual(
        found.faults.map(({ code }: Json) => code),
        ['too_large', 'redirect'],
      )
      while (open > 0) await delay(20)
    } finally {
      hostile.closeAllConnections()
      hostile.close()
    }
  })
})
