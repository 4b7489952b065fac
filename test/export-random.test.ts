// Exports of random histories: folders since any event or time, and followers that are killed at any moment, equal a whole export.

import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { eventBefore, runExport } from '../src/features/exports/export.ts'
import { FileSink, writeManifest } from '../src/features/exports/files.ts'
import { FolderTarget, postgresTarget, sqliteTarget } from '../src/features/exports/follow.ts'
import { PostgresSink } from '../src/features/exports/postgres.ts'
import { TABLE_NAMES, tableOf } from '../src/features/exports/tables.ts'
import { verifyExports } from '../src/features/exports/verify.ts'
import { submitMessages } from '../src/kernel/hub/submit/submit-messages.ts'
import { effort } from './effort.ts'
import { FAULTS, Receiver } from './export-receiver.ts'
import {
  plain,
  type Row,
  read,
  sorted,
  type Tables,
  tablesIn,
  withChanges,
  withoutEvent,
} from './export-support.ts'
import { createDatabase } from './postgres.ts'
import { startCommand } from './program.ts'
import { randomFrom, runSeed } from './random.ts'
import { until } from './until.ts'
import { History } from './views-history.ts'
import { createWorld, enginesOf, type World } from './world.ts'

for (const engine of enginesOf(import.meta.url)) {
  describe(`exports of a random history on ${engine}`, () => {
    const seed = runSeed()
    let world: World
    let history: History
    let place: string
    const random = randomFrom(seed)

    before(async () => {
      console.log(`export: TEST_SEED=${seed}`)
      place = mkdtempSync(join(tmpdir(), 'rookery-export-'))
      world = await createWorld({ engine })
      history = new History(world, await world.accounts([1, 2, 3, 4], { units: 1 }), random)
    })
    after(async () => {
      await world.close()
      rmSync(place, { recursive: true, force: true })
    })

    const exportInto = async (directory: string, since?: number) => {
      mkdirSync(directory)
      const sink = new FileSink(directory, 'ndjson')
      const request = { network: 'devnet', since }
      const manifest = await runExport(world.app.storage, sink, request)
      await writeManifest(directory, manifest)
      return manifest
    }
    const tablesOf = async (directory: string) =>
      read(directory, JSON.parse(readFileSync(join(directory, 'manifest.json'), 'utf8')), 'ndjson')
    const load = (count: number) => submitMessages(world.app.hub, history.batch(count))

    /** Compares folders in order with a whole export of now. */
    async function checkFolders(folders: readonly string[], name: string): Promise<void> {
      assert.deepEqual((await verifyExports(folders)).faults, [])
      const [first, ...others] = await Promise.all(folders.map(tablesOf))
      const applied = others.reduce(withChanges, first!)
      const whole = join(place, `whole-${name}`)
      await exportInto(whole)
      await checkTables(applied, await tablesOf(whole))
    }
    async function checkTables(left: Tables, right: Tables): Promise<void> {
      for (const table of TABLE_NAMES) {
        if (table === 'removals') continue
        const [a, b] = [left, right].map((all) => sorted(all[table].map(withoutEvent)))
        assert.deepEqual(a, b, `${table}, seed ${seed}`)
      }
    }

    test('folders since an event or a time, applied in order, equal a whole export', async () => {
      const database = await createDatabase('template0')
      try {
        const folders: string[] = []
        let last: number | undefined
        for (let step = 0; step < effort(4, 30); step++) {
          const writing = load(40)
          const moment = new Date(world.clock.now() - 2_000)
          const since =
            last !== undefined && random.int(2) === 0
              ? Math.min(last, await eventBefore(world.app.storage, moment, world.clock.now()))
              : last
          const directory = join(place, String(step))
          const manifest = await exportInto(directory, since)
          const sink = await PostgresSink.open(database.url, since)
          await runExport(world.app.storage, sink, { network: 'devnet', since })
          await writing
          folders.push(directory)
          last = manifest.lastEventId
          world.clock.advance(1_000 + random.int(5_000))
        }
        const end = join(place, 'end')
        await exportInto(end, last)
        const rest = await PostgresSink.open(database.url, last)
        await runExport(world.app.storage, rest, { network: 'devnet', since: last })
        await checkFolders([...folders, end], 'since')
        const other = await createDatabase('template0')
        try {
          const fresh = await PostgresSink.open(other.url, undefined)
          await runExport(world.app.storage, fresh, { network: 'devnet' })
          await checkTables(await tablesIn(database.url), await tablesIn(other.url))
        } finally {
          await other.drop()
        }
      } finally {
        await database.drop()
      }
    })

    test('an export that follows and is killed at any moment misses nothing and repeats nothing', async () => {
      const database = await createDatabase('template0')
      const directory = join(place, 'followed')
      const file = join(place, 'followed.sqlite')
      const receiver = new Receiver()
      await receiver.start()
      // Half of all requests.
      receiver.fault = () => FAULTS[random.int(2 * FAULTS.length)]
      const url = new URL(database.url)
      const password = decodeURIComponent(url.password)
      url.password = ''
      const env = { ...world.env, PGPASSWORD: password }
      const targets = [
        { args: [directory, '--format', 'ndjson'], at: new FolderTarget(directory, 'ndjson') },
        { args: ['--to', url.href], at: postgresTarget(database.url) },
        { args: ['--to', `sqlite:${file}`], at: sqliteTarget(file) },
        {
          args: ['--to', receiver.url, '--position', receiver.positionUrl],
          at: { position: async () => receiver.position },
        },
      ]
      const start = ({ args }: (typeof targets)[number]) =>
        startCommand(env, 'export', ...args, '--follow', '--every', '1')
      try {
        for (let kill = 0; kill < effort(2, 20); kill++) {
          const followers = targets.map(start)
          const writing = load(60)
          await Promise.all(
            followers.map(async (follower) => {
              await delay(random.int(3_000))
              await follower.stop('SIGKILL')
            }),
          )
          await writing
        }
        const newest = await world.app.storage.events.newestId()
        for (const target of targets) {
          const follower = start(target)
          await until(async () => (await target.at.position()) === newest, follower.output.stderr)
          await follower.stop('SIGKILL')
        }
        const folders = readdirSync(directory)
          .filter((name) => /^\d{6}$/.test(name))
          .sort()
          .map((name) => join(directory, name))
        await checkFolders(folders, 'followed')
        const written = await Promise.all(folders.map(tablesOf))
        for (const table of ['casts', 'reactions', 'links', 'user_data'] as const) {
          checkOnce(
            written.flatMap((tables) => tables[table]),
            table,
          )
          const received = receiver.taken.filter((one) => one.table === table)
          checkOnce(
            received.map(({ row }) => row),
            table,
          )
        }
        const whole = join(place, 'whole-of-now')
        await exportInto(whole)
        await checkTables(receiver.tables, await tablesOf(whole))
        const inPostgres = plain(await tablesIn(database.url)) as Tables
        await checkTables(inPostgres, plain(await tablesOfPostgres()) as Tables)
        checkSqlite(file, inPostgres)
      } finally {
        await receiver.die()
        await database.drop()
      }

      function checkOnce(rows: readonly Row[], table: string) {
        const seen = new Set<string>()
        for (const { event_id, hash } of rows) {
          const row = `${table} ${event_id} ${hash}`
          assert.ok(!seen.has(row), `twice: ${row}, seed ${seed}`)
          seen.add(row)
        }
      }

      /** By what names the rows: that the columns are the same, export-targets.test.ts shows. */
      function checkSqlite(path: string, expected: Tables) {
        const opened = new DatabaseSync(path, { readOnly: true })
        for (const table of TABLE_NAMES) {
          // Of these, each target has those since its own beginning.
          if (table === 'removals') continue
          const rows = opened.prepare(`select * from ${table}`).all() as Row[]
          const namesOf = (all: readonly Row[]) =>
            all
              .map((row) =>
                tableOf(table)
                  .key.map((name) => row[name])
                  .join(' '),
              )
              .sort()
          assert.deepEqual(namesOf(rows), namesOf(expected[table]), `${table}, seed ${seed}`)
        }
        opened.close()
      }

      async function tablesOfPostgres() {
        const other = await createDatabase('template0')
        try {
          const fresh = await PostgresSink.open(other.url, undefined)
          await runExport(world.app.storage, fresh, { network: 'devnet' })
          return await tablesIn(other.url)
        } finally {
          await other.drop()
        }
      }
    })
  })
}
