// A ClickHouse as the receiver of an export: Debian's server by HTTP, and chdb for what newer ones make of the statements.
// TEST_LONG=1 installs them.

import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { runExport } from '../src/features/exports/export.ts'
import { directoryTarget } from '../src/features/exports/follow.ts'
import { jsonRow } from '../src/features/exports/formats.ts'
import { type Item, TABLE_NAMES, tableOf } from '../src/features/exports/tables.ts'
import { submitMessages } from '../src/kernel/hub/submit/submit-messages.ts'
import { findProgram } from './debian.ts'
import { effort, LONG } from './effort.ts'
import {
  exportItems,
  type Row,
  read,
  sorted,
  type Tables,
  withChanges,
  withoutEvent,
} from './export-support.ts'
import { freePort } from './postgres.ts'
import { ROOT, startCommand } from './program.ts'
import { randomFrom, runSeed } from './random.ts'
import { installReaders } from './readers-support.ts'
import { until } from './until.ts'
import { History } from './views-history.ts'
import { createWorld } from './world.ts'

/** Installing takes most of it. */
const TIMEOUT_MS = 10 * 60_000
const long = { skip: !LONG && 'TEST_LONG=1 installs ClickHouse', timeout: TIMEOUT_MS }

const place = mkdtempSync(join(tmpdir(), 'rookery-clickhouse-'))
after(() => rmSync(place, { recursive: true, force: true }))

const statements = readFileSync(join(ROOT, 'docs/export-clickhouse.sql'), 'utf8')
  .split(';\n')
  .filter((text) => text.trim() !== '')
/** The server of Debian 12 is of 2018, and has no lists of structs. */
const OLD = {
  statement: (text: string) =>
    text.replace(/ embeds (?:Array\(Tuple\(.*?\)\)\)),/, '').replace(/ embeds,/g, ''),
  options: '&input_format_skip_unknown_fields=1',
}

const tablesOf = (items: readonly Item[]): Tables =>
  Object.fromEntries(
    TABLE_NAMES.map((table) => [
      table,
      items.filter((item) => item.table === table).map(({ row }) => jsonRow(tableOf(table), row)),
    ]),
  ) as Tables

test('the views of a new ClickHouse show what the rows and changes of batches make', long, () => {
  const first = exportItems(40)
  const [cast] = first.filter(({ table }) => table === 'casts')
  const link = first.find(({ table, row }) => table === 'links' && row.type === 'follow')!.row
  const at = (i: number) => ({
    fid: link.fid!,
    timestamp: 1_770_000_000 + i,
    event_id: 646_211_300_000_000 + i,
  })
  const gone = { kind: 'casts', hash: cast!.row.hash!, name: null, reason: 'deleted' }
  const changes: Item[] = [
    { table: 'removals', row: { ...at(1), ...gone } },
    { table: 'removals', row: { ...at(2), ...gone, kind: 'usernames', hash: null, name: 'one' } },
    {
      table: 'link_states',
      row: { ...at(3), hash: '0x07', type: 'follow', targets: [link.target_fid as number] },
    },
    { table: 'casts', row: { ...cast!.row, ...at(4), hash: '0x08' } },
  ]
  const batches = [
    { items: first, batch: 'a', isWhole: true, count: 1 },
    { items: first.slice(0, 30), batch: 'given up', isWhole: true, count: 0 },
    { items: changes, batch: 'b', isWhole: false, count: 2 },
  ]
  const bodies = batches.flatMap(({ items, batch, isWhole, count }) => [
    // As often as requests were sent, the last row of all.
    ...TABLE_NAMES.flatMap((table) => {
      const lines = tablesOf(items)[table].map((row) => JSON.stringify({ batch, ...row }))
      return lines.length === 0 ? [] : Array(count || 1).fill([table, lines.join('\n')])
    }),
    ...Array(count).fill([
      'manifest',
      JSON.stringify({
        batch,
        content: isWhole ? 'everything' : 'changes',
        last_event_id: isWhole ? 1 : 2,
      }),
    ]),
  ])
  const given = join(place, 'given.json')
  writeFileSync(given, JSON.stringify({ statements, bodies, tables: TABLE_NAMES }))
  const answers: Tables = JSON.parse(
    execFileSync(installReaders(place), [join(ROOT, 'test/readers/clickhouse.py'), given], {
      encoding: 'utf8',
    }),
  )
  const expected = withChanges(tablesOf(first), tablesOf(changes))
  for (const table of TABLE_NAMES) {
    const rows = table === 'removals' ? tablesOf(changes).removals : expected[table]
    assert.deepEqual(sorted(answers[table]), sorted(rows), table)
  }
})

