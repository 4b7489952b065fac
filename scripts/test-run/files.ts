// Runs test files one after the other in this process and appends what each has cost to the file of the first
// argument. Each test file is one test, so hooks that it registers are its own.

import './current-test.ts'
import { appendFileSync, readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { END_LIMIT_MS, FILE_LIMIT_MS, STILL_OPEN } from './limits.ts'

// A static import would load it before current-test.ts runs.
const { test } = await import('node:test')
const { endFile } = await import('../../test/file-end.ts')
const [costs, ...files] = process.argv.slice(2)
// A test may wait for something that does not keep the process alive by itself.
const alive = setInterval(() => {}, FILE_LIMIT_MS)
let usedBefore = 0
for (const file of files) {
  await test(file, { timeout: FILE_LIMIT_MS }, () => import(pathToFileURL(file).href))
  await endFile()
  const used = cpuSeconds()
  appendFileSync(costs!, `${used - usedBefore}\n`)
  usedBefore = used
}
clearInterval(alive)
setTimeout(() => {
  console.error(`still open after the last test: ${process.getActiveResourcesInfo().join(', ')}`)
  process.exit(STILL_OPEN)
}, END_LIMIT_MS).unref()

/** What this process has used. Linux counts its children, too, once they have ended. */
function cpuSeconds(): number {
  try {
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]!.split(' ')
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) / 100, 0)
  } catch {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1e6
  }
}
