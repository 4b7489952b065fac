import { mediaRows } from '../src/features/media/tables/media.ts'
// Pictures of several processes on one database, and of a backup that is restored elsewhere.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, it } from 'node:test'
import { type App, startApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { createLogger } from '../src/kernel/http/logger.ts'
import { plainPng, uploadTo } from './media-support.ts'
import { startCommands } from './program.ts'
import { until } from './until.ts'
import { createWorld, type World } from './world.ts'

const commands = startCommands()
after(() => commands.stop())

const startOn = (world: World, env: Readonly<Record<string, string>>): Promise<App> =>
  startApp({
    config: readConfig(env, 'development'),
    clock: world.clock,
    logger: createLogger({ level: 'fatal' }),
  })

/** The path of a file is the same at all processes; in development each calls itself by its own port. */
const readAt = async (app: App, url: string) => {
  const response = await fetch(app.urls.web + new URL(url).pathname)
  return { status: response.status, bytes: Buffer.from(await response.arrayBuffer()) }
}

/** As clients do: a busy server asks them to try again. */
const takenBy = (...upload: Parameters<typeof uploadTo>) =>
  until(async () => {
    const answer = await uploadTo(...upload)
    return answer.status === 503 ? undefined : answer
  })

it('four processes take pictures at once, each once, and all of them answer with any', async () => {
  const world = await createWorld({ engine: 'postgres', env: { ROOKERY_MEDIA_MB_PER_FID: '1' } })
  const others = await Promise.all([1, 2, 3].map(() => startOn(world, world.env)))
  const apps = [world.app, ...others]
  try {
    const accounts = await world.accounts([21, 22, 23, 24])
    const shared = plainPng(90, 90, [1, 2, 3, 255])
    const uploads = await Promise.all(
      apps.flatMap((app, i) => {
        const own = plainPng(50 + i, 50, [9 * i, 99, 9, 255])
        const at = { app, token: world.token }
        return [shared, own].map((bytes) => takenBy(at, accounts[i]!, bytes))
      }),
    )
    for (const { status, body } of uploads) assert.equal(status, 200, JSON.stringify(body))
    const urls = new Set(uploads.map(({ body }) => new URL(body.result.url).pathname))
    assert.equal(urls.size, 5)
    for (const { body } of uploads) {
      const found = await Promise.all(apps.map((app) => readAt(app, body.result.url)))
      for (const { status, bytes } of found) {
        assert.equal(status, 200)
        assert.deepEqual(bytes, found[0]!.bytes)
      }
    }
    world.clock.advance(25 * 3_600_000)
    for (const app of apps) await app.jobs.run('media clean-up')
    assert.deepEqual(await world.app.storage.of(mediaRows).totals(), { files: 0, bytes: 0 })
    const rows = await world.app.storage.of(mediaRows).garbage(Number.MAX_SAFE_INTEGER, 10)
    assert.deepEqual(rows, [])
  } finally {
    await Promise.all(others.map((app) => app.stop()))
    await world.close()
  }
})

it('a backup has the pictures, and shows them where it is restored', async () => {
  const world = await createWorld()
  const dir = mkdtempSync(join(tmpdir(), 'rookery-media-'))
  try {
    const account = await world.account(11)
    const { body } = await uploadTo(world, account, plainPng(70, 70, [1, 2, 3, 255]), 'Blue')
    const { bytes } = await readAt(world.app, body.result.url)
    const target = join(dir, 'backup')
    const made = await commands.run(world.env, 'backup', target)
    assert.equal(made.code, 0, made.stderr)
    const env = { ...world.env, ROOKERY_DATA_DIR: join(dir, 'restored') }
    const restored = await commands.run(env, 'restore', target)
    assert.equal(restored.code, 0, restored.stderr)
    const app = await startOn(world, env)
    const found = await readAt(app, body.result.url).finally(() => app.stop())
    assert.deepEqual(found, { status: 200, bytes })
  } finally {
    await world.close()
    rmSync(dir, { recursive: true, force: true })
  }
})
