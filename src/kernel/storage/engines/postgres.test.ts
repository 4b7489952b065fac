// What a PostgreSQL engine does when its connection, its server or its network fails.

import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { effort } from '../../../../test/effort.ts'
import {
  adminQuery,
  createDatabase,
  createDatabaseOf,
  openPatient,
} from '../../../../test/postgres.ts'
import { startTcpProxy, type TcpProxy } from '../../../../test/tcp-proxy.ts'
import type { Engine } from './engine.ts'
import { UnsafeDatabaseError } from './postgres-connection.ts'
import { listStatement, type Sql } from './sql.ts'
import { StoreUnavailable, type UnavailableReason } from './unavailable.ts'

const ROUNDS = effort(20, 200)

const isUnavailable = (reason?: UnavailableReason) => (error: unknown) => {
  assert.ok(error instanceof StoreUnavailable, String((error as Error)?.stack))
  if (reason) assert.equal(error.reason, reason)
  return true
}

const pidOf = async (sql: Sql) => Number((await sql.all('select pg_backend_pid() as pid'))[0]?.pid)

describe('a transaction on PostgreSQL', () => {
  let database: Awaited<ReturnType<typeof createDatabase>>
  let engine: Engine
  before(async () => {
    database = await createDatabase('template0')
    engine = openPatient(database.url)
    await engine.all('create table part (id bigint primary key, what text not null)')
  })
  beforeEach(() => engine.all('delete from part'))
  after(async () => {
    await engine.close()
    await database.drop()
  })

  const terminate = (pid: number) => adminQuery(database.url, `select pg_terminate_backend(${pid})`)
  const stored = async () =>
    (await engine.all('select id from part order by id')).map(({ id }) => id)

  for (const waiting of [0, 200]) {
    test(`a transaction stores nothing and fails when its connection is lost between two statements, with ${waiting} reads waiting, ${ROUNDS} times`, async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const reads: Promise<unknown>[] = []
        const torn = engine.transaction(async (sql) => {
          const pid = await pidOf(sql)
          await sql.all("insert into part (id, what) values (1, 'first')")
          for (let i = 0; i < waiting; i++) reads.push(engine.all('select id from part'))
          await terminate(pid)
          await sql.all("insert into part (id, what) values (2, 'second')")
        })
        await assert.rejects(torn, isUnavailable('unreachable'))
        await Promise.all(reads)
        assert.deepEqual(await stored(), [])
      }
    })
  }

  test('a transaction stores nothing when its connection is lost during parallel statements', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const torn = engine.transaction(async (sql) => {
        const pid = await pidOf(sql)
        await Promise.all([
          ...[1, 2, 3].map((id) => sql.all("insert into part (id, what) values (?, 'x')", [id])),
          sql.all('select pg_sleep(5)'),
          terminate(pid),
        ])
      })
      await assert.rejects(torn, isUnavailable('unreachable'))
      assert.deepEqual(await stored(), [])
    }
  })

  test('a transaction finds rows by their index, although the table had few when the statement was planned', async () => {
    const find = listStatement(
      { id: 'bigint' },
      'select p.what from input i join part p on p.id = i.id',
    )
    const scans = await engine.transaction(async (sql) => {
      await sql.each(
        find,
        Array.from({ length: 100 }, (_, id) => ({ id })),
      )
      return sql.all("select seq_scan from pg_stat_xact_user_tables where relname = 'part'")
    })
    assert.deepEqual(scans, [{ seq_scan: 0 }])
  })

  test('a transaction that failed refuses further statements of its other branches', async () => {
    let late: Promise<unknown> | undefined
    const failing = engine.transaction(async (sql) => {
      late = (async () => {
        await sql.all('select pg_sleep(0.05)')
        await sql.all('select 1 as one')
        await sql.all("insert into part (id, what) values (1, 'late')")
      })()
      late.catch(() => {})
      await Promise.all([late, sql.all('select no_such_column from part')])
    })
    await assert.rejects(failing, /no_such_column/)
    await assert.rejects(late!)
    assert.deepEqual(await stored(), [])
  })

  test('a transaction fails when the error of one of its statements was swallowed', async () => {
    const swallowing = engine.transaction(async (sql) => {
      await sql.all("insert into part (id, what) values (1, 'x')")
      await sql.all('select no_such_column from part').catch(() => {})
    })
    await assert.rejects(swallowing, /failed statement/)
    assert.deepEqual(await stored(), [])
  })

  test('a transaction is retried on a new connection when the old one died before it began', async () => {
    const pid = await engine.transaction(pidOf)
    // The connection is closed by the server while no one looks, in the middle of our turn.
    await terminate(pid)
    let attempts = 0
    await engine.transaction(async (sql) => {
      attempts++
      await sql.all("insert into part (id, what) values (1, 'x')")
    })
    assert.equal(attempts, 1)
    assert.deepEqual(await stored(), [1])
  })

  test('a transaction returns its connection however it ends', async () => {
    const few = openPatient(database.url, { writeConnections: 2, readConnections: 1 })
    for (let i = 0; i < 20; i++) {
      const end = i % 3
      await few
        .transaction(async (sql) => {
          await sql.all("insert into part (id, what) values (?, 'x')", [i])
          if (end === 1) throw new Error('given up')
          if (end === 2) await sql.all('select no_such_column from part')
        })
        .catch(() => {})
    }
    const pids = await few.all(
      `select pid from pg_stat_activity where datname = current_database()
         and application_name = 'rookery' and state <> 'idle' and pid <> pg_backend_pid()`,
    )
    assert.deepEqual(pids, [])
    assert.equal((await stored()).length, 7)
    await few.close()
  })

  test('more transactions than connections wait for their turn', async () => {
    const few = openPatient(database.url, { writeConnections: 2 })
    const ids = Array.from({ length: 50 }, (_, i) => i)
    await Promise.all(
      ids.map((id) =>
        few.transaction((sql) => sql.all("insert into part (id, what) values (?, 'x')", [id])),
      ),
    )
    assert.deepEqual(await stored(), ids)
    await few.close()
  })

  test('prepared statements that a migration made out of date are prepared again', async () => {
    await engine.all("insert into part (id, what) values (1, 'x')")
    const read = () => engine.all('select * from part')
    const readInside = () => engine.transaction((sql) => sql.all('select * from part'))
    for (const time of ['first', 'known']) {
      assert.deepEqual(await read(), [{ id: 1, what: 'x' }], time)
      assert.deepEqual(await readInside(), [{ id: 1, what: 'x' }], time)
    }
    await adminQuery(database.url, 'alter table part add column more bigint')
    assert.equal(Object.keys((await read())[0]!).length, 3)
    assert.equal(Object.keys((await readInside())[0]!).length, 3)
    await adminQuery(database.url, 'alter table part drop column more')
  })

  test('a statement that takes longer than the limit is cancelled', async () => {
    const hasty = openPatient(database.url, { statementTimeoutMs: 1_000 })
    await assert.rejects(hasty.all('select pg_sleep(10)'), isUnavailable('timeout'))
    await assert.rejects(
      hasty.transaction((sql) => sql.all('select pg_sleep(10)')),
      isUnavailable('timeout'),
    )
    await hasty.transaction((sql) => sql.all('select pg_sleep(2)'), { isUnlimited: true })
    await hasty.close()
  })

  test('a transaction that does nothing for longer than the limit loses its locks', async () => {
    const hasty = openPatient(database.url, { statementTimeoutMs: 1_000 })
    await engine.all("insert into part (id, what) values (1, 'x')")
    const released = Promise.withResolvers<void>()
    /** On a busy machine its first statement may already take longer than the limit. */
    const begin = async (): Promise<{ readonly stuck: Promise<void> }> => {
      const locked = Promise.withResolvers<boolean>()
      const stuck = hasty.transaction(async (sql) => {
        await sql.all('select id from part where id = 1 for update')
        locked.resolve(true)
        await released.promise
        await sql.all("update part set what = 'y'")
      })
      stuck.catch(() => locked.resolve(false))
      return (await locked.promise) ? { stuck } : begin()
    }
    const { stuck } = await begin()
    await engine.transaction((sql) => sql.all('delete from part where id = 1'))
    released.resolve()
    await assert.rejects(stuck, isUnavailable())
    await hasty.close()
  })
})

