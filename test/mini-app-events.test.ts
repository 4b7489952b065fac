import { MINI_APPS_OF_SERVER } from '../src/features/mini-apps/port.ts'
import { miniAppDeliveryRows } from '../src/features/mini-apps/tables/mini-app-deliveries.ts'
import { miniAppRows } from '../src/features/mini-apps/tables/mini-apps.ts'
import { DAY_MS } from '../src/kernel/protocol/time.ts'
// Adding mini apps, events for their servers, and what these tell users. Servers verify with the published library.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createVerifyAppKeyWithHub, parseWebhookEvent } from '@farcaster/miniapp-node'
import type { App } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { devAccount } from '../src/dev/accounts.ts'
import { startDevNetwork } from '../src/dev/network.ts'
import { createLogger } from '../src/kernel/http/logger.ts'
import { toHex } from '../src/kernel/protocol/codec/bytes.ts'
import { accountDomains } from '../src/kernel/protocol/crypto/account-domains.ts'
import { accountDataTypedData, signTypedData } from '../src/kernel/protocol/crypto/eip712.ts'
import { type AppServer, custodian, signEvent, startAppServer } from './mini-apps-support.ts'
import { createPlace } from './program.ts'
import { until } from './until.ts'
import { appToken, enginesOf, WORLD_START_MS } from './world.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into JSON as they find it
type Json = any

