// Record and replay: what a development network has told an app is kept in a file, and sent to it again.

import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import * as client from 'rookery/client'
import { verifyMessage } from 'viem'
import { replay } from '../src/dev/recording/replay.ts'
import { readSession } from '../src/dev/recording/session.ts'
import { fromHex } from '../src/kernel/protocol/codec/bytes.ts'
import { verifyEd25519 } from '../src/kernel/protocol/crypto/ed25519.ts'
import { type Network, startNetwork } from '../src/testing/index.ts'
import { manifestAt } from './mini-apps-support.ts'
import { startCommands } from './program.ts'
import { until } from './until.ts'

const HOOK = '/hook'
const EVENTS = '/webhook'
const LOGIN = '/login'

type Got = { readonly body: string; readonly signature: string }

/** An app with a webhook, a manifest and a page for sign-ins. */
async function startDevelopedApp() {
  const got: Record<string, Got[]> = { [HOOK]: [], [EVENTS]: [], [LOGIN]: [] }
  const state = { status: 200 }
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const part of request) body += part
    const { pathname } = new URL(request.url!, 'http://localhost')
    if (pathname === '/.well-known/farcaster.json') {
      response.writeHead(200, { 'content-type': 'application/json' })
      return response.end(JSON.stringify({ miniapp: manifestAt(app.origin) }))
    }
    const signature = String(request.headers['x-neynar-signature'])
    got[pathname]?.push({ body, signature })
    response.writeHead(got[pathname] ? state.status : 404).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const stop = () => {
    server.closeAllConnections()
    server.close()
  }
  const app = { origin, got, state, stop }
  return app
}

const withPath = (path: string) =>
  `{"format":"rookery-session-1"}\n${JSON.stringify({ kind: 'webhook', path, body: {} })}\n`

const decoded = (text: string) => JSON.parse(Buffer.from(text, 'base64url').toString())

