// Large files are written in a thread: what it writes, and what is said when it fails.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { create, toBinary } from '@bufbuild/protobuf'
import { castAdd } from '../../kernel/protocol/build.ts'
import { MessageDataSchema, MessageType } from '../../kernel/protocol/wire/message_pb.js'
import type { StoredMessage } from '../../kernel/storage/messages/stored-message.ts'
import { TargetAway } from './export.ts'
import { FileSink } from './files.ts'
import { FORMATS, type Format } from './formats.ts'
import { readItems, unreadItem } from './message-rows.ts'
import { packMessages } from './packed.ts'
import { type FileOrder, writeFile } from './write-file.ts'
import { FileWriters, ROWS_FOR_THREAD } from './writers.ts'

const place = mkdtempSync(join(tmpdir(), 'rookery-writers-'))
after(() => rmSync(place, { recursive: true, force: true }))

const TEXTS = ['', '🐦', '\0', 'a,"b"\r\n', 'x'.repeat(900)]

/** A stored cast, as far as an export reads it. */
function cast(i: number): StoredMessage {
  const fid = (i * 7) % 100
  const text = TEXTS[i % TEXTS.length]!
  const data = create(MessageDataSchema, castAdd({ fid, timestamp: i, network: 3 }, { text }))
  const bytes = { slot: NONE, target: NONE, signer: NONE, signature: NONE }
  return {
    ...{ id: 1_000 + i, fid, store: 1, type: MessageType.CAST_ADD, timestamp: i, form: 0 },
    ...{ ...bytes, hash: Buffer.alloc(20, i % 251), data: toBinary(MessageDataSchema, data) },
  }
}
const NONE = new Uint8Array(0)

const casts = Array.from({ length: ROWS_FOR_THREAD + 10 }, (_, i) => cast(i))
const order = (name: string, format: Format, directory = place): FileOrder => ({
  ...{ directory, name, format, table: 'casts' as const, rows: [] },
  messages: packMessages(casts),
})
const digest = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex')

test('a file that a thread writes is byte for byte the one that is written without it', async () => {
  const writers = new FileWriters()
  for (const format of FORMATS) {
    const { file } = await writers.begin(order(`thread.${format}`, format))
    const here = await writeFile(order(`here.${format}`, format))
    const { sha256, rows } = await file
    assert.deepEqual([rows, sha256], [casts.length, here.sha256])
    assert.equal(digest(join(place, `thread.${format}`)), sha256)
  }
  await writers.close()
})

test('rows of messages that are read where they are written equal those that are read before', async () => {
  const items = casts.flatMap(unreadItem)
  const files = await Promise.all(
    [items, readItems(items)].map(async (list) => {
      const sink = new FileSink(mkdtempSync(join(place, 'sink-')), 'parquet')
      await sink.write(list)
      return (await sink.finish()).casts.files
    }),
  )
  assert.deepEqual(files[0], files[1])
})

test('a message without content has no row, and no gap is left for it', async () => {
  const empty = create(MessageDataSchema, { type: MessageType.CAST_ADD, fid: 1n, timestamp: 1 })
  const messages = [cast(1), { ...cast(2), data: toBinary(MessageDataSchema, empty) }, cast(3)]
  const file = await writeFile({
    ...order('gap.ndjson', 'ndjson'),
    messages: packMessages(messages),
  })
  const lines = readFileSync(join(place, file.name), 'utf8').trimEnd().split('\n')
  assert.deepEqual([file.rows, lines.map((line) => JSON.parse(line).event_id)], [2, [1_001, 1_003]])
})

test('a thread that dies ends the export with the name of its file, and a follower tries again', async () => {
  const dies =
    "import { parentPort } from 'node:worker_threads'; parentPort.on('message', () => process.exit(1))"
  const writers = new FileWriters(new URL(`data:text/javascript,${encodeURIComponent(dies)}`))
  const { file } = await writers.begin(order('casts-00007.parquet', 'parquet'))
  await assert.rejects(file, (error: Error) => {
    assert.ok(error instanceof TargetAway)
    assert.match(error.message, /casts-00007\.parquet .*a thread ended.* has to be made again/)
    return true
  })
  await writers.close()
})

test('an error of a full disk names the file, whether a thread writes it or not', async (t) => {
  const directory = mkdtempSync(join(place, 'full-'))
  const mount = ['-t', 'tmpfs', '-o', 'size=8k', 'tmpfs', directory]
  if (spawnSync('mount', mount).status !== 0) return t.skip('no file system can be mounted here')
  const writers = new FileWriters()
  try {
    for (const format of FORMATS) {
      const name = `casts-00001.${format}`
      const large = order(name, format, directory)
      const small = { ...large, messages: packMessages(casts.slice(0, ROWS_FOR_THREAD - 1)) }
      for (const one of [large, small]) {
        const written = writers.begin(one).then(({ file }) => file)
        await assert.rejects(written, { code: 'ENOSPC', path: join(directory, name) })
        rmSync(join(directory, name))
      }
    }
  } finally {
    await writers.close()
    spawnSync('umount', [directory])
  }
})

test('after a file could not be written an export goes no further, and says why', async () => {
  const directory = mkdtempSync(join(place, 'gone-'))
  const sink = new FileSink(directory, 'parquet')
  mkdirSync(join(directory, 'casts-00001.parquet'))
  await sink.write(casts.flatMap(unreadItem))
  await assert.rejects(sink.finish(), { code: 'EISDIR' })
  await sink.abort()
})
