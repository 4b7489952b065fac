// The examples that follow a hub, as their readers run them: over gRPC, and in a browser.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Browser } from 'playwright-core'
import { castAdd } from '../src/kernel/protocol/build.ts'
import { startBrowser, tellOfFailures } from './browser.ts'
import { accepted, inWorld } from './hub-support.ts'
import { ROOT } from './program.ts'
import type { TestAccount, World } from './world.ts'

const submitCast = async (world: World, author: TestAccount, text: string) =>
  accepted(await world.submit(world.sign(author, castAdd(world.origin(author), text))))

inWorld('examples that follow a hub', (world) => {
  test('the gRPC example prints the casts that are there and the next one', async () => {
    const author = await world().account(1)
    await submitCast(world(), author, 'there before')
    const child = spawn(process.execPath, [join(ROOT, 'examples', 'subscribe.ts')], {
      cwd: ROOT,
      env: { PATH: process.env.PATH, ROOKERY_GRPC: world().app.urls.grpc },
    })
    let printed = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += text
    })
    try {
      while (!printed.includes('fid 1: there before')) await once(child.stdout, 'data')
      await submitCast(world(), author, 'just now')
      while (!printed.includes('fid 1: just now')) await once(child.stdout, 'data')
      assert.match(printed, /^\d+ fid 1: there before\n\d+ fid 1: just now\n$/)
    } finally {
      child.kill('SIGKILL')
    }
  })

  let browser: Browser | undefined
  tellOfFailures(() => browser)
  test('the page of the browser example shows casts as they are merged', async (t) => {
    const html = readFileSync(join(ROOT, 'examples', 'follow-events.html'))
    const server = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html; charset=utf-8')
      response.end(html)
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    t.after(() => server.close())
    browser = await startBrowser()
    t.after(() => browser?.close())
    const page = await browser.newPage()
    const { port } = server.address() as AddressInfo
    const hub = encodeURIComponent(world().app.urls.hub)
    await page.goto(`http://127.0.0.1:${port}/?hub=${hub}`)
    await page.getByText('connected', { exact: true }).waitFor()
    const author = await world().account(2)
    for (const text of ['the first', 'the second']) await submitCast(world(), author, text)
    await page.getByText('fid 2: the second').waitFor()
    const items = await page.locator('li').allTextContents()
    assert.deepEqual(items, ['fid 2: the second', 'fid 2: the first'])
  })
})
