// Who may register at a ledger: anyone, holders of an invite, or no one.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LocalAccount } from 'viem'
import type { App } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { devAccount } from '../src/dev/accounts.ts'
import { startDevNetwork } from '../src/dev/network.ts'
import { createInvite } from '../src/features/invites/invites.ts'
import { inviteRows } from '../src/features/invites/tables/invites.ts'
import { MAX_STAFF, staffRows } from '../src/features/moderation/tables/staff.ts'
import {
  callJson,
  signAdd,
  signedKeyRequestMetadata,
  signRegister,
} from '../src/kernel/accounts/signatures/sign.ts'
import { createLogger } from '../src/kernel/http/logger.ts'
import { accountDomains } from '../src/kernel/protocol/crypto/account-domains.ts'
import { ask, emptyStore, PRODUCTION_ENV, startServer } from './production.ts'
import { until } from './until.ts'
import { enginesOf, WORLD_START_MS } from './world.ts'

const DEADLINE = BigInt(WORLD_START_MS / 1000 + 3_600)
const OPERATOR = { authorization: `Bearer ${PRODUCTION_ENV.ROOKERY_OPS_TOKEN}` }
const person = (index: number) => devAccount(40 + index).custody
const INVITES = '/accounts/invites'

const operate = async (app: App, path: string, method = 'GET', body?: unknown) => {
  const response = await fetch(app.urls.operations + path, {
    method,
    headers: { ...OPERATOR, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return { status: response.status, body: (await response.json()) as Record<string, never> }
}

async function register(app: App, account: LocalAccount, invite?: string) {
  const domains = accountDomains(app.signingNetwork)
  const call = await signRegister(account, { deadline: DEADLINE, domains })
  const { status, body } = await ask(
    `${app.urls.accounts}/v1/registerFor`,
    callJson({ ...call, invite }),
  )
  return status === 200 ? body.fid : [status, body.code]
}

/** A registration with a key, which is refused when the key is of an app that does not exist. */
async function registerWithKey(
  app: App,
  account: LocalAccount,
  requestFid: number,
  invite: string,
) {
  const domains = accountDomains(app.signingNetwork)
  const terms = { deadline: DEADLINE, domains }
  const key = new Uint8Array(32).fill(7)
  const metadata = await signedKeyRequestMetadata(account, { requestFid, key, ...terms })
  const keys = [await signAdd(account, { key, metadata, ...terms })].map(
    ({ owner, ...added }) => added,
  )
  const call = { ...(await signRegister(account, terms)), keys, invite }
  const { status, body } = await ask(`${app.urls.accounts}/v1/register`, callJson(call))
  return status === 200 ? body.fid : [status, body.code]
}

for (const engine of enginesOf(import.meta.url)) {
  test(`registering needs an invite, which counts its uses, on ${engine}`, async (t) => {
    const app = await startServer(t, { ...(await emptyStore(t, engine)), ROOKERY_SIGNUP: 'invite' })
    assert.equal((await ask(`${app.urls.accounts}/v1/info`)).body.signup, 'invite')
    assert.deepEqual(await register(app, person(0)), [403, 'signup.invite_required'])
    assert.deepEqual(await register(app, person(0), 'guessed'), [403, 'signup.invalid_invite'])
    const terms = { uses: 2, days: 7, label: 'friends' }
    const { code, link, ...invite } = (await operate(app, INVITES, 'POST', terms)).body
    assert.deepEqual(
      [invite.uses, invite.usesLeft, invite.label, invite.expiresAt],
      [2, 2, 'friends', WORLD_START_MS + 7 * 86_400_000],
    )
    assert.match(link!, /^https?:.*\/join\?invite=/)
    assert.equal(await register(app, person(0), code), 1)
    // A refused registration uses nothing up.
    assert.deepEqual(await register(app, person(0), code), [400, 'InvalidSignature'])
    assert.deepEqual(await registerWithKey(app, person(1), 99, code!), [400, 'InvalidMetadata'])
    assert.equal(await registerWithKey(app, person(1), 2, code!), 2)
    const metrics = await (
      await fetch(`${app.urls.operations}/metrics`, { headers: OPERATOR })
    ).text()
    for (const [outcome, count] of [
      ['succeeded', 2],
      ['signup.invite_required', 1],
      ['InvalidMetadata', 1],
    ]) {
      const line = `rookery_signups_total{outcome="${outcome}"} ${count}\n`
      assert.ok(metrics.includes(line), line)
    }
    assert.deepEqual(await register(app, person(2), code), [403, 'signup.invalid_invite'])
    const { body: list } = await operate(app, INVITES)
    assert.deepEqual(list, { invites: [{ ...invite, usesLeft: 0 }] })
    assert.ok(!JSON.stringify(list).includes(code!))
  })

  test(`an invite for one account admits one of many that come at once on ${engine}`, async (t) => {
    const app = await startServer(t, { ...(await emptyStore(t, engine)), ROOKERY_SIGNUP: 'invite' })
    const { code } = (await operate(app, INVITES, 'POST', { uses: 1, days: 1 })).body
    const people = Array.from({ length: 10 }, (_, i) => person(i))
    const answers = await Promise.all(people.map((one) => register(app, one, code)))
    assert.equal(answers.filter((answer) => answer === 1).length, 1)
    const refused = answers.filter((answer) => answer !== 1)
    assert.ok(refused.every((answer) => String(answer) === '403,signup.invalid_invite'))
  })
}

test('the invite of the settings admits the first person, and nobody after there is an account', async (t) => {
  const code = 'FirstCodeFirstCodeFirst2'
  const env = { ...(await emptyStore(t)), ROOKERY_SIGNUP: 'invite', ROOKERY_FIRST_INVITE: code }
  const app = await startServer(t, env)
  assert.equal(await register(app, person(0), code), 1)
  assert.deepEqual(await register(app, person(1), code), [403, 'signup.invalid_invite'])
  const [{ id }] = (await operate(app, INVITES)).body.invites as unknown as [{ id: string }]
  await operate(app, `${INVITES}/${id}`, 'DELETE')
  await app.stop()
  const again = await startServer(t, env)
  assert.deepEqual(await register(again, person(1), code), [403, 'signup.invalid_invite'])
})

for (const engine of enginesOf(import.meta.url)) {
  for (const signup of ['invite', 'open']) {
    test(`who joins by an invite with a role has the role, once, where sign-up is ${signup}, on ${engine}`, async (t) => {
      const code = 'FirstCodeFirstCodeFirst2'
      const app = await startServer(t, {
        ...(await emptyStore(t, engine)),
        ROOKERY_SIGNUP: signup,
        ROOKERY_FIRST_INVITE: code,
      })
      const staff = async () => {
        const { body } = await operate(app, '/moderation/staff')
        const members = body.staff as unknown as { fid: number; role: string }[]
        return members.map(({ fid, role }) => [fid, role])
      }
      assert.equal(await register(app, person(0), code), 1)
      await until(async () => (await staff()).length === 1, 'the role of the first person')
      assert.deepEqual(await staff(), [[1, 'operator']])
      const wrong = { uses: 2, days: 7, role: 'moderator' }
      assert.equal((await operate(app, INVITES, 'POST', wrong)).status, 400)
      assert.equal(
        (await operate(app, INVITES, 'POST', { ...wrong, uses: 1, days: 15 })).status,
        400,
      )
      const made = await operate(app, INVITES, 'POST', { ...wrong, uses: 1 })
      const told = await (await fetch(`${app.urls.accounts}/v1/invites/${made.body.code}`)).json()
      assert.equal((told as { role: string }).role, 'moderator')
      assert.equal(await register(app, person(1), made.body.code!), 2)
      await until(async () => (await staff()).length === 2, 'the role of the second person')
      assert.deepEqual(await staff(), [
        [1, 'operator'],
        [2, 'moderator'],
      ])
      // The code gives nothing a second time.
      const again = await register(app, person(2), made.body.code!)
      if (signup === 'invite') assert.deepEqual(again, [403, 'signup.invalid_invite'])
      else assert.equal(again, 3)
      await app.ledger!.confirmDue()
      assert.equal((await staff()).length, 2)
      const log = await operate(app, '/moderation/log?limit=1')
      const { entries } = log.body.result as unknown as {
        entries: { actor: string; reason: string }[]
      }
      const [entry] = entries
      assert.deepEqual(
        [entry?.actor, entry?.reason],
        ['server', 'You joined by an invite with this role.'],
      )
      const [row] = await app.storage.of(inviteRows).list('operator', 1)
      assert.equal(row?.used_by, null, 'the address is forgotten')
    })
  }

  test(`no invite with a role is made without a place for its holder, on ${engine}`, async (t) => {
    const app = await startServer(t, { ...(await emptyStore(t, engine)), ROOKERY_SIGNUP: 'invite' })
    const invite = { uses: 1, days: 7, role: 'moderator' }
    const since = 1
    await app.storage.write('hub', async (tx) => {
      for (let fid = 1; fid < MAX_STAFF; fid++) {
        await tx.of(staffRows).put({ fid, role: 'moderator', since, appointed_by: 'operator' })
      }
    })
    const last = await operate(app, INVITES, 'POST', invite)
    assert.equal(last.status, 200, JSON.stringify(last.body))
    const promised = await operate(app, INVITES, 'POST', invite)
    assert.deepEqual([promised.status, promised.body.field], [400, 'role'])
    assert.match(JSON.stringify(promised.body), /revoke one first/)
    assert.equal((await operate(app, INVITES, 'POST', { uses: 1, days: 7 })).status, 200)
    await app.storage.write('hub', (tx) =>
      tx.of(staffRows).put({ fid: MAX_STAFF, role: 'moderator', since, appointed_by: 'operator' }),
    )
    // The place was given by hand meanwhile: who joins by the invite is a member.
    const fid = await register(app, person(0), last.body.code!)
    assert.equal(typeof fid, 'number')
    assert.equal((await app.storage.of(staffRows).list()).length, MAX_STAFF)
    const full = await operate(app, INVITES, 'POST', invite)
    assert.match(JSON.stringify(full.body), /take one away first/)
  })

  test(`members take no invites of the operator, and those of a suspended member admit nobody, on ${engine}`, async (t) => {
    const app = await startServer(t, { ...(await emptyStore(t, engine)), ROOKERY_SIGNUP: 'invite' })
    const { storage, clock } = app
    const terms = { uses: 1, days: 14, label: '' }
    const { code } = await createInvite(storage, clock.now(), { ...terms, inviter: 7 })
    const row = (await storage.of(inviteRows).list('members', 1))[0]!
    await storage.write('hub', async (tx) => {
      for (let i = 0; i < 1_000; i++) {
        const code_hash = Buffer.alloc(20)
        code_hash.writeUInt32BE(i)
        await tx.of(inviteRows).insert({ ...row, code_hash, inviter: i })
      }
    })
    const made = await operate(app, INVITES, 'POST', { uses: 1, days: 1 })
    assert.equal(made.status, 200, JSON.stringify(made.body))
    const { invites } = (await operate(app, INVITES)).body
    assert.ok(JSON.stringify(invites).includes(made.body.id!))

    const none = { erasing: 0, erased_before: 0, erase_deadline: 0, changed_at: 0 } as const
    const suspend = (hidden: 0 | 1) =>
      storage.write('hub', (tx) =>
        tx.moderation.putAccount({ ...none, fid: 7, suspended: hidden, hidden }),
      )
    await suspend(1)
    assert.deepEqual(await register(app, person(1), code), [403, 'signup.invalid_invite'])
    await suspend(0)
    assert.equal(typeof (await register(app, person(1), code)), 'number')
  })
}

test('a revoked or expired invite is refused', async (t) => {
  const app = await startServer(t, { ...(await emptyStore(t)), ROOKERY_SIGNUP: 'invite' })
  const { code, id } = (await operate(app, INVITES, 'POST', { uses: 5, days: 1 })).body
  assert.equal(await register(app, person(0), code), 1)
  assert.equal((await operate(app, `${INVITES}/${id}`, 'DELETE')).status, 200)
  assert.deepEqual(await register(app, person(1), code), [403, 'signup.invalid_invite'])
  assert.equal((await operate(app, `${INVITES}/${id}`, 'DELETE')).status, 404)
  assert.equal((await operate(app, `${INVITES}/0x12`, 'DELETE')).status, 400)
  const other = (await operate(app, INVITES, 'POST', { uses: 5, days: 1 })).body
  await app.storage.write('hub', async (tx) => {
    const [stored] = await tx.of(inviteRows).list('operator', 1)
    await tx.of(inviteRows).remove(stored!.code_hash)
    await tx.of(inviteRows).insert({ ...stored!, expires_at: WORLD_START_MS })
  })
  assert.deepEqual(await register(app, person(1), other.code), [403, 'signup.invalid_invite'])
})

test('a registration is refused where sign-up is closed, and production asks for invites unless told otherwise', async (t) => {
  const closed = await startServer(t, { ...(await emptyStore(t)), ROOKERY_SIGNUP: 'closed' })
  const { code } = (await operate(closed, INVITES, 'POST', { uses: 5, days: 1 })).body
  assert.deepEqual(await register(closed, person(0), code), [403, 'signup.closed'])
  const { ROOKERY_SIGNUP: _, ...env } = PRODUCTION_ENV
  assert.equal(readConfig(env, 'production').signup, 'invite')
  assert.equal(readConfig(env, 'development').signup, 'open')
})

test('invites are for the operator alone', async (t) => {
  const app = await startServer(t, await emptyStore(t))
  for (const path of [INVITES, `${INVITES}/0x${'00'.repeat(20)}`]) {
    const answer = await fetch(app.urls.operations + path, {
      method: path === INVITES ? 'GET' : 'DELETE',
    })
    assert.equal(answer.status, 401)
  }
  assert.equal((await operate(app, INVITES, 'POST', { uses: 0, days: 1 })).status, 400)
})

test('a development network has its accounts whatever the sign-up mode is', async (t) => {
  const env = { ...PRODUCTION_ENV, ...(await emptyStore(t)), ROOKERY_SIGNUP: 'closed' }
  const network = await startDevNetwork({
    config: readConfig(env, 'development'),
    logger: createLogger({ level: 'fatal' }),
  })
  assert.equal(await network.storage.accounts.count(), 10)
  await network.stop()
})
