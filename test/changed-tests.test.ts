// Which test files `npm test -- --changed` runs.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { globSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { ABOUT, changedPaths, testsOf } from '../scripts/changed-tests.ts'
import { ROOT } from './program.ts'

const CODE = new Map(
  Object.entries({
    'src/kernel/base/limits.ts': '',
    'src/kernel/base/limits.test.ts': "import { x } from './limits.ts'",
    'src/features/channels/port.ts': "import { x } from '../../kernel/base/limits.ts'",
    'src/features/channels/rules.ts': "import './port.ts'",
    'src/features/channels/rules.test.ts': "import './rules.ts'",
    'src/features/search/search.ts': "import '../channels/port.ts'",
    'src/features/index.ts': "import './channels/rules.ts'\nimport './search/search.ts'",
    'src/app.ts': "import './features/index.ts'\nimport './features/channels/port.ts'",
    'src/main.ts': "const { x } = await import('./app.ts')",
    'test/program.ts': '',
    'test/world.ts': "import { startApp } from '../src/app.ts'",
    'test/cli.test.ts': "import { rookery } from './program.ts'",
    'test/channels-walk.test.ts': "import { createWorld } from './world.ts'",
    'test/app-search-fuzz.test.ts': "import { createWorld } from './world.ts'",
    'test/media.test.ts': "import { createWorld } from './world.ts'",
    'test/docs.test.ts': '',
    'test/structure.test.ts': '',
  }),
)
const TESTS = [...CODE.keys()].filter((path) => path.endsWith('.test.ts'))
const short = (path: string) => basename(path, '.test.ts')
const chosen = (...changed: string[]) => testsOf(changed, TESTS, CODE).map(short).sort()

test('a changed feature runs the tests beside it and the whole-server tests about it and no others', () => {
  assert.deepEqual(chosen('src/features/channels/rules.ts'), [
    'channels-walk',
    'rules',
    'structure',
  ])
})

test('a changed port also runs the tests about features that ask by it', () => {
  assert.deepEqual(chosen('src/features/channels/port.ts'), [
    'app-search-fuzz',
    'channels-walk',
    'rules',
    'structure',
  ])
})

test('a changed file that joins features runs every whole-server test, also those that start the program', () => {
  assert.deepEqual(chosen('src/app.ts'), [
    'app-search-fuzz',
    'channels-walk',
    'cli',
    'media',
    'structure',
  ])
})

test('a changed file of the kernel runs the tests of all that imports it', () => {
  const { length } = chosen('src/kernel/base/limits.ts').filter((name) => name === 'limits')
  assert.equal(length, 1)
  assert.ok(chosen('src/kernel/base/limits.ts').includes('rules'))
})

test('a changed test runs itself, changed documents run theirs, and an unknown file runs everything', () => {
  assert.deepEqual(chosen('test/media.test.ts'), ['media', 'structure'])
  assert.deepEqual(chosen('docs/hub.md'), ['docs', 'structure'])
  assert.deepEqual(chosen('package-lock.json'), TESTS.map(short).sort())
})

test('a source that was removed chooses nothing by itself, because what imported it has changed', () => {
  assert.deepEqual(chosen('src/features/channels/gone.ts'), ['structure'])
})

test('every feature names whole-server tests that exist', () => {
  const features = readdirSync(join(ROOT, 'src', 'features'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
  assert.deepEqual(Object.keys(ABOUT).sort(), features.sort())
  const names = globSync(['test/*.test.ts', 'test/journeys/*.test.ts'], { cwd: ROOT }).map((path) =>
    path.slice('test/'.length),
  )
  const missing = Object.values(ABOUT)
    .flat()
    .filter((begin) => !names.some((name) => name.startsWith(begin)))
  assert.deepEqual(missing, [])
})

test('what has changed is what differs from main, committed or not, and new files', (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'rookery-changed-'))
  t.after(() => rmSync(directory, { recursive: true }))
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.example', ...args], {
      cwd: directory,
    })
  const commit = (path: string, text: string) => {
    writeFileSync(join(directory, path), text)
    git('add', '--all')
    git('commit', '-qm', path)
  }
  git('init', '-q', '-b', 'main')
  commit('same.ts', '1')
  commit('edited.ts', '1')
  git('checkout', '-qb', 'work')
  commit('committed.ts', '1')
  writeFileSync(join(directory, 'edited.ts'), '2')
  writeFileSync(join(directory, 'new.ts'), '1')
  assert.deepEqual(changedPaths(directory).sort(), ['committed.ts', 'edited.ts', 'new.ts'])
})
