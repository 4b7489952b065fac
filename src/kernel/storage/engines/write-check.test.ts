import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { SCHEMA } from '../../../store.ts'
import { migrate } from '../tables/schema.ts'
import { openSqlite } from './sqlite.ts'
import { StoreUnavailable } from './unavailable.ts'
import { refusesWrites, WriteCheck } from './write-check.ts'

const TRUSTED_MS = 30_000
const REFUSED_MS = 1_000

/** A check of an embedded store, on a clock that the test moves. */
async function checkOf(t: TestContext) {
  const dir = mkdtempSync(join(tmpdir(), 'rookery-write-check-'))
  const engine = openSqlite(join(dir, 'rookery.sqlite'), { flushes: false })
  t.after(async () => {
    await engine.close()
    rmSync(dir, { recursive: true })
  })
  await migrate(engine, SCHEMA.migrations)
  const clock = { now: 0 }
  const run = (text: string) => engine.transaction((sql) => sql.all(text))
  return {
    clock,
    check: new WriteCheck(engine, () => clock.now),
    /** Whether a write was tried since the last call. */
    async hasTried(): Promise<boolean> {
      return (await run("delete from lease where name = 'write check' returning name")).length > 0
    },
    /** The file may not grow. */
    async fill(): Promise<void> {
      const [row] = await run('pragma page_count')
      await run(`pragma max_page_count = ${row?.page_count}`)
    },
    makeRoom: () => run('pragma max_page_count = 1000000'),
  }
}

test('a write is tried when there was none lately, and not again while the last one is trusted', async (t) => {
  const { check, clock, hasTried } = await checkOf(t)
  await check.check()
  assert.equal(await hasTried(), true)
  clock.now += TRUSTED_MS - 1
  await check.check()
  assert.equal(await hasTried(), false)
  clock.now += 1
  await Promise.all([check.check(), check.check()])
  assert.equal(await hasTried(), true)
  clock.now += TRUSTED_MS
  check.succeeded()
  await check.check()
  assert.equal(await hasTried(), false)
})

test('a store that may not grow refuses, and accepts by itself once it may', async (t) => {
  const { check, clock, fill, makeRoom, hasTried } = await checkOf(t)
  await fill()
  await assert.rejects(check.check(), /the disk is full/)
  // The refusal counts for a second, and then a write is tried again.
  await assert.rejects(check.check(), /was refused/)
  await makeRoom()
  clock.now += REFUSED_MS - 1
  await assert.rejects(check.check(), /was refused/)
  clock.now += 1
  await check.check()
  assert.equal(await hasTried(), true)
})

test('a write of somebody else that was refused counts until one succeeds', async (t) => {
  const { check, clock } = await checkOf(t)
  await check.check()
  check.failed(new StoreUnavailable('full', 'the disk is full'))
  await assert.rejects(check.check(), /was refused/)
  check.succeeded()
  await check.check()
  check.failed(new StoreUnavailable('timeout', 'another program locks the data'))
  await check.check()
  clock.now += TRUSTED_MS
  await check.check()
})

test('what fails for a moment or because of its values does not mean that writes are refused', () => {
  const sqlite = (errcode: number) => Object.assign(new Error('x'), { errcode })
  const postgres = (code: string) => Object.assign(new Error('x'), { code })
  const refused = [sqlite(13), sqlite(10), sqlite(11), sqlite(8), sqlite(26), sqlite(11 | (1 << 8))]
  for (const error of [...refused, postgres('53100'), postgres('XX001'), postgres('25006')]) {
    assert.ok(refusesWrites(error), JSON.stringify(error))
  }
  const accepted = [sqlite(19), sqlite(18), postgres('23505'), postgres('40001'), postgres('57014')]
  for (const error of [...accepted, new TypeError('x'), new StoreUnavailable('timeout', 'x')]) {
    assert.ok(!refusesWrites(error), JSON.stringify(error))
  }
})
