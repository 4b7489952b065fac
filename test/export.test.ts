// Tables of an export: every format is read by something else than what wrote it, and has what the hub serves.

import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, test } from 'node:test'
import {
  asyncBufferFromFile,
  parquetMetadataAsync,
  parquetReadObjects,
  parquetSchema,
} from 'hyparquet'
import { checkExport, eventBefore, runExport } from '../src/features/exports/export.ts'
import { FileSink, ROWS_PER_FILE, writeManifest } from '../src/features/exports/files.ts'
import {
  FolderTarget,
  followExport,
  postgresTarget,
  sqliteTarget,
} from '../src/features/exports/follow.ts'
import { FORMATS, type Format } from '../src/features/exports/formats.ts'
import { PostgresSink } from '../src/features/exports/postgres.ts'
import type { Manifest } from '../src/features/exports/sink.ts'
import { TABLE_NAMES, type TableName, tableOf } from '../src/features/exports/tables.ts'
import { verifyExports } from '../src/features/exports/verify.ts'
import {
  castAdd,
  castRemove,
  linkAdd,
  linkCompactState,
  linkRemove,
  reactionAdd,
  reactionRemove,
  userDataAdd,
} from '../src/kernel/protocol/build.ts'
import type { SignedMessage } from '../src/kernel/protocol/message.ts'
import { StoreUnavailable } from '../src/kernel/storage/engines/unavailable.ts'
import {
  compressors,
  parseCsv,
  plain,
  READERS,
  type Row,
  read,
  sorted,
  type Tables,
  tablesIn,
  withChanges,
  withoutEvent,
} from './export-support.ts'
import { claimOf } from './hub-lists.ts'
import { adminQuery, createDatabase, createDatabaseOf } from './postgres.ts'
import { PROGRAM, ROOT, rookery } from './program.ts'
import { type Person, type RegistryClient, registryClient } from './registry-support.ts'
import { until } from './until.ts'
import { createWorld, ENGINES, type World } from './world.ts'

const HIDDEN = 9
/** Two pages: every table that has rows takes one. */
const SMALL_DISK_BYTES = 8 * 1024
/** A name may move once in 28 days. */
const NAME_CHANGE_MS = 29 * 86_400_000

