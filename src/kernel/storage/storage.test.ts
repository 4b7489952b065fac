import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { effort } from '../../../test/effort.ts'
import { checkNoOverlap, storageSuite } from '../../../test/storage-suite.ts'
import { NETWORK, postgresPlace, sqlitePlace } from '../../../test/storage-support.ts'
import { until } from '../../../test/until.ts'
import { channelRows } from '../../features/channels/tables/channels.ts'
import { openWholeStore, SCHEMA } from '../../store.ts'
import { openPostgres } from './engines/postgres.ts'
import { DataInUseError, openSqlite } from './engines/sqlite.ts'
import { StoreUnavailable } from './engines/unavailable.ts'
import { joinStorage, type Storage, type StorageSettings } from './storage.ts'
import { migrate, NewerSchemaError } from './tables/schema.ts'
import { MAX_CLOCK_DIFFERENCE_MS } from './transactions.ts'

/** For code of its own process or thread. */
const STORAGE_MODULE = JSON.stringify(new URL('./storage.ts', import.meta.url).href)
const STORE_MODULE = JSON.stringify(new URL('../../store.ts', import.meta.url).href)

/** A process that opens a store, says so or why not, and ends when its input does. */
function openInChild(settings: StorageSettings) {
  const code = `import { openWholeStore } from ${STORE_MODULE}
    try {
      await openWholeStore(${JSON.stringify(settings)})
      console.log('open')
    } catch (error) { console.log(error.constructor.name + ': ' + error.message) }
    process.stdin.on('end', () => process.exit()).resume()`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', code], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const said = Promise.race([
    once(child.stdout, 'data').then(([text]) => String(text).trim()),
    once(child, 'exit').then(() => 'the process ended without a word'),
  ])
  return {
    said,
    async end(signal?: NodeJS.Signals) {
      const gone = once(child, 'exit')
      if (signal) child.kill(signal)
      else child.stdin.end()
      await gone
    },
  }
}

/** Self-contained: its text also runs in a thread. */
async function countUp(storage: Storage, turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn++) {
    await storage.write('hub', async (tx) => {
      const before = Number(await tx.cursors.get('turns'))
      if (turn % 10 === 0) await new Promise((resolve) => setTimeout(resolve, 1))
      await tx.cursors.put('turns', String(before + 1))
    })
  }
}

storageSuite('SQLite', sqlitePlace)
storageSuite('PostgreSQL', postgresPlace)

describe('on SQLite', () => {
  test('a second process is refused until the first has ended, however it ended', async () => {
    const place = await sqlitePlace()
    const settings = { dataDir: place.dir, network: NETWORK }
    for (const signal of [undefined, 'SIGKILL'] as const) {
      const child = openInChild(settings)
      assert.equal(await child.said, 'open')
      await assert.rejects(place.open(), (error: Error) => {
        assert.ok(error instanceof DataInUseError)
        assert.match(error.message, /rookery\.sqlite is in use by another process\. Stop it/)
        return true
      })
      await child.end(signal)
      const storage = await place.open()
      const late = openInChild(settings)
      assert.match(await late.said, /^DataInUseError: .*in use by another process/)
      await late.end()
      await storage.close()
    }
    await place.drop()
  })

  test('a store is refused to its own process a second time', async () => {
    const place = await sqlitePlace()
    const storage = await place.open()
    await assert.rejects(place.open(), DataInUseError)
    await storage.close()
    await (await place.open()).close()
    await place.drop()
  })

  test('transactions of two threads on SQLite never overlap', async () => {
    const turns = 200
    const place = await sqlitePlace()
    const storage = await place.open()
    await storage.write('hub', (tx) => tx.cursors.put('turns', '0'))
    const before = storage.versions!.ofStore()
    const code = `import { workerData } from 'node:worker_threads'
      import { joinStorage } from ${STORAGE_MODULE}
      const storage = joinStorage(workerData)
      await (${countUp})(storage, ${turns})
      await storage.close()`
    const module = new URL(`data:text/javascript,${encodeURIComponent(code)}`)
    const ended = once(new Worker(module, { workerData: storage.settings }), 'exit')
    await countUp(storage, turns)
    assert.deepEqual(await ended, [0])
    assert.equal(await storage.cursors.get('turns'), String(2 * turns))
    assert.equal(storage.versions!.ofStore(), before + 2 * turns, 'commits of both are counted')
    await storage.close()
    await place.drop()
  })

  test('a thread gives ids above those of features, and without the schema it neither erases nor resets', async () => {
    const place = await sqlitePlace()
    const storage = await place.open()
    const moderation = { channel_id: 'a', cast_hash: new Uint8Array(20), action: 'hide' as const }
    const by = { by_fid: 1, moderated_at: 1 }
    await storage.write('platform', (tx) =>
      tx.of(channelRows).addModeration({ id: 900, ...moderation, ...by }),
    )
    const thread = joinStorage(storage.settings)
    assert.equal(await thread.write('platform', (tx) => tx.nextPlatformId()), 901)
    await assert.rejects(
      thread.write('hub', (tx) => tx.eraseRows(1, 10)),
      /joined without the schema/,
    )
    await assert.rejects(thread.reset(), /joined without the schema/)
    await thread.close()
    await storage.close()
    await place.drop()
  })

  test('migrations on SQLite may run again', async () => {
    const place = await sqlitePlace()
    const engine = openSqlite(join(place.dir, 'again.sqlite'))
    await migrate(engine, SCHEMA.migrations)
    await migrate(engine, SCHEMA.migrations)
    assert.equal((await engine.all('select id from schema_part')).length, SCHEMA.migrations.length)
    await engine.close()
    await place.drop()
  })
})

