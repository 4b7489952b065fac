// The structure of the sources: imports, test names, and that generated files are fresh.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { GUIDE } from '../scripts/docs.ts'
import { FEATURES } from '../src/features/index.ts'
import type { Feature } from '../src/kernel/feature.ts'
import { circlesIn, faultsOf, importsOf } from './imports.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const WIRE = join(ROOT, 'src', 'kernel', 'protocol', 'wire')

function readSources(folder = 'src'): Map<string, string> {
  const files = globSync('**/*.{ts,tsx}', { cwd: join(ROOT, folder) }).filter(
    (path) => !/\.(test|d)\.ts$|^built\//.test(path),
  )
  return new Map(files.map((path) => [path, readFileSync(join(ROOT, folder, path), 'utf8')]))
}

describe('the sources', () => {
  test('sources import downward without cycles; one file opens stores and one reads the environment', () => {
    const sources = readSources()
    assert.ok(sources.size > 80, 'all of them are looked at')
    assert.deepEqual(faultsOf(sources), [])
  })

  const GOOD = {
    'kernel/protocol/bytes.ts': "import { Buffer } from 'node:buffer'",
    'kernel/storage/engines/sql.ts': '',
    'kernel/storage/storage.ts': "import { openSqlite } from './engines/sqlite.ts'",
    'kernel/storage/engines/sqlite.ts': "import type { Sql } from './sql.ts'",
    'kernel/hub/hub.ts':
      "import {\n  type Storage,\n  x,\n} from '../storage/storage.ts'\nimport viem from 'viem'",
    'features/registry/registry.ts':
      "import '../../kernel/protocol/bytes.ts'\nimport '../channels/port.ts'",
    'features/channels/port.ts': '',
    'store.ts': "import { openStorage } from './kernel/storage/storage.ts'",
    'app.ts': "import { openWholeStore } from './store.ts'\nimport './kernel/hub/hub.ts'",
    'main.ts': "const { startApp } = await import('./app.ts')\nstartApp(process.env)",
  }
  const BAD: readonly [string, Record<string, string>, RegExp][] = [
    [
      'a layer above',
      { 'kernel/storage/engines/sql.ts': "import type { App } from '../../../app.ts'" },
      /^kernel\/storage\/engines\/sql\.ts imports app\.ts: app is not below kernel\/storage$/m,
    ],
    [
      'a feature, in the kernel',
      { 'kernel/hub/names.ts': "export { x } from '../../features/registry/registry.ts'" },
      /features is not below kernel\/hub/,
    ],
    [
      'a layer above, at run time',
      { 'kernel/hub/names.ts': "const app = await import('../../app.ts')" },
      /app is not below kernel\/hub/,
    ],
    [
      'a layer above, as a thread',
      { 'kernel/protocol/bytes.ts': "new Worker(new URL('../hub/hub.ts', import.meta.url))" },
      /kernel\/hub is not below kernel\/protocol/,
    ],
    [
      'settings of a folder above',
      { 'config.ts': "import { x } from './dev/settings.ts'", 'dev/settings.ts': '' },
      /config\.ts imports dev\/settings\.ts: dev is not below config/,
    ],
    [
      'more than the setting kit, where settings are declared',
      { 'kernel/hub/settings.ts': "import { x } from './hub.ts'" },
      /hub\/settings\.ts imports kernel\/hub\/hub\.ts: settings need the setting kit/,
    ],
    [
      'itself, around a corner',
      {
        'kernel/storage/engines/sql.ts': "import { x } from '../storage.ts'",
      },
      /storage\/engines\/sql\.ts -> .*: a circle/,
    ],
    [
      'what opens a store',
      { 'kernel/hub/jobs/jobs.ts': "import {\n  openStorage,\n} from '../../storage/storage.ts'" },
      /only store\.ts and app\.ts open stores/,
    ],
    [
      'an engine',
      { 'app.ts': "import { openPostgres } from './kernel/storage/engines/sqlite.ts'" },
      /app\.ts imports openPostgres/,
    ],
    [
      'a module that does input and output, in kernel/protocol/',
      { 'kernel/protocol/bytes.ts': "import { readFileSync } from 'node:fs'" },
      /protocol\/ does no input or output/,
    ],
    [
      'the environment',
      { 'kernel/hub/jobs/jobs.ts': 'const level = process.env.LEVEL' },
      /hub\/jobs\/jobs\.ts reads the environment/,
    ],
    [
      'schemas, in a thread that answers no requests',
      {
        'kernel/views/views-thread.ts':
          "import { a } from './words.ts'\nimport type { B } from './b.ts'",
        'kernel/views/words.ts': "import Type from 'typebox'",
      },
      /views-thread\.ts loads typebox, by kernel\/views\/words\.ts/,
    ],
    [
      'a part of a large package, in a thread that answers no requests',
      { 'kernel/hub/submit/merge-thread.ts': "import { keccak256 } from 'viem/utils'" },
      /merge-thread\.ts loads viem, by kernel\/hub\/submit\/merge-thread\.ts/,
    ],
    [
      'what another feature does not offer in its port',
      {
        'features/registry/x.ts': "import '../channels/tables.ts'",
        'features/channels/tables.ts': '',
      },
      /a feature asks others by their port\.ts/,
    ],
    [
      'something from a folder that is in no layer',
      { 'misc/x.ts': "import '../app.ts'" },
      /misc has no place in the layers/,
    ],
  ]

  for (const folder of ['web', 'bench']) {
    test(`no files of ${folder} import each other in a circle, not even lazily`, () => {
      const sources = readSources(folder)
      assert.ok(sources.size > 20, 'all of them are looked at')
      assert.deepEqual(circlesIn(sources), [])
    })
  }

  test('sources that follow the rules have no faults', () => {
    assert.deepEqual(faultsOf(new Map(Object.entries(GOOD))), [])
  })
  for (const [what, files, fault] of BAD) {
    test(`a file may not import ${what}`, () => {
      assert.match(faultsOf(new Map(Object.entries({ ...GOOD, ...files }))).join('\n'), fault)
    })
  }

  test('imports are found however they are written', () => {
    const text = `import a from './a.ts'
import type { B } from './b.ts'
import {
  c,
  type D,
} from '../c.ts'
export * from './d.ts'
import './e.js'
import fs from 'node:fs'
const f = await import('./f.ts')
const g = new URL('./g.ts', import.meta.url)
const text = 'taken from elsewhere'
`
    assert.deepEqual(
      importsOf('hub/x.ts', text).map(({ from }) => from),
      ['hub/a.ts', 'hub/b.ts', 'c.ts', 'hub/d.ts', 'hub/e.js', 'node:fs', 'hub/f.ts', 'hub/g.ts'],
    )
  })
})

