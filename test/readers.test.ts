// What readers of analysts make of each column of an export, by the readers themselves. TEST_LONG=1 installs them by pip into
// a temporary folder and compares docs/readers.md with what they say; TEST_UPDATE=1 writes it.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { FileSink } from '../src/features/exports/files.ts'
import { FORMATS, jsonRow } from '../src/features/exports/formats.ts'
import { type Row, tableOf } from '../src/features/exports/tables.ts'
import { LONG } from './effort.ts'
import { ROOT } from './program.ts'
import { installReaders } from './readers-support.ts'

const PAGE = join(ROOT, 'docs/readers.md')
const HEAD = `# What readers make of an export

Written by \`test/readers.test.ts\` from what the readers themselves return for tables with odd texts, extreme numbers, empty values and nulls. Their zones were Los Angeles, Kolkata and Auckland, and each said the same in all of them.

`
const ZONES = ['America/Los_Angeles', 'Asia/Kolkata', 'Pacific/Auckland']
/** Installing takes most of it. */
const TIMEOUT_MS = 10 * 60_000

/** Of 20 bytes. Fewer would be a number for DuckDB and pyarrow in CSV; none is so short. */
const hash = (i: number) => `0xfe${String(i).padStart(38, '0')}`
const common = (i: number) => ({
  fid: i === 3 ? 2 ** 53 - 1 : i + 1,
  hash: hash(i),
  timestamp: 1_767_225_600 + i,
  event_id: 646_211_174_400_000 + i,
})
const ODD_TEXTS = [
  '',
  ' ',
  '\\N',
  'NULL',
  '"',
  'a\0b',
  '\u{feff}x',
  'a\r\nb',
  '🐦',
  '007',
  'a\n\\.\nb',
  '\u2028',
  'a,b',
  'true',
]
const QUIET = 120

const casts = (): Row[] =>
  [...ODD_TEXTS, ...Array.from({ length: QUIET }, (_, i) => `cast ${i}`)].map((text, i) => ({
    ...common(i),
    text,
    parent_fid: null,
    parent_hash: null,
    parent_url: i < ODD_TEXTS.length ? text : null,
    mentions: [],
    mention_positions: [],
    embeds: [],
    type: 'cast',
    // A feed of casts without parents, and an answer at its end.
    ...(i === QUIET && {
      parent_fid: 2 ** 32 - 1,
      parent_hash: hash(1),
      mentions: [1, 2 ** 53 - 1],
      mention_positions: [0, 0],
      embeds: [
        { url: 'https://example.com/', fid: null, hash: null },
        { url: null, fid: 7, hash: hash(7) },
      ],
    }),
  }))
const keys = (): Row[] =>
  [0, 1].map((i) => ({
    ...common(i),
    key: `0xfe${'07'.repeat(31)}`,
    state: 'active',
    app_fid: i === 0 ? null : 9,
    added_at: 1_767_225_600,
    removed_at: i === 0 ? null : 1_767_225_601,
    is_gasless: i === 0,
  }))

test('readers say of every column what docs/readers.md says', {
  skip: !LONG && 'TEST_LONG=1 installs the readers',
  timeout: TIMEOUT_MS,
}, async () => {
  const place = mkdtempSync(join(tmpdir(), 'rookery-readers-'))
  try {
    const tables = { casts: casts(), keys: keys() }
    for (const format of FORMATS) {
      const sink = new FileSink(place, format)
      for (const [table, rows] of Object.entries(tables)) {
        await sink.write(rows.map((row) => ({ table: table as 'casts' | 'keys', row })))
      }
      await sink.finish()
    }
    const model = Object.entries(tables).map(([table, rows]) => [
      table,
      rows.map((row) => jsonRow(tableOf(table as 'casts'), row)),
    ])
    writeFileSync(join(place, 'model.json'), JSON.stringify(Object.fromEntries(model)))
    const python = installReaders(place)
    const [seen, ...elsewhere] = ZONES.map((TZ) =>
      execFileSync(python, [join(ROOT, 'test/readers/read.py'), place, join(place, 'model.json')], {
        encoding: 'utf8',
        env: { ...process.env, TZ },
      }),
    )
    for (const other of elsewhere) assert.equal(other, seen)
    if (process.env.TEST_UPDATE === '1') writeFileSync(PAGE, `${HEAD}${seen}`)
    assert.equal(`${HEAD}${seen}`, readFileSync(PAGE, 'utf8'))
    assert.match(seen!, /^\| DuckDB \| [\d.]+ \| parquet \| every cell as it is \|$/m)
  } finally {
    rmSync(place, { recursive: true, force: true })
  }
})
