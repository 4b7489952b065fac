import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { chromium } from 'playwright-core'
import { launchBrowserServer, startBrowser } from './browser.ts'
import { PATIENCE_MS } from './patience.ts'
import { ROOT } from './program.ts'
import { offerBrowser } from './shared-browser.ts'
import { until } from './until.ts'

const run = promisify(execFile)
/** A machine whose only network is loopback. */
const ALONE = ['--net', '--map-root-user', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh']
const PROGRAM = `
  import { startBrowser } from './test/browser.ts'
  const browser = await startBrowser()
  const page = await browser.newPage()
  await page.goto('data:text/html,a page')
  console.log(await page.evaluate('navigator.onLine'))
  await browser.close()`

test('a page takes itself for online on a machine that has loopback only', async (t) => {
  const alone = await run('unshare', [...ALONE, 'true']).catch((error: Error) => error)
  if (alone instanceof Error) return t.skip(alone.message)
  // Installs it where there is a network to install it from.
  await (await startBrowser()).close()
  const node = [process.execPath, '--input-type=module', '--eval', PROGRAM]
  // The browser of the run is not on that network.
  const env = { ...process.env, TEST_BROWSER: '' }
  const options = { cwd: ROOT, env, timeout: PATIENCE_MS }
  const { stdout } = await run('unshare', [...ALONE, ...node], options)
  assert.equal(stdout.trim(), 'true')
})

test('who asks for the browser of a run gets the same one, started for the first of them, and reads why there is none any more', async (t) => {
  let launched = 0
  const said: string[] = []
  const launch = () => {
    launched += 1
    return launchBrowserServer()
  }
  const offer = await offerBrowser(launch, (text) => said.push(text))
  t.after(offer.stop)
  assert.equal(launched, 0)
  const ask = async () => {
    const answer = await fetch(offer.address)
    return { status: answer.status, text: await answer.text() }
  }
  const [first, second] = await Promise.all([ask(), ask()])
  assert.deepEqual([first, launched], [second, 1])
  const [one, other] = await Promise.all([
    chromium.connect(first.text),
    chromium.connect(first.text),
  ])
  await (await one.newPage()).goto('data:text/html,<title>of the first</title>')
  await one.close()
  // What belongs to one who uses it is neither seen by another nor ends with it.
  const page = await other.newPage()
  assert.equal(other.contexts().length, 1)
  assert.equal(await page.evaluate('1 + 1'), 2)
  const cdp = await other.newBrowserCDPSession()
  await cdp.send('Browser.crash').catch(() => {})
  await until(async () => (await ask()).status === 500)
  assert.deepEqual(said, [(await ask()).text])
  assert.match(
    said[0]!,
    /^The browser of this run has ended with .*: every test that used it fails\.$/,
  )
  assert.equal(launched, 1)
})

test('a browser that cannot be started is a reason that every file reads', async () => {
  const offer = await offerBrowser(() => Promise.reject(new Error('no such program')))
  const answer = await fetch(offer.address)
  assert.deepEqual([answer.status, await answer.text()], [500, 'no such program'])
  assert.deepEqual(await offer.stop(), { seconds: 0, uncountedSeconds: 0 })
})

const FAILING = `
  import { describe, test } from 'node:test'
  import { startBrowser, tellOfFailures } from './test/browser.ts'
  const browser = await startBrowser()
  describe('pages', () => {
    tellOfFailures(() => browser)
    test('a page that shows too little is a failure', async (t) => {
      t.after(() => browser.close())
      const page = await browser.newPage()
      const script = 'console.error("no such cast")'
      await page.goto('data:text/html,<title>Home</title><h1>Nothing here</h1><script>' + script + '</script>')
      throw new Error('it failed')
    })
  })`

test('a test that fails in a browser says what its pages show and which errors they wrote', async () => {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const node = ['--test-reporter=spec', '--input-type=module', '--eval', FAILING]
  const failed = await run(process.execPath, node, { cwd: ROOT, env }).catch((error) => error)
  assert.match(failed.stdout, /A page "Home" at data:.* shows:\n- heading "Nothing here"/)
  assert.match(failed.stdout, /^error: no such cast$/m)
})
