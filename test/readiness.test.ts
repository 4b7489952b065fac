// Readiness follows whether writes are accepted: on a full disk, with a damaged file, and on a full PostgreSQL.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  closeSync,
  mkdtempSync,
  openSync,
  rmSync,
  statfsSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { castAdd } from '../src/kernel/protocol/build.ts'
import { openPostgres } from '../src/kernel/storage/engines/postgres.ts'
import { PATIENCE_MS } from './patience.ts'
import { until } from './until.ts'
import { createWorld, type TestAccount, type World } from './world.ts'

const PAUSE_MS = 50
const TRIES = Math.ceil(PATIENCE_MS / PAUSE_MS)
/** So often that the answer comes from writes that the check itself has tried. */
const STILL_FULL = 30
const DISK_BYTES = 24 * 1024 * 1024
/** What the test gives back when there is to be room again. */
const RESERVE_BYTES = 6 * 1024 * 1024

let texts = 0
async function submits(world: World, account: TestAccount): Promise<number> {
  const text = `${'x'.repeat(300)} ${++texts}`
  const message = world.sign(account, castAdd(world.origin(account), text))
  return (await world.submit(message)).status
}

/** The status on the operations interface and on a public one, once both are this. */
async function untilReady(world: World, status: number): Promise<void> {
  const found = async () =>
    Promise.all(
      [world.app.urls.operations, world.app.urls.hub].map(
        async (url) => (await fetch(`${url}/health/ready`)).status,
      ),
    )
  let last: number[] = []
  for (let tries = 0; tries < TRIES; tries++) {
    last = await found()
    if (last.every((one) => one === status)) return
    await sleep(PAUSE_MS)
  }
  assert.fail(`never ${status}, but ${last}`)
}

test('on a full disk a server says that it is not ready, still answers reads, and is ready again once there is room', async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'rookery-full-'))
  t.after(() => rmSync(dir, { recursive: true }))
  const size = `size=${DISK_BYTES}`
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', size, 'tmpfs', dir])
  if (mounted.status !== 0) return t.skip('no file system can be mounted here')
  try {
    const world = await createWorld({ env: { ROOKERY_DATA_DIR: dir } })
    try {
      const account = await world.account(1)
      await untilReady(world, 200)
      assert.equal(await submits(world, account), 200, 'a small disk is not full from the start')
      const reserve = join(dir, 'reserve')
      writeFileSync(reserve, Buffer.alloc(RESERVE_BYTES))
      fill(dir)
      let refused = 0
      for (let tries = 0; refused < 3 && tries < TRIES; tries++) {
        if ((await submits(world, account)) === 503) refused++
      }
      assert.equal(refused, 3)
      // Nobody submits any more: it has to notice by itself what is true later.
      await untilReady(world, 503)
      fill(dir)
      for (let times = 0; times < STILL_FULL; times++) {
        await untilReady(world, 503)
        await sleep(PAUSE_MS)
      }
      assert.equal((await world.get('/v1/castsByFid?fid=1&pageSize=1')).status, 200)
      rmSync(reserve)
      await untilReady(world, 200)
      // The disk quota is measured every ten seconds.
      await until(async () => (await submits(world, account)) === 200, 'messages are taken again')
    } finally {
      await world.close()
    }
  } finally {
    spawnSync('umount', [dir])
  }
})

/** Fills a file system to its last page. */
function fill(dir: string): void {
  const file = openSync(join(dir, 'ballast'), 'a')
  const { bavail, bsize } = statfsSync(dir)
  try {
    for (let left = bavail; left > 0; left--) writeSync(file, Buffer.alloc(bsize))
  } catch (error) {
    assert.equal((error as NodeJS.ErrnoException).code, 'ENOSPC')
  } finally {
    closeSync(file)
  }
}

test('a server whose PostgreSQL has no room says that it is not ready, and is again once there is', async (t) => {
  const world = await createWorld({ engine: 'postgres' })
  t.after(() => world.close())
  const account = await world.account(1)
  await untilReady(world, 200)
  const database = openPostgres(world.env.DATABASE_URL!)
  t.after(() => database.close())
  const run = (text: string) => database.transaction((sql) => sql.all(text))
  // What the database answers when it cannot extend a table.
  await run(`create function full_disk() returns trigger language plpgsql as $$
    begin raise exception 'could not extend file' using errcode = '53100'; end $$`)
  const TABLES = ['message', 'lease']
  for (const table of TABLES) {
    await run(`create trigger full_disk before insert or update on ${table}
      for each row execute function full_disk()`)
  }
  assert.equal(await submits(world, account), 503)
  await untilReady(world, 503)
  for (const table of TABLES) await run(`drop trigger full_disk on ${table}`)
  await untilReady(world, 200)
  assert.equal(await submits(world, account), 200)
})

test('a server whose file is damaged so that messages cannot be written says that it is not ready', async (t) => {
  const world = await createWorld()
  t.after(() => world.close())
  const account = await world.account(1)
  for (let i = 0; i < 200; i++) assert.equal(await submits(world, account), 200)
  await untilReady(world, 200)
  damage(join(world.env.ROOKERY_DATA_DIR!, 'rookery.sqlite'))
  for (let tries = 0; (await submits(world, account)) !== 503; tries++) assert.ok(tries < TRIES)
  const asked = await fetch(`${world.app.urls.operations}/health/ready`)
  assert.equal(asked.status, 503)
})

/** Overwrites the first pages of the indexes of messages. */
function damage(file: string): void {
  const database = new DatabaseSync(file, { timeout: PATIENCE_MS })
  database.exec('pragma wal_checkpoint(truncate)')
  const [{ page_size: bytes }] = database.prepare('pragma page_size').all() as [
    { page_size: number },
  ]
  const pages = database
    .prepare("select rootpage from sqlite_schema where tbl_name = 'message' and type = 'index'")
    .all() as { rootpage: number }[]
  const handle = openSync(file, 'r+')
  const noise = Buffer.alloc(bytes, 0xff)
  for (const { rootpage } of pages) writeSync(handle, noise, 0, bytes, (rootpage - 1) * bytes)
  closeSync(handle)
  // Other connections forget the pages that they have.
  database.exec("insert into cursor (name, value) values ('damaged', '')")
  database.close()
}
