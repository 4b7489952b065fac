// Global setup of `node --test`: one PostgreSQL server, one browser and the bundled program for all test files.

import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundleProgram } from '../scripts/bundled-program.ts'
import { launchBrowserServer } from './browser.ts'
import { PACE } from './patience.ts'
import { startPostgres } from './postgres.ts'
import { offerBrowser } from './shared-browser.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
let teardown = async () => ({ uncountedSeconds: 0 })

/** Sets what test files find in their environment. */
export async function globalSetup(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'rookery-test-'))
  chmodSync(directory, 0o755) // PostgreSQL may run as another user than we do
  process.on('exit', () => rmSync(directory, { recursive: true, force: true }))
  process.env.NODE_ENV = 'test'
  process.env.TEST_PACE = JSON.stringify(PACE)
  process.env.TMPDIR = directory
  const [postgres, program, browser] = await Promise.all([
    startPostgres({ flushes: false }),
    bundleProgram(root),
    offerBrowser(launchBrowserServer),
  ])
  process.env.TEST_DATABASE_URL = postgres.url
  process.env.TEST_PROGRAM = program
  process.env.TEST_BROWSER = browser.address
  teardown = async () => {
    await postgres.stop()
    return browser.stop()
  }
}

/** Tells the processor time that the system does not count for the children of this process. */
export const globalTeardown = () => teardown()