describe('on PostgreSQL', () => {
  test('migrations may run again, and in several processes at once', async () => {
    for (let round = 0; round < 5; round++) {
      const place = await postgresPlace()
      const engines = [1, 2, 3, 4].map(() => openPostgres(place.url))
      await Promise.all(engines.map((engine) => migrate(engine, SCHEMA.migrations)))
      await migrate(engines[0]!, SCHEMA.migrations)
      const done = await engines[1]!.all('select id from schema_part')
      assert.equal(done.length, SCHEMA.migrations.length)
      await Promise.all(engines.map((engine) => engine.close()))
      await place.drop()
    }
  })

  test('a failed migration changes nothing, on either engine', async () => {
    const [postgresOnes, sqliteOnes] = [await postgresPlace(), await sqlitePlace()]
    for (const engine of [
      openPostgres(postgresOnes.url),
      openSqlite(join(sqliteOnes.dir, 'failing.sqlite')),
    ]) {
      const failing = engine.transaction(async (sql) => {
        await sql.all('create table half (id bigint)')
        await sql.all('create index half_id on half (no_such_column)')
      })
      await assert.rejects(failing)
      await assert.rejects(engine.all('select id from half'))
      await migrate(engine, SCHEMA.migrations)
      await engine.close()
    }
    await postgresOnes.drop()
    await sqliteOnes.drop()
  })

  test('a migration takes as long as it needs while old processes serve and new ones wait', async () => {
    const place = await postgresPlace()
    const limits = { statementTimeoutMs: 2_000 }
    const settings = { databaseUrl: place.url, dataDir: '', network: NETWORK }
    const old = await openWholeStore(settings)
    // The migration lasts as long as this transaction.
    const holder = openPostgres(place.url, { statementTimeoutMs: 600_000 })
    const [held, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const holding = holder.transaction(async (sql) => {
      await sql.all('select pg_advisory_xact_lock(1)')
      held.resolve()
      await released.promise
    })
    await held.promise
    const slow = {
      id: SCHEMA.migrations.at(-1)!.id + 1,
      what: 'slow',
      feature: 'kernel',
      statements: ['create table slow (id bigint)', 'select pg_advisory_xact_lock(1)'],
    }
    const engines = [1, 2, 3].map(() => openPostgres(place.url, limits))
    let isOver = false
    const migrating = Promise.all(
      engines.map((engine) => migrate(engine, [...SCHEMA.migrations, slow])),
    ).finally(() => {
      isOver = true
    })
    const begun = performance.now()
    const takesMs = effort(3_000, 70_000)
    for (let served = 0; served < 10 || performance.now() - begun < takesMs; served++) {
      await old.write('hub', (tx) => tx.cursors.put('served', String(served)))
      assert.equal(await old.cursors.get('served'), String(served))
      assert.equal(isOver, false)
    }
    released.resolve()
    await Promise.all([migrating, holding])
    const done = await engines[0]!.all('select id from schema_migration where id >= ?', [slow.id])
    assert.equal(done.length, 1)
    await old.ping()
    await assert.rejects(openWholeStore(settings), (error: Error) => {
      assert.ok(error instanceof NewerSchemaError)
      assert.match(error.message, new RegExp(`schema ${slow.id}, .* up to ${slow.id - 1}`))
      return true
    })
    await Promise.all([old, holder, ...engines].map((one) => one.close()))
    await place.drop()
  })

  test('taking a lock costs the same after thousands of updates under an open snapshot', async () => {
    const place = await postgresPlace()
    const storage = await place.open()
    await storage.write('registry', async () => {})
    // The snapshot stays open for as long as the turns take.
    const other = openPostgres(place.url, { statementTimeoutMs: 600_000 })
    const versions = () => other.all('select name, ctid, value from lock order by name')
    const before = await versions()
    const opened = Promise.withResolvers<void>()
    const ended = Promise.withResolvers<void>()
    const snapshot = other.transaction(async (sql) => {
      await sql.all('set transaction isolation level repeatable read')
      await sql.all('select id from schema_migration')
      opened.resolve()
      await ended.promise
    })
    await opened.promise
    for (let turn = 0; turn < effort(100, 10_000); turn++) {
      // Two parts at once share the row of the platform.
      await Promise.all([
        storage.write('channel/a', async () => {}),
        storage.write('channel/b', async () => {}),
        storage.write('registry', async () => {}),
      ])
    }
    // No version of a row was written: there is nothing more to look through than before.
    assert.deepEqual(await versions(), before)
    ended.resolve()
    await snapshot
    await Promise.all([storage.close(), other.close()])
    await place.drop()
  })

  test('a clock that is far from that of the database gives no event ids', async () => {
    const place = await postgresPlace()
    let offsetMs = 0
    const settings = { databaseUrl: place.url, dataDir: '', network: NETWORK }
    const storage = await openWholeStore(settings, () => Date.now() + offsetMs)
    const write = () => storage.write('hub', (tx) => tx.cursors.put('a', 'b'))
    await storage.ping()
    for (const sign of [1, -1]) {
      offsetMs = sign * (MAX_CLOCK_DIFFERENCE_MS + 5_000)
      for (const attempt of [write, storage.ping]) {
        await assert.rejects(attempt(), (error: Error) => {
          assert.ok(error instanceof StoreUnavailable)
          assert.equal(error.reason, 'clock')
          return true
        })
      }
      assert.equal(await storage.cursors.get('a'), undefined)
      await storage.write('platform', (tx) => tx.cursors.put('c', 'd'))
      offsetMs = sign * (MAX_CLOCK_DIFFERENCE_MS - 60_000)
      await storage.ping()
    }
    await write()
    await storage.close()
    await place.drop()
  })

  test('of processes that claim an empty store for two networks at once, one is refused', async () => {
    const place = await postgresPlace()
    const opened = await Promise.allSettled([place.open('1'), place.open('3')])
    const stores = opened.filter((one) => one.status === 'fulfilled').map(({ value }) => value)
    assert.equal(stores.length, 1)
    await stores[0]!.close()
    await place.drop()
  })

  test('transactions of two stores never overlap', async () => {
    const place = await postgresPlace()
    const stores: Storage[] = [await place.open(), await place.open()]
    await checkNoOverlap(stores)
    await Promise.all(stores.map((storage) => storage.close()))
    await place.drop()
  })

  test('a transaction that conflicts with another one is retried', async () => {
    const place = await postgresPlace()
    const engine = openPostgres(place.url)
    await migrate(engine, SCHEMA.migrations)
    await engine.all("insert into cursor (name, value) values ('n', '0')")
    let attempts = 0
    const raise = (): Promise<void> =>
      engine.transaction(async (sql) => {
        await sql.all('set transaction isolation level repeatable read')
        const [row] = await sql.all("select value from cursor where name = 'n'")
        attempts++
        if (attempts === 1) await raise()
        await sql.all("update cursor set value = ? where name = 'n'", [
          String(Number(row?.value) + 1),
        ])
      })
    await raise()
    const [counted] = await engine.all("select value from cursor where name = 'n'")
    assert.equal(counted?.value, '2')
    assert.equal(attempts, 3)
    await engine.close()
    await place.drop()
  })

  test('reads after a lost connection get a new one', async () => {
    const place = await postgresPlace()
    const storage = await place.open()
    const other = openPostgres(place.url)
    await other.all(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`,
    )
    // The end of a connection is noticed a moment later.
    await until(async () => {
      await storage.ping()
      return true
    })
    await storage.write('hub', (tx) => tx.cursors.put('a', 'b'))
    assert.equal(await storage.cursors.get('a'), 'b')
    await other.close()
    await storage.close()
    await place.drop()
  })
})
