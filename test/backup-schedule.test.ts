// Backups that a server makes by itself, and what it keeps of them.

import assert from 'node:assert/strict'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { Backups } from '../src/features/backups/backups.ts'
import { listBackups } from '../src/features/backups/kept-backups.ts'
import { keySettingsOf } from '../src/features/backups/keys.ts'
import { readManifest } from '../src/features/backups/manifest.ts'
import { createMetrics } from '../src/kernel/http/metrics.ts'
import { HOUR_MS } from '../src/kernel/protocol/time.ts'
import { until } from './until.ts'
import { createWorld, type World } from './world.ts'

const silent = { info: () => {}, error: () => {} }

/** The same backups as a server's, with a clock in our hands. */
function scheduleOf({ app, env }: World, directory = env.ROOKERY_BACKUP_DIR!) {
  const metrics = createMetrics().registry
  const logged: object[] = []
  let nowMs = Date.now()
  const backups = new Backups({
    storage: app.storage,
    network: app.config.network,
    keys: keySettingsOf(app.config),
    settingsHash: app.config.settingsHash,
    directory,
    intervalMs: HOUR_MS,
    keep: 2,
    metrics,
    script: new URL('../src/threads/backup-thread.ts', import.meta.url),
    log: { ...silent, info: (entry: object) => void logged.push(entry) },
    now: () => nowMs,
  })
  const job = backups.jobs.find(({ name }) => name === 'make backups')!
  const signal = new AbortController().signal
  return {
    backups,
    logged,
    advance: (ms: number) => {
      nowMs += ms
    },
    run: () => job.run({ signal, lease: undefined, repeatAfter: () => {} }),
    metric: async (name: string) => {
      const text = await metrics.metrics()
      const line = text.split('\n').find((one) => one.startsWith(`${name} `))
      return Number(line?.slice(name.length))
    },
  }
}

describe('scheduled backups', () => {
  it('a server makes backups when they are due and on demand, and removes old ones only after a good one', async (t) => {
    const world = await createWorld()
    t.after(world.close)
    const directory = join(world.env.ROOKERY_DATA_DIR!, 'backups')
    const names = () => readdirSync(directory).sort()
    const network = world.app.storage.settings.network
    await world.account(1)
    const { backups, run, advance, metric, logged } = scheduleOf(world, directory)
    assert.ok((await metric('rookery_backup_age_seconds')) < 60)

    // Three due ones, of which two are kept; nothing while none is due.
    await run()
    const [first] = names()
    await run()
    assert.deepEqual(names(), [first])
    mkdirSync(join(directory, 'of the operator'))
    const abandoned = join(directory, 'rookery-20200101T000000Z-00000000.partial')
    mkdirSync(abandoned)
    utimesSync(abandoned, 0, 0)
    const ofOther = join(directory, 'rookery-29990101T000000Z-00000000.partial')
    mkdirSync(ofOther)
    advance(HOUR_MS)
    utimesSync(ofOther, (Date.now() + HOUR_MS) / 1000, (Date.now() + HOUR_MS) / 1000)
    await run()
    assert.equal(existsSync(abandoned), false)
    assert.equal(existsSync(ofOther), true)
    advance(HOUR_MS)
    await run()
    const [newest, older, ...others] = await listBackups(directory, network)
    assert.deepEqual(others, [])
    assert.ok(newest && older && first !== older.name && newest.startedMs > older.startedMs)
    assert.match(newest.verified, /are as they should be/)
    const { accounts, keep, faults } = newest.found!
    assert.deepEqual([accounts, keep, faults], [1, [], []])
    assert.equal(names().length, 3, 'the two and that of the operator')
    assert.deepEqual(await listBackups(directory, 'another network'), [])
    const manifest = await readManifest(join(directory, newest.name))
    assert.deepEqual([manifest.engine, manifest.network], ['sqlite', network])
    assert.equal(logged.length, 3)
    assert.deepEqual((logged[2] as { removed: string[] }).removed, [first])
    assert.equal(await metric('rookery_backups_total{outcome="succeeded"}'), 3)
    assert.equal(await metric('rookery_backups_kept'), 2)

    // A copy that does not hold what it should is no backup, and the good ones stay.
    const before = names()
    const store = new DatabaseSync(join(world.env.ROOKERY_DATA_DIR!, 'rookery.sqlite'))
    store.exec("update row_total set value = value + 1 where name = 'custody'")
    store.close()
    advance(HOUR_MS)
    await assert.rejects(run, /1 differences: run rookery verify/)
    assert.match(backups.lastFailure()!, /differences/)
    assert.deepEqual(names(), before)
    assert.equal(await metric('rookery_backups_total{outcome="failed"}'), 1)
    assert.equal(await metric('rookery_backup_age_seconds'), HOUR_MS / 1000)

    // What cannot be written says so.
    const file = join(world.env.ROOKERY_DATA_DIR!, 'a file')
    writeFileSync(file, '')
    await assert.rejects(scheduleOf(world, join(file, 'below')).run(), /ENOTDIR/)
  })
})

it('the operator sees the backups, makes one, and is told when the settings name no directory', async (t) => {
  for (const [engine, advice] of [
    ['sqlite', /ROOKERY_BACKUP_DIR/],
    ['postgres', /pg_dump or pgBackRest/],
  ] as const) {
    const without = await createWorld({ engine })
    t.after(without.close)
    const { status, body } = await without.operate('/backups', { method: 'POST' })
    assert.deepEqual([status, body.code], [400, 'not_supported'])
    assert.match(body.message, advice)
    const listed = await without.operate('/backups')
    assert.equal(listed.body.isConfigured, false)
    assert.match(listed.body.advice, advice)
  }

  const directory = mkdtempSync(join(tmpdir(), 'rookery-backups-'))
  t.after(() => rmSync(directory, { recursive: true, force: true }))
  const world = await createWorld({
    env: { ROOKERY_BACKUP_DIR: directory, ROOKERY_BACKUP_KEEP: '1' },
  })
  t.after(world.close)
  const begun = await world.operate('/backups', { method: 'POST' })
  assert.deepEqual([begun.status, begun.body.isRunning], [200, true])
  const settings = { directory, intervalHours: 24, keep: 1 }
  assert.deepEqual(begun.body.settings, settings)
  await until(async () => !(await world.operate('/backups')).body.isRunning, 'the backup ends')
  const { body } = await world.operate('/backups')
  assert.equal(body.backups.length, 1)
  assert.ok(body.backups[0].bytes > 10_000)
  const metrics = await (await fetch(`${world.app.urls.operations}/metrics`)).text()
  assert.match(metrics, /^rookery_backups_total\{outcome="succeeded"\} 1$/m)
})