describe('a connection to PostgreSQL', () => {
  let database: Awaited<ReturnType<typeof createDatabase>>
  before(async () => {
    database = await createDatabase('template0')
  })
  after(() => database.drop())

  const name = () => new URL(database.url).pathname.slice(1)
  const alter = (setting: string) =>
    adminQuery(process.env.TEST_DATABASE_URL!, `alter database ${name()} ${setting}`)

  test('a connection keeps the synchronous_commit that the server sets', async () => {
    for (const value of ['local', 'remote_write', 'on', 'remote_apply']) {
      await alter(`set synchronous_commit = ${value}`)
      const engine = openPatient(database.url)
      const show = (sql: Sql) => sql.all("select current_setting('synchronous_commit') as value")
      assert.deepEqual(await show(engine), [{ value }])
      assert.deepEqual(await engine.transaction(show), [{ value }])
      await engine.close()
    }
    await alter('reset synchronous_commit')
  })

  test('a connection starts no parallel workers and compiles no statements', async () => {
    const engine = openPatient(database.url)
    const show = `select current_setting('jit') as jit,
      current_setting('max_parallel_workers_per_gather') as workers`
    const expected = [{ jit: 'off', workers: '0' }]
    assert.deepEqual(await engine.all(show), expected)
    assert.deepEqual(await engine.transaction((sql) => sql.all(show)), expected)
    await engine.close()
  })

  test('a server that confirms commits before they are on disk is refused', async () => {
    await alter('set synchronous_commit = off')
    const engine = openPatient(database.url)
    await assert.rejects(engine.all('select 1 as one'), (error: Error) => {
      assert.ok(error instanceof UnsafeDatabaseError)
      assert.match(error.message, /synchronous_commit = off/)
      return true
    })
    await engine.close()
    await alter('reset synchronous_commit')
  })

  for (const encoding of ['LATIN1', 'SQL_ASCII'] as const) {
    test(`a database with the encoding ${encoding} is refused with the command that makes a right one`, async (t) => {
      const { url, name } = await createDatabaseOf(t, encoding)
      const engine = openPatient(url)
      t.after(() => engine.close())
      const refusal = await engine.all('select 1 as one').then(
        () => assert.fail('the database was accepted'),
        (error: Error) => error,
      )
      assert.ok(refusal instanceof UnsafeDatabaseError, refusal.message)
      assert.match(refusal.message, new RegExp(`"${name}" has the encoding ${encoding}`))
      const [command] = /CREATE DATABASE .* TEMPLATE template0;/.exec(refusal.message)!
      await adminQuery(process.env.TEST_DATABASE_URL!, command)
      t.after(async () => {
        await adminQuery(process.env.TEST_DATABASE_URL!, `drop database ${name}_utf8 with (force)`)
      })
      const right = openPatient(url.replace(name, `${name}_utf8`))
      t.after(() => right.close())
      assert.deepEqual(await right.all("select '\ue000' as text"), [{ text: '\ue000' }])
    })
  }

  test('a database that accepts no writes serves reads and is not ready', async () => {
    const engine = openPatient(database.url)
    await engine.all('create table if not exists readable (id bigint)')
    await engine.ping()
    await alter('set default_transaction_read_only = on')
    const other = openPatient(database.url)
    assert.deepEqual(await other.all('select id from readable'), [])
    await assert.rejects(other.ping(), isUnavailable('read_only'))
    const write = (one: Engine) =>
      one.transaction((sql) => sql.all('insert into readable (id) values (1)'))
    await assert.rejects(write(other), isUnavailable('read_only'))
    await alter('reset default_transaction_read_only')
    // Connections of the time before are not used for writes any more.
    await write(other)
    await other.close()
    await engine.close()
  })

  test('a server that accepts no writes any more is read from on new connections', async () => {
    const engine = openPatient(database.url, { readConnections: 1 })
    const isReadOnly = async () =>
      (await engine.all("select current_setting('transaction_read_only') as value"))[0]?.value
    await engine.all('set default_transaction_read_only = on')
    assert.equal(await isReadOnly(), 'on')
    await assert.rejects(engine.ping(), /accepts no writes/)
    assert.equal(await isReadOnly(), 'off')
    await engine.close()
  })

  test('of several hosts the one that accepts writes is used', async () => {
    // The first host refuses connections, the second one is the server.
    const { host } = new URL(database.url)
    const several = database.url.replace(host, `127.0.0.1:1,${host}`)
    const engine = openPatient(several)
    await engine.ping()
    await engine.close()
    await alter('set default_transaction_read_only = on')
    const unwritable = openPatient(several)
    await assert.rejects(unwritable.ping(), isUnavailable('read_only'))
    await unwritable.close()
    await alter('reset default_transaction_read_only')
  })

  test('a connection that cannot be made is reported and tried again for the next request', async () => {
    const engine = openPatient('postgres://u:secret@127.0.0.1:1/n')
    for (let i = 0; i < 3; i++) {
      await assert.rejects(engine.all('select 1 as one'), isUnavailable('unreachable'))
      const write = engine.transaction((sql) => sql.all('select 1 as one'))
      await assert.rejects(write, isUnavailable('unreachable'))
    }
    await engine.close()
    await assert.rejects(engine.all('select 1 as one'), isUnavailable())
  })
})