for (const engine of ENGINES) {
  describe(`an export of a server on ${engine}`, () => {
    let world: World
    let registry: RegistryClient
    let people: Person[]
    let place: string
    let database: Awaited<ReturnType<typeof createDatabase>>
    let casts: SignedMessage[]

    before(async () => {
      place = mkdtempSync(join(tmpdir(), 'rookery-export-'))
      world = await createWorld({ engine })
      database = await createDatabase('template0')
      registry = registryClient(world)
      people = await registry.people([1, 2, 3, HIDDEN])
      casts = await fill()
      const { status } = await world.operate(`/moderation/accounts/${HIDDEN}/suspend`, {
        body: { reason: 'test' },
      })
      assert.equal(status, 200)
    })
    after(async () => {
      await world.close()
      await database.drop()
      rmSync(place, { recursive: true, force: true })
    })

    const submit = async (message: SignedMessage): Promise<SignedMessage> => {
      const { status, body } = await world.submit(message)
      assert.equal(status, 200, JSON.stringify(body))
      return message
    }
    const say = (person: Person, init: (origin: Origin) => Parameters<World['sign']>[1]) =>
      submit(world.sign(person.app, init(world.origin(person.app))))
    type Origin = ReturnType<World['origin']>

    /** One of everything. */
    async function fill(): Promise<SignedMessage[]> {
      const [one, two, three, hidden] = people as [Person, Person, Person, Person]
      const first = await say(one, (o) => castAdd(o, { text: 'zero \0 byte, "quotes"\nand lines' }))
      const parent = { fid: BigInt(1), hash: first.hash }
      const reply = await say(two, (o) =>
        castAdd(o, {
          text: '@',
          parent: { case: 'parentCastId', value: parent },
          mentions: [1n],
          mentionsPositions: [0],
          embeds: [
            { embed: { case: 'url', value: 'https://example.com/a' } },
            { embed: { case: 'castId', value: parent } },
          ],
        }),
      )
      const url = 'https://example.com/channel'
      await say(three, (o) =>
        castAdd(o, {
          text: '',
          parent: { case: 'parentUrl', value: url },
          embeds: [{ embed: { case: 'url', value: url } }],
        }),
      )
      await say(hidden, (o) => castAdd(o, { text: 'hidden' }))
      const gone = await say(one, (o) => castAdd(o, { text: 'deleted at once' }))
      await say(one, (o) => castRemove(o, gone.hash))
      await say(one, (o) => reactionAdd(o, 1, { fid: 2, hash: reply.hash }))
      await say(two, (o) => reactionAdd(o, 2, { url }))
      await say(two, (o) => linkAdd(o, 'follow', 1))
      await say(two, (o) => linkAdd(o, 'follow', 3))
      await say(three, (o) => linkCompactState(o, 'follow', [1, 2]))
      await say(one, (o) => userDataAdd(o, 2, 'One'))
      await say(one, (o) => claimOf(o, 1))
      registry.accepted(await registry.register(one, 'one'))
      await world.app.hub.catchUpNames()
      return [first, reply]
    }

    async function exported(format: Format, request: object = {}) {
      const directory = mkdtempSync(join(place, `${format}-`))
      const sink = new FileSink(directory, format)
      const manifest = await runExport(world.app.storage, sink, { network: 'devnet', ...request })
      await writeManifest(directory, manifest)
      return { directory, manifest, tables: await read(directory, manifest, format) }
    }

    test('the rows are what the hub serves, in every format alike', async () => {
      const { tables, manifest } = await exported('ndjson')
      const served = async (path: string) => (await world.get(path)).body.messages.length
      const sum = async (path: string) =>
        (await Promise.all([1, 2, 3].map((fid) => served(`${path}fid=${fid}`)))).reduce(
          (all, own) => all + own,
        )
      assert.equal(tables.casts.length, await sum('/v1/castsByFid?'))
      const [likes, recasts] = await Promise.all(
        ['Like', 'Recast'].map((type) => sum(`/v1/reactionsByFid?reaction_type=${type}&`)),
      )
      assert.equal(tables.reactions.length, likes! + recasts!)
      assert.equal(tables.links.length, await sum('/v1/linksByFid?'))
      assert.equal(tables.verifications.length, await sum('/v1/verificationsByFid?'))
      assert.equal(tables.user_data.length, await sum('/v1/userDataByFid?'))
      assert.deepEqual(
        tables.link_states.map(({ targets }) => targets),
        [[1, 2]],
      )
      assert.deepEqual(
        tables.fids.map(({ fid }) => fid),
        [1, 2, 3, HIDDEN],
      )
      assert.deepEqual(
        tables.keys.map(({ state }) => state),
        Array(4).fill('active'),
      )
      assert.deepEqual(
        tables.storage.map(({ units }) => units),
        Array(4).fill(10),
      )
      assert.deepEqual(
        tables.usernames.map(({ name, type, fid }) => [name, type, fid]),
        [['one', 'fname', 1]],
      )
      assert.ok(!JSON.stringify(tables).includes('hidden'), 'hidden content is left out')
      assert.equal(manifest.lastEventId, await world.app.storage.events.newestId())
      for (const format of FORMATS) {
        const other = await exported(format)
        assert.deepEqual(withoutZeroBytes(other.tables), withoutZeroBytes(tables), format)
      }
    })

    test('a cast has its text, parent, mentions and embeds', async () => {
      const { tables } = await exported('parquet')
      const [first, reply, third] = tables.casts
      assert.equal(first!.text, 'zero \0 byte, "quotes"\nand lines')
      const hash = `0x${Buffer.from(casts[0]!.hash).toString('hex')}`
      assert.equal(first!.hash, hash)
      assert.equal(first!.timestamp, '2026-01-01T00:00:00Z')
      assert.deepEqual(
        [reply!.parent_fid, reply!.parent_hash, reply!.mentions, reply!.mention_positions],
        [1, hash, [1], [0]],
      )
      assert.deepEqual(reply!.embeds, [
        { url: 'https://example.com/a', fid: null, hash: null },
        { url: null, fid: 1, hash },
      ])
      assert.deepEqual(
        [third!.parent_url, third!.parent_fid],
        ['https://example.com/channel', null],
      )
    })

    test('CSV marks rows whose zero bytes it replaces', async () => {
      const { directory } = await exported('csv')
      const text = readFileSync(join(directory, 'casts-00001.csv'), 'utf8')
      assert.ok(!text.includes('\0'))
      const rows = parseCsv(text)
      assert.deepEqual(
        rows.map((row) => row.has_zero_bytes),
        ['true', 'false', 'false'],
      )
      assert.match(rows[0]!.text!, /zero \u{fffd} byte/u)
    })

    test('the SQL views have the rows of the tables', async () => {
      const three = people[2]!
      // Lengths and numbers of one, two and more bytes.
      for (const length of [127, 128, 320, 1_000]) {
        const type = length > 320 ? 1 : 0
        await say(three, (o) => castAdd(o, { text: 'é'.repeat(length / 2), type }))
      }
      for (const fid of [128, 70_000, 2 ** 32 - 1])
        await say(three, (o) => linkAdd(o, 'follow', fid))
      const { tables } = await exported('ndjson')
      const select = await readerOf(world)
      for (const table of ['casts', 'reactions', 'links', 'user_data'] as const) {
        const rows = await select(`select * from sql_${table} order by event_id`)
        const names = Object.keys(rows[0]!)
        const expected = tables[table].map((row) =>
          Object.fromEntries(names.map((name) => [name, row[name]])),
        )
        const [left, right] = [rows, expected].map((them) =>
          JSON.parse(JSON.stringify(them).replaceAll('\\u0000', '\u{fffd}')),
        )
        assert.deepEqual(left, right, table)
      }
      const users = await select('select fid, custody, display, bio from sql_users order by fid')
      assert.deepEqual(
        users.map(({ fid }) => fid),
        [1, 2, 3],
      )
      assert.deepEqual([users[0]!.display, users[0]!.bio], ['One', null])
      assert.equal(users[0]!.custody, tables.fids[0]!.custody)
    })

    test('the queries of docs/export.md find rows', async () => {
      const store = await readerOf(world)
      await runExport(world.app.storage, await PostgresSink.open(database.url, undefined), {
        network: 'devnet',
      })
      const text = readFileSync(join(ROOT, 'docs', 'export.md'), 'utf8')
      const queries = [...text.matchAll(/^```sql\n(select[\s\S]*?)^```/gm)].map(
        ([, query]) => query!,
      )
      assert.equal(queries.length, 3)
      for (const query of queries) {
        const rows = query.includes('rookery_export.')
          ? await adminQuery(database.url, query)
          : await store(query)
        assert.ok(rows.length > 0, query)
      }
    })

    test('chosen fids have their rows and no others', async () => {
      const { tables } = await exported('ndjson', { fids: [2] })
      for (const table of TABLE_NAMES) {
        for (const row of tables[table]) assert.equal(row.fid, 2, table)
      }
      const { tables: all } = await exported('ndjson')
      for (const table of TABLE_NAMES) {
        const own = all[table].filter(({ fid }) => fid === 2)
        assert.deepEqual(sorted(tables[table]), sorted(own), table)
      }
    })

    test('changes since an export make its tables in PostgreSQL what a new export is', async () => {
      const [one, two, three] = people as [Person, Person, Person]
      const whole = await runExport(
        world.app.storage,
        await PostgresSink.open(database.url, undefined),
        { network: 'devnet' },
      )
      const earlier = await exported('ndjson')
      const before = await tablesIn(database.url)
      assert.equal(before.casts.length, 7)
      assert.equal(
        before.casts.find((row) => row.has_zero_bytes)!.text,
        'zero \u{fffd} byte, "quotes"\nand lines',
      )
      world.clock.advance(10_000)
      await say(one, (o) => castRemove(o, casts[0]!.hash))
      await say(one, (o) => castAdd(o, { text: 'new' }))
      await say(one, (o) => reactionRemove(o, 1, { fid: 2, hash: casts[1]!.hash }))
      await say(two, (o) => linkRemove(o, 'follow', 3))
      await say(two, (o) => userDataAdd(o, 1, 'https://example.com/picture'))
      await say(three, (o) => linkAdd(o, 'follow', 9))
      world.clock.advance(10_000)
      await say(three, (o) => linkCompactState(o, 'follow', [1]))
      world.clock.advance(NAME_CHANGE_MS)
      registry.accepted(await registry.move(one, 'one', 2, { to: 2 }))
      await registry.people([4])
      await world.app.hub.catchUpNames()
      const since = whole.lastEventId
      const files = await exported('ndjson', { since })
      const [start, end] = [earlier.tables, (await exported('ndjson')).tables]
      const applied = withChanges(start, files.tables)
      for (const table of TABLE_NAMES) {
        const [left, right] = [applied, end].map((all) => sorted(all[table].map(withoutEvent)))
        if (table !== 'removals') assert.deepEqual(left, right, `${table} of folders in order`)
      }
      const folders = [earlier.directory, files.directory]
      assert.deepEqual((await verifyExports(folders)).faults, [])
      const wrongOrder = await verifyExports(folders.toReversed())
      assert.match(wrongOrder.faults.join(), /is a whole export and does not continue/)
      assert.deepEqual(
        files.tables.removals.map(({ kind, reason }) => `${kind} ${reason}`).sort(),
        ['casts deleted', 'links deleted', 'reactions deleted', 'usernames replaced'],
      )
      const part = await PostgresSink.open(database.url, since)
      const changed = await runExport(world.app.storage, part, { network: 'devnet', since })
      const other = await createDatabase('template0')
      try {
        const fresh = await PostgresSink.open(other.url, undefined)
        await runExport(world.app.storage, fresh, { network: 'devnet' })
        const [left, right] = await Promise.all([tablesIn(database.url), tablesIn(other.url)])
        for (const table of TABLE_NAMES) {
          if (table === 'removals') continue
          assert.deepEqual(
            sorted(left[table].map(withoutEvent)),
            sorted(right[table].map(withoutEvent)),
            table,
          )
        }
        assert.equal(left.removals.length, 4)
      } finally {
        await other.drop()
      }
      // Applying changes a second time leaves the tables as they are.
      const once = await tablesIn(database.url)
      const again = await PostgresSink.open(database.url, since)
      await runExport(world.app.storage, again, { network: 'devnet', since })
      assert.deepEqual(await tablesIn(database.url), once)
      await assert.rejects(
        PostgresSink.open(database.url, changed.lastEventId + 1),
        new RegExp(`use --since ${changed.lastEventId}`),
      )
      await adminQuery(database.url, 'update rookery_export.manifest set tables_version = 1')
      await assert.rejects(
        PostgresSink.open(database.url, changed.lastEventId),
        /tables are of version 1, .* export everything again/,
      )
    })

    for (const format of FORMATS) {
      test(`a table without rows has a file with its columns, in ${format}`, async () => {
        const directory = join(place, `empty-${format}`)
        mkdirSync(directory)
        const sink = new FileSink(directory, format)
        const request = { network: 'devnet', fids: [4_000_000] }
        const manifest = await runExport(world.app.storage, sink, request)
        for (const table of TABLE_NAMES) {
          const { rows, files } = manifest.tables[table]
          assert.deepEqual(
            [rows, files!.map(({ name }) => name)],
            [0, [`${table}-00001.${format}`]],
          )
          const path = join(directory, files![0]!.name)
          assert.deepEqual(await READERS[format](path, table), [])
          assert.deepEqual(await columnsOf(path, format), expectedColumns(table, format))
        }
      })
    }

    test('files by month are in folders that say it, and have the rows of their month', async () => {
      world.clock.advance(31 * 86_400_000)
      await say(people[0]!, (o) => castAdd(o, { text: 'a month later' }))
      const directory = mkdtempSync(join(place, 'months-'))
      const sink = new FileSink(directory, 'ndjson', 'month')
      const manifest = await runExport(world.app.storage, sink, { network: 'devnet' })
      const { tables } = await exported('ndjson')
      for (const table of TABLE_NAMES) {
        const rows: Row[] = []
        for (const { name } of manifest.tables[table].files!) {
          const [, month] = /^\w+\/month=(\d{4}-\d{2})\/\w+-00001\.ndjson$/.exec(name)!
          const own = await READERS.ndjson(join(directory, name), table)
          for (const { timestamp } of own) assert.ok((timestamp as string).startsWith(month!))
          rows.push(...own)
        }
        assert.deepEqual(sorted(rows), sorted(tables[table]), table)
      }
      const months = manifest.tables.casts.files!.length
      assert.ok(months > 1, `casts of ${months} months`)
    })

    test('changes are refused when the log does not have them any more', async () => {
      const { storage } = world.app
      const newest = await storage.events.newestId()
      await assert.rejects(checkExport(storage, newest + 1), /after the newest event/)
      await storage.write('hub', (tx) => tx.events.prune(newest, 1_000))
      await assert.rejects(checkExport(storage, 1), /no longer in the log/)
      await checkExport(storage, newest)
    })

    test('a follower that dies in or right after a batch continues without a gap, and repeats nothing', async () => {
      const [one] = people as [Person]
      const directory = mkdtempSync(join(place, 'follow-'))
      const steps = ['in a batch', 'after a batch', 'at a stop']
      for (const step of steps) {
        await say(one, (o) => castAdd(o, { text: `before the follower ends ${step}` }))
        const stop = new AbortController()
        const target = new FolderTarget(directory, 'ndjson')
        const following = followExport(
          world.app.storage,
          {
            position: () => target.position(),
            open: () => target.open(),
            async keep(manifest) {
              if (step === steps[0]) throw new Error(step)
              await target.keep(manifest)
              if (step === steps[1]) throw new Error(step)
            },
          },
          {
            ...{ network: 'devnet', fids: undefined, everySeconds: 1, stop: stop.signal },
            onBatch: () => stop.abort(),
          },
        )
        if (step === steps[2]) await following
        else await assert.rejects(following, { message: step })
      }
      const folders = readdirSync(directory).sort()
      assert.deepEqual(folders, ['000001', '000002'])
      const [first, second] = folders.map((name) => join(directory, name)) as [string, string]
      const manifests = [first, second].map(
        (path): Manifest => JSON.parse(readFileSync(join(path, 'manifest.json'), 'utf8')),
      ) as [Manifest, Manifest]
      assert.equal(manifests[1].firstEventId, manifests[0].lastEventId + 1)
      assert.deepEqual((await verifyExports([first, second])).faults, [])
      const all = (await exported('ndjson')).tables
      const [start, changes] = [
        await read(first, manifests[0], 'ndjson'),
        await read(second, manifests[1], 'ndjson'),
      ]
      assert.deepEqual(
        changes.casts.map(({ text }) => text),
        ['before the follower ends at a stop'],
      )
      assert.deepEqual(sorted(withChanges(start, changes).casts), sorted(all.casts))
    })

    test('of two followers in one directory one ends with an error, and the batches stay whole', async () => {
      const directory = mkdtempSync(join(place, 'two-'))
      const targets = [0, 1].map(() => new FolderTarget(directory, 'ndjson'))
      const request = { network: 'devnet' }
      const sinks = []
      for (const target of targets) sinks.push(await target.open())
      const batches = await Promise.allSettled(
        sinks.map(async (sink, i) =>
          targets[i]!.keep(await runExport(world.app.storage, sink, request)),
        ),
      )
      const failed = batches.filter((batch) => batch.status === 'rejected')
      assert.equal(failed.length, 1)
      assert.match(String(failed[0]!.reason), /another follower/)
      const folders = readdirSync(directory).filter((name) => !name.startsWith('part-'))
      assert.deepEqual(folders, ['000001'])
      assert.deepEqual((await verifyExports([join(directory, '000001')])).faults, [])
    })

    test('a follower into PostgreSQL continues where its tables end', async () => {
      const [one] = people as [Person]
      const other = await createDatabase('template0')
      try {
        for (const text of ['first batch', 'second batch']) {
          await say(one, (o) => castAdd(o, { text }))
          const stop = new AbortController()
          await followExport(world.app.storage, postgresTarget(other.url), {
            ...{ network: 'devnet', fids: undefined, everySeconds: 1, stop: stop.signal },
            onBatch: () => stop.abort(),
          })
        }
        const { casts } = await tablesIn(other.url)
        const own = (await exported('ndjson')).tables.casts
        const hashes = (rows: Row[]) => rows.map(({ hash }) => hash).sort()
        assert.deepEqual(hashes(casts), hashes(own))
      } finally {
        await other.drop()
      }
    })

    test('a follower survives what passes, and writes again what its target has lost', async () => {
      const [one] = people as [Person]
      const other = await createDatabase('template0')
      const file = join(place, 'follower.sqlite')
      const copy = join(place, 'follower-copy.sqlite')
      let reader: DatabaseSync | undefined
      const targets = {
        PostgreSQL: {
          target: postgresTarget(other.url),
          disturb: () =>
            adminQuery(
              other.url,
              `select pg_terminate_backend(pid) from pg_stat_activity
                where application_name = 'rookery export' and datname = current_database()`,
            ),
          settle: () => {},
          said: /does not answer/,
        },
        SQLite: {
          target: sqliteTarget(file),
          async disturb() {
            reader = new DatabaseSync(file, { readOnly: true })
            reader.exec('begin')
            reader.prepare('select * from casts').get()
          },
          settle: () => reader!.close(),
          said: /is locked by another program/,
        },
      }
      try {
        for (const [name, { target, disturb, settle, said }] of Object.entries(targets)) {
          const stop = new AbortController()
          const failures: string[] = []
          let isDisturbed = false
          const following = followExport(
            world.app.storage,
            {
              ...target,
              async open(since) {
                const sink = await target.open(since)
                if (isDisturbed) await disturb()
                isDisturbed = false
                return sink
              },
            },
            {
              ...{ network: 'devnet', fids: undefined, everySeconds: 1, stop: stop.signal },
              onFailure(text) {
                failures.push(text)
                settle()
              },
            },
          )
          const newest = () => world.app.storage.events.newestId()
          const isThere = async () => (await target.position()) === (await newest())
          await until(isThere, `everything in ${name}`)
          if (name === 'SQLite') copyFileSync(file, copy)
          isDisturbed = true
          await say(one, (o) => castAdd(o, { text: `after a disturbance of ${name}` }))
          await until(isThere, `what came after a disturbance in ${name}`)
          assert.match(failures.join(), said)
          if (name === 'SQLite') {
            // As a restore from a backup does it.
            renameSync(copy, file)
            await until(isThere, 'what the copy lacks')
          }
          stop.abort()
          await following
        }
      } finally {
        await other.drop()
      }
    })

    test('a follower whose disk is full tries again, and continues once there is room', async (t) => {
      const directory = mkdtempSync(join(place, 'full-'))
      const mount = ['-t', 'tmpfs', '-o', `size=${SMALL_DISK_BYTES}`, 'tmpfs', directory]
      if (spawnSync('mount', mount).status !== 0)
        return t.skip('no file system can be mounted here')
      const stop = new AbortController()
      try {
        const failures: string[] = []
        const left: string[] = []
        const target = new FolderTarget(directory, 'ndjson')
        const following = followExport(world.app.storage, target, {
          ...{ network: 'devnet', fids: undefined, everySeconds: 1, stop: stop.signal },
          onFailure(said) {
            failures.push(said)
            left.push(...readdirSync(directory))
          },
          onBatch: () => stop.abort(),
        })
        await until(() => failures.length > 1, 'two tries')
        assert.deepEqual(left, [], 'nothing takes room while it waits')
        assert.match(
          failures.join(),
          /the disk has no room for the next batch \(ENOSPC, .*part-.*next try/,
        )
        assert.equal(await target.position(), undefined)
        spawnSync('mount', ['-o', 'remount,size=16m', directory])
        await following
        assert.equal(await target.position(), await world.app.storage.events.newestId())
      } finally {
        stop.abort()
        spawnSync('umount', [directory])
      }
    })

    test('a follower into a file of SQLite on a full disk names the file, and continues once there is room', async (t) => {
      const directory = mkdtempSync(join(place, 'full-sqlite-'))
      const mount = ['-t', 'tmpfs', '-o', `size=${SMALL_DISK_BYTES}`, 'tmpfs', directory]
      if (spawnSync('mount', mount).status !== 0)
        return t.skip('no file system can be mounted here')
      const file = join(directory, 'tables.sqlite')
      const stop = new AbortController()
      try {
        const failures: string[] = []
        const left: string[] = []
        const target = sqliteTarget(file)
        const following = followExport(world.app.storage, target, {
          ...{ network: 'devnet', fids: undefined, everySeconds: 1, stop: stop.signal },
          onFailure(said) {
            failures.push(said)
            left.push(...readdirSync(directory))
          },
          onBatch: () => stop.abort(),
        })
        await until(() => failures.length > 1, 'two tries')
        assert.match(failures[0]!, /^the disk of .*tables\.sqlite has no room; the next try/)
        assert.deepEqual(left, [], 'nothing takes room while it waits')
        spawnSync('mount', ['-o', 'remount,size=16m', directory])
        await following
        assert.equal(await target.position(), await world.app.storage.events.newestId())
      } finally {
        stop.abort()
        spawnSync('umount', [directory])
      }
    })

    test('a follower goes on when the store of the server was away', async () => {
      const target = new FolderTarget(mkdtempSync(join(place, 'away-')), 'ndjson')
      const stop = new AbortController()
      const failures: string[] = []
      await followExport(
        world.app.storage,
        {
          position: () => target.position(),
          async open() {
            if (failures.length === 0) throw new StoreUnavailable('unreachable', 'it is away')
            return target.open()
          },
          keep: (manifest) => target.keep(manifest),
        },
        {
          ...{ network: 'devnet', fids: undefined, everySeconds: 1, stop: stop.signal },
          onFailure: (text) => failures.push(text),
          onBatch: () => stop.abort(),
        },
      )
      assert.equal(failures.length, 1)
      assert.match(failures[0]!, /^it is away; the next try is in 1 s$/)
    })

    test('the command follows into numbered folders until a signal, and begins nowhere else', async () => {
      const directory = join(place, 'followed')
      const args = ['export', directory, '--follow', '--every', '1', '--format', 'ndjson']
      for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
        const child = spawn(process.execPath, [PROGRAM, ...args], {
          env: { PATH: process.env.PATH, ...world.env },
          stdio: 'ignore',
        })
        const name = signal === 'SIGKILL' ? '000001' : '000002'
        if (signal === 'SIGTERM') await say(people[0]!, (o) => castAdd(o, { text: 'after a kill' }))
        await until(() => existsSync(join(directory, name, 'manifest.json')), name)
        const ended = once(child, 'exit')
        child.kill(signal)
        assert.deepEqual(await ended, signal === 'SIGTERM' ? [0, null] : [null, signal])
      }
      const folders = ['000001', '000002'].map((name) => join(directory, name))
      assert.deepEqual((await verifyExports(folders)).faults, [])
      const refused = await rookery({ ...world.env }, 'export', place, '--follow')
      assert.match(refused.stderr, /was not made by --follow: name a new directory/)
      const both = await rookery({ ...world.env }, 'export', directory, '--follow', '--since', '1')
      assert.match(both.stderr, /--since does not go with --follow/)
    })

    test('an option that does nothing for a target is refused by its name', async () => {
      const postgres = 'postgres://exporter@127.0.0.1/analysis'
      for (const [args, message] of [
        [
          ['--to', 'sqlite:x', '--format', 'csv'],
          /--format is for a directory, .* a file of SQLite/,
        ],
        [['--to', postgres, '--partition', 'month'], /--partition is for a directory/],
        [['--to', postgres, '--headers', 'x'], /--headers is for an HTTP endpoint, .* PostgreSQL/],
        [['x', '--position', 'http://127.0.0.1/'], /--position is for an HTTP endpoint/],
        [
          ['--to', 'http://127.0.0.1/', '--position', 'http://127.0.0.1/'],
          /--position is for --follow/,
        ],
        [['x', '--every', '5'], /--every is for --follow/],
        [['x', '--follow', '--partition', 'month'], /--partition does not go with --follow/],
      ] as const) {
        const ran = await rookery({ ...world.env }, 'export', ...args)
        assert.match(ran.stderr, message)
        assert.match(ran.stderr, /: leave it out/)
      }
    })

    test('changes since a time are those after the events before it', async () => {
      const moment = new Date(world.clock.now())
      world.clock.advance(10_000)
      await say(people[0]!, (o) => castAdd(o, { text: 'after the moment' }))
      const since = await eventBefore(world.app.storage, moment, world.clock.now())
      const { tables } = await exported('ndjson', { since })
      assert.ok(tables.casts.some(({ text }) => text === 'after the moment'))
      assert.ok(tables.casts.every(({ text }) => text !== 'deleted at once'))
      await assert.rejects(
        eventBefore(world.app.storage, new Date(world.clock.now() + 1), world.clock.now()),
        /is in the future/,
      )
      const zoneless = await rookery({}, 'export', place, '--since', '2026-01-31T12:00:00')
      assert.match(zoneless.stderr, /a time with its zone/)
    })

    test('the command exports while the server runs, and its manifest names every file', async () => {
      const directory = join(place, 'by-command')
      const ran = await rookery({ ...world.env }, 'export', directory, '--json')
      assert.equal(ran.code, 0, ran.stderr)
      const manifest: Manifest = JSON.parse(readFileSync(join(directory, 'manifest.json'), 'utf8'))
      assert.deepEqual(JSON.parse(ran.stdout), manifest)
      const whole = await rookery({}, 'export', 'verify', directory)
      assert.deepEqual([whole.code, whole.stderr], [0, ''])
      assert.match(whole.stdout, new RegExp(`^11 files .* up to event ${manifest.lastEventId}`))
      const files = Object.values(manifest.tables).flatMap((table) => table.files ?? [])
      assert.deepEqual(
        readdirSync(directory).sort(),
        [...files.map(({ name }) => name), 'manifest.json'].sort(),
      )
      for (const { name, sha256, bytes, rows } of files) {
        const content = readFileSync(join(directory, name))
        assert.deepEqual(
          [createHash('sha256').update(content).digest('hex'), content.length],
          [sha256, bytes],
        )
        const metadata = await parquetMetadataAsync(
          await asyncBufferFromFile(join(directory, name)),
        )
        assert.equal(Number(metadata.num_rows), rows)
      }
      const [casts, links, fids] = ['casts', 'links', 'fids'].map((table) =>
        join(directory, `${table}-00001.parquet`),
      ) as [string, string, string]
      const changed = readFileSync(casts)
      changed[10]! ^= 1
      writeFileSync(casts, changed)
      rmSync(links)
      appendFileSync(fids, 'x')
      writeFileSync(join(directory, 'casts-00002.parquet'), '')
      const damaged = await rookery({}, 'export', 'verify', directory)
      assert.equal(damaged.code, 1)
      assert.deepEqual(damaged.stdout.trimEnd().split('\n').sort(), [
        `${casts}: its content has changed`,
        `${join(directory, 'casts-00002.parquet')}: the file is not of this export`,
        `${fids}: it has ${statSync(fids).size} bytes in place of ${statSync(fids).size - 1}`,
        `${links}: the file is missing`,
      ])
      const none = await rookery({}, 'export', 'verify', place)
      assert.match(none.stdout, /has no manifest.json, which is written last/)
      await say(people[0]!, (o) => castAdd(o, { text: 'the server still writes' }))
      const again = await rookery({ ...world.env }, 'export', directory)
      assert.equal(again.code, 1)
      assert.match(again.stderr, /is not empty/)
      const neither = await rookery({ ...world.env }, 'export')
      assert.match(neither.stderr, /name a directory, or a database or endpoint with --to/)
      const late = join(place, 'late')
      const refused = await rookery({ ...world.env }, 'export', late, '--since', '1')
      assert.match(refused.stderr, /export everything again/)
      assert.ok(!existsSync(late), 'nothing was made')
    })
  })
}

