// Finding what to push costs as much as there are new notices, however many subscriptions there are.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createNetwork } from '../../../test/app-api-support.ts'
import { createDatabase } from '../../../test/postgres.ts'
import { explaining } from '../../../test/storage-support.ts'
import { enginesOf } from '../../../test/world.ts'
import { ENGLISH } from '../../kernel/base/languages/languages.ts'
import { translator } from '../../kernel/http/translator.ts'
import { LeaseLostError, type LeaseTerm } from '../../kernel/jobs/job.ts'
import type { Engine } from '../../kernel/storage/engines/engine.ts'
import { openPostgres } from '../../kernel/storage/engines/postgres.ts'
import type { Sql } from '../../kernel/storage/engines/sql.ts'
import { openSqlite } from '../../kernel/storage/engines/sqlite.ts'
import { appNoticeReader } from '../../kernel/storage/reads/app-notices.ts'
import { shownBy } from '../../kernel/storage/reads/shown.ts'
import { migrate } from '../../kernel/storage/tables/schema.ts'
import { createViews } from '../../kernel/storage/views/view-schema.ts'
import { VIEW_NOTICES } from '../../kernel/storage/views/views.ts'
import { SCHEMA } from '../../store.ts'
import { APP_API } from '../app-api/port.ts'
import { noticesJob } from './notices-job.ts'
import { PUSH_DEVICES, PUSH_KINDS, pushRows, TOLD_SINCE } from './tables/pushes.ts'

const SUBSCRIPTIONS = 10_000
const ASKED = { after: 1_000, upTo: 2_000, since: 0, toldSince: TOLD_SINCE }
const LIMIT = 100

const deviceOf = (fid: number) => ({
  ...{ id: `device of ${fid}`, fid, kinds: 'likes', name: 'Phone', signer: new Uint8Array(32) },
  ...{ endpoint: `https://push.example/${fid}`, public_key: new Uint8Array(65) },
  ...{ secret: new Uint8Array(16), failures: 0, created_at: 0, pushed_at: null },
})
const noticeOf = (fid: number, id: number) => ({ fid, at: 5, id, kind: 1, actor: 9, key: null })

async function prepare(engine: Engine): Promise<void> {
  await migrate(engine, SCHEMA.migrations)
  await createViews(engine)
  await PUSH_DEVICES.insert(engine, [deviceOf(1), deviceOf(2)])
  const earlier = Array.from({ length: 1_000 }, (_, i) => noticeOf((i % 50) + 1, i + 1))
  // 3 has no device.
  const later = [noticeOf(2, 1_500), noticeOf(1, 1_500), noticeOf(3, 1_600), noticeOf(1, 2_001)]
  await VIEW_NOTICES.insert(engine, [...earlier, ...later])
}

async function addSubscriptions(engine: Engine): Promise<void> {
  const devices = Array.from({ length: SUBSCRIPTIONS }, (_, i) => deviceOf(i + 10))
  await engine.transaction((sql) => PUSH_DEVICES.insert(sql, devices))
}

const SHOWN = shownBy(SCHEMA.declared.shown)
const newNotices = (sql: Sql) => appNoticeReader(sql, SHOWN).newNotices(ASKED, LIMIT)

/** The new notices, before and after many subscribe. */
async function checkFound(engine: Engine): Promise<void> {
  const found = await newNotices(engine)
  assert.deepEqual(
    found.map(({ id, fid }) => [id, fid]),
    [
      [1_500, 1],
      [1_500, 2],
    ],
  )
}

test('on SQLite the work of finding what to push does not grow with subscriptions', async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'rookery-notices-'))
  const engine = openSqlite(join(dir, 'rookery.sqlite'))
  t.after(async () => {
    await engine.close()
    rmSync(dir, { recursive: true })
  })
  await prepare(engine)
  await addSubscriptions(engine)
  await checkFound(engine)
  const steps: string[] = []
  const all: Sql['all'] = async (text, parameters) => {
    const plan = await engine.all(`explain query plan ${text}`, parameters)
    steps.push(...plan.map(({ detail }) => String(detail)))
    return []
  }
  await newNotices({ ...engine, all })
  assert.ok(
    steps.some((step) => step.includes('view_notice_id')),
    steps.join('\n'),
  )
  assert.ok(!steps.some((step) => step.startsWith('SCAN')), steps.join('\n'))
})

test('on PostgreSQL the work of finding what to push does not grow with subscriptions', async (t) => {
  const database = await createDatabase('template0')
  const engine = openPostgres(database.url)
  t.after(async () => {
    await engine.close()
    await database.drop()
  })
  await prepare(engine)
  const pages = async () => {
    await engine.all('analyze push_device')
    await engine.all('analyze view_notice')
    const read = explaining(engine)
    await newNotices(read.sql)
    return read.pages()
  }
  const before = await pages()
  await addSubscriptions(engine)
  await checkFound(engine)
  const after = await pages()
  // With many subscriptions PostgreSQL uses the index for each new notice. Reading every subscription takes thousands of pages.
  assert.ok(after <= before + 50, `${before} pages became ${after}`)
})

for (const engine of enginesOf(import.meta.url)) {
  test(`a process that is not the leader any more pushes nothing, and leaves the notice to the next, on ${engine}`, async (t) => {
    const network = await createNetwork(engine, [1, 2])
    const { app } = network.world
    t.after(() => network.world.close())
    // No run but those of this test.
    await app.jobs.stop()
    const [one, two] = network.accounts
    await app.storage.write('fid/1', (tx) =>
      tx.of(pushRows).putDevices([{ ...deviceOf(1), kinds: PUSH_KINDS.join() }]),
    )
    await network.follow(two!, one!.fid)
    await network.indexed()
    const { run } = noticesJob({ ...app.of(APP_API), sayTo: async () => () => translator(ENGLISH) })
    const waiting = async () =>
      (await app.storage.of(pushRows).waiting([deviceOf(1).id])).get(deviceOf(1).id) ?? 0
    const runAs = (lease: LeaseTerm | undefined) =>
      run({ signal: new AbortController().signal, lease, repeatAfter: () => {} })
    await assert.rejects(runAs({ holder: 'who led before', epoch: 1 }), LeaseLostError)
    assert.equal(await waiting(), 0)
    await runAs(undefined)
    assert.equal(await waiting(), 1)
  })
}
