// The runner of `npm test`: what it reports of test files, and which it refuses.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { judge } from '../scripts/processor-time.ts'
import { filesWithoutTests, runGroups } from '../scripts/test-run.ts'
import { PATIENCE_MS } from './patience.ts'

const IMPORT = `import { describe, test } from 'node:test'\n`
const BUSY_SECONDS = 0.2
/** Reports of so many tests are more than a pipe takes at once. */
const BURST = 1_000
const FILES = {
  'busy.mjs': `${IMPORT}test('one', () => { while (process.cpuUsage().user < ${2 * BUSY_SECONDS} * 1e6); })`,
  'one.mjs': `${IMPORT}describe('a suite', () => { test('one', () => {}); test('two', () => {}) })`,
  'failing.mjs': `${IMPORT}test('one', () => { throw new Error('it fails') })`,
  'skipped.mjs': `${IMPORT}test('one', { skip: 'no machine' }, () => {})`,
  'empty.mjs': 'export const nothing = 1',
  'suite.mjs': `${IMPORT}describe('a suite', () => {})`,
  'exits.mjs': 'process.exit(0)',
  'burst.mjs': `${IMPORT}describe('a suite', () => { for (let i = 0; i < ${BURST}; i++) test('one ' + 'x'.repeat(500), () => {}) })`,
  'never-begun.mjs': `${IMPORT}test('one', () => {})`,
} as const

async function run(t: { after(end: () => void): void }, ...groups: (keyof typeof FILES)[][]) {
  const directory = mkdtempSync(join(tmpdir(), 'rookery-runner-'))
  t.after(() => rmSync(directory, { recursive: true }))
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(directory, name), text)
  const paths = groups.map((group) => group.map((name) => join(directory, name)))
  const settings = { directory, concurrency: 2, fileLimitMs: PATIENCE_MS }
  const { code, files } = await runGroups(paths, { ...settings, output: 'ignore' }).ended
  const short = (path: string) => path.slice(directory.length + 1)
  return {
    code,
    counts: Object.fromEntries(files.map(({ file, tests }) => [short(file), tests])),
    times: files.map(({ ms }) => ms),
    processor: files.map(({ seconds }) => seconds),
    without: filesWithoutTests(paths.flat(), files).map(short),
  }
}

test('the runner reports the time and the processor time of each file and how many tests it had', async (t) => {
  const { code, counts, times, processor, without } = await run(
    t,
    ['busy.mjs', 'skipped.mjs'],
    ['failing.mjs'],
  )
  assert.equal(code, 1)
  assert.deepEqual(counts, { 'busy.mjs': 1, 'skipped.mjs': 1, 'failing.mjs': 1 })
  if (process.platform === 'linux') {
    const [busy, skipped] = processor as [number, number]
    assert.ok(busy >= BUSY_SECONDS && skipped < BUSY_SECONDS, `${busy} and ${skipped}`)
  }
  assert.ok(times.every((ms) => ms > 0))
  assert.deepEqual(without, [])
})

test('no report is lost of a file whose tests all end in the moment in which its process ends', async (t) => {
  const { code, counts } = await run(t, ['burst.mjs'])
  assert.equal(code, 0)
  assert.deepEqual(counts, { 'burst.mjs': BURST })
})

test('a file without a test is found, also when node --test counts it as passed', async (t) => {
  const { code, without } = await run(t, ['one.mjs', 'empty.mjs', 'suite.mjs'])
  assert.equal(code, 0)
  assert.deepEqual(without, ['empty.mjs', 'suite.mjs'])
})

test('files are found that were never begun because their process ended without an error', async (t) => {
  const { without } = await run(t, ['one.mjs', 'exits.mjs', 'never-begun.mjs'], ['skipped.mjs'])
  // What ran before in the same process may be lost with it.
  const named = without.filter((name) => name !== 'one.mjs')
  assert.deepEqual(named, ['exits.mjs', 'never-begun.mjs'])
})

test('a run that became dearer or cheaper by a tenth than the number that is kept says so', () => {
  const said = (seconds: number) => judge(seconds, 1_000, 'kept.json')
  assert.match(
    said(1_101)!,
    /^WARNING: the tests have become dearer by 10 %.*1101 s.*kept\.json says 1000 s/,
  )
  assert.equal(said(1_099), undefined)
  assert.equal(said(901), undefined)
  assert.match(said(899)!, /^The tests have become cheaper by 10 %.*Write the new number/)
})