describe('a PostgreSQL host that vanishes silently', () => {
  const LIMITS = { statementTimeoutMs: 2_000, connectTimeoutMs: 2_000 }
  let database: Awaited<ReturnType<typeof createDatabase>>
  let proxy: TcpProxy
  let engine: Engine
  before(async () => {
    database = await createDatabase('template0')
    await adminQuery(database.url, 'create table part (id bigint primary key)')
    const { hostname, port } = new URL(database.url)
    proxy = await startTcpProxy({ host: hostname, port: Number(port) })
    const url = new URL(database.url)
    url.port = String(proxy.port)
    engine = openPatient(url.href, LIMITS)
  })
  after(async () => {
    await engine.close()
    await proxy.close()
    await database.drop()
  })

  test('a host that stops answering makes reads, transactions and connects fail in time, and is used again later', async () => {
    await engine.ping()
    await engine.transaction((sql) => sql.all('insert into part (id) values (1)'))
    const [inside, vanished] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const torn = engine.transaction(async (sql) => {
      await sql.all('insert into part (id) values (2)')
      inside.resolve()
      await vanished.promise
      await sql.all('insert into part (id) values (3)')
    })
    await inside.promise
    proxy.freeze()
    vanished.resolve()
    const failures = [
      assert.rejects(torn, isUnavailable('timeout')),
      assert.rejects(engine.all('select 1 as one'), isUnavailable()),
      assert.rejects(engine.ping(), isUnavailable()),
      assert.rejects(
        engine.transaction((sql) => sql.all('insert into part (id) values (4)')),
        isUnavailable('timeout'),
      ),
    ]
    await Promise.all(failures)
    // Nothing is left of the old connections: these are the connects that fail.
    await assert.rejects(engine.ping(), isUnavailable('timeout'))
    proxy.thaw()
    await engine.ping()
    await engine.transaction((sql) => sql.all('insert into part (id) values (5)'))
    const rows = await engine.all('select id from part order by id')
    assert.deepEqual(
      rows.map(({ id }) => id),
      [1, 5],
    )
  })
})
