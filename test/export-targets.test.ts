// Databases that hold the tables of an export: the same rows and changes make the same tables in each.

import assert from 'node:assert/strict'
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, beforeEach, describe, test } from 'node:test'
import pg from 'pg'
import { ExportRefused, TargetAway } from '../src/features/exports/export.ts'
import { postgresTarget, sqliteTarget, type Target } from '../src/features/exports/follow.ts'
import { type Item, TABLE_NAMES, TABLES_VERSION, tableOf } from '../src/features/exports/tables.ts'
import {
  exportItems,
  hashOf,
  headOf,
  LAST_EVENT,
  plain,
  type Row,
  sorted,
} from './export-support.ts'
import { adminQuery, createDatabase } from './postgres.ts'
import { ROOT, rookery } from './program.ts'
import { createWorld } from './world.ts'

const place = mkdtempSync(join(tmpdir(), 'rookery-export-'))
let database: Awaited<ReturnType<typeof createDatabase>>
before(async () => {
  database = await createDatabase('template0')
})
after(async () => {
  await database.drop()
  rmSync(place, { recursive: true, force: true })
})

const file = join(place, 'tables.sqlite')
beforeEach(() => rmSync(file, { force: true }))

async function write(
  target: Target,
  since: number | undefined,
  items = exportItems(),
  last = LAST_EVENT,
) {
  const sink = await target.open(since)
  await sink.write(items)
  await sink.finish(headOf(since, last))
}

function ask(text: string, path = file): Row[] {
  const opened = new DatabaseSync(path, { readOnly: true })
  try {
    return opened
      .prepare(text)
      .all()
      .map((row) => ({ ...row }))
  } finally {
    opened.close()
  }
}

/** What a table has in SQLite, as PostgreSQL says it. */
const inSqlite = (table: (typeof TABLE_NAMES)[number]): Row[] =>
  ask(`select * from ${table}`).map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => {
        const type = tableOf(table).columns[name] ?? 'flag'
        if (value === null) return [name, null]
        if (type === 'flag') return [name, value === 1]
        return [name, typeof type === 'string' ? value : JSON.parse(value as string)]
      }),
    ),
  )

const inPostgres = async (table: string): Promise<Row[]> =>
  (await adminQuery(database.url, `select * from rookery_export.${table}`)).map((row) => {
    const { columns } = tableOf(table as 'casts')
    return Object.fromEntries(
      Object.entries(row).map(([name, value]) => {
        const type = columns[name]
        const isNumbers = typeof type === 'object' && type.list === 'integer'
        if (isNumbers) return [name, (value as string[]).map(Number)]
        return [name, type === 'integer' && value !== null ? Number(value) : plain(value)]
      }),
    )
  })

/** Objects with their names in order: PostgreSQL has an order of its own. */
const inOrder = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(inOrder)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, own]) => [name, inOrder(own)]),
  )
}

async function checkSame(): Promise<void> {
  for (const table of TABLE_NAMES) {
    const [left, right] = [inSqlite(table), await inPostgres(table)].map((rows) =>
      sorted(rows.map(inOrder) as Row[]),
    )
    assert.deepEqual(left, right, table)
  }
}

