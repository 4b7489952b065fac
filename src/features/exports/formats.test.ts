// What files of an export are, by a reader of Parquet that did not write them and by their text.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { zstdDecompressSync } from 'node:zlib'
import {
  asyncBufferFromFile,
  parquetMetadataAsync,
  parquetReadObjects,
  parquetSchema,
} from 'hyparquet'
import { FileSink, HELD_BYTES, ROWS_PER_FILE } from './files.ts'
import { type Format, openFile, ROWS_PER_GROUP } from './formats.ts'
import { packMessages } from './packed.ts'
import { type Row, TABLE_NAMES, tableOf } from './tables.ts'
import { writeFile } from './write-file.ts'

const place = mkdtempSync(join(tmpdir(), 'rookery-formats-'))
after(() => rmSync(place, { recursive: true, force: true }))

let files = 0
async function written(
  format: Format,
  table: 'casts' | 'reactions' | 'keys',
  rows: readonly Row[],
) {
  const name = `${++files}.${format}`
  const order = { directory: place, name, format, table, messages: packMessages([]), rows }
  assert.equal((await writeFile(order)).rows, rows.length)
  return join(place, name)
}

const cast = (i: number, more: Row = {}): Row => ({
  fid: 1,
  hash: `0x${String(i).padStart(40, '0')}`,
  timestamp: 1_767_225_600 + i,
  event_id: 646_211_174_400_000 + i,
  text: `cast ${i}`,
  parent_fid: null,
  parent_hash: null,
  parent_url: null,
  mentions: [],
  mention_positions: [],
  embeds: [],
  type: 'cast',
  ...more,
})

const ODD_TEXTS = [
  '',
  ' ',
  '\\N',
  'NULL',
  '"',
  '\0',
  // At the beginning of a text, hyparquet takes the mark away when it reads.
  'x\u{feff}',
  'a\r\nb',
  '🐦',
  '007',
  '\\.',
  '\u2028',
  'a,b',
]
const LARGEST = 2 ** 53 - 1

const readParquet = async (path: string) =>
  parquetReadObjects({
    file: await asyncBufferFromFile(path),
    compressors: { ZSTD: (bytes) => zstdDecompressSync(bytes) },
  })

test('Parquet has every odd text, extreme number, list and null as it was', async () => {
  const rows = [
    ...ODD_TEXTS.map((text, i) => cast(i, { text, parent_url: text, event_id: LARGEST })),
    cast(90, {
      parent_fid: 2 ** 32 - 1,
      mentions: [1, LARGEST],
      mention_positions: [0, 0],
      embeds: [
        { url: '', fid: null, hash: null },
        { url: null, fid: 7, hash: '0x07' },
      ],
    }),
  ]
  const read = await readParquet(await written('parquet', 'casts', rows))
  const expected = rows.map((row) => ({
    ...row,
    timestamp: new Date((row.timestamp as number) * 1000),
  }))
  const asNumbers = JSON.parse(
    JSON.stringify(read, (_, value) => (typeof value === 'bigint' ? Number(value) : value)),
  )
  assert.deepEqual(asNumbers, JSON.parse(JSON.stringify(expected)))
})