test('the command takes the password of another PostgreSQL from PGPASSWORD and refuses one in its arguments', async () => {
  const database = await createDatabase('template0')
  const world = await createWorld({ engine: 'sqlite' })
  try {
    const url = new URL(database.url)
    const password = decodeURIComponent(url.password)
    assert.notEqual(password, '')
    const inQuery = new URL(url)
    inQuery.password = ''
    inQuery.searchParams.set('password', password)
    for (const to of [url.href, inQuery.href]) {
      const refused = await rookery({ ...world.env }, 'export', '--to', to)
      assert.equal(refused.code, 1)
      assert.match(refused.stderr, /set PGPASSWORD/)
    }
    url.password = ''
    const ran = await rookery({ ...world.env, PGPASSWORD: password }, 'export', '--to', url.href)
    assert.equal(ran.code, 0, ran.stderr)
    const wrong = await rookery({ ...world.env, PGPASSWORD: 'no' }, 'export', '--to', url.href)
    assert.match(wrong.stderr, /password authentication failed/)
    // An address of this machine that looks like that of another one, from which TLS is asked for.
    url.hostname = '127.1'
    const other = await rookery({ ...world.env, PGPASSWORD: password }, 'export', '--to', url.href)
    assert.match(other.stderr, /does not support SSL/)
    url.host = 'db1,db2'
    const two = await rookery({ ...world.env }, 'export', '--to', url.href)
    assert.match(two.stderr, /--to must have one host/)
  } finally {
    await world.close()
    await database.drop()
  }
})