/** A name that is an ordinary word names a table only where SQL does. */
const namesTable = (name: string) =>
  new RegExp(name.includes('_') ? `\\b${name}\\b` : `\\b(?:from|join|into|update|table) ${name}\\b`)
const COMMENT = /^\s*(?:\/\/|\/?\*)/

/** The tables of features that the text of a file of the kernel names outside of comments. */
function tablesNamedIn(text: string): string[] {
  const code = text.split('\n').filter((line) => !COMMENT.test(line))
  const tables = FEATURES.flatMap((feature: Feature) => feature.tables ?? [])
  return tables.map(({ name }) => name).filter((name) => namesTable(name).test(code.join('\n')))
}

test('no SQL of the kernel names a table of a feature, but for migrations of before there were features', () => {
  const found = [...readSources('src/kernel')]
    .filter(([path]) => !path.startsWith('storage/migrations/'))
    .flatMap(([path, text]) => tablesNamedIn(text).map((name) => `${path}: ${name}`))
  assert.deepEqual(found, [])
})

test('a table of a feature is found in SQL, and not where its name is an ordinary word', () => {
  const sql = '`select 1 from channel c\n join app_mute m on m.fid = c.fid`'
  assert.deepEqual(tablesNamedIn(sql).sort(), ['app_mute', 'channel'])
  assert.deepEqual(tablesNamedIn("// from channel to channel\nconst channel = media('action')"), [])
})