describe('record and replay', { concurrency: 1 }, () => {
  const commands = startCommands()
  let network: Network
  let app: Awaited<ReturnType<typeof startDevelopedApp>>
  let dir: string
  let file: string
  let secret: string
  /** What no file may have. */
  const secrets: string[] = []
  before(async () => {
    ;[network, app] = await Promise.all([startNetwork(), startDevelopedApp()])
    dir = mkdtempSync(join(tmpdir(), 'rookery-recording-'))
    file = join(dir, 'session.ndjson')
  })
  after(async () => {
    commands.stop()
    app.stop()
    await network.stop()
    rmSync(dir, { recursive: true, force: true })
  })

  const rookery = (command: string, ...args: string[]) =>
    commands.run(
      {
        ROOKERY_OPS_URL: network.urls.operations,
        ROOKERY_APP_URL: network.urls.app!,
        ROOKERY_PLATFORM_URL: network.urls.platform,
      },
      ...command.split(' '),
      ...args,
    )
  const latest = (path: string): Got => app.got[path]!.at(-1)!

  async function subscribe(author: number): Promise<string> {
    const web = client.createNetwork({
      url: network.urls.web,
      credentials: { key: 'development' },
    })
    const { webhook } = await web.app.post('/v2/farcaster/webhook', {
      name: 'casts',
      url: `${app.origin}${HOOK}?key=of-the-address`,
      subscription: { 'cast.created': { author_fids: [author] } },
    })
    return webhook.secrets[0]!.value
  }

  /** Signs in as the second account, by the wallet of the network. */
  async function signIn(): Promise<void> {
    const web = client.createNetwork({ url: network.urls.web })
    const asked = await client.signIn(web, {
      domain: new URL(app.origin).host,
      siweUri: `${app.origin}${LOGIN}?session=of-the-page`,
    })
    const { custodyAddress, fid } = network.accounts[1]!
    const token = new URL(asked.url).searchParams.get('channelToken')!
    const ask = async (path: string, body?: object) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      const init = body && { method: 'POST', body: JSON.stringify(body) }
      const response = await fetch(network.urls.platform + path, { ...init, headers })
      assert.ok(response.ok, `${path}: ${response.status}`)
      return (await response.json()) as { message?: string; result?: string }
    }
    const { message } = await ask(`/v1/channel/request?address=${custodyAddress}`)
    const params = [message, custodyAddress]
    const { result } = await ask('/dev/wallet', { method: 'personal_sign', params })
    await ask('/v1/channel/authenticate', { message, signature: result, fid })
    await asked.signedIn()
    secrets.push(token, result!, asked.nonce)
  }

  it('a session is a file with what the app was told, and without any secret', async () => {
    // What the others have cast at the start may still be on its way to webhooks.
    const writer = await network.createAccount()
    secret = await subscribe(writer.fid)
    const { hub } = client.createNetwork({ url: network.urls.web })
    const [author] = network.accounts
    const by = await client.keySigner(writer.appPrivateKey)
    const from = { fid: writer.fid, network: 'devnet' } as const
    const { bytes } = await client.signMessage(client.castAdd({ text: 'Recorded' }), from, by)
    await hub.post('/v1/submitMessage', bytes)
    const { token } = await network.miniApp(app.origin).add(author!)
    await signIn()
    await until(() => app.got[HOOK]!.length === 1 && app.got[EVENTS]!.length === 1)
    secrets.push(secret, token, latest(HOOK).signature, JSON.parse(latest(EVENTS).body).signature)
    await network.record(file)
    const text = readFileSync(file, 'utf8')
    const entries = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    const kinds = entries.slice(1).map(({ kind, path }) => `${kind} ${path}`)
    assert.deepEqual(kinds.sort(), [
      `mini-app event ${EVENTS}`,
      `sign-in ${LOGIN}`,
      `webhook ${HOOK}`,
    ])
    for (const word of [...secrets, 'of-the-address', 'of-the-page']) {
      assert.ok(word.length > 6 && !text.includes(word), `the file has ${word}`)
    }
  })

  it('everything is sent again to the path that it had, at the time of now, with signatures that hold', async () => {
    await network.advance(86_400)
    const now = await network.now()
    const first = latest(HOOK)
    const answers = await network.replay(file, { to: app.origin, secret })
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200],
    )
    const webhook = latest(HOOK)
    assert.equal(webhook.signature, createHmac('sha512', secret).update(webhook.body).digest('hex'))
    assert.notEqual(webhook.signature, first.signature)
    const { created_at, ...told } = JSON.parse(webhook.body)
    assert.ok(created_at >= now)
    assert.deepEqual(told.data, JSON.parse(first.body).data)

    const { header, payload, signature } = JSON.parse(latest(EVENTS).body)
    const { fid, key } = decoded(header)
    assert.deepEqual([fid, key], [1, network.accounts[0]!.appPublicKey])
    const signed = Buffer.from(`${header}.${payload}`)
    assert.ok(verifyEd25519(Buffer.from(signature, 'base64url'), signed, fromHex(key)!))
    assert.equal(decoded(payload).event, 'miniapp_added')
    assert.ok(!secrets.includes(decoded(payload).notificationDetails.token))

    const login = JSON.parse(latest(LOGIN).body)
    const address = network.accounts[1]!.custodyAddress as `0x${string}`
    const { message } = login
    assert.ok(await verifyMessage({ address, message, signature: login.signature }))
    assert.deepEqual([login.fid, login.username], [2, 'raven'])
    assert.ok(!secrets.includes(login.nonce) && message.includes(login.nonce))
  })

  it('without a secret that of the webhook with the address is used, and an address without one is told', async () => {
    const url = `${app.origin}${HOOK}`
    const [unsent] = await network.replay(file, { to: url, only: 'webhook' })
    assert.equal(unsent!.status, 0)
    assert.match(unsent!.failure!, /no webhook of the app "development" has the address .*\/hook/)
    const [answer] = await network.replay(file, {
      to: `${url}?key=of-the-address`,
      only: 'webhook',
    })
    assert.equal(answer!.status, 200)
    assert.equal(
      latest(HOOK).signature,
      createHmac('sha512', secret).update(latest(HOOK).body).digest('hex'),
    )
  })

  it('the commands record and replay, and end with 1 when the app refuses', async () => {
    const recorded = await rookery('dev record', file)
    assert.match(recorded.stdout, /^Recorded 3 in /, recorded.stderr)
    const only = ['--only', 'sign-in']
    const sent = await rookery('dev replay', file, '--to', app.origin, ...only)
    const sum =
      /^200 {2}sign-in {2}http:\S+\/login\nOf 1 the app has taken 1 and refused 0; 0 could/
    assert.match(sent.stdout, sum, sent.stderr)
    app.state.status = 401
    const refused = await rookery('dev replay', file, '--to', app.origin, ...only)
    app.state.status = 200
    assert.deepEqual([refused.code, refused.stdout.slice(0, 3)], [1, '401'])
    assert.match(refused.stderr, /Of 1 the app has taken 0 and refused 1; 0 could not be sent/)
  })

  it('a file, an address and an account that cannot be used are told with what to do', async () => {
    const other = join(dir, 'other.ndjson')
    for (const [text, message] of [
      ['{"kind":"webhook"}\n', /no session of this version: make one with rookery dev record/],
      ['{"format":"rookery-session-1"}\nnonsense\n', /line 2 is no webhook, no mini-app event/],
      ...['//other.example/hook', '/\\other.example', '/\n/other.example', 'hook'].map(
        (path) => [withPath(path), /line 2 is no webhook/] as const,
      ),
    ] as const) {
      writeFileSync(other, text)
      await assert.rejects(network.replay(other, { to: app.origin }), message)
    }
    await assert.rejects(network.replay(file, { to: 'localhost:3001' }), /is no address of an app/)
    const stranger = { kind: 'mini-app event', path: '/', domain: 'a', fid: 4_711, event: 'x' }
    writeFileSync(other, `{"format":"rookery-session-1"}\n${JSON.stringify(stranger)}\n`)
  })

  it('an entry that cannot be sent is told and does not keep the others back, and the command ends with 1', async () => {
    const other = join(dir, 'other.ndjson')
    const stranger = { kind: 'mini-app event', path: '/', domain: 'a', fid: 4_711, event: 'x' }
    const [head, ...recorded] = readFileSync(file, 'utf8').trim().split('\n')
    writeFileSync(other, [head, JSON.stringify(stranger), ...recorded].join('\n'))
    const outcomes = await network.replay(other, { to: app.origin, secret })
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      [0, 200, 200, 200],
    )
    const advice = /fid 4711 is no account of this network.*dev accounts --add/
    assert.match(outcomes[0]!.failure!, advice)
    const sent = await rookery('dev replay', other, '--to', app.origin, '--only', 'mini-app event')
    assert.equal(sent.code, 1)
    assert.match(sent.stdout, /^not sent {2}mini-app event {2}fid 4711 .*\n200 {2}mini-app event /)
    assert.match(sent.stderr, /Of 2 the app has taken 1 and refused 0; 1 could not be sent/)
  })

  it('an app that does not answer is told, and is left alone after three entries', async () => {
    const other = join(dir, 'other.ndjson')
    // One that is not sent between them says nothing about the app.
    const stranger = { kind: 'mini-app event', path: '/', domain: 'a', fid: 4_711, event: 'x' }
    const [head, first, ...recorded] = readFileSync(file, 'utf8').trim().split('\n')
    const lines = [head, first, JSON.stringify(stranger), ...recorded, first, ...recorded]
    writeFileSync(other, lines.join('\n'))
    const stopped = await startDevelopedApp()
    stopped.stop()
    const outcomes = await network.replay(other, { to: stopped.origin, secret })
    assert.deepEqual(
      outcomes.map(({ failure }) => /does not answer .*start the app/.test(failure!)),
      [true, false, true, true, false, false, false],
    )
    assert.match(outcomes[6]!.failure!, /has not answered 3 times, so the rest was left out/)
  })

  it('a port that fetch never asks is told for each entry, and so is a network that does not answer', async () => {
    const blocked = await network.replay(file, { to: 'http://127.0.0.1:6000', secret })
    const advice = /^fetch sends nothing to the port of http:\S+: let the app have another one$/
    for (const { failure } of blocked) assert.match(failure!, advice)
    assert.equal(blocked.length, 3)
    const stopped = await startDevelopedApp()
    stopped.stop()
    const session = await readSession(file)
    for (const [origin, why] of [
      [stopped.origin, /of the network does not answer \(/],
      [`${app.origin}${LOGIN}?`, /of the network answered without JSON/],
    ] as const) {
      const urls = { platform: origin, app: origin, operations: origin }
      const outcomes = await replay(session, { to: app.origin, secret }, urls)
      assert.deepEqual(
        outcomes.map(({ status, failure }) => [status, why.test(failure!)]),
        session.map(() => [0, true]),
      )
    }
  })

  it('a reset begins another session', async () => {
    await network.reset()
    await network.record(file)
    assert.equal(readFileSync(file, 'utf8').trim().split('\n').length, 1)
  })
})