test('a PostgreSQL that cannot store every text is refused as that of --to', async (t) => {
  const { url } = await createDatabaseOf(t, 'LATIN1')
  await assert.rejects(PostgresSink.open(url, undefined), (error: Error) => {
    assert.match(error.message, /--to has the encoding LATIN1 .*CREATE DATABASE/)
    return true
  })
})

test('a PostgreSQL that does not answer is named as that of --to', async () => {
  const nobody = 'postgres://somebody:password@127.0.0.1:1/nothing'
  await assert.rejects(PostgresSink.open(nobody, undefined), (error: Error) => {
    assert.match(error.message, /PostgreSQL of --to cannot be connected to/)
    assert.doesNotMatch(error.message, /password/)
    return true
  })
})

test('a file has at most 50,000 rows, and Parquet has all of them', async () => {
  const place = mkdtempSync(join(tmpdir(), 'rookery-export-'))
  try {
    const sink = new FileSink(place, 'parquet')
    const count = ROWS_PER_FILE + 1
    for (let from = 0; from < count; from += 5_000) {
      const length = Math.min(5_000, count - from)
      const rows = Array.from({ length }, (_, i) => ({
        fid: from + i,
        hash: '0x01',
        timestamp: 0,
        event_id: 1,
        type: 'follow',
        target_fid: 2,
      }))
      await sink.write(rows.map((row) => ({ table: 'links' as const, row })))
    }
    const { links } = await sink.finish()
    assert.deepEqual(
      links.files!.map(({ rows }) => rows),
      [ROWS_PER_FILE, 1],
    )
    const fids = new Set<unknown>()
    for (const { name } of links.files!) {
      for (const { fid } of await parquetReadObjects({
        file: await asyncBufferFromFile(join(place, name)),
        compressors,
      }))
        fids.add(fid)
    }
    assert.equal(fids.size, count)
  } finally {
    rmSync(place, { recursive: true, force: true })
  }
})

