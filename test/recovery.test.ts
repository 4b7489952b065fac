import { pushRows } from '../src/features/push/tables/pushes.ts'
import { TAKE_BACK } from '../src/features/recovery/recovery-service.ts'
import { recoveryRows } from '../src/features/recovery/tables/recoveries.ts'
import { DAY_MS } from '../src/kernel/protocol/time.ts'
// The recovery service of the operator: who has lost every key gets the account back after a waiting time in which its owner can
// stop it. Keys are viem accounts; the clock is the test's.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type LocalAccount, privateKeyToAccount } from 'viem/accounts'
import {
  callJson,
  signChangeRecovery,
  signRegister,
  signTransfer,
} from '../src/kernel/accounts/signatures/sign.ts'
import { transferTypedData } from '../src/kernel/accounts/signatures/typed-data.ts'
import { fromHex } from '../src/kernel/protocol/codec/bytes.ts'
import { accountDomains } from '../src/kernel/protocol/crypto/account-domains.ts'
import { accountDataTypedData } from '../src/kernel/protocol/crypto/eip712.ts'
import { indexed } from './indexed.ts'
import { startCommands } from './program.ts'
import { until } from './until.ts'
import { createWorld, enginesOf, type World } from './world.ts'

const WAIT_DAYS = 7
const PATH = '/v1/recovery'
const NOBODY = new Uint8Array(20)
type Entry = { readonly action: string; readonly fid: number; readonly actor: string }
type Read = { readonly fid: number; readonly askedAt: number }
const DECISION = { actor: 'operator', reason: 'we know each other' }
type Asking = { days?: number; note?: string; by?: LocalAccount; client?: string }
const key = (digit: string): LocalAccount =>
  privateKeyToAccount(`0x${digit.repeat(64 / digit.length)}`)

