// Global setup of `node --test`: one PostgreSQL server, one browser and the bundled program for all test files.

import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundleProgram } from '../scripts/bundled-program.ts'
import { launchBrowserServer } from './browser.ts'
import { PACE } from './patience.ts'
import { startPostgres } from './postgres.ts'
import { type BrowserTime, offerBrowser } from './shared-browser.ts'
import { makeStoreTemplate } from './store-template.ts'

/** Processor time of what all test files share. */
type Shared = { readonly browser: BrowserTime; readonly postgresSeconds: number }

const root = fileURLToPath(new URL('..', import.meta.url))
let teardown = async (): Promise<Shared> => ({
  browser: { seconds: 0, uncountedSeconds: 0 },
  postgresSeconds: 0,
})

/** Sets what test files find in their environment. */
export async function globalSetup(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'rookery-test-'))
  chmodSync(directory, 0o755) // PostgreSQL may run as another user than we do
  process.on('exit', () => rmSync(directory, { recursive: true, force: true }))
  process.env.NODE_ENV = 'test'
  process.env.TEST_PACE = JSON.stringify(PACE)
  process.env.TMPDIR = directory
  const [postgres, store, program, browser] = await Promise.all([
    startPostgres({ flushes: false }),
    makeStoreTemplate(directory),
    bundleProgram(root),
    offerBrowser(launchBrowserServer),
  ])
  process.env.TEST_DATABASE_URL = postgres.url
  process.env.TEST_STORE = store
  process.env.TEST_PROGRAM = program
  process.env.TEST_BROWSER = browser.address
  teardown = async () => {
    const postgresSeconds = postgres.processorSeconds()
    await postgres.stop()
    return { browser: await browser.stop(), postgresSeconds }
  }
}

/** Ends what it started, and says what that took. */
export const globalTeardown = () => teardown()