/** Runs statements as a tool beside the server does. */
async function readerOf(world: World): Promise<(text: string) => Promise<Row[]>> {
  const { DATABASE_URL, ROOKERY_DATA_DIR } = world.env
  if (DATABASE_URL) {
    return async (text) => (await adminQuery(DATABASE_URL, text)).map(withoutTypes)
  }
  const { DatabaseSync } = await import('node:sqlite')
  return async (text) => {
    const database = new DatabaseSync(join(ROOKERY_DATA_DIR!, 'rookery.sqlite'), { readOnly: true })
    try {
      return database
        .prepare(text)
        .all()
        .map((row) => ({ ...row }))
    } finally {
      database.close()
    }
  }
}

/** Rows of PostgreSQL as JSON has them. */
const withoutTypes = (row: Row): Row =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      value instanceof Date
        ? plain(value)
        : /^(fid|event_id|.*_fid)$/.test(name) && value !== null
          ? Number(value)
          : value,
    ]),
  )

/** The names of the columns that a file without rows tells. */
async function columnsOf(path: string, format: Format): Promise<string[]> {
  if (format === 'ndjson') return []
  if (format === 'csv') return readFileSync(path, 'utf8').trimEnd().split(',')
  const metadata = await parquetMetadataAsync(await asyncBufferFromFile(path))
  return parquetSchema(metadata).children.map(({ element }) => element.name)
}

function expectedColumns(table: TableName, format: Format): string[] {
  const { columns, isFreeText } = tableOf(table)
  const names = Object.keys(columns)
  if (format === 'ndjson') return []
  if (format === 'csv') return isFreeText ? [...names, 'has_zero_bytes'] : names
  return names
}

/** CSV cannot have zero bytes. */
const withoutZeroBytes = (tables: Tables): unknown =>
  JSON.parse(JSON.stringify(tables).replaceAll('\\u0000', '\u{fffd}'))
