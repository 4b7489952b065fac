// A browser for tests of pages: Debian's Chromium, installed when there is none.

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Browser, chromium, type Page } from 'playwright-core'
import { findProgram } from './debian.ts'

/** The first has no windows at all, and takes half as much of a processor. */
const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome']

/** Starts a browser without a window; the other tests go on while one is installed. */
export async function startBrowser(): Promise<Browser> {
  const executablePath = await findProgram(NAMES, NAMES[0]!)
  // Root has no sandbox; the pages are our own.
  return chromium.launch({ executablePath, args: ['--no-sandbox'] })
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
