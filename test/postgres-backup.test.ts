// The backups of PostgreSQL that docs/postgresql.md describes, with its commands as they are written. TEST_LONG=1 runs them.

import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { sdk, writersOf } from './app-writes-support.ts'
import { findProgram } from './debian.ts'
import { type DebianPostgres, startDebianPostgres } from './debian-postgres.ts'
import { LONG } from './effort.ts'
import { adminQuery } from './postgres.ts'
import { type Env, PROGRAM, ROOT } from './program.ts'
import { createWorld, type World } from './world.ts'

const [, SECTION = ''] = /^## Backups\n(.*?)^## /ms.exec(
  readFileSync(join(ROOT, 'docs', 'postgresql.md'), 'utf8'),
)!
const blocks = (kind: string) =>
  [...SECTION.matchAll(new RegExp(`^\`\`\`${kind}\\n(.*?)^\`\`\`$`, 'gms'))].map(
    ([, text]) => text!,
  )
const [DUMP, RESTORE, FULL_BACKUP, RECOVER] = blocks('console')
const [ARCHIVING, REPOSITORY] = blocks('ini')

const WRITER = 901

describe('backups of PostgreSQL', { skip: !LONG && 'TEST_LONG=1 runs it' }, () => {
  let server: DebianPostgres
  let world: World
  let signerUuid: string

  /** A command of the documentation with our places. */
  const placed = (script: string) =>
    script
      .replaceAll('/backups', server.directory)
      .replaceAll('npm run -s rookery --', `${process.execPath} ${PROGRAM}`)
  /** Settings of an empty database and data directory. */
  const createNetwork = async (name: string): Promise<Env> => {
    await adminQuery(server.url, `create database ${name}`)
    const dataDir = join(server.directory, name)
    mkdirSync(dataDir)
    const url = server.url.replace(/\w+$/, name)
    return { ROOKERY_DATA_DIR: dataDir, DATABASE_URL: url, ROOKERY_VIEWS: 'on' }
  }
  const publish = async (on: World, text: string): Promise<string> => {
    const { cast } = await sdk(on).publishCast({ signerUuid, text })
    return cast.hash
  }
  const has = async (on: World, hash: string): Promise<boolean> =>
    (await on.get(`/v1/castById?fid=${WRITER}&hash=${hash}`)).status === 200
  const secondsOfServer = async (): Promise<number> => {
    const [row] = await adminQuery(server.url, 'select floor(extract(epoch from now())) as seconds')
    return Number(row.seconds)
  }
  const startOn = (env: Env) => createWorld({ env, startMs: world.clock.now() })

  before(async () => {
    await findProgram(['pgbackrest'], 'pgbackrest')
    server = await startDebianPostgres(ARCHIVING!, (directory) => ({
      PGBACKREST_CONFIG: join(directory, 'pgbackrest.conf'),
      PGBACKREST_LOG_PATH: directory,
      PGBACKREST_LOCK_PATH: directory,
    }))
    const { data, port, directory } = server
    const place = `pg1-path=${data}\npg1-port=${port}\npg1-socket-path=${directory}`
    const settings = placed(REPOSITORY!).replace(/pg1-path=.*/, place)
    writeFileSync(join(directory, 'pgbackrest.conf'), settings)
    world = await createWorld({ env: await createNetwork('network') })
    const writers = writersOf(world)
    const writer = await writers.writer(sdk(world), await writers.registry.person(900), WRITER)
    signerUuid = writer.signerUuid
  })
  after(async () => {
    await world?.close()
    await server?.remove()
  })

  it('a dump of a running network is restored elsewhere with its keys, and its signers work', async () => {
    const acknowledged = await publish(world, 'before the dump')
    let dumping = true
    const load = (async () => {
      let casts = 0
      for (; dumping; casts++) await publish(world, `during the dump ${casts}`)
      return casts
    })()
    await server.shell(placed(DUMP!), world.env)
    dumping = false
    assert.ok((await load) > 0)

    const elsewhere = await createNetwork('elsewhere')
    const output = await server.shell(placed(RESTORE!), elsewhere)
    assert.match(output, /are as they should be/)
    const restored = await startOn(elsewhere)
    try {
      assert.equal(await has(restored, acknowledged), true)
      assert.equal(await has(restored, await publish(restored, 'after the restore')), true)
    } finally {
      await restored.close()
    }
  })

  it('pgBackRest brings a network back to a moment before it was damaged', async () => {
    await server.shellOfServer(placed(FULL_BACKUP!))
    // pgBackRest counts seconds, and the moment must be after the one in which the backup ended.
    const ended = await secondsOfServer()
    while ((await secondsOfServer()) < ended + 2) await delay(100)
    const kept = await publish(world, 'before the damage')
    const [{ moment }] = await adminQuery(server.url, 'select now()::text as moment')
    const lost = await publish(world, 'after that moment')
    const { env } = world
    await world.close()
    await server.stop()
    await server.shellOfServer(placed(RECOVER!).replace(/--target="[^"]*"/, `--target="${moment}"`))
    await server.start()
    const verified = await server.shell(placed('npm run -s rookery -- verify'), env)
    assert.match(verified, /are as they should be/)
    world = await startOn(env)
    assert.deepEqual([await has(world, kept), await has(world, lost)], [true, false])
    assert.equal(await has(world, await publish(world, 'after the recovery')), true)
  })
})