for (const engine of enginesOf(import.meta.url)) {
  describe(`the recovery service on ${engine}`, { concurrency: 1 }, () => {
    let world: World
    before(async () => {
      const env = {
        ROOKERY_VIEWS: 'on',
        ROOKERY_RECOVERY_DAYS: String(WAIT_DAYS),
        ROOKERY_TRUSTED_PROXIES: '127.0.0.1',
      }
      world = await createWorld({ engine, env })
      await indexed(world.app)
    })
    after(() => world.close())

    const now = () => Math.floor(world.clock.now() / 1_000)
    const domains = () => accountDomains(world.app.signingNetwork)
    const call = async (method: string, body: object) => {
      const response = await fetch(`${world.app.urls.accounts}/v1/${method}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(callJson(body)),
      })
      // biome-ignore lint/suspicious/noExplicitAny: tests look into JSON as they find it
      return { status: response.status, body: (await response.json()) as any }
    }
    let clients = 0
    /** Each call comes from another provider, unless a client is given. */
    const app = async (
      path: string,
      body?: object,
      client = `${10 + (clients >> 8)}.${clients++ & 255}.0.1`,
    ) => {
      const response = await fetch(world.app.urls.accounts + path, {
        ...(body && { method: 'POST', body: JSON.stringify(body) }),
        headers: { 'content-type': 'application/json', 'x-forwarded-for': client },
      })
      // biome-ignore lint/suspicious/noExplicitAny: tests look into JSON as they find it
      return { status: response.status, body: (await response.json()) as any }
    }
    const serviceOf = async (fid: number) => (await app(`${PATH}?fid=${fid}`)).body
    const addressOfService = async () => fromHex((await serviceOf(1)).service.address)!

    /** Registers an account that has named the service. */
    async function register(owner: LocalAccount): Promise<number> {
      const signed = await signRegister(owner, {
        deadline: BigInt(now() + 3_600),
        domains: domains(),
        recovery: await addressOfService(),
      })
      const { status, body } = await call('registerFor', signed)
      assert.equal(status, 200, JSON.stringify(body))
      return body.fid
    }

    async function requestFor(
      fid: number,
      receiver: LocalAccount,
      { days = 90, note = 'It is me, from the book club', by = receiver, client }: Asking = {},
    ) {
      const deadline = now() + days * 86_400
      const terms = { fid, to: fromHex(receiver.address)!, nonce: 0, deadline: BigInt(deadline) }
      const typedData = transferTypedData(domains(), terms)
      // viem infers structs from literal types; here they are data like any other.
      const signature = await by.signTypedData(typedData as never)
      return app(PATH, { fid, receiver: receiver.address, deadline, signature, note }, client)
    }
    /** The owner names another recovery address. */
    async function name(
      owner: LocalAccount,
      fid: number,
      from: Uint8Array,
      to: Uint8Array,
      nonce: number,
    ) {
      const deadline = BigInt(now() + 3_600)
      const signed = await signChangeRecovery(owner, {
        fid,
        from,
        to,
        deadline,
        domains: domains(),
        nonce,
      })
      assert.equal((await call('changeRecoveryAddressFor', signed)).status, 200)
    }
    const stateOf = (receiver: LocalAccount) => app(`${PATH}/requests/${receiver.address}`)
    const decide = (receiver: LocalAccount, what: 'start' | 'refuse', read: Read) =>
      world.operate(`/app/recoveries/${receiver.address}/${what}`, {
        body: { ...DECISION, fid: read.fid, askedAt: read.askedAt },
      })
    const run = () => world.app.jobs.run('recover accounts')
    const fidOf = async (owner: LocalAccount): Promise<number> =>
      (
        (await (
          await fetch(`${world.app.urls.accounts}/v1/idOf?address=${owner.address}`)
        ).json()) as { fid: number }
      ).fid

    test('who has lost every key gets the account at the end of the waiting time, and not before', async () => {
      const [owner, receiver] = [key('1'), key('2')]
      const fid = await register(owner)
      assert.deepEqual((await serviceOf(fid)).service.waitDays, WAIT_DAYS)
      const role = { ...DECISION, role: 'operator', custody: owner.address }
      await world.operate(`/moderation/staff/${fid}/appoint`, { body: role })
      const asked = await requestFor(fid, receiver)
      assert.equal(asked.status, 200, JSON.stringify(asked.body))
      assert.equal((await serviceOf(fid)).movesAt, null)
      assert.deepEqual((await stateOf(receiver)).body, asked.body)
      assert.ok(!('note' in asked.body))
      const { body } = await world.operate('/app/recoveries')
      assert.equal(body.waitDays, WAIT_DAYS)
      assert.deepEqual(
        body.requests.map((one: { fid: number; note: string }) => [one.fid, one.note]),
        [[fid, 'It is me, from the book club']],
      )
      const metrics = await (await fetch(`${world.app.urls.operations}/metrics`)).text()
      assert.match(metrics, /^rookery_recovery_requests 1$/m)
      // Nothing happens before the operator decides.
      world.clock.advance(10 * DAY_MS)
      await run()
      assert.equal(await fidOf(owner), fid)
      const started = await decide(receiver, 'start', asked.body)
      assert.equal(started.status, 200, JSON.stringify(started.body))
      const movesAt = (await serviceOf(fid)).movesAt
      assert.equal(movesAt, now() + WAIT_DAYS * 86_400)
      world.clock.advance(WAIT_DAYS * DAY_MS - 2_000)
      assert.deepEqual((await decide(receiver, 'start', asked.body)).body.movesAt, movesAt)
      await run()
      assert.equal(await fidOf(owner), fid)
      world.clock.advance(2_000)
      await run()
      assert.equal(await fidOf(receiver), fid)
      assert.equal(await fidOf(owner), 0)
      assert.deepEqual((await world.operate('/app/recoveries')).body.requests, [])
      // A role was given to a person: whoever has the account now has none.
      assert.deepEqual((await world.operate('/moderation/staff')).body.staff, [])
      const { entries } = (await world.operate('/moderation/log?limit=3')).body.result
      assert.deepEqual(
        entries.map(({ action, fid: of, actor }: Entry) => [action, of, actor]),
        [
          ['dismiss', fid, 'server'],
          ['start-recovery', fid, 'operator'],
          ['start-recovery', fid, 'operator'],
        ],
      )
    })

    test('the owner stops a move by naming another recovery address, and the operator by refusing', async () => {
      const [owner, thief, other] = [key('3'), key('4'), key('5')]
      const fid = await register(owner)
      await decide(thief, 'start', (await requestFor(fid, thief)).body)
      assert.equal((await stateOf(thief)).body.fid, fid)
      const service = await addressOfService()
      await name(owner, fid, service, NOBODY, 0)
      assert.equal((await stateOf(thief)).status, 404)
      assert.deepEqual((await world.operate('/app/recoveries')).body.requests, [])
      assert.equal((await requestFor(fid, thief)).status, 403)
      // Naming the service again brings nothing back.
      await name(owner, fid, NOBODY, service, 1)
      world.clock.advance(WAIT_DAYS * DAY_MS)
      await run()
      assert.equal(await fidOf(owner), fid)
      assert.equal((await serviceOf(fid)).movesAt, null)

      const second = await register(other)
      const { body: asked } = await requestFor(second, thief)
      await decide(thief, 'start', asked)
      assert.equal((await decide(thief, 'refuse', asked)).status, 200)
      assert.equal((await decide(thief, 'refuse', asked)).status, 404)
      world.clock.advance(WAIT_DAYS * DAY_MS)
      await run()
      assert.equal(await fidOf(other), second)
    })

    test('who asked takes the request back, also while it waits, and nobody else does', async () => {
      const [owner, receiver] = [key('e1'), key('e2')]
      const fid = await register(owner)
      const takeBack = async (by: LocalAccount, deadline = now() + 600) => {
        const action = { action: TAKE_BACK, fid, network: 'devnet', deadline }
        const typedData = accountDataTypedData(action, domains().idRegistry)
        const signature = await by.signTypedData(typedData as never)
        return app(`${PATH}/take-back`, { fid, receiver: receiver.address, deadline, signature })
      }
      assert.equal((await takeBack(receiver)).status, 404)
      const asked = await requestFor(fid, receiver)
      await decide(receiver, 'start', asked.body)
      const byOwner = await takeBack(owner)
      assert.deepEqual([byOwner.status, byOwner.body.code], [400, 'InvalidSignature'])
      assert.equal((await takeBack(receiver, now() - 1)).body.code, 'SignatureExpired')
      assert.deepEqual((await takeBack(receiver)).body, { takenBack: true })
      assert.equal((await stateOf(receiver)).status, 404)
      assert.equal((await serviceOf(fid)).movesAt, null)
      const { entries } = (await world.operate('/moderation/log?limit=1')).body.result
      assert.deepEqual([entries[0].action, entries[0].actor], ['refuse-recovery', 'who asked'])
      world.clock.advance(WAIT_DAYS * DAY_MS)
      await run()
      assert.equal(await fidOf(owner), fid)
    })

    test('a request is refused for an account that did not name the service, by another key, and for a key that has an account', async () => {
      const [owner, receiver, stranger] = [key('6'), key('7'), key('8')]
      const fid = await register(owner)
      const deadline = BigInt(now() + 3_600)
      const plain = await signRegister(stranger, { deadline, domains: domains() })
      const { fid: unnamed } = (await call('registerFor', plain)).body
      const refused = async (
        answer: ReturnType<typeof requestFor>,
        status: number,
        code: string,
      ) => {
        const { status: got, body } = await answer
        assert.deepEqual([got, body.code], [status, code], JSON.stringify(body))
      }
      await refused(requestFor(unnamed, receiver), 403, 'Unauthorized')
      await refused(requestFor(fid, receiver, { by: stranger }), 400, 'InvalidSignature')
      await refused(requestFor(fid, stranger), 409, 'HasId')
      await refused(requestFor(fid, receiver, { days: 1 }), 400, 'bad_request.validation_failure')
      await refused(requestFor(fid, receiver, { days: 400 }), 400, 'bad_request.validation_failure')
      await refused(
        requestFor(fid, receiver, { note: 'x'.repeat(501) }),
        400,
        'bad_request.validation_failure',
      )
    })

    test('the operator starts only the request that they have read: another account of the same key is another request', async () => {
      const [mine, victim, asker] = [key('a1'), key('a2'), key('a3')]
      const [own, other] = [await register(mine), await register(victim)]
      const { body: read } = await requestFor(own, asker)
      // After the operator has looked, the same key asks for the account of somebody else.
      world.clock.advance(1_000)
      const { body: swapped } = await requestFor(other, asker)
      const { body } = await world.operate('/app/recoveries')
      const fids = body.requests.map(({ fid }: Read) => fid)
      assert.deepEqual(fids, [own, other])
      const started = await decide(asker, 'start', read)
      assert.deepEqual([started.status, started.body.fid], [200, own])
      assert.equal((await serviceOf(other)).movesAt, null)
      // Neither may be named by half of the other.
      const mixed = await decide(asker, 'refuse', { fid: other, askedAt: read.askedAt })
      assert.deepEqual([mixed.status, mixed.body.code], [409, 'changed_meanwhile'])
      const unknown = await decide(asker, 'start', { fid: 4_000_000, askedAt: read.askedAt })
      assert.deepEqual([unknown.status, unknown.body.field], [409, 'fid'])
      assert.equal((await app(`${PATH}/requests/${asker.address}?fid=${own}`)).body.fid, own)
      assert.equal((await decide(asker, 'refuse', read)).status, 200)
      assert.deepEqual((await stateOf(asker)).body, swapped)
      await decide(asker, 'refuse', swapped)
    })

    test('a request that was asked again with other words is not the one that the operator has read', async () => {
      const [owner, asker] = [key('a4'), key('a5')]
      const fid = await register(owner)
      const { body: read } = await requestFor(fid, asker, { note: 'Call the number you know' })
      const { body: again } = await requestFor(fid, asker, { note: 'Call this other number' })
      assert.ok(again.askedAt > read.askedAt, 'also within one second')
      for (const what of ['start', 'refuse'] as const) {
        const { status, body } = await decide(asker, what, read)
        assert.deepEqual([status, body.field], [409, 'askedAt'], JSON.stringify(body))
      }
      assert.equal((await decide(asker, 'start', again)).status, 200)
      await decide(asker, 'refuse', again)
      assert.equal(
        (await world.operate(`/app/recoveries/${asker.address}/start`, { body: DECISION })).status,
        400,
      )
    })

    test('a move that is refused while the job runs does not happen', async (t) => {
      const [owner, asker] = [key('a6'), key('a7')]
      const fid = await register(owner)
      const { body: read } = await requestFor(fid, asker)
      await decide(asker, 'start', read)
      world.clock.advance(WAIT_DAYS * DAY_MS)
      const recoveries = world.app.storage.of(recoveryRows)
      const started = recoveries.started.bind(recoveries)
      const refusing = t.mock.method(recoveries, 'started', async (due: number) => {
        const rows = await started(due)
        assert.equal((await decide(asker, 'refuse', read)).status, 200)
        return rows
      })
      await run()
      assert.equal(refusing.mock.callCount(), 1)
      assert.equal(await fidOf(owner), fid)
      assert.equal(await fidOf(asker), 0)
    })

    test('requests for an account are bounded, those that nobody decides are forgotten, and an erasure removes them', async () => {
      const owner = key('9')
      const fid = await register(owner)
      const receivers = Array.from({ length: 21 }, (_, i) => key(`${i + 10}`.padStart(4, 'f')))
      const asked: number[] = []
      for (const receiver of receivers) {
        asked.push((await requestFor(fid, receiver)).status)
        world.clock.advance(1_000)
      }
      // Each came from a provider of its own, and the oldest of each stays.
      assert.deepEqual(asked, [...Array(20).fill(200), 503])
      const kept = await world.app.storage.of(recoveryRows).ofFid(fid)
      assert.deepEqual(
        kept.map((one) => Buffer.from(one.receiver).toString('hex')),
        receivers.slice(0, 20).map(({ address }) => address.slice(2).toLowerCase()),
      )
      world.clock.advance(30 * DAY_MS)
      await run()
      assert.deepEqual(await world.app.storage.of(recoveryRows).ofFid(fid), [])
      assert.equal((await requestFor(fid, receivers[0]!)).status, 200)
      await world.operate(`/moderation/accounts/${fid}/erase`, { body: DECISION })
      await until(
        async () => (await world.app.storage.of(recoveryRows).ofFid(fid)).length === 0,
        'the request is removed',
      )
    })

    test('strangers of one provider neither push out the request of the owner nor use up the room of others', async () => {
      const { storage } = world.app
      const fids = [await register(key('cd')), await register(key('ce'))]
      const owner = key('f1')
      assert.equal((await requestFor(fids[0]!, owner)).status, 200)
      let strangers = 0
      const asked = async (fid: number, client: string, count: number) => {
        let accepted = 0
        for (let n = 0; n < count; n++) {
          const receiver = key(`${100 + strangers++}`.padStart(4, 'e'))
          const { status } = await requestFor(fid, receiver, { client })
          assert.ok(status === 200 || status === 429, String(status))
          if (status === 200) accepted++
        }
        return accepted
      }
      // Networks of one provider, of which the first has asked for another account as well.
      assert.equal(await asked(fids[0]!, '2001:db8:1::1', 5), 3)
      assert.equal(await asked(fids[0]!, '2001:db8:2::1', 3), 0)
      assert.equal(await asked(fids[1]!, '2001:db8:1::1', 5), 2)
      assert.equal(await asked(fids[1]!, '2001:db8:2::1', 5), 1)
      assert.equal((await stateOf(owner)).status, 200)
      // Requests of many strangers, as networks of many providers could have brought them.
      const before = await storage.of(recoveryRows).undecided()
      const terms = {
        deadline: now(),
        signature: new Uint8Array(65),
        note: '',
        due_at: null,
        by_mail: 0 as const,
      }
      const row = { ...terms, provider: '' }
      await storage.write('hub', async (tx) => {
        for (let n = before.length; n < 1_000; n++) {
          const receiver = Buffer.alloc(20, 9)
          receiver.writeUInt32BE(n)
          await tx
            .of(recoveryRows)
            .put({ ...row, receiver, fid: 10_000 + (n % 60), asked_at: now() })
        }
      })
      const late = key('f2')
      assert.equal((await requestFor(fids[1]!, late)).status, 200)
      assert.equal((await stateOf(owner)).status, 200)
      assert.equal((await stateOf(late)).status, 200)
      assert.equal(await storage.of(recoveryRows).undecidedCount(), 1_000)
      const added = await storage.of(recoveryRows).list()
      await storage.write('hub', (tx) =>
        tx.of(recoveryRows).removeOf(added.map(({ fid }) => fid).filter((fid) => fid >= 10_000)),
      )
    })

    test('strangers with networks of many providers displace each other and not the owner, over days', async () => {
      const fid = await register(key('ca'))
      const owner = key('f3')
      assert.equal((await requestFor(fid, owner)).status, 200)
      let strangers = 0
      for (let day = 0; day < 3; day++) {
        for (let n = 0; n < 21; n++) {
          const receiver = key(`${100 + strangers++}`.padStart(4, '7'))
          // Three of each of seven providers.
          const client = `203.${n % 7}.${n}.1`
          assert.equal((await requestFor(fid, receiver, { client })).status, 200)
          world.clock.advance(1_000)
        }
        assert.equal((await stateOf(owner)).status, 200, `day ${day}`)
        world.clock.advance(DAY_MS)
      }
      const kept = await world.app.storage.of(recoveryRows).ofFid(fid)
      assert.equal(kept.length, 20)
      await world.app.storage.write('hub', (tx) => tx.of(recoveryRows).removeOf([fid]))
    })

    test('a network asks five times a day, and a provider ten times', async () => {
      const asked: number[] = []
      for (let n = 0; n < 12; n++) {
        const fid = await register(key(`${n + 10}`.padStart(4, 'd')))
        const receiver = key(`${n + 10}`.padStart(4, 'b'))
        const client = `192.0.2.${n < 6 ? 1 : 2}`
        asked.push((await requestFor(fid, receiver, { client })).status)
      }
      const fid = await register(key('da'))
      assert.deepEqual(asked, [...Array(5).fill(200), 429, ...Array(5).fill(200), 429])
      assert.equal((await requestFor(fid, key('ba'), { client: '192.0.3.1' })).status, 429)
      world.clock.advance(DAY_MS)
      assert.equal((await requestFor(fid, key('ba'), { client: '192.0.2.1' })).status, 200)
    })

    test('every device of the owner is told when a move is started, whatever else it is told of', async () => {
      const fid = await register(key('cf'))
      const device = {
        ...{
          id: `device of ${fid}`,
          fid,
          signer: new Uint8Array(32),
          kinds: 'likes',
          name: 'Phone',
        },
        ...{ endpoint: 'https://push.example/1', public_key: new Uint8Array(65) },
        ...{ secret: new Uint8Array(16), failures: 0, created_at: now(), pushed_at: null },
      }
      const { storage } = world.app
      await storage.write(`fid/${fid}`, (tx) => tx.of(pushRows).putDevices([device]))
      const receiver = key('d1')
      const { body: asked } = await requestFor(fid, receiver)
      // Pushes are counted where a device is told; what waits may have been sent already.
      const told = async () => [...(await storage.quotas.used('pushes', [`${fid}/first`]))].length
      assert.equal(await told(), 0)
      const push = { device: device.id, fid, actor: null, payload: '{}', topic: 'x', attempts: 0 }
      const waiting = Array.from({ length: 100 }, (_, i) => {
        return { ...push, id: `${fid} ${i}`, due: Number.MAX_SAFE_INTEGER, expires_at: 0 }
      })
      await storage.write(`fid/${fid}`, (tx) => tx.of(pushRows).addWaiting(waiting))
      await decide(receiver, 'start', asked)
      assert.equal(await told(), 1)
    })

    test('the operator lists, starts and refuses requests on the command line', async () => {
      const [owner, receiver] = [
        privateKeyToAccount(`0x${'78'.repeat(32)}`),
        privateKeyToAccount(`0x${'9a'.repeat(32)}`),
      ]
      const fid = await register(owner)
      const { body: asked } = await requestFor(fid, receiver)
      const commands = startCommands()
      const named = ['--fid', String(fid), '--asked-at', String(asked.askedAt)]
      const decision = [...named, '--reason', 'known', '--actor', 'operator']
      const command = async (path: string, ...args: string[]) => {
        const at = ['--operations', world.app.urls.operations]
        const result = await commands.run(world.env, ...path.split(' '), ...args, ...at)
        assert.equal(result.code, 0, result.stderr)
        return result.stdout
      }
      const { address } = receiver
      const listed = await command('recovery list')
      assert.match(listed, RegExp(`fid ${fid}, not decided: It is me`))
      assert.ok(listed.toLowerCase().includes([address.toLowerCase(), ...named].join(' ')), listed)
      assert.match(
        await command('recovery start', address, ...decision),
        RegExp(`^fid ${fid} moves to the new key at `),
      )
      assert.match(await command('recovery list'), RegExp(`fid ${fid}, moves at `))
      assert.equal(
        await command('recovery refuse', address, ...decision),
        `the request for fid ${fid} is refused\n`,
      )
      assert.equal((await decide(receiver, 'refuse', asked)).status, 404)
      commands.stop()
    })

    test('a moved account is moved once: the new owner may give it away', async () => {
      const [owner, receiver, friend] = [
        privateKeyToAccount(`0x${'12'.repeat(32)}`),
        privateKeyToAccount(`0x${'34'.repeat(32)}`),
        privateKeyToAccount(`0x${'56'.repeat(32)}`),
      ]
      const fid = await register(owner)
      await decide(receiver, 'start', (await requestFor(fid, receiver)).body)
      world.clock.advance(WAIT_DAYS * DAY_MS)
      await run()
      assert.equal(await fidOf(receiver), fid)
      const signed = await signTransfer(receiver, friend, {
        ...{ fid, fromNonce: 1, deadline: BigInt(now() + 3_600), domains: domains() },
      })
      assert.equal((await call('transferFor', signed)).status, 200)
      await run()
      assert.equal(await fidOf(friend), fid)
    })
  })
}

test('a server without the setting offers no recovery service', async () => {
  const world = await createWorld({ env: { ROOKERY_VIEWS: 'on' } })
  await indexed(world.app)
  const response = await fetch(`${world.app.urls.accounts}${PATH}?fid=1`)
  assert.deepEqual(await response.json(), { service: null, movesAt: null })
  await world.close()
})

for (const engine of enginesOf(import.meta.url)) {
  test(`moves that were started before the service was turned off are stopped, and need a new decision, on ${engine}`, async () => {
    const world = await createWorld({ engine, env: { ROOKERY_VIEWS: 'on' } })
    await world.account(1)
    const { storage, jobs, urls } = world.app
    const now = Math.floor(world.clock.now() / 1_000)
    const row = {
      ...{ receiver: new Uint8Array(20).fill(7), signature: new Uint8Array(65), note: 'It is me' },
      ...{ fid: 1, deadline: now + 90 * 86_400, asked_at: now - 40 * 86_400, provider: '' },
    }
    await storage.write('hub', (tx) =>
      tx.of(recoveryRows).put({ ...row, due_at: now - 1, by_mail: 0 }),
    )
    const shown = async () => {
      const response = await fetch(`${urls.accounts}${PATH}?fid=1`)
      return ((await response.json()) as { movesAt: number | null }).movesAt
    }
    assert.equal(await shown(), null)
    await jobs.run('recover accounts')
    const [kept, ...more] = await storage.of(recoveryRows).list()
    assert.deepEqual([kept!.fid, kept!.due_at, more], [1, null, []])
    const log = await world.operate('/moderation/log?limit=1')
    const [{ action, actor, fid }] = log.body.result.entries
    assert.deepEqual([action, actor, fid], ['refuse-recovery', 'server', 1])
    // It is a request of today: the next run does not forget it.
    await jobs.run('recover accounts')
    assert.equal((await storage.of(recoveryRows).list()).length, 1)
    const { body } = await world.operate('/app/recoveries')
    assert.deepEqual([body.waitDays, body.requests[0].movesAt], [null, null])
    world.clock.advance(31 * DAY_MS)
    await jobs.run('recover accounts')
    assert.deepEqual(await storage.of(recoveryRows).list(), [])
    await world.close()
  })
}
