// A browser for tests of pages: Debian's Chromium, installed when there is none.

import { execFile } from 'node:child_process'
import { accessSync, constants, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { type Browser, chromium, type Page } from 'playwright-core'

/** The first has no windows at all, and takes half as much of a processor. */
const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome']
const APT_ENV = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
/** Another installation may hold the lock. */
const APT_ARGUMENTS = ['-o', 'DPkg::Lock::Timeout=120', '-y', '--no-install-recommends', 'install']

const run = promisify(execFile)

/** Starts a browser without a window; the other tests go on while one is installed. */
export async function startBrowser(): Promise<Browser> {
  const executablePath = findChromium() ?? (await installChromium())
  // Root has no sandbox; the pages are our own.
  return chromium.launch({ executablePath, args: ['--no-sandbox'] })
}

function findChromium(): string | undefined {
  const directories = (process.env.PATH ?? '').split(delimiter)
  return directories.flatMap((path) => NAMES.map((name) => join(path, name))).find(isExecutable)
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

async function installChromium(): Promise<string> {
  const install = () => run('apt-get', [...APT_ARGUMENTS, NAMES[0]!], { env: APT_ENV })
  try {
    // Package lists may be missing or old, and take longer than the installation: only then.
    await install().catch(async () => {
      await run('apt-get', ['update'], { env: APT_ENV })
      await install()
    })
  } catch (error) {
    const { stderr, message } = error as { stderr?: string; message: string }
    throw new Error(
      `these tests need Chromium on the PATH, and it could not be installed: ${stderr || message}`,
    )
  }
  const found = findChromium()
  if (!found) throw new Error('these tests need Chromium on the PATH; the package brought none')
  return found
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
type AxeResult = { violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] }

/** What a page does not do for everybody, a line each; by all rules or by those named. */
export async function accessibilityFaults(page: Page, ...rules: string[]): Promise<string[]> {
  if (await page.evaluate("typeof axe === 'undefined'")) await page.evaluate(AXE)
  const options = { resultTypes: ['violations'], ...(rules.length > 0 && { runOnly: rules }) }
  const { violations } = (await page.evaluate(`axe.run(${JSON.stringify(options)})`)) as AxeResult
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  )
}
