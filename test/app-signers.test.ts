import { appSignerRows } from '../src/features/signers/tables/app-signers.ts'
// Signers of the app API, by the stock client.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { NeynarAPIClient } from '@neynar/nodejs-sdk'
import { reopenAppSigners } from '../src/features/signers/signer-states.ts'
import { decodeOnChainEvent } from '../src/kernel/accounts/events.ts'
import { signRemove } from '../src/kernel/accounts/signatures/sign.ts'
import { DEVELOPMENT_KEY } from '../src/kernel/app-api/given-keys.ts'
import { Sealer, UnreadableSecretError } from '../src/kernel/app-api/sealing.ts'
import { toHex } from '../src/kernel/protocol/codec/bytes.ts'
import { publicKeyOf } from '../src/kernel/protocol/crypto/ed25519.ts'
import { refusal, sdk, type Writer, writersOf } from './app-writes-support.ts'
import { GASLESS_DOMAIN, signRequest } from './key-requests-support.ts'
import type { Person } from './registry-support.ts'
import { startSnapServer } from './snap-server.ts'
import { createWorld, enginesOf, type World } from './world.ts'

const APP = '00000000-0000-4000-8000-000000000001'

for (const engine of enginesOf(import.meta.url)) {
  describe(`signers of the app API on ${engine}`, () => {
    let world: World
    let client: NeynarAPIClient
    let writers: ReturnType<typeof writersOf>
    let app: Person
    let user: Person
    const logLines: string[] = []

    before(async () => {
      world = await createWorld({ engine, env: { ROOKERY_VIEWS: 'on' }, logLines })
      client = sdk(world)
      writers = writersOf(world)
      app = await writers.registry.person(900)
      user = await writers.registry.person(901)
    })
    after(() => world.close())

    const rowOf = (uuid: string) => world.app.storage.of(appSignerRows).byUuid(uuid)
    const removeKey = async (person: Person, key: Uint8Array) => {
      const ledger = world.app.ledger!
      const nonce = await ledger.nonce('keyRegistry', person.app.custody)
      const deadline = BigInt(writers.now() + 3_600)
      await ledger.removeFor(await signRemove(person.account, { key, nonce, deadline }))
    }

    it('a signer is generated, waits for an approval, and writes once it is approved', async () => {
      const made = await client.createSigner()
      assert.match(made.public_key, /^0x[0-9a-f]{64}$/)
      assert.deepEqual(made, {
        object: 'signer',
        signer_uuid: made.signer_uuid,
        public_key: made.public_key,
        status: 'generated',
      })
      const asked = await writers.register(client, app, made.signer_uuid)
      assert.equal(asked.status, 'pending_approval')
      const base = `${world.app.urls.web}/platform`
      assert.ok(asked.signer_approval_url!.startsWith(`${base}/~/connect?token=0x`))
      assert.equal((await fetch(asked.signer_approval_url!)).status, 200)
      await writers.approve(writers.tokenOf(asked.signer_approval_url), user)
      assert.deepEqual(await client.lookupSigner({ signerUuid: made.signer_uuid }), {
        ...made,
        status: 'approved',
        fid: user.fid,
        permissions: ['WRITE_ALL'],
      })
      const { cast } = await client.publishCast({ signerUuid: made.signer_uuid, text: 'hello' })
      assert.equal(cast.author.fid, user.fid)
      assert.equal(
        await refusal(writers.register(client, app, made.signer_uuid)),
        '400 bad_request.conflict',
      )
    })

    it('a signer whose key is removed is revoked and its secret is gone', async () => {
      const uuid = await writers.signer(client, app, user)
      const { public_key, secret } = (await rowOf(uuid))!
      assert.ok(secret)
      const writes = Promise.allSettled(
        Array.from({ length: 10 }, (_, i) =>
          client.publishCast({ signerUuid: uuid, text: `while the key goes ${i}` }),
        ),
      )
      await removeKey(user, public_key)
      for (const result of await writes) {
        if (result.status === 'fulfilled') continue
        const refused = await refusal(Promise.reject(result.reason))
        assert.match(refused, /^(403 Forbidden signer_uuid|400 bad_request.unknown_signer)/)
      }
      assert.equal((await client.lookupSigner({ signerUuid: uuid })).status, 'revoked')
      assert.equal((await rowOf(uuid))!.secret, null)
      assert.equal(
        await refusal(client.publishCast({ signerUuid: uuid, text: 'x' })),
        '403 Forbidden signer_uuid',
      )
    })

    it('a signer whose request was denied shows as revoked and may be asked for again', async () => {
      const { signer_uuid: uuid } = await client.createSigner()
      const { signer_approval_url: url } = await writers.register(client, app, uuid)
      const token = writers.tokenOf(url)
      assert.equal((await writers.deny(token, user)).status, 200)
      assert.equal((await client.lookupSigner({ signerUuid: uuid })).status, 'revoked')
      const again = await writers.register(client, app, uuid)
      assert.equal(again.status, 'pending_approval')
    })

    const gasless = { scopes: ['MESSAGE_TYPE_CAST_ADD'], ttl: 3_600 }
    const registerGasless = async (uuid: string, terms: object = gasless) => {
      const { public_key } = await client.lookupSigner({ signerUuid: uuid })
      const key = public_key as `0x${string}`
      const deadline = writers.now() + 86_400
      const request = { requestFid: app.fid, key, deadline }
      const signature = await signRequest(app.account, request, GASLESS_DOMAIN)
      const body = { signerUuid: uuid, appFid: app.fid, deadline, signature, gasless: terms }
      return client.registerSignedKey(body as Parameters<typeof client.registerSignedKey>[0])
    }

    it('a signer may ask for a gasless key, writes what that may, and is revoked when it ends', async () => {
      const { signer_uuid: uuid } = await client.createSigner()
      for (const [terms, field] of [
        [{ ...gasless, ttl: 0 }, 'gasless.ttl'],
        [{ ...gasless, scopes: ['MESSAGE_TYPE_KEY_ADD'] }, 'gasless.scopes'],
      ] as const) {
        assert.match(await refusal(registerGasless(uuid, terms)), new RegExp(`^400 .* ${field}$`))
      }
      const asked = await registerGasless(uuid)
      assert.equal(asked.status, 'pending_approval')
      const owner = await writers.registry.person(910)
      await writers.approve(writers.tokenOf(asked.signer_approval_url), owner)
      const { cast } = await client.publishCast({ signerUuid: uuid, text: 'without gas' })
      const query = { identifier: cast.hash, type: 'hash' } as const
      const { author, app: by } = (await client.lookupCastByHashOrUrl(query)).cast
      assert.deepEqual([author.fid, by?.fid], [910, app.fid])
      const { status, fid, permissions } = await client.lookupSigner({ signerUuid: uuid })
      assert.deepEqual([status, fid, permissions], ['approved', 910, undefined])
      assert.match(
        await refusal(client.followUser({ signerUuid: uuid, targetFids: [app.fid] })),
        /^400/,
      )
      const snap = await startSnapServer()
      const body = { signer_uuid: uuid, target: `${snap.origin}/vote` }
      const pressed = await fetch(`${world.app.urls.app}/v2/farcaster/snap/press`, {
        method: 'POST',
        headers: { 'x-api-key': DEVELOPMENT_KEY, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      snap.close()
      assert.equal(pressed.status, 400)
      assert.match(
        await pressed.text(),
        /is not an active key of fid 910: servers of snaps ask a hub/,
      )
      assert.deepEqual(snap.asked, [], 'no server of a snap would accept it')
      const { public_key } = (await rowOf(uuid))!
      const path = `/v2/signer-removal?fid=910&key=${toHex(public_key)}`
      const { typedData } = (await world.platform(path)).body.result
      const removal = {
        ...{ fid: 910, key: toHex(public_key), deadline: Number(typedData.message.deadline) },
        signature: await owner.account.signTypedData(typedData),
      }
      await world.platform('/v2/signers', { method: 'DELETE', body: removal })
      assert.equal((await client.lookupSigner({ signerUuid: uuid })).status, 'revoked')
      assert.equal((await rowOf(uuid))!.secret, null)
    })

    it('a signer whose gasless key nobody asked after is approved before its request is forgotten', async () => {
      const { signer_uuid: uuid } = await client.createSigner()
      const { signer_approval_url: url } = await registerGasless(uuid)
      await writers.approve(writers.tokenOf(url), await writers.registry.person(911))
      await world.app.jobs.run('app API clean-up')
      assert.equal((await rowOf(uuid))!.status, 'approved')
    })

    it('a key that somebody else adds for another request does not approve the signer', async () => {
      const { signer_uuid: uuid, public_key } = await client.createSigner()
      await writers.register(client, app, uuid)
      const mallory = await writers.registry.person(902)
      const key = public_key as `0x${string}`
      const deadline = writers.now() + 86_400
      const signature = await signRequest(mallory.account, {
        ...{ requestFid: mallory.fid, key, deadline },
      })
      const body = { key, requestFid: mallory.fid, deadline, signature }
      const asked = await writers.post(body)
      const { token } = asked.body.result.signedKeyRequest
      assert.equal((await writers.approve(token, mallory)).status, 200)
      const { status, fid } = await client.lookupSigner({ signerUuid: uuid })
      assert.deepEqual([status, fid], ['pending_approval', undefined])
    })

    it('a key that the app keeps is asked for and looked up by its public key', async () => {
      const key = toHex(publicKeyOf(new Uint8Array(32).fill(engine === 'sqlite' ? 51 : 52)))
      const publicKey = key as `0x${string}`
      const deadline = writers.now() + 86_400
      const signature = await signRequest(app.account, {
        ...{ requestFid: app.fid, key: publicKey, deadline },
      })
      const terms = { publicKey, appFid: app.fid, deadline, signature }
      assert.equal(
        await refusal(client.lookupDeveloperManagedSigner({ publicKey })),
        '404 NotFound public_key',
      )
      const asked = await client.registerSignedKeyForDeveloperManagedSigner(terms)
      assert.deepEqual([asked.public_key, asked.status], [key, 'pending_approval'])
      const both = await Promise.all([
        client.registerSignedKeyForDeveloperManagedSigner(terms),
        client.registerSignedKeyForDeveloperManagedSigner(terms),
      ])
      await writers.approve(writers.tokenOf(both[1].signer_approval_url), user)
      assert.deepEqual(await client.lookupDeveloperManagedSigner({ publicKey }), {
        public_key: key,
        status: 'approved',
        fid: user.fid,
      })
      const short = { ...terms, publicKey: '0x12' }
      assert.equal(
        await refusal(client.registerSignedKeyForDeveloperManagedSigner(short)),
        '400 InvalidField public_key',
      )
    })

    it('a signature for another network is refused with the domains that are accepted', async () => {
      const { signer_uuid: signerUuid } = await client.createSigner()
      const call = client.registerSignedKey({
        signerUuid,
        appFid: app.fid,
        deadline: writers.now() + 3_600,
        signature: `0x${'11'.repeat(65)}`,
      })
      const error = await call.catch((thrown) => thrown)
      assert.equal(error.response.data.property, 'signature')
      assert.match(
        error.response.data.message,
        /chain 10 and contract 0x00000000FC70.*GET \/v1\/domains/i,
      )
      assert.equal(
        await refusal(
          client.registerSignedKey({
            ...{ signerUuid, appFid: 4_000_000, deadline: writers.now() + 3_600 },
            signature: `0x${'11'.repeat(65)}`,
          }),
        ),
        '400 InvalidField app_fid',
      )
    })

    it('the signers of an app do not exist for other apps', async () => {
      const uuid = await writers.signer(client, app, user)
      const made = await world.operate('/app/apps', { body: { name: 'Other', fid: 5 } })
      const other = sdk(world, made.body.key)
      assert.equal(
        await refusal(other.lookupSigner({ signerUuid: uuid })),
        '404 NotFound signer_uuid',
      )
    })

    it('a sealed secret is of no use with another sealing key or in another row', async () => {
      const uuid = await writers.signer(client, app, user)
      const { secret, public_key } = (await rowOf(uuid))!
      const file = join(world.env.ROOKERY_DATA_DIR!, 'signer.key')
      assert.equal(statSync(file).mode & 0o777, 0o600)
      const text = readFileSync(file, 'utf8').trim().slice(2)
      const owner = [Buffer.from(uuid), public_key]
      const seed = new Sealer(Buffer.from(text, 'hex')).open(secret!, owner)
      assert.equal(toHex(publicKeyOf(seed)), toHex(public_key))
      const other = new Sealer(new Uint8Array(32).fill(1))
      assert.throws(() => other.open(secret!, owner), UnreadableSecretError)
      for (const answer of [
        JSON.stringify(await client.lookupSigner({ signerUuid: uuid })),
        await (await fetch(`${world.app.urls.operations}/metrics`)).text(),
      ]) {
        assert.equal(answer.includes(toHex(seed).slice(2)), false)
        assert.equal(answer.includes(toHex(secret!).slice(2)), false)
      }
    })

    it('publishing while the key is taken away ends in a cast or in a refusal, never in a fault', async () => {
      const uuid = await writers.signer(client, app, user)
      const { public_key } = (await rowOf(uuid))!
      const publish = (text: string) =>
        client.publishCast({ signerUuid: uuid, text }).then(
          () => 'stored',
          () => refusal(client.publishCast({ signerUuid: uuid, text })),
        )
      const early = Array.from({ length: 8 }, (_, i) => publish(`racing ${i}`))
      const removal = removeKey(user, public_key)
      const late = Array.from({ length: 8 }, (_, i) => publish(`racing late ${i}`))
      await removal
      const ends = await Promise.all([...early, ...late])
      for (const end of ends) {
        assert.match(end, /^(?:stored|403 Forbidden.*|400 bad_request\.\w+.*)$/)
      }
      const after = refusal(client.publishCast({ signerUuid: uuid, text: 'after' }))
      assert.match(await after, /^403 Forbidden/)
      const { body } = await world.get(`/v1/castsByFid?fid=${user.fid}`)
      const texts = body.messages.map((one: { data: { castAddBody: { text: string } } }) => {
        return one.data.castAddBody.text
      })
      // What was stored before the key was gone stays.
      const names = [...early.keys()].map((i) => `racing ${i}`)
      const lateNames = [...late.keys()].map((i) => `racing late ${i}`)
      const stored = [...names, ...lateNames].filter((_, i) => ends[i] === 'stored')
      assert.deepEqual(
        texts.filter((text: string) => text.startsWith('racing')).sort(),
        stored.sort(),
      )
    })

    it('no secret is in the log at any level: keys of apps, signers, webhooks, and the sealing key', async () => {
      const { body } = await world.operate('/app/apps', { body: { name: 'Logged', fid: 900 } })
      const own = sdk(world, body.key)
      const uuid = (await own.createSigner()).signer_uuid
      const url = 'https://example.org/hook'
      const { webhook } = await own.publishWebhook({ name: 'logged', url })
      assert.match(await refusal(own.lookupSigner({ signerUuid: randomUUID() })), /^404/)
      assert.equal(await refusal(sdk(world, 'wrong-key').createSigner()), '401 Unauthorized')
      const { secret, public_key } = (await rowOf(uuid))!
      const sealing = readFileSync(join(world.env.ROOKERY_DATA_DIR!, 'signer.key'), 'utf8').trim()
      const sealer = new Sealer(Buffer.from(sealing.slice(2), 'hex'))
      const seed = sealer.open(secret!, [Buffer.from(uuid), public_key])
      assert.ok(
        logLines.some((line) => line.includes('/v2/farcaster/signer')),
        'requests are logged',
      )
      const log = logLines.join('')
      const secrets: [string, string][] = [
        ['the key of an app', body.key],
        ['a key that is not known', 'wrong-key'],
        ['the secret of a webhook', webhook!.secrets[0]!.value],
        ['the sealing key', sealing.slice(2)],
        ['the seed of a signer', toHex(seed).slice(2)],
        ['the seed in base64', Buffer.from(seed).toString('base64')],
        ['the sealed seed', toHex(secret!).slice(2)],
      ]
      for (const [what, text] of secrets) assert.equal(log.includes(text), false, what)
    })

    it('signers that are not approved are forgotten after 30 days', async () => {
      const waiting = await client.createSigner()
      const approved = await writers.signer(client, app, user)
      world.clock.advance(30 * 86_400_000)
      await world.app.jobs.run('app API clean-up')
      assert.ok(await rowOf(waiting.signer_uuid))
      world.clock.advance(1_000)
      await world.app.jobs.run('app API clean-up')
      assert.equal(await rowOf(waiting.signer_uuid), undefined)
      assert.equal((await rowOf(approved))!.app, APP)
    })
  })
}

describe('the state of signers after reorgs', () => {
  it('a signer waits again when the event that added its key is taken back', async (t) => {
    const world = await createWorld({ env: { ROOKERY_VIEWS: 'on' } })
    t.after(() => world.close())
    const writers = writersOf(world)
    const client = sdk(world)
    const writer: Writer = await writers.writer(client, await writers.registry.person(900), 901)
    const { storage } = world.app
    const row = await storage.of(appSignerRows).byUuid(writer.signerUuid)
    const events = (await storage.accounts.eventsOf([{ fid: 901, type: 1 }])).map(
      ({ body }) => body,
    )
    const mine = events
      .map(decodeOnChainEvent)
      .filter(
        ({ body }) =>
          body.case === 'signerEventBody' && toHex(body.value.key) === toHex(row!.public_key),
      )
    assert.equal(mine.length, 1)
    await storage.write('hub', async (tx) => {
      await tx.accounts.removeStates([901])
      await reopenAppSigners(tx, mine, 5)
    })
    const after = (await storage.of(appSignerRows).byUuid(writer.signerUuid))!
    assert.deepEqual([after.status, after.fid], ['pending_approval', null])
    assert.ok(after.secret, 'the key may be added again')
  })
})
