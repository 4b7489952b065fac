// Settings that the operator changes while the server runs: in force at once in every process, locked where the machine says so.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type App, startApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { devAccount } from '../src/dev/accounts.ts'
import { RECOVERY_SETTINGS } from '../src/features/recovery/settings.ts'
import { recoveryRows } from '../src/features/recovery/tables/recoveries.ts'
import { callJson, signRegister } from '../src/kernel/accounts/signatures/sign.ts'
import { createLogger } from '../src/kernel/http/logger.ts'
import { accountDomains } from '../src/kernel/protocol/crypto/account-domains.ts'
import { LiveSettings } from '../src/kernel/storage/live-settings.ts'
import { plainPng } from './media-support.ts'
import { ask, emptyStore, PRODUCTION_ENV } from './production.ts'
import { startCommands } from './program.ts'
import { createWorld, enginesOf, type World } from './world.ts'

const RECOVERY = 'ROOKERY_RECOVERY_DAYS'
const ENV = {
  ROOKERY_VIEWS: 'on',
  ROOKERY_SIGNUP: 'invite',
  ROOKERY_MEMBER_INVITES: '2,locked',
  ROOKERY_RECOVERY_DAYS: '7',
}

for (const engine of enginesOf(import.meta.url)) {
  describe(`settings that are changed while the server runs on ${engine}`, {
    concurrency: 1,
  }, () => {
    let world: World
    let second: App
    before(async () => {
      world = await createWorld({ engine, env: ENV })
      await world.accounts([1, 2, 3])
      second =
        engine === 'sqlite'
          ? world.app
          : await startApp({
              config: readConfig(world.env, 'development'),
              clock: world.clock,
              logger: createLogger({ level: 'fatal' }),
            })
    })
    after(async () => {
      if (second !== world.app) await second.stop()
      await world.close()
    })
    const set = (variable: string, value: string, more: object = {}) =>
      world.operate(`/server/settings/${variable}`, { method: 'PUT', body: { value, ...more } })
    const reset = (variable: string) =>
      world.operate(`/server/settings/${variable}/reset`, { method: 'POST', body: {} })
    const listed = async () => {
      const { body } = await world.operate('/server/settings')
      return new Map(
        (body.settings as { variable: string; value: string; source: string }[]).map((one) => [
          one.variable,
          one,
        ]),
      )
    }
    const told = async (app: App, path: string) =>
      (await (await fetch(app.urls.accounts + path)).json()) as Record<string, unknown>

    test('who may join is changed in every process with the answer, and put back', async () => {
      assert.equal((await set('ROOKERY_SIGNUP', 'closed')).status, 200)
      for (const app of [world.app, second]) {
        assert.equal((await told(app, '/v1/info')).signup, 'closed')
        const domains = accountDomains(app.signingNetwork)
        const deadline = BigInt(world.clock.now() / 1_000 + 3_600)
        const call = await signRegister(devAccount(50).custody, { deadline, domains })
        const refused = await ask(`${app.urls.accounts}/v1/registerFor`, callJson(call))
        assert.equal(refused.body.code, 'signup.closed')
      }
      const one = (await listed()).get('ROOKERY_SIGNUP')
      assert.deepEqual([one?.value, one?.source], ['closed', 'room'])
      assert.equal((await reset('ROOKERY_SIGNUP')).body.value, 'invite')
      for (const app of [world.app, second]) {
        assert.equal((await told(app, '/v1/info')).signup, 'invite')
      }
    })

    test('the log of moderation says who changed a setting, from what to what and why', async () => {
      await set('ROOKERY_SIGNUP', 'approval', { actor: 'the owner', reason: 'too many robots' })
      const log = await world.operate('/moderation/log?limit=1')
      const [{ action, actor, name, reason }] = log.body.result.entries
      assert.deepEqual(
        [action, actor, name, reason],
        ['set', 'the owner', 'ROOKERY_SIGNUP', 'from "invite" to "approval": too many robots'],
      )
      await reset('ROOKERY_SIGNUP')
    })

    test('a setting that the machine locks stays, and a value that the machine would refuse is refused', async () => {
      const locked = await set('ROOKERY_MEMBER_INVITES', '5')
      assert.equal(locked.status, 400)
      assert.match(JSON.stringify(locked.body), /locked on the machine/)
      assert.equal((await listed()).get('ROOKERY_MEMBER_INVITES')?.value, '2')
      for (const [variable, value] of [
        ['ROOKERY_SIGNUP', 'everybody'],
        ['ROOKERY_SIGNUP', 'open,locked'],
        ['ROOKERY_RECOVERY_DAYS', '0'],
        // Fewer than the machine says: members have agreed to those.
        ['ROOKERY_RECOVERY_DAYS', '6'],
        ['ROOKERY_RECOVERY_DAYS', '1000000'],
        ['ROOKERY_MEDIA_VIDEO_MB', '16'],
        ['ROOKERY_OPS_TOKEN', 'mine'],
        ['ROOKERY_SMTP_URL', 'smtp://evil.example'],
      ] as const) {
        assert.equal((await set(variable, value)).status, 400, `${variable}=${value}`)
      }
    })

    test('recovery is turned off and on, with the days that are said now', async () => {
      const service = async (app: App) =>
        ((await told(app, '/v1/recovery')).service as { waitDays: number } | null)?.waitDays
      assert.equal((await set('ROOKERY_RECOVERY_DAYS', 'off')).status, 200)
      for (const app of [world.app, second]) assert.equal(await service(app), undefined)
      assert.equal((await set('ROOKERY_RECOVERY_DAYS', '14')).status, 200)
      for (const app of [world.app, second]) assert.equal(await service(app), 14)
      await reset('ROOKERY_RECOVERY_DAYS')
      for (const app of [world.app, second]) assert.equal(await service(app), 7)
    })

    test('the command asks before recovery is turned off while moves wait, and --yes skips that', async () => {
      const commands = startCommands()
      try {
        const env = { ROOKERY_OPS_URL: world.app.urls.operations }
        const setDays = (days: string, ...more: string[]) =>
          commands.run(env, 'setting', 'set', RECOVERY, days, ...more)
        const waiting = {
          ...{ receiver: new Uint8Array(20).fill(6), fid: 3, note: '', provider: '' },
          ...{ signature: new Uint8Array(65), deadline: 9e9, asked_at: 1, due_at: 9e9 },
          by_mail: 0 as const,
        }
        await world.app.storage.write('hub', (tx) => tx.of(recoveryRows).put(waiting))
        const stopped = await setDays('off')
        assert.equal(stopped.code, 1)
        assert.match(stopped.stderr, /1 move of an account waits.*--yes/s)
        assert.equal((await listed()).get(RECOVERY)?.value, '7')
        assert.equal((await setDays('14')).code, 0, 'more days stop nothing')
        assert.equal((await setDays('off', '--yes')).code, 0)
        assert.equal((await listed()).get(RECOVERY)?.value, 'off')
        await world.app.storage.write('hub', (tx) => tx.of(recoveryRows).remove(waiting))
        await commands.run(env, 'setting', 'reset', RECOVERY)
        assert.equal((await setDays('off')).code, 0, 'nothing waits')
        await reset(RECOVERY)
      } finally {
        commands.stop()
      }
    })

    test('a reset takes no value, and the log names it as what it is', async () => {
      const path = '/server/settings/ROOKERY_SIGNUP/reset'
      await set('ROOKERY_SIGNUP', 'approval')
      await world.operate(path, { method: 'POST', body: { value: 'open' } })
      assert.equal((await told(world.app, '/v1/info')).signup, 'invite')
      const log = await world.operate('/moderation/log?limit=1')
      const [{ reason }] = log.body.result.entries
      await reset('ROOKERY_SIGNUP')
      assert.equal(reason, 'from "approval" back to "invite" of the environment')
    })

    test('the settings of the server say what was written in place of the environment', async () => {
      const source = async () => {
        const { body } = await world.operate('/server')
        const settings = body.settings as { variable: string; value?: string; source: string }[]
        const found = settings.find(({ variable }) => variable === 'ROOKERY_SIGNUP')
        return [found?.value, found?.source]
      }
      assert.deepEqual(await source(), ['invite', 'environment'])
      await set('ROOKERY_SIGNUP', 'closed')
      assert.deepEqual(await source(), ['closed', 'room'])
      await reset('ROOKERY_SIGNUP')
    })

    test('where members upload nothing the server still gets its own header', async () => {
      assert.equal((await set('ROOKERY_MEDIA_MB_PER_FID', '0')).status, 200)
      const response = await fetch(`${world.app.urls.operations}/server/header`, {
        method: 'PUT',
        headers: { 'content-type': 'application/octet-stream' },
        body: new Uint8Array(plainPng(300, 100, [9, 90, 9, 255])),
      })
      assert.equal(response.status, 200, await response.text())
      await reset('ROOKERY_MEDIA_MB_PER_FID')
    })

    test('who has no token of the operator and no role changes nothing', async () => {
      const url = `${world.app.urls.platform}/v1/server/settings/ROOKERY_SIGNUP`
      const response = await fetch(url, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ value: 'open' }),
      })
      assert.equal(response.status, 401)
      assert.equal((await told(world.app, '/v1/info')).signup, 'invite')
    })
  })
}