/** A folder with more files is hard to survey. */
const MAX_FILES_IN_FOLDER = 32

test('no folder of the sources has more than 32 files of its own besides tests and generated ones', () => {
  const counts = new Map<string, number>()
  for (const path of globSync('**/*.ts', { cwd: join(ROOT, 'src') })) {
    const folder = dirname(path)
    if (/\.(test|d)\.ts$/.test(path) || /(wire|generated|migrations)$/.test(folder)) continue
    counts.set(folder, (counts.get(folder) ?? 0) + 1)
  }
  assert.deepEqual(
    [...counts].filter(([, files]) => files > MAX_FILES_IN_FOLDER),
    [],
  )
})

/** Fewer words are rarely a sentence that can be understood without its parent. */
const MIN_NAME_WORDS = 4
/** A sentence that begins so has its subject elsewhere, in the name of its parent. */
const NO_SUBJECT = new RegExp(
  `^(?:${[
    'is|are|was|were|be|has|have|had|does|do|may|must|can|cannot|will',
    'accepts?|agrees?|asks|believes|brings|comes?|delivers|ends|finds?|gets?|gives?|goes|go|holds?|ignores?|keeps?|knows?',
    'lets?|makes?|pays?|refuses?|registers|replaces|resolves|returns?|says?|sends?|serves|shows?|takes?|tells?',
    'tries|turns|verifies|writes|never|not|and|but|or|it|its|that|to|whose|whom|whoever|whatever',
  ].join('|')}) `,
)

test('the name of every test is a sentence with at least four words and a subject', () => {
  const files = globSync(['src/**/*.test.ts', 'test/**/*-suite.ts', 'test/**/*.test.ts'], {
    cwd: ROOT,
  })
  const names = files.flatMap((file) =>
    testNamesIn(readFileSync(join(ROOT, file), 'utf8')).map((name) => ({ file, name })),
  )
  assert.ok(names.length > 500, 'the names are found')
  const fragments = names.filter(({ name }) => !isSentence(name))
  assert.deepEqual(fragments, [])
})

/** A name that is generated from data may be short. */
function isSentence(name: string): boolean {
  if (NO_SUBJECT.test(name)) return false
  return name.includes('${') || name.split(/\s+/).length >= MIN_NAME_WORDS
}

test('a test name without a subject or with three words is no sentence', () => {
  assert.equal(isSentence('a lease is free when its holder releases it'), true)
  assert.equal(isSentence('of two registrations one wins'), true)
  for (const name of [
    'is free when its holder releases it',
    'never share an id',
    'the third one',
  ]) {
    assert.equal(isSentence(name), false, name)
  }
})

test('test names are found in every kind of quotes', () => {
  const text = `test('one two', f)\n  it(\n    "it's three",\n)\n it(\`four \${x} five\`)\ntest.skip(1)`
  assert.deepEqual(testNamesIn(text), ['one two', "it's three", `four \${x} five`])
})

test('the table of features in ARCHITECTURE.md has each folder of a feature once', () => {
  const text = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8')
  const table = text.slice(text.indexOf('| Feature |'), text.indexOf('## How it works'))
  const named = [...table.matchAll(/^\| `([\w-]+)` \|/gm)].map(([, name]) => name)
  const folders = globSync('*/feature.ts', { cwd: join(ROOT, 'src', 'features') }).map(dirname)
  assert.deepEqual(named, folders.sort())
})

