import { keyRequestRows } from '../src/features/key-requests/tables/key-requests.ts'
// Two programs on one PostgreSQL: what is approved at one is known at the other, and done once.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type App, startApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { KEY_REQUESTS_OF_APPS } from '../src/features/key-requests/port.ts'
import { createLogger } from '../src/kernel/http/logger.ts'
import { fromHex } from '../src/kernel/protocol/codec/bytes.ts'
import { type AppKey, appKey, type Body, keyRequestClient } from './key-requests-support.ts'
import type { Person } from './registry-support.ts'
import { createWorld, type World } from './world.ts'

const CONFIRMATION_MS = 5_000
const CROWD = 50

describe('key requests with two programs', { concurrency: 1 }, () => {
  let world: World
  let second: App
  let client: ReturnType<typeof keyRequestClient>
  let app: Person
  let sponsor: Person
  let keys = 0
  const newKey = (): AppKey => appKey(++keys)
  before(async () => {
    world = await createWorld({
      engine: 'postgres',
      env: { ROOKERY_CONFIRMATION_MS: String(CONFIRMATION_MS) },
    })
    second = await startApp({
      config: readConfig(world.env, 'development'),
      clock: world.clock,
      logger: createLogger({ level: 'fatal' }),
    })
    client = keyRequestClient(world)
    ;[app, sponsor] = (await client.people([1, 2])) as [Person, Person]
  })
  after(async () => {
    await second?.stop()
    await world.close()
  })

  const confirm = async () => {
    world.clock.advance(CONFIRMATION_MS)
    await Promise.all([world.app.ledger!.confirmDue(), second.ledger!.confirmDue()])
  }
  const stateAt = async ({ urls }: App, token: string) => {
    const response = await fetch(`${urls.platform}/v2/signed-key-request?token=${token}`)
    // biome-ignore lint/suspicious/noExplicitAny: JSON of the platform
    return ((await response.json()) as any).result.signedKeyRequest
  }
  const approveAt = async ({ urls }: App, approval: Body) => {
    const response = await fetch(`${urls.platform}/v2/approve-signed-key-requests`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(approval),
    })
    await response.body?.cancel()
    return response.status
  }

  test('a stream of one program reports changes made at the other', async () => {
    const [user] = (await client.people([3])) as [Person]
    const token = await client.ask(app, newKey())
    const url = `${second.urls.platform}/v2/signed-key-request-events?token=${token}`
    const states: string[] = []
    const body = (await fetch(url)).body!.pipeThrough(new TextDecoderStream())
    for await (const text of body) {
      const told = [...text.matchAll(/^data: .*"state":"(\w+)"/gm)].map(([, state]) => state!)
      states.push(...told)
      if (told.includes('pending')) {
        assert.equal((await client.approve(token, user)).status, 200)
        assert.equal((await stateAt(second, token)).state, 'approved')
      }
      if (told.includes('approved')) await confirm()
    }
    assert.deepEqual(states, ['pending', 'approved', 'completed'])
  })

  test('one of fifty approvals at two programs wins, and the sponsor pays once', async () => {
    await client.grant(sponsor.fid, 500)
    const key = newKey()
    const token = await client.ask(app, key, { sponsor })
    const users = await client.people(Array.from({ length: CROWD }, (_, i) => 100 + i))
    const approvals = await Promise.all(users.map((user) => client.approvalOf(token, user)))
    const statuses = await Promise.all(
      approvals.map((approval, i) => approveAt(i % 2 ? second : world.app, approval)),
    )
    assert.equal(statuses.filter((status) => status === 200).length, 1)
    assert.equal(statuses.filter((status) => status === 400).length, CROWD - 1)
    const { credit: before } = await client.creditOf(sponsor.fid)
    assert.deepEqual(before, { fid: sponsor.fid, balance: 500, reserved: 100 })
    await confirm()
    const { state, userFid } = await stateAt(second, token)
    assert.equal(state, 'completed')
    assert.equal(userFid, users[statuses.indexOf(200)]!.fid)
    const holders = await Promise.all(
      users.map(({ fid }) => second.accounts.isActiveKey(fid, fromHex(key.key)!)),
    )
    assert.equal(holders.filter((isHeld) => isHeld).length, 1)
    const { credit, entries } = await client.creditOf(sponsor.fid)
    assert.deepEqual(credit, { fid: sponsor.fid, balance: 400, reserved: 0 })
    assert.equal(entries.length, 2)
  })

  test('interrupted approvals are submitted by one of two programs', async () => {
    const users = await client.people(Array.from({ length: 8 }, (_, i) => 200 + i))
    const tokens: string[] = []
    for (const _ of users) tokens.push(await client.ask(app, newKey(), { sponsor }))
    const approvals = await Promise.all(users.map((user, i) => client.approvalOf(tokens[i]!, user)))
    const { storage } = world.app
    const rows = await storage.of(keyRequestRows).byTokens(tokens.map((token) => fromHex(token)!))
    await storage.write('hub', async (tx) => {
      // Approved, and then the power went out.
      const credit = (await tx.of(keyRequestRows).credit(sponsor.fid))!
      await tx.of(keyRequestRows).putCredit({ ...credit, balance: 800, reserved: 800 })
      await tx.of(keyRequestRows).put(
        approvals.map(({ token, deadline, signature, userFid }, i) => ({
          ...rows.find((row) => Buffer.from(row.token).equals(fromHex(token)!))!,
          state: 'approved' as const,
          user_fid: userFid,
          approved_at: client.now(),
          add_owner: fromHex(users[i]!.account.address)!,
          add_nonce: 0,
          add_deadline: deadline,
          add_signature: fromHex(signature)!,
        })),
      )
    })
    world.clock.advance(60_000)
    const both = [world.app, second].map(({ of }) => of(KEY_REQUESTS_OF_APPS).runMaintenance())
    await Promise.all(both)
    const states = async () =>
      (await Promise.all(tokens.map((token) => stateAt(second, token)))).map(({ state }) => state)
    assert.deepEqual(await states(), Array(8).fill('approved'))
    await confirm()
    assert.deepEqual(await states(), Array(8).fill('completed'))
    const { credit } = await client.creditOf(sponsor.fid)
    assert.deepEqual(credit, { fid: sponsor.fid, balance: 0, reserved: 0 })
  })

  test('of twenty approvals for a gasless key at two programs one wins, and both know the key', async () => {
    const gasless = { scopes: ['MESSAGE_TYPE_CAST_ADD'], ttl: 3_600 }
    const key = newKey()
    const token = await client.ask(app, key, { gasless })
    const users = await client.people(Array.from({ length: 20 }, (_, i) => 300 + i))
    const approvals = await Promise.all(users.map((user) => client.approvalOf(token, user)))
    const statuses = await Promise.all(
      approvals.map((approval, i) => approveAt(i % 2 ? second : world.app, approval)),
    )
    assert.equal(statuses.filter((status) => status === 200).length, 1)
    const winner = users[statuses.indexOf(200)]!
    for (const one of [world.app, second]) {
      const { state, userFid } = await stateAt(one, token)
      assert.deepEqual([state, userFid], ['completed', winner.fid])
      const [row] = await one.storage.gaslessKeys.ofKeys([fromHex(key.key)!])
      assert.equal(row!.fid, winner.fid)
    }
  })
})
