// Names from their registration to the profile: the hub follows the registry of its own store, or another one.

import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, type TestContext, test } from 'node:test'
import { type App, startApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { createLogger } from '../src/kernel/http/logger.ts'
import { DAY_MS } from '../src/kernel/protocol/time.ts'
import { effort } from './effort.ts'
import {
  eventsAfter,
  newestEventId,
  refused as no,
  accepted as ok,
  onEngines,
} from './hub-support.ts'
import {
  accepted,
  type Person,
  type RegistryClient,
  registryClient,
  type Transfer,
} from './registry-support.ts'
import { until } from './until.ts'
import { createWorld, type World } from './world.ts'

const IN_A_ROW = effort(15, 1_000)
const USERNAME = 6

const profileOf = (world: World, fid: number) =>
  world.get(`/v1/userDataByFid?fid=${fid}&user_data_type=${USERNAME}`)
const proofOf = (world: World, name: string) => world.get(`/v1/userNameProofByName?name=${name}`)

onEngines('a registered name in the hub of the same program', (world) => {
  let registry: RegistryClient
  before(() => {
    registry = registryClient(world())
  })

  test(`a name can be set as the username right after its registration, ${IN_A_ROW} times in a row`, async () => {
    const people = await registry.people(Array.from({ length: IN_A_ROW }, (_, i) => 100 + i))
    for (const one of people) {
      const name = `user${one.fid}`
      accepted(await registry.register(one, name))
      ok(await registry.setUsername(one, name))
      assert.equal(ok(await profileOf(world(), one.fid)).data.userDataBody.value, name)
    }
  })

  test('the hub serves the proof of a registered name with the registry signature', async () => {
    const one = await registry.person(1)
    const transfer = accepted(await registry.register(one, 'proven'))
    await world().app.hub.catchUpNames()
    const proof = ok(await proofOf(world(), 'proven'))
    const signature = Buffer.from(transfer.server_signature.slice(2), 'hex').toString('base64')
    const { timestamp, owner } = transfer
    const type = 'USERNAME_TYPE_FNAME'
    assert.deepEqual(proof, { timestamp, name: 'proven', owner, signature, fid: 1, type })
    assert.deepEqual(ok(await world().get('/v1/userNameProofsByFid?fid=1')).proofs, [proof])
  })

  test('moving a name revokes the username of its former holder only', async () => {
    const [from, to, other] = (await registry.people([2, 3, 4])) as [Person, Person, Person]
    for (const [one, name] of [
      [from, 'moving'],
      [other, 'staying'],
    ] as const) {
      accepted(await registry.register(one, name))
      ok(await registry.setUsername(one, name))
    }
    no(await registry.setUsername(to, 'moving'), { code: 'bad_request.validation_failure' })
    world().clock.advance(28 * DAY_MS)
    const before = await newestEventId(world())
    accepted(await registry.move(from, 'moving', 3))
    await world().app.hub.catchUpNames()
    const [merged, revoked, ...more] = await eventsAfter(world(), before)
    assert.deepEqual(
      [merged!.type, revoked!.type, more.length],
      ['MERGE_USERNAME_PROOF', 'REVOKE_MESSAGE', 0],
    )
    const { usernameProof, deletedUsernameProof } = merged!.mergeUsernameProofBody
    assert.deepEqual([usernameProof.fid, deletedUsernameProof.fid], [3, 2])
    assert.equal(revoked!.revokeMessageBody.message.data.fid, 2)
    assert.equal((await profileOf(world(), 2)).status, 404)
    assert.equal(ok(await profileOf(world(), 4)).data.userDataBody.value, 'staying')
    world().clock.advance(1_000)
    ok(await registry.setUsername(to, 'moving'))
  })

  test('releasing a name removes its proof and the username from the hub', async () => {
    const one = await registry.person(5)
    accepted(await registry.register(one, 'gone'))
    ok(await registry.setUsername(one, 'gone'))
    world().clock.advance(28 * DAY_MS)
    accepted(await registry.release(one, 'gone'))
    await world().app.hub.catchUpNames()
    assert.equal((await proofOf(world(), 'gone')).status, 404)
    assert.equal((await profileOf(world(), 5)).status, 404)
    no(await registry.setUsername(one, 'gone'), { code: 'bad_request.validation_failure' })
  })
})

test('a registration is answered while a hub transaction holds the hub lock', async (t) => {
  const world = await createWorld({ engine: 'postgres' })
  t.after(() => world.close())
  const registry = registryClient(world)
  const one = await registry.person(1)
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const { promise: held, resolve: locked } = Promise.withResolvers<void>()
  const transaction = world.app.storage.write('hub', async () => {
    locked()
    await released
  })
  await held
  accepted(await registry.register(one, 'waitless'))
  release()
  await transaction
  ok(await registry.setUsername(one, 'waitless'))
})

describe('two programs on one database', () => {
  let world: World
  let second: App
  before(async () => {
    world = await createWorld({ engine: 'postgres' })
    second = await startWith(world.env, world)
  })
  after(async () => {
    await second.stop()
    await world.close()
  })

  test('a name registered with one program can be set as the username with the other at once', async () => {
    const there = registryClient(world, () => second.urls)
    const here = registryClient(world)
    for (const one of await here.people(Array.from({ length: effort(15, 50) }, (_, i) => 1 + i))) {
      const name = `shared${one.fid}`
      accepted(await there.register(one, name))
      ok(await here.setUsername(one, name))
    }
  })
})

describe('a hub that follows a remote registry', () => {
  let home: World
  let registry: RegistryClient
  let proxy: Awaited<ReturnType<typeof startProxy>>
  before(async () => {
    home = await createWorld({ env: { ROOKERY_NAME_CHANGE_DAYS: '0' } })
    registry = registryClient(home)
    proxy = await startProxy(home.app.urls.registry)
  })
  after(async () => {
    await proxy.close()
    await home.close()
  })

  /** A hub that follows the other registry, and knows the same accounts. */
  const follower = async (t: TestContext, env: Record<string, string> = {}) => {
    const world = await createWorld({
      startMs: home.clock.now(),
      env: { ROOKERY_REGISTRY_URL: proxy.url, ...env },
    })
    t.after(() => world.close())
    return { world, accounts: registryClient(world) }
  }

  /** On a busy machine an answer may take longer than the five seconds that a hub gives a registry. */
  const caughtUp = ({ app }: World) =>
    until(async () => {
      await app.hub.catchUpNames()
      return true
    }, 'the hub has read the registry')

  test('the hub reads all pages of a remote registry and continues from its cursor after a restart', async (t) => {
    const people = await registry.people(Array.from({ length: 250 }, (_, i) => 1 + i))
    for (const one of people) accepted(await registry.register(one, `far${one.fid}`))
    const { world, accounts } = await follower(t)
    await accounts.people(people.map(({ fid }) => fid))
    await caughtUp(world)
    assert.equal(await world.app.storage.nameProofs.count(), 250)
    assert.equal(world.app.urls.registry, proxy.url)
    const [late] = (await registry.people([900])) as [Person]
    await accounts.people([900])
    accepted(await registry.register(late, 'justnow'))
    ok(await accounts.setUsername(late, 'justnow'))
    const asked = proxy.asked.length
    await world.restart()
    await caughtUp(world)
    const ids = (await registry.history()).map(({ id }) => id)
    const after = new Set(proxy.asked.slice(asked))
    assert.deepEqual([...after], ['/signer', `/transfers?from_id=${ids.at(-1)}`])
  })

  test('transfers without the signature of the remote registry are left out', async (t) => {
    const [a, b, c] = (await registry.people([301, 302, 303])) as [Person, Person, Person]
    for (const one of [a, b, c]) accepted(await registry.register(one, `sig${one.fid}`))
    proxy.change = (rows) =>
      rows.map((row) => (row.to === 302 ? { ...row, owner: a.account.address.toLowerCase() } : row))
    const { world } = await follower(t)
    await caughtUp(world)
    const names = ['sig301', 'sig302', 'sig303']
    const status = await Promise.all(names.map(async (name) => (await proofOf(world, name)).status))
    assert.deepEqual(status, [200, 404, 200])

    const foreign = await follower(t, { ROOKERY_REGISTRY_SIGNERS: `0x${'12'.repeat(20)}` })
    await caughtUp(foreign.world)
    assert.equal(await foreign.world.app.storage.nameProofs.count(), 0)
    proxy.change = (rows) => rows
  })

  test('a name that was registered during an outage of the remote registry is found by the first read after it', async (t) => {
    const { world, accounts } = await follower(t)
    const [one] = (await registry.people([390])) as [Person]
    await accounts.people([390])
    await caughtUp(world)
    const answer = proxy.change
    proxy.change = () => undefined as never
    // Polls now wait for minutes.
    for (let i = 0; i < 8; i++) await assert.rejects(world.app.hub.catchUpNames())
    accepted(await registry.register(one, 'duringoutage'))
    proxy.change = answer
    // A read waits for the registry for a second, and others may have asked in this one.
    await until(async () => (await proofOf(world, 'duringoutage')).status === 200)
  })

  test('usernames are refused as unavailable while the remote registry is down or answers nonsense', async (t) => {
    const { accounts } = await follower(t)
    const [one] = (await registry.people([400])) as [Person]
    await accounts.people([400])
    accepted(await registry.register(one, 'patience'))
    const senseless: unknown[] = [
      undefined,
      '<html>',
      '{"transfers":{}}',
      '{"transfers":[{}]}',
      'null',
      `{"transfers":[],"x":"${'x'.repeat(2_000_000)}"}`,
      (rows: Transfer[]) => [...rows].reverse(),
      (rows: Transfer[]) => [...rows, rows[0]],
      (rows: Transfer[]) => rows.map((row) => ({ ...row, id: String(row.id) })),
      (rows: Transfer[]) => rows.map((row) => ({ ...row, to: -1 })),
      (rows: Transfer[]) => rows.map((row) => ({ ...row, server_signature: '0x12' })),
    ]
    for (const answer of senseless) {
      if (typeof answer === 'function') proxy.change = answer as typeof proxy.change
      else
        proxy.answer =
          answer === undefined ? { status: 503, body: '' } : { status: 200, body: String(answer) }
      no(await accounts.setUsername(one, 'patience'), {
        status: 503,
        code: 'unavailable.network_failure',
      })
      proxy.answer = undefined
      proxy.change = (rows) => rows
    }
    ok(await accounts.setUsername(one, 'patience'))
  })
})

describe('the settings of the registry', () => {
  test('settings of the registry that contradict each other are refused', () => {
    const faults = (env: Record<string, string>) => {
      try {
        readConfig(env, 'development')
      } catch (error) {
        return (error as Error).message
      }
      return ''
    }
    const url = 'https://registry.example.org'
    const key = `0x${'11'.repeat(32)}`
    const address = `0x${'11'.repeat(20)}`
    const both = { ROOKERY_REGISTRY_URL: url, ROOKERY_REGISTRY_KEY: key }
    assert.match(faults(both), /ROOKERY_REGISTRY_URL and ROOKERY_REGISTRY_KEY contradict/)
    assert.match(faults({ ROOKERY_REGISTRY_SIGNERS: address }), /means nothing without/)
    const wrong: [string, string][] = [
      ['ROOKERY_REGISTRY_KEY', '0x12'],
      ['ROOKERY_REGISTRY_URL', 'ftp://x'],
      ['ROOKERY_REGISTRY_ADMINS', '5'],
      ['ROOKERY_REGISTRY_ADMINS', `0=${address}`],
      ['ROOKERY_REGISTRY_ADMINS', `5=${address}=6`],
      ['ROOKERY_RESERVED_NAMES', 'ok,Not Ok'],
      ['ROOKERY_NAME_CHANGE_DAYS', '-1'],
      ['ROOKERY_ENS_DOMAINS', `a..b=${address}`],
      ['ROOKERY_ENS_DOMAINS', 'names.example.org=resolver.eth'],
      ['ROOKERY_ENS_DOMAINS', 'names.example.org'],
    ]
    for (const [variable, text] of wrong) {
      assert.match(faults({ [variable]: text }), new RegExp(`${variable} must be`), text)
      assert.ok(variable !== 'ROOKERY_REGISTRY_KEY' || !faults({ [variable]: text }).includes(text))
    }
  })

  test('settings of names, administrators and days take effect', async (t) => {
    const world = await createWorld({
      env: {
        ROOKERY_RESERVED_NAMES: 'tern',
        ROOKERY_REGISTRY_ADMINS: `77=0x${'77'.repeat(20)}`,
        ROOKERY_NAME_CHANGE_DAYS: '2',
      },
    })
    t.after(() => world.close())
    const registry = registryClient(world)
    const one = await registry.person(1)
    registry.refused(await registry.register(one, 'tern'), 'USERNAME_RESERVED')
    accepted(await registry.register(one, 'admin'))
    registry.refused(await registry.register(one, 'other', { fid: 14_045 }), 'UNAUTHORIZED', 'fid')
    // On the first day of a first name it may be released.
    world.clock.advance(2 * DAY_MS - 1_000)
    registry.refused(await registry.release(one, 'admin'), 'THROTTLED')
    world.clock.advance(1_000)
    accepted(await registry.release(one, 'admin'))
  })
})

function startWith(env: Readonly<Record<string, string>>, { clock }: World): Promise<App> {
  const logger = createLogger({ level: 'fatal' })
  return startApp({ config: readConfig(env, 'development'), clock, logger })
}

/** Stands between a hub and a registry, and passes on what it is told to. */
async function startProxy(target: string) {
  const proxy = {
    url: '',
    asked: [] as string[],
    answer: undefined as { status: number; body: string } | undefined,
    change: (rows: Transfer[]): unknown[] => rows,
    close: async () => {},
  }
  const server: Server = createServer(async (request, response) => {
    proxy.asked.push(request.url!)
    response.setHeader('content-type', 'application/json')
    if (proxy.answer) return void response.writeHead(proxy.answer.status).end(proxy.answer.body)
    const body = (await (await fetch(target + request.url)).json()) as { transfers?: Transfer[] }
    const { transfers } = body
    response.end(JSON.stringify(transfers ? { transfers: proxy.change(transfers) } : body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  proxy.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  proxy.close = () =>
    new Promise((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return proxy
}