function testNamesIn(text: string): string[] {
  const calls = text.matchAll(/^\s*(?:test|it)\(\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1/gm)
  return [...calls].map(([, , name = '']) => name)
}

/** Waits of tests whose limit is a number of their own, which a slow machine does not keep. */
const OWN_LIMIT =
  /(?:AbortSignal\.timeout|setDefault\w*Timeout)\(\d|\btimeout: \d+_\d|(?:WAIT|PATIENCE|RECOVERY|TIMEOUT|DEADLINE)_MS = \d+_\d/

test('limits of waits in tests follow the speed of the machine, and no test has a number of its own', () => {
  const files = globSync(['src/**/*.test.ts', 'test/**/*.ts'], { cwd: ROOT })
  const found = files.filter((file) => OWN_LIMIT.test(readFileSync(join(ROOT, file), 'utf8')))
  // The guide of the cluster promises a time.
  assert.deepEqual(found, ['test/cluster.test.ts'])
})

test('sizes of the protocol and units of time are declared once, in the two files that export them', () => {
  const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')
  const homes = ['src/kernel/protocol/sizes.ts', 'src/kernel/protocol/time.ts']
  const names = homes.flatMap((home) =>
    [...read(home).matchAll(/^export const ([A-Z\d_]+) =/gm)].map(([, name]) => name),
  )
  const declared = new RegExp(`^(?:export )?const (?:${names.join('|')})\\b`, 'm')
  const files = globSync(['src/**/*.ts', 'test/**/*.ts', 'bench/**/*.ts'], { cwd: ROOT })
  const found = files.filter((file) => !homes.includes(file) && declared.test(read(file)))
  assert.deepEqual(found, [])
})

/** What every cast has, asked of a whole page: there are as many of them as have come by then. */
const OF_EVERY_CAST =
  /(?<!\w)(?:\w+\.)*(?:page|member|author|moderator|owner|reader|guest|other|again)\s*\.getByRole\('button', \{ name: (?:'More'|\/\^\(?(?:Reply|Like|Unlike|Recast))/

test('browser tests press what every cast has inside one cast, never on the whole page', () => {
  const files = globSync(['test/journeys/*.ts', 'test/*-support.ts'], { cwd: ROOT })
  const found = files.filter((file) => OF_EVERY_CAST.test(readFileSync(join(ROOT, file), 'utf8')))
  assert.deepEqual(found, [])
})

test('each test file that starts a browser says what its pages show when a test fails', () => {
  const files = globSync(['test/*.test.ts', 'test/journeys/*.ts'], { cwd: ROOT })
  const found = files.filter((file) => {
    const source = readFileSync(join(ROOT, file), 'utf8')
    return /await startBrowser\(\)/.test(source) && !/tellOfFailures\(\(\) => /.test(source)
  })
  assert.deepEqual(found, [])
})

test('browser tests wait for conditions with untilInPage, which our Content Security Policy allows', () => {
  const files = globSync(['test/**/*.ts', 'scripts/*.ts'], { cwd: ROOT })
  const found = files.filter((file) =>
    /\.waitForFunction\(/.test(readFileSync(join(ROOT, file), 'utf8')),
  )
  assert.deepEqual(found, [])
})

test('files that a source reads beside itself are there', () => {
  const missing = globSync('src/**/*.ts', { cwd: ROOT }).flatMap((source) => {
    const urls = readFileSync(join(ROOT, source), 'utf8').matchAll(
      /new URL\('(\.{1,2}\/[^']+)', import\.meta\.url\)/g,
    )
    return [...urls]
      .map(([, path]) => join(dirname(source), path!))
      .filter((path) => path !== GUIDE && !existsSync(join(ROOT, path)))
  })
  // The guide is built when it is packed or asked for.
  assert.deepEqual(missing, [])
})

test('the wire codec is what would be generated now', () => {
  const out = mkdtempSync(join(tmpdir(), 'rookery-wire-'))
  try {
    const template = readFileSync(join(ROOT, 'buf.gen.yaml'), 'utf8')
    const elsewhere = template.replace('out: src/kernel/protocol/wire', `out: ${join(out, 'wire')}`)
    assert.notEqual(elsewhere, template)
    const file = join(out, 'buf.gen.yaml')
    writeFileSync(file, elsewhere)
    execFileSync('node_modules/.bin/buf', ['generate', '--template', file], { cwd: ROOT })
    const made = join(out, 'wire')
    const files = globSync('**/*', { cwd: made }).sort()
    assert.deepEqual(globSync('**/*', { cwd: WIRE }).sort(), files)
    for (const file of files) {
      const [kept, fresh] = [WIRE, made].map((dir) => readFileSync(join(dir, file), 'utf8'))
      assert.equal(kept, fresh, `${file} is stale: npm run generate`)
    }
  } finally {
    rmSync(out, { recursive: true })
  }
})
