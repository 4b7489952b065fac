// `rookery/client` in a browser: how large it is, and the example as its readers build it.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { Browser } from 'playwright-core'
import { build, type Rolldown } from 'vite'
import { startBrowser, tellOfFailures } from './browser.ts'
import { hex, inWorld } from './hub-support.ts'
import { ROOT } from './program.ts'

/** What an app uses, by the words of the table in docs/client.md. */
const USES: Readonly<Record<string, string>> = {
  'one interface': "export { createApp } from 'rookery/client'",
  'all interfaces and streams':
    "export { createAccounts, createApp, createHub, createPlatform, createRegistry, follow } from 'rookery/client'",
  'one interface, casts and likes':
    "export { castAdd, createHub, keySigner, reactionAdd, signMessage } from 'rookery/client'",
  everything: "export * from 'rookery/client'",
}

test('the client is as small as its guide says, and an app contains only what it uses', async (t) => {
  const guide = readFileSync(join(ROOT, 'docs/client.md'), 'utf8')
  const faults: string[] = []
  for (const [use, source] of Object.entries(USES)) {
    const kilobytes = gzipSync(await bundle(t, source)).length / 1000
    const said = Number(new RegExp(`^\\| ${use} \\| ([\\d.]+) kB`, 'm').exec(guide)?.[1])
    const isTrue = Math.abs(kilobytes - said) < said * 0.1
    if (!isTrue) faults.push(`${use}: ${kilobytes.toFixed(2)} kB, docs/client.md says ${said} kB`)
  }
  assert.deepEqual(faults, [])
})

/** The minified code of a module, without dependencies outside. */
async function bundle(t: TestContext, source: string): Promise<string> {
  // Below the repository, where "rookery" names it.
  mkdirSync(join(ROOT, 'node_modules/.cache'), { recursive: true })
  const dir = mkdtempSync(join(ROOT, 'node_modules/.cache/client-'))
  t.after(() => rmSync(dir, { recursive: true }))
  const entry = join(dir, 'entry.ts')
  writeFileSync(entry, source)
  const output = await viteBuild({ lib: { entry, formats: ['es'] }, minify: true })
  return output.map((file) => ('code' in file ? file.code : '')).join('')
}

type BuildOptions = NonNullable<NonNullable<Parameters<typeof build>[0]>['build']>

async function viteBuild(options: BuildOptions, root = ROOT) {
  const result = (await build({
    root,
    configFile: false,
    logLevel: 'error',
    resolve: { alias: { 'rookery/client': join(ROOT, 'src/client/index.ts') } },
    build: { target: 'es2022', write: false, ...options },
  })) as Rolldown.RolldownOutput | Rolldown.RolldownOutput[]
  return [result].flat().flatMap(({ output }) => output)
}

const TYPES: Readonly<Record<string, string>> = { '.html': 'text/html', '.js': 'text/javascript' }

inWorld('the browser example of rookery/client', (world) => {
  let browser: Browser | undefined
  tellOfFailures(() => browser)
  test('the page posts a cast that it signed and shows it as it is merged', async (t) => {
    const files = await viteBuild({}, join(ROOT, 'examples/browser'))
    const server = createServer(({ url }, response) => {
      const path = url!.replace(/\?.*/, '').slice(1) || 'index.html'
      const file = files.find(({ fileName }) => fileName === path)
      const type = TYPES[extname(path)] ?? 'text/plain'
      response.writeHead(file ? 200 : 404, { 'content-type': type })
      response.end(file && ('code' in file ? file.code : file.source))
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    t.after(() => server.close())
    browser = await startBrowser()
    t.after(() => browser?.close())
    const author = await world().account(1)
    const page = await browser.newPage()
    const { port } = server.address() as AddressInfo
    // Messages are stamped by the browser's clock, which must be that of the network.
    await page.clock.setFixedTime(world().clock.now())
    await page.goto(`http://127.0.0.1:${port}/?server=${world().app.urls.web}`)
    await page.getByLabel('Account number').fill('1')
    await page.getByLabel('Private key').fill('0x12')
    await page.getByLabel('Text').fill('from a browser')
    await page.getByRole('button', { name: 'Cast' }).click()
    await page.getByText('the private key must have 32 bytes').waitFor()
    await page.getByLabel('Private key').fill(hex(author.seed))
    await page.getByRole('button', { name: 'Cast' }).click()
    await page.getByText(/^stored as 0x[0-9a-f]{40}$/).waitFor()
    await page.getByText('fid 1: from a browser').waitFor()
  })
})
