import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { startBrowser } from './browser.ts'
import { PATIENCE_MS } from './patience.ts'
import { ROOT } from './program.ts'

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
  const options = { cwd: ROOT, timeout: PATIENCE_MS }
  const { stdout } = await run('unshare', [...ALONE, ...node], options)
  assert.equal(stdout.trim(), 'true')
})
