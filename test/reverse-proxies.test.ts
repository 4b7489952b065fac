// A server behind the proxies of deploy/ while it restarts: event streams, gRPC and uploads of real clients.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, describe, test } from 'node:test'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { castAdd } from '../src/kernel/protocol/build.ts'
import { startBrowser, tellOfFailures } from './browser.ts'
import { accepted } from './hub-support.ts'
import { mp4Of } from './media-support.ts'
import { PATIENCE_MS } from './patience.ts'
import { freePort } from './postgres.ts'
import { ROOT } from './program.ts'
import { type ProxyName, type ReverseProxy, startReverseProxy } from './reverse-proxies.ts'
import { until } from './until.ts'
import { createWorld, type TestAccount, type World } from './world.ts'

const UPLOAD_BYTES = 10_000_000
/** The machine may be busy. */
const PAGE_WAIT_MS = PATIENCE_MS

/** What a proxy does with the files of deploy/. */
type Abilities = {
  /** Requests wait while there is no server. */
  readonly holds: boolean
  readonly grpc: boolean
  readonly compresses: boolean
}
const PROXIES: Readonly<Record<ProxyName, Abilities>> = {
  caddy: { holds: true, grpc: false, compresses: true },
  nginx: { holds: false, grpc: true, compresses: false },
  haproxy: { holds: true, grpc: true, compresses: false },
}

/** hub-nodejs reads the certificates that it trusts when it is loaded: a process of its own, a command a line. */
const GRPC_CLIENT = `
  import { createInterface } from 'node:readline'
  import { getSSLHubRpcClient } from 'hub-nodejs-0.17'
  const client = getSSLHubRpcClient(process.argv[1])
  const say = (value) => console.log(String(value))
  const follow = async () => {
    const opened = await client.subscribe({ eventTypes: [], fromId: 0 })
    if (opened.isErr()) return say(opened.error)
    opened.value.once('data', () => say('following')).once('error', ({ code }) => say('ended by ' + code))
  }
  const info = async () => {
    const answer = await client.getInfo({ dbStats: false })
    say(answer.isOk() ? 'version ' + answer.value.version : answer.error.errCode + ': ' + answer.error.message)
  }
  for await (const line of createInterface({ input: process.stdin })) await (line === 'follow' ? follow() : info())
`

function startGrpcClient({ address, certificate }: ReverseProxy) {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', GRPC_CLIENT, address], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, GRPC_DEFAULT_SSL_ROOTS_FILE_PATH: certificate },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const next = async (): Promise<string> => String((await lines.next()).value)
  return {
    next,
    ask(command: 'follow' | 'info') {
      child.stdin.write(`${command}\n`)
      return next()
    },
    stop: () => child.kill('SIGKILL'),
  }
}

/** The file of the example, as its reader opens it. */
async function serveExample(): Promise<Server> {
  const html = readFileSync(join(ROOT, 'examples', 'follow-events.html'))
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8').end(html)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return server
}