for (const engine of enginesOf(import.meta.url)) {
  describe(`what users do with mini apps, on ${engine}`, { concurrency: 1 }, () => {
    let place: Awaited<ReturnType<typeof createPlace>>
    let app: App
    let nowMs = WORLD_START_MS
    const servers: AppServer[] = []

    const start = () =>
      startDevNetwork({
        config: readConfig(place.env, 'development'),
        clock: { now: () => nowMs },
        logger: createLogger({ level: 'fatal' }),
      })
    before(async () => {
      place = await createPlace(engine)
      app = await start()
    })
    after(async () => {
      for (const server of servers) await server.close()
      await app.stop()
      await place.remove()
    })

    const ask = async (
      path: string,
      {
        fid,
        method,
        body,
        token,
      }: { fid?: number; method?: string; body?: object; token?: string } = {},
    ): Promise<{ status: number; body: Json }> => {
      const bearer =
        token ??
        (fid === undefined
          ? undefined
          : appToken(custodian(fid), { exp: Math.floor(nowMs / 1_000) + 300 }))
      const response = await fetch(app.urls.platform + path, {
        method: method ?? (body ? 'POST' : 'GET'),
        headers: {
          ...(body && { 'content-type': 'application/json' }),
          ...(bearer && { authorization: `Bearer ${bearer}` }),
        },
        ...(body && { body: JSON.stringify(body) }),
      })
      return { status: response.status, body: await response.json() }
    }
    const serve = async () => {
      const server = await startAppServer('localhost')
      servers.push(server)
      return server
    }
    const prepare = (fid: number, { domain }: AppServer, event: string, more: object = {}) =>
      ask('/fc/mini-app-events', { fid, body: { domain, event, ...more } })
    const complete = (fid: number, body: object) =>
      ask('/fc/mini-app-events', { fid, method: 'PUT', body })
    const act = async (fid: number, server: AppServer, event: string, more: object = {}) => {
      const first = await prepare(fid, server, event, more)
      assert.equal(first.status, 200, JSON.stringify(first.body))
      const second = await complete(fid, signEvent(custodian(fid), first.body.result))
      assert.equal(second.status, 200, JSON.stringify(second.body))
      return second.body.result
    }
    /** The events that a server got, as the published library reads and verifies them. */
    const verified = (server: AppServer, hub = app.urls.hub) =>
      Promise.all(
        server.events.map(async (event) => {
          const parsed = await parseWebhookEvent(event, createVerifyAppKeyWithHub(hub))
          return { fid: parsed.fid, ...parsed.event }
        }),
      )
    const details = async (fid: number, { domain }: AppServer) =>
      (await ask(`/v1/mini-app?domain=${domain}`, { fid })).body.result.app
    const notify = async (tokens: string[], server: AppServer, more: object = {}) => {
      const body = {
        notificationId: 'daily-1',
        title: 'Your turn',
        body: 'The other side has moved.',
        targetUrl: `${server.origin}/game?round=2`,
        tokens,
        ...more,
      }
      const { status, body: answer } = await ask('/v1/frame-notifications', { body })
      assert.equal(status, 200, JSON.stringify(answer))
      return answer.result
    }
    const outcome = (changes: object) => ({
      successfulTokens: [],
      invalidTokens: [],
      rateLimitedTokens: [],
      failedTokens: [],
      ...changes,
    })

    test('each event of a user reaches the server of the app in order and verifies by the hub and by the front door', async () => {
      const server = await serve()
      const added = await act(1, server, 'miniapp_added')
      assert.equal(added.webhook, 'queued')
      assert.equal(added.notificationDetails.url, `${app.urls.web}/platform/v1/frame-notifications`)
      assert.equal((await details(1, server)).added, true)
      assert.deepEqual((await details(1, server)).notificationDetails, added.notificationDetails)
      assert.equal((await details(2, server)).added, false)
      await act(1, server, 'notifications_disabled')
      assert.equal((await details(1, server)).notificationDetails, undefined)
      const enabled = await act(1, server, 'notifications_enabled')
      assert.notEqual(enabled.notificationDetails.token, added.notificationDetails.token)
      const own = (await ask('/fc/added-mini-apps', { fid: 1 })).body.result.apps
      assert.deepEqual(
        own.map(({ domain, people, notifies }: Json) => ({ domain, people, notifies })),
        [{ domain: server.domain, people: 1, notifies: true }],
      )
      await act(1, server, 'miniapp_removed')
      assert.equal((await details(1, server)).people, 0)
      await until(() => server.events.length === 4)
      const expected = [
        { fid: 1, event: 'miniapp_added', notificationDetails: added.notificationDetails },
        { fid: 1, event: 'notifications_disabled' },
        {
          fid: 1,
          event: 'notifications_enabled',
          notificationDetails: enabled.notificationDetails,
        },
        { fid: 1, event: 'miniapp_removed' },
      ]
      assert.deepEqual(await verified(server), expected)
      assert.deepEqual(await verified(server, app.urls.web), expected)
    })

    test('an event that changes nothing is refused, and each payload is signed once', async () => {
      const server = await serve()
      assert.equal((await prepare(2, server, 'miniapp_removed')).status, 404)
      assert.equal((await details(2, server)).added, false)
      assert.equal((await prepare(2, server, 'miniapp_removed')).status, 400)
      const first = await prepare(2, server, 'miniapp_added', { notifications: false })
      const signed = signEvent(custodian(2), first.body.result)
      assert.equal((await complete(3, signed)).status, 404)
      assert.equal((await complete(2, { ...signed, signature: 'AAAA' })).status, 400)
      const other = signEvent(custodian(3), first.body.result)
      assert.equal((await complete(2, other)).status, 400)
      const { body } = await complete(2, signed)
      assert.deepEqual(body.result, { added: true, notifies: false, webhook: 'queued' })
      assert.equal((await complete(2, signed)).status, 404)
      assert.equal((await prepare(2, server, 'miniapp_added')).status, 400)
      assert.equal((await prepare(2, server, 'notifications_disabled')).status, 400)
      const late = await prepare(2, server, 'notifications_enabled')
      nowMs += 600_000
      assert.equal((await complete(2, signEvent(custodian(2), late.body.result))).status, 404)
    })

    test('a signed event is no token, and a token is no event', async () => {
      const server = await serve()
      const { body } = await prepare(4, server, 'miniapp_added')
      const { id, header, signature } = signEvent(custodian(4), body.result)
      const webhook = `${header}.${body.result.payload}.${signature}`
      assert.equal((await ask('/fc/added-mini-apps', { token: webhook })).status, 401)
      const exp = Math.floor(nowMs / 1_000) + 300
      const both = appToken(custodian(4), { exp, event: 'miniapp_added' })
      assert.equal((await ask('/fc/added-mini-apps', { token: both })).status, 401)
      const [head, , end] = appToken(custodian(4), { exp }).split('.')
      assert.equal((await complete(4, { id, header: head, signature: end })).status, 400)
      assert.equal((await details(4, server)).added, false)
    })

    test('a server that is down gets every event once, in order, when it is up again', async () => {
      const server = await serve()
      server.webhookStatus = 503
      for (const event of ['miniapp_added', 'notifications_disabled', 'miniapp_removed']) {
        await act(5, server, event)
      }
      const first = async () => {
        const known = await app.storage.of(miniAppRows).byDomain(server.domain)
        return app.storage.of(miniAppDeliveryRows).head(known!.id)
      }
      for (const [attempts, waitMs] of [1_000, 5_000, 30_000].entries()) {
        await until(async () => (await first())?.attempts === attempts + 1)
        nowMs += waitMs
      }
      server.webhookStatus = 200
      await until(() => server.events.length === 3)
      assert.deepEqual(
        (await verified(server)).map(({ event }) => event),
        ['miniapp_added', 'notifications_disabled', 'miniapp_removed'],
      )
      await until(async () => (await first()) === undefined)
      assert.equal(server.events.length, 3)
    })

    test('an event that waits when the program stops is sent after the next start', async () => {
      const server = await serve()
      server.webhookStatus = 503
      await act(6, server, 'miniapp_added')
      await app.stop()
      server.webhookStatus = 200
      app = await start()
      nowMs += 60_000
      await until(() => server.events.length === 1)
      assert.equal((await verified(server))[0]!.event, 'miniapp_added')
    })

    test('a notification reaches each user once: its id counts once a day, and a token once in 30 seconds', async () => {
      const server = await serve()
      const tokens: string[] = []
      for (const fid of [1, 2]) {
        tokens.push((await act(fid, server, 'miniapp_added')).notificationDetails.token)
      }
      const [one, two] = tokens as [string, string]
      assert.deepEqual(
        await notify([one, 'unknown', two, one], server),
        outcome({ successfulTokens: [one, two], invalidTokens: ['unknown'] }),
      )
      assert.deepEqual(await notify([one], server), outcome({ successfulTokens: [one] }))
      assert.deepEqual(
        await notify([one], server, { notificationId: 'daily-2' }),
        outcome({ rateLimitedTokens: [one] }),
      )
      nowMs += 30_000
      assert.deepEqual(
        await notify([one], server, { notificationId: 'daily-2', title: 'Again\u202e' }),
        outcome({ successfulTokens: [one] }),
      )
      const { notices, unseen } = (await ask('/fc/mini-app-notices', { fid: 1 })).body.result
      assert.equal(unseen, 2)
      assert.deepEqual(
        notices.map(({ title, app: { domain } }: Json) => [title, domain]),
        [
          ['Again', server.domain],
          ['Your turn', server.domain],
        ],
      )
      assert.equal(notices[0].targetUrl, `${server.origin}/game?round=2`)
      await ask('/fc/mini-app-notices/seen', { fid: 1, body: { until: notices[1].createdAt } })
      assert.equal((await ask('/fc/mini-app-notices', { fid: 1 })).body.result.unseen, 1)
      nowMs += DAY_MS
      assert.deepEqual(await notify([one], server), outcome({ successfulTokens: [one] }))
      const again = (await ask('/fc/mini-app-notices?limit=1', { fid: 1 })).body
      assert.equal(again.result.notices[0].notificationId, 'daily-1')
      assert.ok(again.next.cursor)
    })

    test('a token is used 100 times a day and no more', async () => {
      const server = await serve()
      const { token } = (await act(3, server, 'miniapp_added')).notificationDetails
      for (let i = 0; i < 100; i++) {
        const { successfulTokens } = await notify([token], server, { notificationId: `n${i}` })
        assert.deepEqual(successfulTokens, [token], `notification ${i}`)
        nowMs += 30_000
      }
      assert.deepEqual(
        await notify([token], server, { notificationId: 'one more' }),
        outcome({ rateLimitedTokens: [token] }),
      )
    })

    test('a wrong address fails and leaves the token valid; a disabled token is invalid for good', async () => {
      const [server, other] = [await serve(), await serve()]
      const { token } = (await act(7, server, 'miniapp_added')).notificationDetails
      await act(7, other, 'miniapp_added')
      const failed = (reason: string) => outcome({ failedTokens: [{ token, fid: 7, reason }] })
      assert.deepEqual(
        await notify([token], server, { targetUrl: 'https://elsewhere.example/' }),
        failed('target_url_mismatch'),
      )
      assert.deepEqual(
        await notify([token], server, { targetUrl: `${other.origin}/` }),
        failed('domain_mismatch'),
      )
      assert.deepEqual(await notify([token], server), outcome({ successfulTokens: [token] }))
      await act(7, server, 'notifications_disabled')
      nowMs += DAY_MS
      assert.deepEqual(await notify([token], server), outcome({ invalidTokens: [token] }))
      await act(7, server, 'notifications_enabled')
      assert.deepEqual(await notify([token], server), outcome({ invalidTokens: [token] }))
    })

    test('a user signs a bounded number of events in a day', async () => {
      const server = await serve()
      const row = { name: 'mini app events', subject: '5', count: 499, amount: 0 }
      await app.storage.write('fid/5', (tx) => tx.quotas.put([{ ...row, ends_at: nowMs + DAY_MS }]))
      await act(5, server, 'miniapp_added')
      const { body } = await prepare(5, server, 'miniapp_removed')
      const refused = await complete(5, signEvent(custodian(5), body.result))
      assert.equal(refused.status, 429)
      nowMs += DAY_MS
      await act(5, server, 'miniapp_removed')
    })

    test('an app that the operator removes is gone from every list until it is restored', async () => {
      const server = await serve()
      const { token } = (await act(8, server, 'miniapp_added')).notificationDetails
      await until(() => server.events.length === 1)
      const operate = async (method: string, path: string, body: object) => {
        const response = await fetch(app.urls.operations + path, {
          method,
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        })
        assert.equal(response.status, 200, await response.text())
      }
      const why = { domain: server.domain, reason: 'it asks for passwords' }
      const report = { miniAppDomain: server.domain, reason: 'It asks for my password.' }
      const reported = await ask('/v1/reports', { fid: 9, body: report })
      assert.equal(reported.status, 200)
      assert.deepEqual((await ask('/v1/reports', { fid: 9, body: report })).body, reported.body)
      const unknown = { miniAppDomain: 'nobody.example', reason: 'x' }
      assert.equal((await ask('/v1/reports', { fid: 9, body: unknown })).status, 404)
      const { reports } = (
        (await (await fetch(`${app.urls.operations}/moderation/reports`)).json()) as Json
      ).result
      assert.equal(reports.at(-1).miniAppDomain, server.domain)
      await operate('PUT', '/platform/featured-mini-apps', { domains: [server.domain] })
      const featured = async () =>
        (await ask('/v1/mini-apps?list=featured')).body.result.apps.length
      assert.equal(await featured(), 1)
      server.webhookStatus = 503
      await act(8, server, 'notifications_disabled')
      const enabled = await act(8, server, 'notifications_enabled')
      await operate('POST', '/platform/removed-mini-apps', why)
      await operate('POST', '/platform/removed-mini-apps', why)
      server.webhookStatus = 200
      assert.equal((await ask(`/v1/mini-app?domain=${server.domain}`)).status, 404)
      assert.equal(await featured(), 0)
      assert.equal(await app.of(MINI_APPS_OF_SERVER).catalogue.mayFrame(server.domain), false)
      const tokens = [token, enabled.notificationDetails.token]
      assert.deepEqual(await notify(tokens, server), outcome({ invalidTokens: tokens }))
      const body = { domain: server.domain }
      assert.equal((await ask('/fc/mini-apps', { fid: 8, body })).status, 403)
      assert.equal((await prepare(9, server, 'miniapp_added')).status, 404)
      assert.deepEqual((await ask('/fc/added-mini-apps', { fid: 8 })).body.result.apps, [])
      await operate('DELETE', '/platform/removed-mini-apps', { ...why, reason: 'mended' })
      assert.equal((await details(8, server)).added, true)
      assert.equal(await featured(), 1)
      assert.deepEqual(
        await notify([tokens[1]!], server),
        outcome({ successfulTokens: [tokens[1]] }),
      )
      assert.equal(server.events.length, 1, 'what waited at the removal is not sent')
      const log = (await (await fetch(`${app.urls.operations}/moderation/log`)).json()) as Json
      assert.deepEqual(
        log.result.entries
          .slice(0, 2)
          .map(({ action, name, reason }: Json) => [action, name, reason]),
        [
          ['restore-app', server.domain, 'mended'],
          ['remove-app', server.domain, 'it asks for passwords'],
        ],
      )
    })

    test('an export has what an account and mini apps have to do with each other, and an erasure removes it', async () => {
      const server = await serve()
      const { token } = (await act(10, server, 'miniapp_added')).notificationDetails
      await ask('/fc/mini-app-opens', { fid: 10, body: { domain: server.domain } })
      const choice = { fid: 10, method: 'PUT', body: { hidesUse: true } }
      assert.equal((await ask('/fc/mini-app-choices', choice)).status, 200)
      await notify([token], server)
      const { people: peopleBefore } = await details(10, server)
      const deadline = Math.floor(nowMs / 1_000) + 60
      const { idRegistry } = accountDomains(app.signingNetwork)
      const request = { action: 'export', fid: 10, network: 'devnet', deadline } as const
      const key = devAccount(9).custodyPrivateKey
      const signature = toHex(signTypedData(accountDataTypedData(request, idRegistry), key))
      const exported = async () => {
        const response = await fetch(`${app.urls.accounts}/v1/export-rows`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ fid: 10, deadline, signature }),
        })
        assert.equal(response.status, 200)
        const { rows } = (await response.json()) as Json
        return (name: string) =>
          rows.flatMap(({ table, row }: Json) => (table === name ? [row] : []))
      }
      const { domain } = server
      const found = await exported()
      const domainsIn = (table: string) => found(table).map((row: Json) => row.domain)
      assert.deepEqual(domainsIn('added_mini_app'), [domain])
      assert.deepEqual(domainsIn('mini_app_use'), [domain])
      assert.deepEqual(domainsIn('mini_app_token'), [domain])
      assert.equal(found('mini_app_delivery')[0].event, 'miniapp_added')
      assert.equal(found('mini_app_notice')[0].title, 'Your turn')
      assert.equal(found('mini_app_person')[0].hidesUse, true)
      const erased = await fetch(`${app.urls.operations}/moderation/accounts/10/erase`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ reason: 'asked for' }),
      })
      assert.equal(erased.status, 200)
      await until(async () => (await exported())('added_mini_app').length === 0)
      await until(async () => (await exported())('mini_app_delivery').length === 0)
      const left = await exported()
      for (const name of ['use', 'token', 'notice', 'person']) {
        assert.deepEqual(left(`mini_app_${name}`), [])
      }
      const known = await app.storage.of(miniAppRows).byDomain(domain)
      assert.deepEqual([known!.people, known!.openers, peopleBefore], [0, 0, 1])
    })

    test('a notification with a fault in its body is refused with the name of the field', async () => {
      const server = await serve()
      const good = {
        notificationId: 'n',
        title: 't',
        body: 'b',
        targetUrl: server.origin,
        tokens: [],
      }
      const faults: [string, object][] = [
        ['title', { title: 'x'.repeat(33) }],
        ['title', { title: '\u200b' }],
        ['body', { body: 'x'.repeat(129) }],
        ['notificationId', { notificationId: 'x'.repeat(129) }],
        ['targetUrl', { targetUrl: 'javascript:alert(1)' }],
        ['targetUrl', { targetUrl: 'http://elsewhere.example/' }],
        ['tokens', { tokens: Array.from({ length: 101 }, () => 'x') }],
        ['title', { title: undefined }],
      ]
      for (const [field, change] of faults) {
        const { status, body } = await ask('/v1/frame-notifications', {
          body: { ...good, ...change },
        })
        assert.equal(status, 400, field)
        assert.match(JSON.stringify(body), new RegExp(field))
      }
      assert.equal((await ask('/v1/frame-notifications', { body: good })).status, 200)
    })
  })
}
