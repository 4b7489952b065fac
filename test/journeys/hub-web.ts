// `@farcaster/hub-web` in Chromium: gRPC-web to the gRPC port, through a proxy that ends TLS, as browsers need it.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { createServer as createTlsServer, type Server as TlsServer } from 'node:tls'
import type { Browser, Page } from 'playwright-core'
import { build } from 'vite'
import { startBrowser, tellOfFailures, untilInPage } from '../browser.ts'
import { signedCertificate } from '../certificate.ts'
import { ROOT } from '../program.ts'
import { createWorld, type World } from '../world.ts'

export function hubWeb(): void {
  describe('hub-web in a browser', { concurrency: 1 }, () => {
    const dir = mkdtempSync(join(tmpdir(), 'rookery-hub-web-'))
    let world: World
    let proxy: TlsServer
    let site: Server
    let browser: Browser
    let page: Page
    const faults: string[] = []

    before(async () => {
      process.env.NODE_ENV = 'production'
      await build({
        root: join(ROOT, 'test', 'hub-web-page'),
        configFile: false,
        logLevel: 'error',
        build: { outDir: dir, emptyOutDir: true, target: 'es2022', chunkSizeWarningLimit: 10_000 },
      })
      // The published library stamps messages with its own clock.
      world = await createWorld({ startMs: Date.now() })
      proxy = startProxy(dir, world.app.urls.grpc)
      site = createServer((request, response) => {
        const { pathname } = new URL(request.url!, 'http://site')
        const isScript = pathname.endsWith('.js')
        const type = isScript ? 'text/javascript' : 'text/html'
        const file = isScript ? pathname : 'index.html'
        response.writeHead(200, { 'content-type': `${type}; charset=utf-8` })
        response.end(readFileSync(join(dir, file)))
      })
      for (const server of [proxy, site]) await once(server.listen(0, '127.0.0.1'), 'listening')
      browser = await startBrowser()
      const context = await browser.newContext({ ignoreHTTPSErrors: true })
      page = await context.newPage()
      page.on('pageerror', (error) => faults.push(error.message))
      await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`)
      await untilInPage(page, 'globalThis.hub')
    })
    tellOfFailures(() => browser)
    after(async () => {
      await browser?.close()
      proxy?.close()
      site?.close()
      await world?.close()
      rmSync(dir, { recursive: true, force: true })
    })

    const call = (code: string): Promise<unknown> =>
      page.evaluate(`hub('https://localhost:${(proxy.address() as AddressInfo).port}').${code}`)

    test('a page posts a cast, reads it, follows the events and is told the codes of errors', async () => {
      const seed = [...(await world.account(1)).seed]
      const stream = call('nextCast(1)')
      const stored = (await call(`post(1, [${seed}], 'From a page')`)) as { data?: { fid: number } }
      assert.equal(stored.data?.fid, 1, JSON.stringify(stored))
      assert.deepEqual(await call('casts(1)'), ['From a page'])
      assert.equal(await stream, 'From a page')
      assert.deepEqual(await call('cast(1)'), { errCode: 'not_found' })
      const { errCode } = (await call(`post(2, [${seed}], 'By nobody')`)) as { errCode: string }
      assert.equal(errCode, 'bad_request.unknown_fid')
      assert.deepEqual(faults, [])
    })
  })
}

/** Ends TLS in front of the gRPC port. */
function startProxy(dir: string, target: string): TlsServer {
  const { key, certificate } = signedCertificate(dir)
  const [host, port] = target.split(':')
  return createTlsServer(
    { key: readFileSync(key), cert: readFileSync(certificate), ALPNProtocols: ['h2'] },
    (inbound) => {
      const outbound = connect(Number(port), host)
      for (const socket of [inbound, outbound]) socket.on('error', () => {})
      inbound.pipe(outbound).pipe(inbound)
    },
  )
}