/** The script of the guide, which follows the hub at this address and keeps what it reads where a test finds it. */
function scriptOfGuide(hub: string): string {
  const guide = readFileSync(join(ROOT, 'docs', 'hub.md'), 'utf8')
  const script = /```js\n([^`]*new EventSource\((?:[^`]|`(?!``))*)```/.exec(guide)?.[1]
  assert.ok(script, 'docs/hub.md follows the hub in a browser')
  const ours = script.replaceAll('http://127.0.0.1:2281', hub)
  assert.ok(ours.includes(`${hub}/v1/events/stream`) && ours.includes(`fetch('${hub}/v1/events?`))
  return `(async () => {
    globalThis.told = []
    console.log = ({ mergeMessageBody }) => told.push(mergeMessageBody.message.data.castAddBody.text)
    ${ours}
  })()`
}

for (const [name, abilities] of Object.entries(PROXIES) as [ProxyName, Abilities][]) {
  const { holds, grpc, compresses } = abilities
  describe(`a server behind ${name}`, { concurrency: 1 }, () => {
    let world: World
    let author: TestAccount
    let proxy: ReverseProxy
    let example: Server
    let browser: Browser
    let context: BrowserContext

    before(async () => {
      // The proxy finds the server again where it was.
      const [web, grpcPort] = [await freePort(), await freePort()]
      world = await createWorld({
        env: {
          ROOKERY_WEB_PORT: String(web),
          ROOKERY_GRPC_PORT: String(grpcPort),
          ROOKERY_TRUSTED_PROXIES: '127.0.0.1',
          ROOKERY_MEDIA_VIDEO_MB: '15',
        },
      })
      author = await world.account(1)
      proxy = await startReverseProxy(name, { web, grpc: grpcPort })
      example = await serveExample()
      browser = await startBrowser()
      context = await browser.newContext({ ignoreHTTPSErrors: true })
      context.setDefaultTimeout(PAGE_WAIT_MS)
    })
    after(async () => {
      await browser?.close()
      example?.close()
      await proxy?.stop()
      await world?.close()
    })
    tellOfFailures(() => browser)

    const cast = async (text: string) =>
      accepted(await world.submit(world.sign(author, castAdd(world.origin(author), text))))
    const openExample = async (): Promise<Page> => {
      const page = await context.newPage()
      const { port } = example.address() as AddressInfo
      await page.goto(`http://127.0.0.1:${port}/?hub=${encodeURIComponent(`${proxy.url}/hub`)}`)
      await page.getByText('connected', { exact: true }).waitFor()
      return page
    }
    const shown = (page: Page) => page.locator('li').allTextContents()
    const openFrontDoor = async (): Promise<Page> => {
      const page = await context.newPage()
      await page.goto(`${proxy.url}/hub/v1/info`)
      return page
    }

    test(`the event streams of the example and of the guide come back after a restart behind ${name}, and nothing is lost`, async () => {
      const reading = await openExample()
      await cast('before')
      await reading.getByText('fid 1: before').waitFor()
      // This one has seen no event yet.
      const silent = await openExample()
      const guided = await openFrontDoor()
      const firstAsked = guided.waitForRequest(/events\/stream/)
      await guided.evaluate(scriptOfGuide(`${proxy.url}/hub`))
      await firstAsked
      const pages = [reading, silent, guided]
      // They ask while there is no server: the proxy lets them wait or refuses them.
      const asked = pages.map((page) =>
        holds ? page.waitForEvent('request') : page.waitForEvent('requestfailed'),
      )
      await world.stop()
      await Promise.all(asked)
      await world.restart()
      await cast('after')
      for (const page of [reading, silent]) await page.getByText('fid 1: after').waitFor()
      assert.deepEqual(await shown(reading), ['fid 1: after', 'fid 1: before'])
      assert.deepEqual(await shown(silent), ['fid 1: after'])
      await until(
        () => guided.evaluate("told.includes('after')"),
        'the script of the guide goes on',
      )
      assert.deepEqual(await guided.evaluate('told'), ['after'])
    })

    test(`events that were missed come at once and uncompressed through ${name}`, async () => {
      await cast('x'.repeat(300))
      await cast('y'.repeat(300))
      const page = await openFrontDoor()
      const read = `(async () => {
        const answer = await fetch('/hub/v1/events/stream?from_event_id=0')
        const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader()
        for (let text = ''; ; ) {
          text += (await reader.read()).value
          if (text.includes('${'y'.repeat(300)}')) return answer.headers.get('content-encoding')
        }
      })()`
      assert.equal(await page.evaluate(read), null)
    })

    if (compresses) {
      test(`lists come compressed through ${name}`, async () => {
        const page = await openFrontDoor()
        const list = `fetch('/hub/v1/castsByFid?fid=1').then(({ headers }) => headers.get('content-encoding'))`
        assert.match((await page.evaluate(list)) as string, /^(?:zstd|gzip)$/)
      })
    }

    test(`an upload of ten megabytes passes ${name}`, async () => {
      const page = await openFrontDoor()
      const video = mp4Of('x'.repeat(UPLOAD_BYTES), 'here', 'me')
      const upload = ([token, base64]: [string, string]) =>
        `fetch('/platform/v1/media', {
          method: 'POST',
          headers: { 'content-type': 'application/octet-stream', authorization: 'Bearer ${token}' },
          body: Uint8Array.from(atob('${base64}'), (c) => c.charCodeAt(0)),
        }).then(async (answer) => [answer.status, await answer.text()])`
      const [status, text] = (await page.evaluate(
        upload([world.token(author), video.toString('base64')]),
      )) as [number, string]
      assert.equal(status, 200, text)
      assert.equal(JSON.parse(text).result.contentType, 'video/mp4')
    })

    if (holds) {
      test(`requests wait behind ${name} until the server is back`, async () => {
        const page = await openFrontDoor()
        await world.stop()
        await page.evaluate(`
          globalThis.asked = []
          setInterval(() => asked.push(fetch('/hub/v1/info').then(({ status }) => status)), 100)`)
        // The first of them has reached the proxy by then.
        await until(() => page.evaluate('asked.length >= 5'), 'requests without a server')
        await world.restart()
        const statuses = (await page.evaluate('Promise.all(asked)')) as number[]
        assert.deepEqual([...new Set(statuses)], [200])
      })
    }

    if (grpc) {
      test(`clients of gRPC are told behind ${name} that the hub is away, and find it again`, async () => {
        const client = startGrpcClient(proxy)
        try {
          assert.match(await client.ask('info'), /^version /)
          assert.equal(await client.ask('follow'), 'following')
          await world.stop()
          assert.equal(await client.next(), 'ended by 14')
          assert.equal(await client.ask('info'), 'unavailable: the hub is away')
          assert.equal(await client.ask('follow'), 'ended by 14')
          await world.restart()
          await until(async () => /^version /.test(await client.ask('info')), 'it is back')
          assert.equal(await client.ask('follow'), 'following')
        } finally {
          client.stop()
        }
      })
    }
  })
}
