import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import {
  ABANDONED_MS,
  backupName,
  listBackups,
  removeAbandoned,
  removeOld,
} from './kept-backups.ts'
import { writeManifest } from './manifest.ts'

const START_MS = Date.UTC(2026, 0, 1)

function directory(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'rookery-kept-'))
  t.after(() => rmSync(path, { recursive: true }))
  return path
}

async function backup(into: string, startedMs: number, network = '3'): Promise<string> {
  const name = backupName(startedMs)
  mkdirSync(join(into, name))
  await writeManifest(join(into, name), {
    format: 1,
    version: '0.2.0',
    schema: 1,
    engine: 'sqlite',
    network,
    startedAt: new Date(startedMs).toISOString(),
    finishedAt: new Date(startedMs + 90_000).toISOString(),
    verified: 'whole',
    settings: '',
    files: [
      { name: 'a', bytes: 30, sha256: '' },
      { name: 'b', bytes: 12, sha256: '' },
    ],
  })
  return name
}

test('a kept backup says when it began, how long it took and how large it is', async (t) => {
  const into = directory(t)
  const name = await backup(into, START_MS)
  assert.deepEqual(await listBackups(into, '3'), [
    { name, startedMs: START_MS, seconds: 90, bytes: 42, verified: 'whole' },
  ])
})

test('backups are listed newest first, and those of other networks, half ones and strange files are left out', async (t) => {
  const into = directory(t)
  const [old, young] = [await backup(into, START_MS), await backup(into, START_MS + 60_000)]
  await backup(into, START_MS, '1')
  mkdirSync(join(into, backupName(START_MS)))
  mkdirSync(join(into, 'my own copy'))
  assert.deepEqual(
    (await listBackups(into, '3')).map(({ name }) => name),
    [young, old],
  )
  assert.deepEqual(await listBackups(join(into, 'none'), '3'), [])
})

test('the newest backups are kept, at least one, and nothing else is removed with the old ones', async (t) => {
  const into = directory(t)
  const names = []
  for (const minute of [0, 1, 2]) names.push(await backup(into, START_MS + minute * 60_000))
  const other = await backup(into, START_MS, '1')
  assert.deepEqual(await removeOld(into, '3', 2), [names[0]])
  assert.deepEqual(await removeOld(into, '3', 0), [names[1]])
  assert.deepEqual(readdirSync(into).sort(), [names[2], other].sort())
})

test('a partial backup is removed once nothing has touched it for ten minutes, and no other file', async (t) => {
  const into = directory(t)
  const partial = `${backupName(START_MS)}.partial`
  mkdirSync(join(into, partial))
  writeFileSync(join(into, 'mine.partial'), '')
  for (const name of [partial, 'mine.partial']) {
    utimesSync(join(into, name), START_MS / 1_000, START_MS / 1_000)
  }
  await removeAbandoned(into, START_MS + ABANDONED_MS - 1)
  assert.equal(readdirSync(into).length, 2)
  await removeAbandoned(into, START_MS + ABANDONED_MS)
  assert.deepEqual(readdirSync(into), ['mine.partial'])
})
