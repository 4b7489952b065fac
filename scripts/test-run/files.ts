// Runs test files one after the other, as long as the parent process names one. Each test file is one test, so
// hooks that it registers are its own.

import './current-test.ts'
import { on } from 'node:events'
import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { END_LIMIT_MS, FILE_LIMIT_MS, STILL_OPEN } from './limits.ts'

/** What the parent is told when no file runs. */
export type Idle = {
  readonly kind: 'idle'
  /** What the last file has used. */
  readonly cpuSeconds: number
  readonly residentBytes: number
}
/** What the parent answers: nothing when there is no file left. */
export type NextFile = { readonly file?: string | undefined }

// A static import would load it before current-test.ts runs.
const { test } = await import('node:test')
const { endFile } = await import('../../test/file-end.ts')
// A test may wait for something that does not keep the process alive by itself.
const alive = setInterval(() => {}, FILE_LIMIT_MS)
const messages = on(process, 'message')
process.channel!.unref()
let usedBefore = 0
tellIdle()
for await (const [{ file }] of messages as AsyncIterable<[NextFile]>) {
  if (file === undefined) break
  await test(file, { timeout: FILE_LIMIT_MS }, () => import(pathToFileURL(file).href))
  await endFile()
  tellIdle()
}
clearInterval(alive)
setTimeout(() => {
  console.error(`still open after the last test: ${process.getActiveResourcesInfo().join(', ')}`)
  process.exit(STILL_OPEN)
}, END_LIMIT_MS).unref()

function tellIdle(): void {
  const used = cpuSeconds()
  const idle: Idle = {
    kind: 'idle',
    cpuSeconds: used - usedBefore,
    residentBytes: process.memoryUsage.rss(),
  }
  usedBefore = used
  process.send!(idle)
}

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
