import { SCHEMA } from '../src/store.ts'
// Versions, notes and the files of a code host.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { promisify } from 'node:util'
import { parse as parseYaml } from 'yaml'
import { notesOf, sectionsOf } from '../scripts/changelog.ts'
import { faultsOf } from '../scripts/release.ts'
import { VERSION } from '../src/kernel/base/version.ts'
import { LONG } from './effort.ts'
import { patient } from './patience.ts'
import { ROOT } from './program.ts'

const read = (name: string) => readFileSync(join(ROOT, name), 'utf8')
const RELEASE_MS = patient(90_000)

describe('a release', () => {
  test('the changelog begins with the version of the program, and versions only fall', () => {
    const sections = sectionsOf(read('CHANGELOG.md'))
    assert.equal(sections[0]!.version, VERSION)
    assert.ok(sections.length > 1)
    for (const [i, { version, schema, date }] of sections.entries()) {
      const before = sections[i + 1]
      if (i > 0) assert.ok(date, version)
      if (!before) continue
      assert.ok((schema ?? SCHEMA.newest) >= before.schema!, version)
      assert.ok(
        version.localeCompare(before.version, 'en', { numeric: true }) > 0,
        `${version} after ${before.version}`,
      )
    }
  })

  test('the notes of a version are its section and the migrations that are new in it', () => {
    const sections = sectionsOf(
      '# C\n\n## 1.1.0 (2030-01-02)\n\nSchema 3.\n\n- New.\n\n## 1.0.0 (2030-01-01)\n\nSchema 1.\n\n- Old.\n',
    )
    const migrations = [1, 2, 3].map((id) => ({ id, what: `table ${id}` }))
    assert.equal(
      notesOf(sections, migrations),
      '# Rookery 1.1.0\n\nSchema 3.\n\n- New.\n\n## Migrations\n\n- 2: table 2\n- 3: table 3\n',
    )
    for (const heading of ['1.0.0 (soon)', '1.0.0 (2030-01-01)']) {
      assert.throws(() => sectionsOf(`## ${heading}\n`), /no version, day and schema/)
    }
    assert.equal(sectionsOf('## 1.0.0 (unreleased)\n')[0]!.schema, undefined)
  })

  test('a version without a day, with another schema or in another lock is not released', () => {
    const of = (version: string) => JSON.stringify({ version })
    const section = { version: '1.0.0', date: '2030-01-01', schema: SCHEMA.newest, text: '' }
    assert.deepEqual(faultsOf([section], of('1.0.0'), of('1.0.0')), [])
    const wrong = [{ ...section, date: undefined, schema: 1 }]
    const faults = faultsOf(wrong, of('1.0.1'), of('1.0.0')).join('\n')
    for (const words of [
      'package-lock.json',
      'does not begin',
      'no day',
      `Schema ${SCHEMA.newest}.`,
    ]) {
      assert.ok(faults.includes(words), faults)
    }
  })

  test('workflows run scripts of this repository, and forms of issues are complete', () => {
    const { scripts } = JSON.parse(read('package.json'))
    const workflows = globSync('.github/workflows/*.yml', { cwd: ROOT })
    assert.equal(workflows.length, 3)
    for (const file of workflows) {
      const { jobs } = parseYaml(read(file))
      const steps = Object.values(jobs).flatMap(
        (job) => (job as { steps: { run?: string }[] }).steps,
      )
      const names = steps.flatMap(({ run = '' }) => /^npm (?:run )?([a-z]+)/.exec(run)?.[1] ?? [])
      assert.ok(names.length > 0, file)
      for (const name of names) assert.ok(name in scripts, `${name} in ${file}`)
    }
    for (const file of ['bug', 'idea']) {
      const { name, description, body } = parseYaml(read(`.github/ISSUE_TEMPLATE/${file}.yml`))
      assert.ok(name && description && body.length > 1)
    }
  })

  test('a release holds a package, an SBOM of what production installs, notes and checksums', {
    skip: !LONG && 'TEST_LONG=1 runs it',
    timeout: RELEASE_MS,
  }, async (t) => {
    const dir = mkdtempSync(join(tmpdir(), 'rookery-release-'))
    t.after(() => rmSync(dir, { recursive: true }))
    const run = promisify(execFile)
    // A clone, whose changelog has a day.
    const clone = join(dir, 'clone')
    await run('git', ['clone', '-q', ROOT, clone])
    await run('ln', ['-s', join(ROOT, 'node_modules'), join(clone, 'node_modules')])
    const steps = `sed -i '0,/(unreleased)/s//(2030-01-01)\\n\\nSchema ${SCHEMA.newest}./' CHANGELOG.md
      echo node_modules >> .git/info/exclude
      git -c user.name=t -c user.email=t@example.org commit -qam released || true`
    await run('sh', ['-euc', steps], { cwd: clone })
    const out = join(dir, 'out')
    const args = ['scripts/release.ts', '--tested', out]
    const { stdout } = await run(process.execPath, args, { cwd: clone, maxBuffer: 2 ** 28 })
    assert.match(stdout, new RegExp(`git tag -a v${VERSION}`))
    await run('sha256sum', ['-c', 'SHA256SUMS'], { cwd: out })
    const sbom = JSON.parse(readFileSync(join(out, 'sbom.cdx.json'), 'utf8'))
    const names = sbom.components.map(({ name }: { name: string }) => name)
    assert.ok(names.includes('fastify') && !names.includes('vitest'))
    const notes = readFileSync(join(out, 'NOTES.md'), 'utf8')
    assert.ok(notes.includes(`- ${SCHEMA.migrations.at(-1)!.id}: `))
  })
})
