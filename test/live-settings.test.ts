// Settings that the operator changes while the server runs: in force at once in every process, locked where the machine says so.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type App, startApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { devAccount } from '../src/dev/accounts.ts'
import { callJson, signRegister } from '../src/kernel/accounts/signatures/sign.ts'
import { createLogger } from '../src/kernel/http/logger.ts'
import { accountDomains } from '../src/kernel/protocol/crypto/account-domains.ts'
import { ask } from './production.ts'
import { createWorld, enginesOf, type World } from './world.ts'

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
      assert.equal((await set('ROOKERY_RECOVERY_DAYS', '3')).status, 200)
      for (const app of [world.app, second]) assert.equal(await service(app), 3)
      await reset('ROOKERY_RECOVERY_DAYS')
      for (const app of [world.app, second]) assert.equal(await service(app), 7)
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

test('the environment locks a setting that may be changed, and no other', () => {
  const config = readConfig({ ROOKERY_SIGNUP: 'closed,locked' }, 'development')
  assert.equal(config.signup, 'closed')
  const shown = config.shown.find(({ variable }) => variable === 'ROOKERY_SIGNUP')
  assert.deepEqual([shown?.value, shown?.isLocked], ['closed', true])
  assert.throws(() => readConfig({ ROOKERY_LOG_LEVEL: 'info,locked' }, 'development'))
})