for (const engine of enginesOf(import.meta.url)) {
  test(`what was written before the environment locked a setting is shown, told in the log of the start, and forgotten on ${engine}, or counts again`, async (t) => {
    const url = { ...(await emptyStore(t, engine)) }
    const lines: string[] = []
    const start = async (env: Record<string, string>) => {
      const logger = createLogger({
        level: 'warn',
        destination: { write: (line: string) => void lines.push(line) },
      })
      const config = readConfig({ ...PRODUCTION_ENV, ...url, ...env }, 'production')
      const app = await startApp({ config, logger })
      t.after(() => app.stop().catch(() => {}))
      return app
    }
    const operate = async (app: App, path: string, method = 'GET', body?: object) => {
      const response = await fetch(`${app.urls.operations}/server/settings${path}`, {
        method,
        ...(body && { body: JSON.stringify(body) }),
        headers: {
          authorization: `Bearer ${PRODUCTION_ENV.ROOKERY_OPS_TOKEN}`,
          ...(body && { 'content-type': 'application/json' }),
        },
      })
      // biome-ignore lint/suspicious/noExplicitAny: tests look into JSON as they find it
      return { status: response.status, body: (await response.json()) as any }
    }
    const signup = async (app: App) =>
      ((await (await fetch(`${app.urls.accounts}/v1/info`)).json()) as { signup: string }).signup
    const shown = async (app: App) => {
      const { settings } = (await operate(app, '')).body
      const one = settings.find((each: { variable: string }) => each.variable === 'ROOKERY_SIGNUP')
      return [one.value, one.source, one.written]
    }
    const first = await start({ ROOKERY_SIGNUP: 'invite' })
    await operate(first, '/ROOKERY_SIGNUP', 'PUT', { value: 'open' })
    await first.stop()
    const locked = await start({ ROOKERY_SIGNUP: 'closed,locked' })
    assert.equal(await signup(locked), 'closed')
    assert.deepEqual(await shown(locked), ['closed', 'environment', 'open'])
    await locked.stop()
    const unlocked = await start({ ROOKERY_SIGNUP: 'closed' })
    assert.deepEqual(await shown(unlocked), ['open', 'room', undefined])
    await unlocked.stop()
    const told = lines.filter((line) => line.includes('ROOKERY_SIGNUP: \\"open\\"'))
    assert.match(told[0] ?? '', /does not count/)
    assert.match(told[1] ?? '', /counts, and not/)
    const again = await start({ ROOKERY_SIGNUP: 'closed,locked' })
    assert.equal((await operate(again, '/ROOKERY_SIGNUP/reset', 'POST', {})).status, 200)
    assert.deepEqual(await shown(again), ['closed', 'environment', undefined])
    await again.stop()
  })
}

test('a value that this version refuses does not count, and is not shown as if it did', async () => {
  const config = readConfig({ ROOKERY_RECOVERY_DAYS: '7' }, 'development')
  const storage = { of: () => undefined as never }
  const live = new LiveSettings(storage, config.shown, async () => '2')
  const days = live.use(RECOVERY_SETTINGS.settings.recoveryDays, config.recoveryDays)
  assert.equal(await days(), 7)
  assert.equal(live.counts('ROOKERY_RECOVERY_DAYS', '2'), false)
})

test('the environment locks a setting that may be changed, and no other', () => {
  const config = readConfig({ ROOKERY_SIGNUP: 'closed,locked' }, 'development')
  assert.equal(config.signup, 'closed')
  const shown = config.shown.find(({ variable }) => variable === 'ROOKERY_SIGNUP')
  assert.deepEqual([shown?.value, shown?.isLocked], ['closed', true])
  assert.throws(() => readConfig({ ROOKERY_LOG_LEVEL: 'info,locked' }, 'development'))
})
