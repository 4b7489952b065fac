import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { openWholeStore } from '../../../store.ts'
import { joinSqlite, openSqlite } from './sqlite.ts'

test('security finding 16: only the user of the server can read the files of the embedded store', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'rookery-files-'))
  t.after(() => rmSync(dataDir, { recursive: true, force: true }))
  // As a directory that somebody else made, with what earlier versions wrote.
  chmodSync(dataDir, 0o755)
  const modes = () =>
    readdirSync(dataDir).map((name) => [name, statSync(join(dataDir, name)).mode & 0o777] as const)
  for (let start = 0; start < 2; start++) {
    const storage = await openWholeStore({ dataDir, network: 'devnet' })
    await storage.write('hub', (tx) => tx.cursors.put('x', 'y'))
    const files = modes()
    assert.ok(
      ['rookery.sqlite', 'rookery.sqlite-wal', 'rookery.sqlite-owner'].every((name) =>
        files.some(([one]) => one === name),
      ),
    )
    for (const [name, mode] of files) assert.equal(mode, 0o600, name)
    await storage.close()
    for (const [name] of files) {
      if (statSync(join(dataDir, name), { throwIfNoEntry: false }))
        chmodSync(join(dataDir, name), 0o644)
    }
  }
})

test('a commit of the embedded store waits for the disk unless its settings say otherwise', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'rookery-flushes-'))
  t.after(() => rmSync(dataDir, { recursive: true, force: true }))
  const FULL = 2
  const OFF = 0
  for (const [flushes, level] of [
    [undefined, FULL],
    [true, FULL],
    [false, OFF],
  ] as const) {
    const file = join(dataDir, `${flushes}.sqlite`)
    const own = flushes === undefined ? openSqlite(file) : openSqlite(file, { flushes })
    const joined = flushes === undefined ? joinSqlite(file) : joinSqlite(file, { flushes })
    for (const engine of [joined, own]) {
      const [row] = await engine.transaction((sql) => sql.all('pragma synchronous'))
      assert.equal(row?.synchronous, level)
      await engine.close()
    }
  }
})