describe('the tables of an export in databases', () => {
  test('rows, and changes to them, are the same in SQLite as in PostgreSQL', async () => {
    const targets = [sqliteTarget(file), postgresTarget(database.url)]
    const items = exportItems()
    for (const target of targets) await write(target, undefined, items)
    await checkSame()
    assert.ok(inSqlite('casts').length > 100)
    const links = inSqlite('links').length
    const own = inSqlite('links').filter(({ fid, type }) => fid === 1 && type === 'follow').length
    assert.ok(own > 1)
    const at = (i: number) => ({ fid: 1, timestamp: 1_770_000_000 + i, event_id: LAST_EVENT + i })
    const changes = [
      {
        table: 'removals',
        row: { ...at(1), hash: hashOf(0), kind: 'casts', reason: 'deleted', name: null },
      },
      {
        table: 'removals',
        row: { ...at(2), hash: null, kind: 'usernames', reason: 'replaced', name: 'one' },
      },
      {
        table: 'link_states',
        row: { ...at(3), hash: hashOf(9_999), type: 'follow', targets: [3] },
      },
      {
        table: 'fids',
        row: { ...items.find(({ table }) => table === 'fids')!.row, recovery: hashOf(3) },
      },
    ] as const
    for (const target of targets) {
      await write(target, LAST_EVENT, changes.slice(), LAST_EVENT + 3)
      assert.equal(await target.position(), LAST_EVENT + 3)
    }
    await checkSame()
    assert.deepEqual(
      [inSqlite('links').length, inSqlite('usernames').length, inSqlite('removals').length],
      [links - own + 1, 0, 2],
    )
    // A second time changes nothing.
    const before = TABLE_NAMES.map(inSqlite)
    await write(targets[0]!, LAST_EVENT, changes.slice(), LAST_EVENT + 3)
    assert.deepEqual(TABLE_NAMES.map(inSqlite), before)
  })

  test('texts keep every character but zero bytes, also the letters of an escaped one', async () => {
    const url = 'https://example.com/\\u0000/\0'
    const odd = exportItems().find(({ table }) => table === 'casts')!.row
    const row = {
      ...odd,
      text: 'a\\u0000b \0',
      embeds: [{ url, fid: null, hash: null }],
    }
    for (const target of [sqliteTarget(file), postgresTarget(database.url)]) {
      await write(target, undefined, [{ table: 'casts', row }])
    }
    await checkSame()
    const [cast] = inSqlite('casts')
    assert.equal(cast!.text, 'a\\u0000b \u{fffd}')
    assert.deepEqual(cast!.embeds, [
      { url: 'https://example.com/\\u0000/\u{fffd}', fid: null, hash: null },
    ])
    assert.equal(cast!.has_zero_bytes, true)
  })

  test('a new export of everything takes the place of a file while it is read, and its owner alone reads it', async () => {
    await write(sqliteTarget(file), undefined)
    const reader = new DatabaseSync(file, { readOnly: true })
    const count = () => reader.prepare('select count(*) as n from casts').get()!.n
    const before = count()
    await write(sqliteTarget(file), undefined, [], LAST_EVENT + 1)
    assert.equal(count(), before, 'a reader that has it open keeps what it has')
    reader.close()
    assert.deepEqual(ask('select count(*) as n from casts'), [{ n: 0 }])
    assert.equal(statSync(file).mode & 0o777, 0o600)
    chmodSync(file, 0o644)
    await write(sqliteTarget(file), undefined)
    assert.equal(statSync(file).mode & 0o777, 0o644, 'who may read it may read the next one')
    assert.deepEqual(
      readdirSync(place).filter((name) => name.startsWith('tables.sqlite')),
      ['tables.sqlite'],
    )
  })

  test('the file of SQLite has no byte of what a removal takes out of it', async () => {
    const secret = 'a text that its author erased'
    const items = exportItems()
    const casts = items.filter(({ table }) => table === 'casts')
    const erased: Item[] = casts.slice(0, 3).map((item, i) => ({
      table: 'casts',
      // One also fills pages of its own.
      row: { ...item.row, text: secret + '.'.repeat(i * 5_000) },
    }))
    const others = items.filter(({ table, row }) => {
      return table !== 'casts' || !erased.some((one) => one.row.hash === row.hash)
    })
    await write(sqliteTarget(file), undefined, [...others, ...erased])
    assert.ok(readFileSync(file).includes(secret))
    const removals = erased.map(({ row }, i) => ({
      table: 'removals' as const,
      row: {
        ...{ fid: row.fid!, timestamp: row.timestamp!, event_id: LAST_EVENT + 1 + i },
        ...{ hash: row.hash!, kind: 'casts', reason: 'deleted', name: null },
      },
    }))
    await write(sqliteTarget(file), LAST_EVENT, removals, LAST_EVENT + 3)
    assert.ok(!readFileSync(file).includes(secret))
  })

  test('readers of a file that changes wait for its commit alone, and a reader that stays delays the changes', async () => {
    await write(sqliteTarget(file), undefined)
    const count = () => ask('select count(*) as n from casts')[0]!.n
    const before = count()
    const sink = await SqliteOpen(LAST_EVENT)
    // More than SQLite keeps in memory by itself.
    const more = exportItems(20_000).filter(({ table }) => table === 'casts')
    await sink.write(more)
    assert.equal(count(), before)
    const reader = new DatabaseSync(file, { readOnly: true })
    const rows = reader.prepare('select * from casts').iterate()
    rows.next()
    await assert.rejects(sink.finish(headOf(LAST_EVENT, LAST_EVENT + 1)), (error: Error) => {
      assert.ok(error instanceof TargetAway)
      assert.match(error.message, /tables\.sqlite is locked by another program/)
      return true
    })
    await sink.abort()
    assert.equal(count(), before)
    rows.return!()
    await write(sqliteTarget(file), LAST_EVENT, more, LAST_EVENT + 1)
    assert.equal(count(), 20_000)
    reader.exec('begin')
    reader.prepare('select count(*) from casts').get()
    const other = new DatabaseSync(file)
    other.exec('begin immediate')
    await assert.rejects(SqliteOpen(LAST_EVENT + 1), /is locked by another program/)
    other.close()
    reader.close()
  })

  test('an export that fails or dies leaves the file as it was', async () => {
    await write(sqliteTarget(file), undefined)
    const before = readFileSync(file)
    const failed = await SqliteOpen(undefined)
    await failed.write(exportItems())
    await failed.abort()
    // Of one that died, a part is left, which the next one removes.
    const died = await SqliteOpen(undefined)
    await died.write(exportItems())
    const changes = await SqliteOpen(LAST_EVENT)
    await changes.write(exportItems())
    await changes.abort()
    assert.ok(readFileSync(file).equals(before))
    assert.equal(readdirSync(place).filter((name) => name.includes('.part-')).length, 1)
    await write(sqliteTarget(file), undefined)
    assert.deepEqual(
      readdirSync(place).filter((name) => name.includes('.part-')),
      [],
    )
  })
  const SqliteOpen = (since: number | undefined) => sqliteTarget(file).open(since)

  test('a file of something else is refused and kept, and so are changes that do not continue', async () => {
    await assert.rejects(SqliteOpen(1), /the target is empty: export everything first/)
    assert.ok(!existsSync(file))
    const other = new DatabaseSync(file)
    other.exec('create table precious (x)')
    other.close()
    for (const since of [undefined, 1]) {
      await assert.rejects(SqliteOpen(since), (error: Error) => {
        assert.ok(error instanceof ExportRefused)
        assert.match(error.message, /is no export \(no such table: manifest\): name a new file/)
        return true
      })
    }
    assert.deepEqual(ask('select name from sqlite_schema'), [{ name: 'precious' }])
    rmSync(file)
    await write(sqliteTarget(file), undefined)
    await assert.rejects(SqliteOpen(LAST_EVENT + 1), new RegExp(`use --since ${LAST_EVENT}`))
    const opened = new DatabaseSync(file)
    opened.exec(`update manifest set tables_version = ${TABLES_VERSION - 1}`)
    await assert.rejects(SqliteOpen(LAST_EVENT), /export everything again, without --since/)
    opened.exec('pragma journal_mode = wal')
    await assert.rejects(SqliteOpen(undefined), /has a write-ahead log: set `pragma journal_mode/)
    opened.close()
  })

  test('the command writes a file of SQLite, and never over the store of the server', async () => {
    const world = await createWorld({ engine: 'sqlite' })
    try {
      const to = join(place, 'by-command.sqlite')
      const ran = await rookery({ ...world.env }, 'export', '--to', `sqlite:${to}`)
      assert.deepEqual([ran.code, ran.stderr], [0, ''])
      assert.equal(ask('select count(*) as n from manifest', to)[0]!.n, 1)
      const store = join(world.env.ROOKERY_DATA_DIR!, 'rookery.sqlite')
      const refused = await rookery({ ...world.env }, 'export', '--to', `sqlite:${store}`)
      assert.match(refused.stderr, /is no export/)
      for (const [path, message] of [
        [place, /--to sqlite:.* is no export \(unable to open database file\)/],
        [
          join(place, 'none', 'x.sqlite'),
          /the folder of --to sqlite:.* is not there: make it first/,
        ],
      ] as const) {
        const ran = await rookery({ ...world.env }, 'export', '--to', `sqlite:${path}`)
        assert.match(ran.stderr, message)
      }
      const unknown = await rookery({ ...world.env }, 'export', '--to', 'mysql://db/x')
      assert.match(unknown.stderr, /--to must be like postgres:.*, sqlite:.* or https:/)
    } finally {
      await world.close()
    }
  })

  test('of three roles one writes the tables in PostgreSQL, one reads them, also later ones, and writes nothing', async () => {
    const { url: admin, drop } = await createDatabase('template0')
    const [writer, reader] = ['exporter', 'analyst'].map((name) => `${name}_${process.pid}`)
    const onPage = (path: string) =>
      [...readFileSync(join(ROOT, path), 'utf8').matchAll(/^```sql\n([\s\S]*?)^```/gm)].map(
        ([, text]) =>
          text!
            .replaceAll('exporter', writer!)
            .replaceAll('analyst', reader!)
            .replaceAll("'…'", "'a password'")
            .replaceAll('database analysis', `database ${new URL(admin).pathname.slice(1)}`),
      )
    const [forWriter, forReader] = onPage('docs/export.md').filter((text) =>
      text.startsWith('create role'),
    )
    const recipes = onPage('docs/recipes.md')
    const as = (role: string) => {
      const url = new URL(admin)
      url.username = role
      url.password = 'a password'
      return url.href
    }
    try {
      await adminQuery(admin, forWriter!)
      await write(postgresTarget(as(writer!)), undefined)
      await adminQuery(admin, forReader!)
      // A default of the reader does not stop the writer.
      await write(postgresTarget(as(writer!)), undefined)
      await write(postgresTarget(as(writer!)), LAST_EVENT, [], LAST_EVENT + 1)
      await adminQuery(as(writer!), 'create table rookery_export.later (x integer)')
      await adminQuery(as(reader!), 'select * from rookery_export.later')
      const [{ n }] = await adminQuery(
        as(reader!),
        'select count(*) as n from rookery_export.casts',
      )
      assert.ok(Number(n) > 100)
      for (const text of [
        'delete from rookery_export.casts',
        'create table rookery_export.mine (x integer)',
        'create table public.mine (x integer)',
      ]) {
        await assert.rejects(adminQuery(as(reader!), text), /read-only|permission denied/, text)
        const client = new pg.Client(as(reader!))
        await client.connect()
        await client.query('set default_transaction_read_only = off')
        await assert.rejects(client.query(text), /permission denied/, text)
        await client.end()
      }
      const [views, grants] = [
        recipes.find((text) => text.includes('create schema recipes'))!,
        recipes.find((text) => text.startsWith('grant'))!,
      ]
      await adminQuery(as(writer!), views)
      await adminQuery(as(writer!), grants)
      const question = recipes.find((text) => text.includes('script, count(*)'))!
      const answer = await adminQuery(
        as(reader!),
        `set search_path = recipes, rookery_export; ${question}`,
      )
      assert.ok(answer.length > 2)
    } finally {
      await drop()
      for (const role of [writer, reader]) {
        await adminQuery(process.env.TEST_DATABASE_URL!, `drop role if exists ${role}`)
      }
    }
  })
})
