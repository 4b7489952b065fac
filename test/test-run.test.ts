import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import type { FileResult } from '../scripts/test-run/file-result.ts'
import type { Idle, NextFile } from '../scripts/test-run/files.ts'
import { runProcess } from '../scripts/test-run/process.ts'
import type { Line } from '../scripts/test-run/reporter.ts'

const RUN = join(import.meta.dirname, '../scripts/test-run')
const fixture = (name: string) => join(import.meta.dirname, 'fixtures', name)
/** Without what tells a process that `node --test` has started it. */
const { NODE_TEST_CONTEXT: _, ...ENV } = process.env

describe('a process of a test run', () => {
  const lines: Line[] = []
  before(async () => {
    const child = fork(join(RUN, 'files.ts'), [], {
      execArgv: [`--test-reporter=${join(RUN, 'reporter.ts')}`],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      env: ENV,
    })
    const files = [fixture('failing-tests.mjs')]
    child.on('message', (message: Line | Idle) => {
      if (message.kind === 'idle') child.send({ file: files.shift() } satisfies NextFile)
      else lines.push(message)
    })
    await once(child, 'close')
  })
  const ended = (name: string) =>
    lines.filter((line) => line.kind === 'ended').find((line) => line.name === name)

  it('attributes errors of timers, promises and servers to the test that runs', () => {
    assert.match(ended('a timer throws')?.failure ?? '', /from the timer/)
    assert.match(ended('nobody handles a rejection')?.failure ?? '', /from the promise/)
    assert.match(ended('a server throws')?.failure ?? '', /from the server/)
  })

  it('a test that is declared in another knows its parent', () => {
    assert.equal(ended('inner')?.nesting, 2)
    assert.equal(ended('outer')?.outcome, 'passed')
  })

  it('runs the code under test without a hook for each promise', () => {
    assert.equal(ended('no hook watches promises')?.outcome, 'passed')
  })

  it('runs the next file after one that passes, and fails only the file that ends it', async () => {
    const files = ['passing-tests.mjs', 'ending-tests.mjs', 'failing-tests.mjs'].map(fixture)
    const results: FileResult[] = []
    const report = (result: FileResult) => void results.push(result)
    await runProcess({ takeFile: () => files.shift(), report, env: ENV })
    const [passed, failed] = results
    assert.equal(results.length, 2)
    assert.deepEqual([passed!.count.passed, passed!.failures], [1, []])
    assert.match(failed!.failures.join(), /^the process ended with exit code 3 while this ran: /)
    assert.match(failed!.output, /said before the end/)
    assert.equal(files.length, 1, 'the file after it was not taken')
  })
})