test('in Parquet every time has the zone UTC, every integer 64 bits, and no list is JSON', async () => {
  for (const name of TABLE_NAMES) {
    const path = join(place, `schema-${name}.parquet`)
    openFile.parquet(path, tableOf(name)).finish()
    const metadata = await parquetMetadataAsync(await asyncBufferFromFile(path))
    for (const { element } of parquetSchema(metadata).children) {
      const type = tableOf(name).columns[element.name]!
      if (type === 'time') {
        const utc = { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' }
        assert.deepEqual(element.logical_type, utc, element.name)
      } else if (type === 'integer') assert.equal(element.type, 'INT64')
      else if (typeof type === 'object') assert.equal(element.converted_type, 'LIST')
    }
  }
})

test('a reader of Parquet that asks for a fid or a time can skip most groups', async () => {
  const fids = 1_000
  const rows = Array.from({ length: ROWS_PER_FILE }, (_, i) => cast(i, { fid: (i * 7) % fids }))
  const path = await written('parquet', 'casts', rows)
  const { row_groups } = await parquetMetadataAsync(await asyncBufferFromFile(path))
  assert.equal(row_groups.length, ROWS_PER_FILE / ROWS_PER_GROUP)
  const bounds = (column: string) =>
    row_groups.map(({ columns }) => {
      const { statistics } = columns.find(
        ({ meta_data }) => meta_data!.path_in_schema[0] === column,
      )!.meta_data!
      return [Number(statistics!.min_value), Number(statistics!.max_value)] as const
    })
  const read = bounds('fid').filter(([min, max]) => min <= 123 && 123 <= max)
  assert.ok(read.length <= 2, `${read.length} groups have to be read for one fid`)
  const [first, last] = [rows[0]!.timestamp as number, rows.at(-1)!.timestamp as number]
  for (const [min, max] of bounds('timestamp')) {
    assert.ok(min >= first * 1000 && max <= last * 1000, 'times of a file are those of its rows')
  }
})

test('the first rows of a text file show the type of every column, and no row is lost', async () => {
  const late = {
    parent_fid: 7,
    parent_url: 'https://example.com',
    mentions: [3],
    embeds: [{ url: null, fid: 7, hash: '0x07' }],
  }
  const rows = Array.from({ length: 400 }, (_, i) =>
    cast(i, { text: '12', ...(i === 250 && late), ...(i === 399 && { text: 'a word' }) }),
  )
  for (const format of ['ndjson', 'csv'] as const) {
    const lines = readFileSync(await written(format, 'casts', rows), 'utf8')
      .trimEnd()
      .split('\n')
    const start = lines.slice(0, 100).join('\n')
    assert.match(start, /https:\/\/example\.com/)
    assert.match(start, /a word/)
    const body = format === 'csv' ? lines.slice(1) : lines
    const hashes = body.map((line) => /0x\d{40}/.exec(line)![0])
    assert.deepEqual(
      hashes.sort(),
      rows.map(({ hash }) => hash),
    )
  }
})

/** A file system is a whole number of these. */
const DISK_PAGE_BYTES = 4_096

test('a disk with room for a text file but not for its copy ends the file with an error', async (t) => {
  const rows = Array.from({ length: 1_500 }, (_, i) =>
    cast(i, { text: 'x'.repeat(300), ...(i === 150 && { parent_url: 'https://example.com' }) }),
  )
  for (const format of ['ndjson', 'csv'] as const) {
    const { length } = readFileSync(await written(format, 'casts', rows))
    const directory = mkdtempSync(join(place, 'small-'))
    const size = Math.ceil((length * 1.5) / DISK_PAGE_BYTES) * DISK_PAGE_BYTES
    const mount = ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', directory]
    if (spawnSync('mount', mount).status !== 0) return t.skip('no file system can be mounted here')
    try {
      const name = `casts-00001.${format}`
      const messages = packMessages([])
      await assert.rejects(writeFile({ directory, name, format, table: 'casts', messages, rows }), {
        code: 'ENOSPC',
      })
    } finally {
      spawnSync('umount', [directory])
    }
  }
})

test('CSV tells an empty text and the word NULL from null', async () => {
  const texts = ['', 'NULL', '7'].map((text, i) => cast(i, { text }))
  const lines = readFileSync(await written('csv', 'casts', texts), 'utf8')
    .trimEnd()
    .split('\n')
  const beforeParent = lines.slice(1).map((line) => line.split(',')[4])
  assert.deepEqual(beforeParent.sort(), ['""', '"7"', '"NULL"'])
  assert.ok(lines[1]!.includes(',,,,"[]"'), 'null has no quotes')
})

test('files end early when texts are long, so that what is held is bounded', async () => {
  const directory = mkdtempSync(join(place, 'long-'))
  const sink = new FileSink(directory, 'ndjson')
  const text = 'x'.repeat(1024 * 1024)
  const count = HELD_BYTES / text.length + 1
  for (let i = 0; i < count; i++) {
    await sink.write([
      { table: 'casts', row: cast(i, { text }) },
      { table: 'links', row: { fid: 1, hash: '0x01', timestamp: 0, event_id: i } },
    ])
  }
  const { casts, links } = await sink.finish()
  assert.deepEqual([casts.files!.length, casts.rows], [2, count])
  assert.equal(links.files!.length, 1)
})
