import { sealedKeyRows } from '../src/features/sealed-keys/tables/sealed-keys.ts'
import { HOUR_MS } from '../src/kernel/protocol/time.ts'
// Sealed copies of custody keys: who gets one, who may keep one, how often a password may be tried, and what is gone after
// an erasure. The custody address is a viem account, the passkey is made by hand after the text of WebAuthn.

import assert from 'node:assert/strict'
import { createHash, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { mnemonicToAccount, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { type App, startApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { pushRows } from '../src/features/push/tables/pushes.ts'
import { MAX_TRIES } from '../src/features/sealed-keys/guesses.ts'
import { MAX_COPIES, MAX_TOLD_PER_DAY } from '../src/features/sealed-keys/sealed-keys.ts'
import { fidRegistered, fidTransferred, sealBlock } from '../src/kernel/accounts/events.ts'
import { createLogger } from '../src/kernel/http/logger.ts'
import { fromHex } from '../src/kernel/protocol/codec/bytes.ts'
import type { Writer } from '../src/kernel/storage/storage.ts'
import { effort } from './effort.ts'
import { randomFrom, runSeed } from './random.ts'
import { until } from './until.ts'
import { createWorld, enginesOf, WORLD_START_MS, type World } from './world.ts'

const SITE = 'social.example'
const ORIGIN = `https://${SITE}`
const WORDS = 'test test test test test test test test test test test junk'
const person = (index: number) => mnemonicToAccount(WORDS, { addressIndex: index })
const NEW_OWNER = privateKeyToAccount(`0x${'77'.repeat(32)}`)

// biome-ignore lint/suspicious/noExplicitAny: tests look into JSON as they find it
type Json = any
type Answer = { status: number; body: Json }
type Signer = Pick<PrivateKeyAccount, 'signTypedData'>
const sha256 = (bytes: string | Uint8Array) => createHash('sha256').update(bytes).digest()
const hex = (bytes: Uint8Array) => `0x${Buffer.from(bytes).toString('hex')}`

const PASSWORD = {
  kind: 'password',
  salt: `0x${'5a'.repeat(32)}`,
  proof: `0x${'11'.repeat(32)}`,
  sealed: `0x${'ab'.repeat(156)}`,
}

type Terms = { site?: string; origin?: string; flags?: number; type?: string; extra?: object }

/** A passkey: its id, its public key, and how it signs a challenge. */
function passkey(seed: string, make: () => { publicKey: KeyObject; privateKey: KeyObject }) {
  const { publicKey, privateKey } = make()
  const credential = sha256(seed).toString('base64url')
  const copy = {
    kind: 'passkey',
    credential,
    site: SITE,
    salt: PASSWORD.salt,
    proof: hex(publicKey.export({ format: 'der', type: 'spki' })),
    sealed: `0x${'cd'.repeat(156)}`,
  }
  const answer = (challenge: string, terms: Terms = {}) => {
    const { site = SITE, origin = ORIGIN, flags = 0x05, type = 'webauthn.get', extra } = terms
    const encoded = Buffer.from(challenge).toString('base64url')
    const client = Buffer.from(JSON.stringify({ type, challenge: encoded, origin, ...extra }))
    const authenticator = Buffer.concat([sha256(site), Buffer.from([flags, 0, 0, 0, 0])])
    const signed = Buffer.concat([authenticator, sha256(client)])
    const algorithm = privateKey.asymmetricKeyType === 'ed25519' ? null : 'sha256'
    return {
      credential,
      clientData: hex(client),
      authenticatorData: hex(authenticator),
      signature: hex(sign(algorithm, signed, privateKey)),
    }
  }
  return { copy, answer }
}
/** Takes what waits for devices: nothing is sent. */
async function takePushes(tx: Writer): Promise<string[]> {
  const waiting = await tx.of(pushRows).firstDue(Number.MAX_SAFE_INTEGER, 100)
  await tx.of(pushRows).removeWaiting(waiting.map(({ id }) => id))
  return waiting.map(({ payload }) => payload)
}

const p256 = () => generateKeyPairSync('ec', { namedCurve: 'P-256' })

for (const engine of enginesOf(import.meta.url)) {
  describe(`sealed keys on ${engine}`, { concurrency: 1 }, () => {
    let world: World
    /** A second process on the same database; on SQLite the first one again. */
    let second: App
    before(async () => {
      world = await createWorld({
        engine,
        env: { ROOKERY_TRUSTED_PROXIES: '127.0.0.1', ROOKERY_ACCOUNTS_LIMIT: '100000' },
      })
      const block = { chainId: 10, blockNumber: 900_000, timestamp: WORLD_START_MS / 1000 }
      const events = Array.from({ length: 6 }, (_, at) =>
        fidRegistered(at + 1, fromHex(person(at + 1).address)!, new Uint8Array(20)),
      )
      await world.app.ledger!.importEvents(sealBlock(events, block))
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
      if (second !== world?.app) await second?.stop()
      await world?.close()
    })

    const ask = async (
      path: string,
      body?: unknown,
      { ip = '192.0.2.1', app = world.app } = {},
    ) => {
      const response = await fetch(`${app.urls.accounts}/v1/sealed-keys${path}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers: {
          'x-forwarded-for': ip,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      })
      return { status: response.status, body: (await response.json()) as Json }
    }
    const now = () => Math.floor(world.clock.now() / 1000)
    /** What the owner of an account signs, as docs and OpenAPI say it. */
    const owned = async (
      fid: number,
      action: string,
      by: Signer = person(fid),
      app = world.app,
    ) => {
      const { chainId, contracts } = app.signingNetwork
      const deadline = now() + 60
      const signature = await by.signTypedData({
        domain: {
          name: 'Rookery Account Data',
          version: '1',
          chainId,
          verifyingContract: contracts.idRegistry as `0x${string}`,
        },
        types: {
          AccountDataRequest: [
            { name: 'action', type: 'string' },
            { name: 'fid', type: 'uint256' },
            { name: 'network', type: 'string' },
            { name: 'deadline', type: 'uint256' },
          ],
        },
        primaryType: 'AccountDataRequest',
        message: { action, fid: BigInt(fid), network: 'devnet', deadline: BigInt(deadline) },
      })
      return { fid, deadline, signature }
    }
    const keep = async (fid: number, copy: Json, by?: Signer): Promise<Answer> => {
      const parts = [
        copy.kind,
        copy.credential ?? '',
        copy.site ?? '',
        copy.salt,
        copy.proof,
        copy.sealed,
      ]
      const action = `keep sealed key ${hex(sha256(parts.join('|')))}`
      return ask('', { ...(await owned(fid, action, by)), copy })
    }
    const list = async (fid: number, by?: Signer) =>
      ask('/list', await owned(fid, 'list sealed keys', by))
    const challenge = async (app = world.app): Promise<string> =>
      (await ask('/challenge', {}, { app })).body.challenge
    const tryPassword = (fid: number, proof: string, ip: string, app = world.app) =>
      ask('/password', { fid, proof }, { ip, app })

    test('the devices of an account are told of changes a bounded number of times in a day, whoever has its key', async () => {
      const device = {
        ...{ id: 'phone', fid: 6, signer: new Uint8Array(32), name: 'phone', kinds: '' },
        ...{ endpoint: 'https://push.example/x', public_key: new Uint8Array(65) },
        ...{ secret: new Uint8Array(16), failures: 0, created_at: 0, pushed_at: null },
      }
      const told: string[] = []
      await world.app.storage.write('all/pushes', (tx) => tx.of(pushRows).putDevices([device]))
      for (let i = 0; i < MAX_TOLD_PER_DAY + 3; i++) {
        const salt = `0x${String(10 + i).repeat(32)}`
        const kept = await keep(6, { ...PASSWORD, salt })
        assert.equal(kept.status, 200, JSON.stringify(kept.body))
        told.push(...(await world.app.storage.write('all/pushes', takePushes)))
      }
      assert.equal(told.length, MAX_TOLD_PER_DAY)
      assert.match(told[0]!, /A password of your account was added/)
      await world.app.storage.write('all/pushes', (tx) => tx.of(pushRows).removeDevices(['phone']))
    })

    test('who knows the password gets the copy that the owner has kept, and nobody else does', async () => {
      assert.deepEqual((await ask('/salt?fid=1')).status, 404)
      const kept = await keep(1, PASSWORD)
      assert.equal(kept.status, 200, JSON.stringify(kept.body))
      assert.equal((await ask('/salt?fid=1')).body.salt, PASSWORD.salt)
      const wrong = await tryPassword(1, `0x${'12'.repeat(32)}`, '192.0.2.1')
      assert.deepEqual([wrong.status, wrong.body.field], [401, 'proof'])
      assert.ok(!JSON.stringify(wrong.body).includes('abab'))
      const right = await tryPassword(1, PASSWORD.proof, '192.0.2.1', second)
      assert.deepEqual([right.status, right.body.sealed], [200, PASSWORD.sealed])
      const { keys } = (await list(1)).body
      assert.equal(keys.length, 1)
      assert.equal(keys[0].usedAt, now())
      // What is stored does not show what the password derives to.
      const row = await world.app.storage.of(sealedKeyRows).byId('password:1')
      assert.equal(hex(row!.proof), hex(sha256(fromHex(PASSWORD.proof)!)))
    })

    test('an earlier request brings back no password that was changed or removed, and each request counts once', async () => {
      const ask2 = async (copy: Json, path = '') => {
        const { kind, salt, proof, sealed } = copy
        const digest = sha256([kind, '', '', salt, proof, sealed].join('|'))
        const signed = await owned(2, `keep sealed key ${hex(digest)}`)
        return { again: () => ask(path, { ...signed, copy }) }
      }
      const changed = { ...PASSWORD, salt: `0x${'c1'.repeat(32)}` }
      const saltNow = async () => (await ask('/salt?fid=2')).body.salt
      const first = await ask2(PASSWORD)
      assert.equal((await first.again()).status, 200)
      // Who has lost the answer may send it again while it changes nothing.
      assert.equal((await first.again()).status, 200)
      // Held back on its way, and sent within the same second as a later one.
      const held = await ask2({ ...PASSWORD, salt: `0x${'c2'.repeat(32)}` })
      world.clock.advance(2_000)
      const second = await ask2(changed)
      assert.equal((await second.again()).status, 200)
      for (const old of [first, held]) {
        const { status, body } = await old.again()
        assert.deepEqual([status, body.code, body.field], [409, 'changed_meanwhile', 'deadline'])
      }
      assert.equal(await saltNow(), changed.salt)
      const removal = { ...(await owned(2, 'remove sealed key password:2')), id: 'password:2' }
      assert.equal((await ask('/remove', removal)).status, 200)
      for (const old of [first, held, second]) assert.equal((await old.again()).status, 409)
      assert.equal((await ask('/salt?fid=2')).status, 404)
      world.clock.advance(2_000)
      assert.equal((await (await ask2(PASSWORD)).again()).status, 200)
      assert.equal((await ask('/remove', removal)).status, 409)
      assert.equal(await saltNow(), PASSWORD.salt)
      // What is kept of them ends with their deadlines.
      world.clock.advance(120_000)
      await world.app.jobs.run('sealed keys')
      const sealedKeys = world.app.storage.of(sealedKeyRows)
      assert.deepEqual(await sealedKeys.requestsOf(2, fromHex(person(2).address)!, 10), [])
      world.clock.advance(2_000)
      const last = { ...(await owned(2, 'remove sealed key password:2')), id: 'password:2' }
      assert.equal((await ask('/remove', last)).status, 200)
    })

    test('a copy is kept, listed and removed only with a signature that names it', async () => {
      assert.equal((await keep(1, PASSWORD, person(2))).body.code, 'InvalidSignature')
      const signed = await owned(1, 'list sealed keys')
      assert.equal((await ask('', { ...signed, copy: PASSWORD })).body.code, 'InvalidSignature')
      assert.equal((await list(1, person(2))).body.code, 'InvalidSignature')
      const other = await owned(1, 'remove sealed key password:2')
      assert.equal(
        (await ask('/remove', { ...other, id: 'password:1' })).body.code,
        'InvalidSignature',
      )
      const own = { ...(await owned(1, 'remove sealed key password:2')), id: 'password:2' }
      assert.equal((await ask('/remove', own)).status, 404)
      const late = { ...signed, deadline: now() - 1 }
      assert.equal((await ask('/list', late)).body.code, 'SignatureExpired')
      assert.equal((await list(1)).body.keys.length, 1)
    })

    test('a new password takes the place of the old one, and a removed one opens nothing', async () => {
      const next = { ...PASSWORD, proof: `0x${'22'.repeat(32)}`, sealed: `0x${'ef'.repeat(156)}` }
      assert.equal((await keep(1, next)).status, 200)
      assert.equal((await tryPassword(1, PASSWORD.proof, '192.0.2.2')).status, 401)
      assert.equal((await tryPassword(1, next.proof, '192.0.2.2')).body.sealed, next.sealed)
      const signed = await owned(1, 'remove sealed key password:1')
      assert.equal((await ask('/remove', { ...signed, id: 'password:1' })).status, 200)
      assert.equal((await tryPassword(1, next.proof, '192.0.2.2')).status, 404)
    })

    for (const [kind, make] of [
      ['P-256', p256],
      ['RSA', () => generateKeyPairSync('rsa', { modulusLength: 2048 })],
      ['Ed25519', () => generateKeyPairSync('ed25519')],
    ] as const) {
      test(`a passkey of ${kind} gets its copy once for each challenge, in any process`, async () => {
        const { copy, answer } = passkey(`${engine} ${kind}`, make)
        const kept = await keep(2, copy)
        assert.equal(kept.status, 200, JSON.stringify(kept.body))
        const asked = await challenge()
        const both = await Promise.all(
          [world.app, second].map((app) => ask('/passkey', answer(asked), { app })),
        )
        assert.deepEqual(both.map(({ status }) => status).sort(), [200, 401])
        const { body } = both.find(({ status }) => status === 200)!
        assert.deepEqual([body.fid, body.sealed], [2, copy.sealed])
      })
    }

    test('a passkey whose signatures are slow to verify is refused', async () => {
      const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
      const { n } = publicKey.export({ format: 'jwk' })
      const e = Buffer.alloc(250, 0xff).toString('base64url')
      const slow = createPublicKey({ key: { kty: 'RSA', n: n!, e }, format: 'jwk' })
      const proof = `0x${slow.export({ format: 'der', type: 'spki' }).toString('hex')}`
      const { copy } = passkey(`${engine} slow`, p256)
      const refused = await keep(2, { ...copy, proof })
      assert.deepEqual([refused.status, refused.body.code], [400, 'bad_request.validation_failure'])
    })

    test('an assertion of another site, key, kind, time or without its user verified opens nothing', async () => {
      const { copy, answer } = passkey(`${engine} strict`, p256)
      assert.equal((await keep(3, copy)).status, 200)
      const of = async (terms: Terms) => ask('/passkey', answer(await challenge(), terms))
      for (const terms of [
        { origin: 'https://phishing.example' },
        { origin: 'https://social.example.phishing.example' },
        { origin: 'http://social.example' },
        { site: 'phishing.example' },
        { flags: 0x01 },
        { flags: 0x04 },
        { type: 'webauthn.create' },
        { extra: { crossOrigin: true } },
      ] satisfies Terms[]) {
        assert.equal((await of(terms)).status, 401, JSON.stringify(terms))
      }
      assert.equal((await ask('/passkey', answer('made up'))).status, 401)
      const expired = await challenge()
      world.clock.advance(5 * 60_000 + 1)
      assert.equal((await ask('/passkey', answer(expired))).status, 401)
      const stranger = passkey(`${engine} strict`, p256)
      assert.equal((await ask('/passkey', stranger.answer(await challenge()))).status, 401)
      const unknown = passkey(`${engine} unknown`, p256)
      assert.equal((await ask('/passkey', unknown.answer(await challenge()))).status, 404)
      assert.equal((await of({ origin: 'https://www.social.example' })).status, 200)
      // Another account cannot take the place of the passkey.
      const stolen = await keep(4, { ...stranger.copy, credential: copy.credential })
      assert.deepEqual([stolen.status, stolen.body.field], [400, 'copy/credential'])
    })

    test('passwords are tried a bounded number of times, and strangers who use up those of a day do not lock the owner out, over processes and restarts', async () => {
      assert.equal((await keep(5, PASSWORD)).status, 200)
      const wrong = `0x${'00'.repeat(32)}`
      const statuses = await Promise.all(
        Array.from({ length: 40 }, (_, n) =>
          tryPassword(5, wrong, '198.51.100.7', n % 2 ? second : world.app),
        ),
      )
      assert.equal(
        statuses.filter(({ status }) => status === 401).length,
        MAX_TRIES.ofAccountByNetwork,
      )
      assert.equal(statuses.filter(({ status }) => status === 429).length, 30)
      // The right one is refused too, but not to the owner, who is elsewhere; a /48 is one network.
      assert.equal((await tryPassword(5, PASSWORD.proof, '198.51.100.7')).status, 429)
      assert.equal((await tryPassword(5, PASSWORD.proof, '198.51.100.8')).status, 200)
      for (let n = 1; n < MAX_TRIES.ofAccountByNetwork; n++) {
        await tryPassword(5, wrong, `2001:db8:1:${n}::1`)
      }
      assert.equal((await tryPassword(5, wrong, '2001:db8:1:aaaa::1')).status, 401)
      assert.equal((await tryPassword(5, wrong, '2001:db8:1:bbbb::1')).status, 429)
      if (engine === 'sqlite') {
        await world.restart()
        second = world.app
        assert.equal((await tryPassword(5, PASSWORD.proof, '198.51.100.7')).status, 429)
      }
      // From everywhere: 21 are counted by now.
      let tries = 21
      for (let n = 0; n < 200; n++) {
        const { status } = await tryPassword(5, wrong, `203.0.113.${n}`)
        if (status === 429) break
        tries++
      }
      assert.equal(tries, MAX_TRIES.ofAccount + MAX_TRIES.ofAccountByProvider)
      // The owner is with another provider, on a network of which nothing is known.
      assert.equal((await tryPassword(5, PASSWORD.proof, '192.0.2.1')).status, 200)
      for (let n = 1; n < MAX_TRIES.ofAccountByProvider; n++) {
        assert.equal((await tryPassword(5, wrong, `192.0.3.${n}`, second)).status, 401)
      }
      assert.equal((await tryPassword(5, PASSWORD.proof, '192.0.4.1')).status, 429)
      for (let n = 0; n < MAX_TRIES.ofAccountByProvider; n++) {
        assert.equal((await tryPassword(5, wrong, `2001:db8:${n + 9}::1`)).status, 401)
      }
      assert.equal((await tryPassword(5, wrong, '2001:db8:ffff::1')).status, 429)
      assert.equal((await tryPassword(5, PASSWORD.proof, '2001:db9::1')).status, 200)
      world.clock.advance(24 * HOUR_MS)
      assert.equal((await tryPassword(5, PASSWORD.proof, '198.51.100.7')).status, 200)
      // One network, many accounts.
      for (const fid of [1, 2, 3, 4]) await keep(fid, PASSWORD)
      let allowed = 0
      for (let n = 0; n < 40; n++) {
        if ((await tryPassword(1 + (n % 4), wrong, '198.51.100.99')).status === 401) allowed++
      }
      assert.equal(allowed, MAX_TRIES.byNetwork)
    })

    test('an account keeps ten copies at most, and none of a key that it was moved away from', async () => {
      for (let n = 1; n < MAX_COPIES; n++) {
        assert.equal((await keep(5, passkey(`${engine} many ${n}`, p256).copy)).status, 200)
      }
      const more = passkey(`${engine} one too many`, p256)
      const refused = await keep(5, more.copy)
      assert.deepEqual([refused.status, refused.body.code], [400, 'bad_request.conflict'])
      assert.equal((await list(5)).body.keys.length, MAX_COPIES)
      const [from, to] = [person(5), NEW_OWNER].map(({ address }) => fromHex(address)!)
      const block = { chainId: 10, blockNumber: 900_002, timestamp: now() }
      await world.app.ledger!.importEvents(sealBlock([fidTransferred(5, from!, to!)], block))
      assert.equal((await tryPassword(5, PASSWORD.proof, '198.51.100.10')).status, 404)
      assert.deepEqual((await list(5, NEW_OWNER)).body.keys, [])
      assert.equal((await keep(5, more.copy, NEW_OWNER)).status, 200)
      assert.equal((await world.app.storage.of(sealedKeyRows).ofFid(5, 20)).length, 1)
    })

    test('an erasure of the account removes its copies', async () => {
      assert.equal((await keep(6, PASSWORD)).status, 200)
      const signed = await owned(6, 'erase')
      const response = await fetch(`${world.app.urls.accounts}/v1/erase-messages`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(signed),
      })
      assert.equal(response.status, 200)
      const sealedKeys = world.app.storage.of(sealedKeyRows)
      await until(async () => !(await sealedKeys.byId('password:6')), 'the copy is gone')
    })

    test('mutated requests are refused as faults of the caller', async () => {
      const { int, pick } = randomFrom(runSeed())
      const signed = await owned(1, 'list sealed keys')
      const { copy, answer } = passkey(`${engine} fuzz`, p256)
      const templates: [string, Json][] = [
        ['', { ...signed, copy }],
        ['', { ...signed, copy: PASSWORD }],
        ['/list', signed],
        ['/remove', { ...signed, id: 'password:1' }],
        ['/password', { fid: 9, proof: PASSWORD.proof }],
        ['/passkey', answer(await challenge())],
      ]
      const values = [
        null,
        0,
        -1,
        1.5,
        2 ** 53,
        '',
        '0x',
        '0x00',
        '\u0000',
        '\ud800',
        '__proto__',
        [],
        {},
        'x'.repeat(5_000),
        `0x${'00'.repeat(512)}`,
      ]
      for (let n = 0; n < effort(300, 5_000); n++) {
        const [path, template] = pick(templates)
        const body = structuredClone(template)
        const inner = body.copy && int(2) ? body.copy : body
        inner[pick(Object.keys(inner))] = pick(values)
        const { status, body: said } = await ask(path, body)
        assert.ok(status < 500, `${path} ${JSON.stringify(body)}: ${JSON.stringify(said)}`)
      }
    })
  })
}
