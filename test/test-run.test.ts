import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'

const RUN = join(import.meta.dirname, '../scripts/test-run')
const FIXTURE = join(import.meta.dirname, 'fixtures/failing-tests.mjs')

describe('a process of a test run', () => {
  let lines: { kind: string; name: string; outcome: string; nesting: number; failure?: string }[]
  before(() => {
    const dir = mkdtempSync(join(tmpdir(), 'rookery-test-run-'))
    try {
      const report = join(dir, 'report')
      spawnSync(process.execPath, [
        `--test-reporter=${join(RUN, 'reporter.ts')}`,
        `--test-reporter-destination=${report}`,
        join(RUN, 'files.ts'),
        join(dir, 'costs'),
        FIXTURE,
      ])
      lines = readFileSync(report, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
    } finally {
      rmSync(dir, { recursive: true })
    }
  })
  const ended = (name: string) => lines.find((one) => one.kind === 'ended' && one.name === name)

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
})
