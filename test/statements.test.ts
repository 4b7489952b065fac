// What a run of the tests notes of the statements of both engines, and which of them it refuses.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { serialize } from 'node:v8'
import { makeNotes, type Note, tryStatements } from '../scripts/statements.ts'

function notesFor(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'rookery-notes-'))
  t.after(() => rmSync(folder, { recursive: true }))
  return makeNotes(folder)
}

/** What is refused of these notes, without what the engine says more. */
async function refused(t: TestContext, ...notes: Note[]): Promise<string[]> {
  const folder = notesFor(t)
  for (const note of notes) {
    writeFileSync(join(folder, note.engine, hash('sha1', note.text)), serialize(note))
  }
  const { tried, refused } = await tryStatements(folder)
  assert.ok(tried >= refused.length)
  return [...refused]
}

/** Of a statement that this source asks for. */
const stackOf = (path: string) => `Error\n    at it (${new URL(`../${path}`, import.meta.url)}:9:1)`

const SQLITE = 'select group_concat(fid) as fids from custody'
const POSTGRES = 'select fid::text as fid from custody'
const WRONG_TYPE = 'select c.fid from input i join custody c on c.fid = i.fid'

test('a statement that one engine alone has run and the other does not take is named with its error', async (t) => {
  const found = await refused(
    t,
    { engine: 'sqlite', text: SQLITE, values: [] },
    { engine: 'sqlite', text: WRONG_TYPE, columns: { fid: 'text' }, values: { fid: '1' } },
    { engine: 'postgres', text: POSTGRES, values: [] },
    { engine: 'sqlite', text: 'select fid from custody where fid = ?', values: [1] },
  )
  assert.equal(found.length, 3, found.join('\n'))
  for (const says of [
    /^postgres: .*group_concat.* does not exist, in: select group_concat/,
    /^postgres: operator does not exist: bigint = text, in: select c\.fid/,
    /^sqlite: .*unrecognized token.*, in: select fid::text/,
  ]) {
    assert.ok(
      found.some((one) => says.test(one)),
      `${says} in ${found.join('\n')}`,
    )
  }
})

test('what both engines have run, a test or a migration has asked for, or breaks a rule of the data, is not refused', async (t) => {
  const found = await refused(
    t,
    { engine: 'sqlite', text: SQLITE, values: [] },
    { engine: 'postgres', text: SQLITE, values: [] },
    {
      ...{ engine: 'postgres', text: POSTGRES, values: [] },
      stack: stackOf('src/kernel/storage/tables/schema.ts'),
    },
    {
      ...{ engine: 'sqlite', text: "insert into t values ('lost')", values: [] },
      stack: `Error\n    at data:text/javascript,import:6:15${stackOf('src/kernel/storage/engines/write-turn.ts').slice(5)}`,
    },
    { engine: 'postgres', text: 'insert into custody (fid) values (?)', values: [1] },
  )
  assert.deepEqual(found, [])
})

test('an error that only speaks of constraints, and a source in a folder named after tests, are refused', async (t) => {
  const conflict = 'insert into custody (fid) values (?) on conflict (block_number) do nothing'
  const found = await refused(
    t,
    { engine: 'postgres', text: conflict, values: [1] },
    { engine: 'sqlite', text: SQLITE, values: [], stack: stackOf('src/features/test/reads.ts') },
  )
  assert.equal(found.length, 2, found.join('\n'))
  assert.ok(found.some((one) => /^sqlite: .*does not match any .* constraint/.test(one)))
})

test('a store that cannot be made fails the run and not the program', async (t) => {
  const url = process.env.TEST_DATABASE_URL
  delete process.env.TEST_DATABASE_URL
  t.after(() => {
    process.env.TEST_DATABASE_URL = url
  })
  const found = await refused(t, { engine: 'sqlite', text: SQLITE, values: [] })
  assert.match(found.join(), /^postgres: nothing can be tried: TEST_DATABASE_URL is not set/)
})

test('a process of a run notes each statement with its values, one by one and in lists', async (t) => {
  const folder = notesFor(t)
  const source = (path: string) => new URL(path, import.meta.url).href
  const code = `import { openSqlite } from '${source('../src/kernel/storage/engines/sqlite.ts')}'
    const engine = openSqlite('${join(folder, 'store.sqlite')}')
    for (const one of ['a', 'b']) await engine.all('select group_concat(?) as one', [one])
    const statement = { columns: { fid: 'bigint' }, text: 'select group_concat(i.fid) as fids from input i' }
    await engine.each(statement, [{ fid: 1 }, { fid: 2 }])
    await engine.close()`
  execFileSync(
    process.execPath,
    [`--import=${source('statements.ts')}`, '--input-type=module', '--eval', code],
    { env: { ...process.env, TEST_STATEMENTS: folder } },
  )
  const { tried, refused: found } = await tryStatements(folder)
  assert.equal(tried, 2)
  assert.deepEqual(found.map((one) => one.slice(0, one.indexOf(' does not exist'))).sort(), [
    'postgres: function group_concat(bigint)',
    'postgres: function group_concat(unknown)',
  ])
})
