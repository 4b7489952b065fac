import { signInRows } from '../src/features/sign-in/tables/sign-in.ts'
// Quick Auth, with the published client and by hand: tokens, nonces that count once, and the key that signs.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { Actions, createClient, decodeJwt } from '@farcaster/quick-auth'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { createSiweMessage } from 'viem/siwe'
import { startApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { devAccount } from '../src/dev/accounts.ts'
import { fidRegistered, keyAdded, sealBlock } from '../src/kernel/accounts/events.ts'
import { createLogger } from '../src/kernel/http/logger.ts'
import { fromHex } from '../src/kernel/protocol/codec/bytes.ts'
import { createPlace, startCommands, startProgram } from './program.ts'
import { createWorld, enginesOf, WORLD_START_MS, type World } from './world.ts'

const ROBIN = privateKeyToAccount(`0x${'11'.repeat(32)}`)
const STRANGER = privateKeyToAccount(`0x${'22'.repeat(32)}`)
const AUTH_ADDRESS = privateKeyToAccount(`0x${'33'.repeat(32)}`)
const DOMAIN = 'app.example'

const prove = async (
  nonce: string,
  { by = ROBIN as PrivateKeyAccount, fid = 7, ...changed } = {},
) => {
  const message = createSiweMessage({
    ...{ domain: DOMAIN, uri: 'https://app.example/', version: '1', chainId: 10, nonce },
    ...{ statement: 'Farcaster Auth', resources: [`farcaster://fid/${fid}`], address: by.address },
    issuedAt: new Date(WORLD_START_MS),
    ...changed,
  })
  return { message, signature: await by.signMessage({ message }), domain: DOMAIN }
}
// biome-ignore lint/suspicious/noExplicitAny: tests look into JSON as they find it
type Json = any
const post = async (url: string, body?: object) => {
  const response = await fetch(url, {
    method: 'POST',
    ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  })
  return { status: response.status, body: (await response.json()) as Json }
}

for (const engine of enginesOf(import.meta.url)) {
  describe(`Quick Auth on ${engine}`, { concurrency: 1 }, () => {
    let world: World
    before(async () => {
      world = await createWorld({ engine })
      const auth = fromHex(`${'00'.repeat(12)}${AUTH_ADDRESS.address.slice(2)}`)!
      const block = { chainId: 10, blockNumber: 900_000, timestamp: WORLD_START_MS / 1000 }
      const events = [
        fidRegistered(7, fromHex(ROBIN.address)!, new Uint8Array(20)),
        keyAdded(7, { key: auth, keyType: 2, metadataType: 1, metadata: fromHex('00')! }),
      ]
      await world.app.ledger!.importEvents(sealBlock(events, block))
    })
    after(() => world?.close())
    const client = () => createClient({ origin: world.app.urls.platform })
    const exchange = (body: object, url = world.app.urls.platform) =>
      post(`${url}/verify-siwf`, body)
    const refused = async (body: object, error: string) => {
      const { status, body: told } = await exchange(body)
      assert.deepEqual(
        [status, told.error, typeof told.error_message],
        [400, error, 'string'],
        told,
      )
    }

    test('the published client gets a token, and verifies it by the keys and by the endpoint', async () => {
      for (const origin of [world.app.urls.platform, `${world.app.urls.web}/platform`]) {
        const quickAuth = createClient({ origin })
        const { nonce } = await quickAuth.generateNonce()
        const { token } = await quickAuth.verifySiwf(await prove(nonce))
        const seconds = WORLD_START_MS / 1000
        const claims = { sub: 7, iss: origin, aud: DOMAIN, iat: seconds, exp: seconds + 3600 }
        assert.deepEqual(decodeJwt(token), claims)
        const options = { token, domain: DOMAIN }
        assert.deepEqual(await Actions.verifyJwtWithEndpoint({ origin }, options), claims)
        await assert.rejects(
          Actions.verifyJwtWithEndpoint({ origin }, { token, domain: 'b.example' }),
          /not valid/,
        )
        await assert.rejects(quickAuth.verifyJwt({ token, domain: 'b.example' }), /aud/)
        // The published client looks at the clock of this machine, where the token of a world has expired.
        await assert.rejects(quickAuth.verifyJwt(options), /exp/)
        world.clock.set(Date.now())
        const { nonce: newer } = await quickAuth.generateNonce()
        const now = await quickAuth.verifySiwf(await prove(newer))
        assert.equal((await quickAuth.verifyJwt({ token: now.token, domain: DOMAIN })).sub, 7)
        world.clock.advance(300_000)
        await world.app.jobs.run('sign in')
        world.clock.set(WORLD_START_MS)
      }
    })

    test('a nonce counts once, also when ten requests use it at once', async () => {
      const { nonce } = await client().generateNonce()
      const proof = await prove(nonce)
      const answers = await Promise.all(Array.from({ length: 10 }, () => exchange(proof)))
      assert.equal(answers.filter(({ status }) => status === 200).length, 1)
      await refused(proof, 'invalid_nonce')
      await refused(await prove(nonce, { issuedAt: new Date() } as never), 'invalid_nonce')
    })

    test('a nonce ends after five minutes, and one of somebody else never counts', async () => {
      const { nonce } = await client().generateNonce()
      const { nonce: other } = await client().generateNonce()
      world.clock.advance(299_999)
      assert.equal((await exchange(await prove(nonce))).status, 200)
      world.clock.advance(1)
      await refused(await prove(other), 'invalid_nonce')
      const { nonce: fresh } = await client().generateNonce()
      const last = fresh.at(-1) === '0' ? '1' : '0'
      for (const forged of [
        'abcdefgh12',
        fresh.slice(0, -1) + last,
        `${fresh}0`,
        fresh.toUpperCase(),
      ]) {
        if (forged !== fresh) await refused(await prove(forged), 'invalid_nonce')
      }
      await world.app.jobs.run('sign in')
      await refused(await prove(nonce), 'invalid_nonce')
    })

    test('a message that somebody else has signed, or for another domain, is refused and spends no nonce', async () => {
      const { nonce } = await client().generateNonce()
      await refused(await prove(nonce, { by: STRANGER }), 'invalid_signature')
      await refused(await prove(nonce, { fid: 8 }), 'invalid_signature')
      await refused({ ...(await prove(nonce)), domain: 'evil.example' }, 'invalid_signature')
      await refused(await prove(nonce, { domain: 'evil.example' } as never), 'invalid_signature')
      await refused(await prove(nonce, { chainId: 1 } as never), 'invalid_signature')
      const proof = await prove(nonce)
      await refused({ ...proof, message: `${proof.message}\nmore` }, 'invalid_signature')
      const ofStranger = (await prove(nonce, { by: STRANGER })).signature
      await refused({ ...proof, signature: ofStranger }, 'invalid_signature')
      const byAuth = await prove(nonce, { by: AUTH_ADDRESS })
      await refused({ ...byAuth, acceptAuthAddress: false }, 'invalid_signature')
      assert.equal((await exchange(byAuth)).status, 200)
      assert.equal((await exchange({ ...proof, signature: undefined })).status, 400)
    })

    test('a fid signs in a hundred times in five minutes, and not once more', async () => {
      world.clock.advance(600_000)
      const { storage } = world.app
      const end = world.clock.now() + 300_000
      await storage.write('fid/7', async (tx) => {
        for (let i = 0; i < 99; i++) await tx.of(signInRows).spend(`n${i}`, 7, end)
      })
      const next = async () => exchange(await prove((await client().generateNonce()).nonce))
      assert.equal((await next()).status, 200)
      assert.equal((await next()).status, 429)
      world.clock.set(end)
      assert.equal((await next()).status, 200)
    })

    test('replacing the key ends tokens and nonces of the former one', async () => {
      const { nonce } = await client().generateNonce()
      const { nonce: unused } = await client().generateNonce()
      const { token } = await client().verifySiwf(await prove(nonce))
      const check = () =>
        fetch(
          `${world.app.urls.platform}/verify-jwt?${new URLSearchParams({ token, domain: DOMAIN })}`,
        )
      assert.equal((await check()).status, 200)
      const { status, body } = await world.operate('/sign-in/key', { method: 'POST' })
      assert.equal(status, 200)
      assert.equal((await check()).status, 400)
      await refused(await prove(unused), 'invalid_nonce')
      const keys = (await (
        await fetch(`${world.app.urls.platform}/.well-known/jwks.json`)
      ).json()) as Json
      assert.deepEqual(
        keys.keys.map(({ kid }: Json) => kid),
        [body.kid],
      )
      assert.deepEqual(Object.keys(keys.keys[0]).sort(), ['alg', 'e', 'kid', 'kty', 'n', 'use'])
    })

    if (engine === 'postgres') {
      test('two processes have one key, and a nonce counts once in both', async () => {
        const other = await startApp({
          config: readConfig(world.env, 'development'),
          clock: world.clock,
          logger: createLogger({ level: 'fatal' }),
        })
        try {
          const urls = [world.app.urls.platform, other.urls.platform]
          for (const [at, elsewhere] of [urls, urls.toReversed()] as [string, string][]) {
            const { nonce } = await createClient({ origin: at }).generateNonce()
            const proof = await prove(nonce)
            const answers = await Promise.all(
              [at, elsewhere, at, elsewhere].map((url) => exchange(proof, url)),
            )
            assert.equal(answers.filter(({ status }) => status === 200).length, 1)
            const opened = await post(`${at}/v1/channel`, {
              domain: DOMAIN,
              siweUri: 'https://app.example/',
            })
            const status = await fetch(`${elsewhere}/v1/channel/status`, {
              headers: { authorization: `Bearer ${opened.body.channelToken}` },
            })
            assert.equal(status.status, 202)
          }
        } finally {
          await other.stop()
        }
      })
    }
  })
}

test('keys, spent nonces and channels survive kill -9, and a backup and its restore', async (t) => {
  const commands = startCommands()
  const dir = mkdtempSync(join(tmpdir(), 'rookery-sign-in-'))
  const [place, elsewhere] = [await createPlace('sqlite'), await createPlace('sqlite')]
  t.after(async () => {
    commands.stop()
    rmSync(dir, { recursive: true, force: true })
    await Promise.all([place.remove(), elsewhere.remove()])
  })
  const raven = { by: devAccount(1).custody as PrivateKeyAccount, fid: 2 }
  const fixed = { ROOKERY_PUBLIC_URL: 'http://social.example' }
  const isWhole = async (
    url: string,
    known: { token: string; spent: object; channelToken: string },
  ) => {
    const query = new URLSearchParams({ token: known.token, domain: DOMAIN })
    const claims = (await (await fetch(`${url}/verify-jwt?${query}`)).json()) as Json
    assert.deepEqual([claims.sub, claims.iss], [2, 'http://social.example/platform'])
    assert.equal((await post(`${url}/verify-siwf`, known.spent)).body.error, 'invalid_nonce')
    const headers = { authorization: `Bearer ${known.channelToken}` }
    assert.equal((await fetch(`${url}/v1/channel/status`, { headers })).status, 202)
  }
  const first = await startProgram('start', { ...place.env, ...fixed })
  t.after(() => first.stop())
  const { nonce } = (await post(`${first.platform}/nonce`)).body
  const spent = await prove(nonce, raven)
  const { token } = (await post(`${first.platform}/verify-siwf`, spent)).body
  const opened = await post(`${first.platform}/v1/channel`, {
    ...{ domain: DOMAIN, siweUri: 'https://app.example/' },
  })
  const known = { token, spent, channelToken: opened.body.channelToken }
  await first.stop('SIGKILL')
  const second = await startProgram('start', { ...place.env, ...fixed })
  t.after(() => second.stop())
  await isWhole(second.platform, known)
  const backup = await commands.run(place.env, 'backup', join(dir, 'backup'))
  assert.equal(backup.code, 0, backup.stderr)
  await second.stop()
  assert.equal((await commands.run(elsewhere.env, 'restore', join(dir, 'backup'))).code, 0)
  const third = await startProgram('start', { ...elsewhere.env, ...fixed })
  t.after(() => third.stop())
  await isWhole(third.platform, known)
  await third.stop()
  assert.match((await commands.run(elsewhere.env, 'verify')).stdout, /are as they should be/)
})