test(
  'a ClickHouse misses no row and shows none twice when its follower is killed at any moment',
  long,
  async (t) => {
    const { ask, url } = await startClickhouse()
    for (const text of statements) await ask(OLD.statement(text))
    const world = await createWorld({ engine: 'sqlite' })
    t.after(() => world.close())
    const random = randomFrom(runSeed())
    const history = new History(world, await world.accounts([1, 2, 3, 4], { units: 1 }), random)
    const query = (text: string) => `${url}?query=${encodeURIComponent(text)}`
    const to = `${query('insert into rookery.TABLE_rows format JSONEachRow').replace('TABLE', '{table}')}&date_time_input_format=best_effort${OLD.options}`
    const newest = 'select max(last_event_id) from rookery.manifest_rows'
    const start = () =>
      startCommand(
        { ...world.env },
        'export',
        '--to',
        to,
        '--position',
        query(newest),
        '--follow',
        '--every',
        '1',
      )
    for (let kill = 0; kill < effort(2, 10); kill++) {
      const follower = start()
      const writing = submitMessages(world.app.hub, history.batch(60))
      await delay(random.int(3_000))
      await follower.stop('SIGKILL')
      await writing
    }
    const follower = start()
    const isThere = async () =>
      Number(await ask(newest)) === (await world.app.storage.events.newestId())
    await until(isThere, follower.output.stderr)
    await follower.stop('SIGKILL')
    const directory = join(place, 'whole')
    const sink = await directoryTarget(directory, 'ndjson', 'none').open(undefined)
    const whole = await read(
      directory,
      await runExport(world.app.storage, sink, { network: 'devnet' }),
      'ndjson',
    )
    for (const table of TABLE_NAMES) {
      if (table === 'removals') continue
      const text = `select * from rookery.${table} format JSONEachRow`
      const rows: Row[] = (await ask(text, '?output_format_json_quote_64bit_integers=0'))
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line))
      const plain = (row: Row) =>
        Object.fromEntries(
          Object.entries(withoutEvent(row)).flatMap(([name, value]) => {
            if (name === 'embeds') return []
            if (/^timestamp$|_at$/.test(name) && value !== null)
              return [[name, (value as string).replace(' ', 'T').replace(/Z?$/, 'Z')]]
            return [[name, typeof value === 'boolean' ? Number(value) : value]]
          }),
        )
      assert.deepEqual(sorted(rows.map(plain)), sorted(whole[table].map(plain)), table)
    }
  },
)

/** Debian's server in a folder of this test. */
async function startClickhouse() {
  const program = await findProgram(
    ['clickhouse-server', '/usr/sbin/clickhouse-server'],
    'clickhouse-server',
  )
  const port = await freePort()
  const file = (name: string, text: string) => {
    writeFileSync(join(place, name), `<yandex>${text}</yandex>`)
    return join(place, name)
  }
  for (const name of ['data', 'tmp']) mkdirSync(join(place, name))
  const user =
    '<password></password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota>'
  const users = file(
    'users.xml',
    `<profiles><default/></profiles><users><default>${user}</default></users><quotas><default/></quotas>`,
  )
  const config = file(
    'config.xml',
    `<logger><level>warning</level><console>1</console></logger><http_port>${port}</http_port><listen_host>127.0.0.1</listen_host>
     <path>${place}/data/</path><tmp_path>${place}/tmp/</tmp_path><mark_cache_size>5368709</mark_cache_size>
     <users_config>${users}</users_config><default_profile>default</default_profile><default_database>default</default_database>`,
  )
  const child = spawn(program, [`--config-file=${config}`], { stdio: 'ignore' })
  after(async () => {
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  })
  const url = `http://127.0.0.1:${port}/`
  const ask = async (text: string, options = '') => {
    const answer = await fetch(url + options, { method: 'POST', body: text })
    const said = await answer.text()
    assert.ok(answer.ok, `${text}: ${said}`)
    return said
  }
  await until(() => ask('select 1').catch(() => false), 'ClickHouse')
  return { ask, url }
}
