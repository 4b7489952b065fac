import { KEY_REQUESTS_OF_APPS } from '../src/features/key-requests/port.ts'
import { keyRequestRows } from '../src/features/key-requests/tables/key-requests.ts'
import { DAY_SECONDS } from '../src/kernel/protocol/time.ts'
// Signed key requests that a gasless key answers, and the removal of such keys, by viem and the published library.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { type Hex, toHex } from 'viem'
import { metadataOf } from '../src/features/key-requests/metadata.ts'
import { castAdd, linkAdd } from '../src/kernel/protocol/build.ts'
import { fromHex } from '../src/kernel/protocol/codec/bytes.ts'
import {
  KEYS_START_MS,
  type Key,
  keyAdd,
  keyOf,
  nextMinute,
  type Owner,
  owner,
} from './gasless-keys-support.ts'
import { accepted, onEngines } from './hub-support.ts'
import { type AppKey, appKey, keyRequestClient, signRequest } from './key-requests-support.ts'
import type { Person } from './registry-support.ts'
import { testAccount } from './world.ts'

const CASTS = ['MESSAGE_TYPE_CAST_ADD', 'MESSAGE_TYPE_CAST_REMOVE']
const GASLESS = { scopes: CASTS, ttl: DAY_SECONDS }

onEngines(
  'requests for gasless keys',
  (world) => {
    let client: ReturnType<typeof keyRequestClient>
    let app: Person
    let keys = 0
    let fids = 100
    const newKey = (): AppKey => appKey(7_000 + ++keys)
    const newPerson = async () => (await client.people([++fids]))[0]!
    const stateOf = async (token: string) => {
      const { body } = await client.stateOf(token)
      return body.result.signedKeyRequest
    }
    const accountOf = (fid: number, { seed }: AppKey) => ({ ...testAccount(fid), seed })
    const cast = (fid: number, key: AppKey) => {
      const account = accountOf(fid, key)
      const text = `by ${fid}`
      return world().submit(world().sign(account, castAdd(world().origin(account), { text })))
    }
    const follow = (fid: number, key: AppKey) => {
      const account = accountOf(fid, key)
      return world().submit(world().sign(account, linkAdd(world().origin(account), 'follow', 1)))
    }
    const hubKey = async (fid: number, { key }: AppKey) =>
      (await world().get(`/v1/signer?fid=${fid}&signer=${key}`)).body
    const remove = async (person: Person, key: Hex, changes: object = {}) => {
      const path = `/v2/signer-removal?fid=${person.fid}&key=${key}`
      const { typedData } = accepted(await world().platform(path)).result
      const signature = await person.account.signTypedData(typedData)
      const deadline = Number(typedData.message.deadline)
      const body = { fid: person.fid, key, deadline, signature, ...changes }
      return world().platform('/v2/signers', { method: 'DELETE', body })
    }

    before(async () => {
      client = keyRequestClient(world())
      ;[app] = (await client.people([1])) as [Person]
    })

    test('a user approves by one signature; the answer says completed, and the key signs what it was asked for', async () => {
      const [user, key] = [await newPerson(), newKey()]
      const asked = await client.post(await client.bodyOf(app, key, { gasless: GASLESS }))
      const request = accepted(asked).result.signedKeyRequest
      assert.deepEqual([request.state, request.gasless], ['pending', GASLESS])
      const path = `/v2/signed-key-request-approval?token=${request.token}&fid=${user.fid}`
      const { approval } = accepted(await world().platform(path)).result
      assert.deepEqual(approval.gasless, GASLESS)
      assert.equal(approval.typedData.primaryType, 'KeyAdd')
      assert.deepEqual(approval.typedData.message.scopes, [1, 2])
      const done = accepted(await client.approve(request.token, user)).result.signedKeyRequest
      assert.deepEqual([done.state, done.userFid], ['completed', user.fid])
      assert.equal((await stateOf(request.token)).state, 'completed')
      const { source, scopes, requestFid } = (await hubKey(user.fid, key)).signer
      assert.deepEqual([source, scopes, requestFid], ['SIGNER_SOURCE_OFFCHAIN', CASTS, app.fid])
      accepted(await cast(user.fid, key))
      assert.match((await follow(user.fid, key)).body.details, /not in the scope/)
    })

    test('what a gasless key cannot be is refused with the field', async () => {
      const good = await client.bodyOf(app, newKey(), { gasless: GASLESS })
      const refusals: [object, string, RegExp][] = [
        [{ gasless: { ...GASLESS, scopes: [] } }, 'gasless.scopes', /./],
        [{ gasless: { ...GASLESS, scopes: Array(17).fill(CASTS[0]) } }, 'gasless.scopes', /./],
        [
          { gasless: { ...GASLESS, scopes: ['MESSAGE_TYPE_KEY_ADD'] } },
          'gasless.scopes',
          /one of MESSAGE_TYPE_CAST_ADD/,
        ],
        [{ gasless: { ...GASLESS, scopes: [CASTS[0], CASTS[0]] } }, 'gasless.scopes', /twice/],
        [{ gasless: { ...GASLESS, ttl: 0 } }, 'gasless.ttl', /./],
        [{ gasless: { ...GASLESS, ttl: 90 * DAY_SECONDS + 1 } }, 'gasless.ttl', /./],
        [{ gasless: { scopes: CASTS } }, 'gasless.ttl', /./],
        [
          { sponsorship: { sponsorFid: 1, signature: good.signature } },
          'sponsorship',
          /nobody pays/,
        ],
      ]
      for (const [change, field, text] of refusals) {
        const { status, body } = await client.post({ ...good, ...change })
        assert.deepEqual([status, body.field], [400, field], JSON.stringify(body))
        assert.match(body.errors[0].message, text)
      }
      accepted(await client.post({ ...good, gasless: { scopes: CASTS, ttl: 90 * DAY_SECONDS } }))
      const { requestFid, deadline, key } = good
      const signature = await signRequest(app.account, { requestFid, deadline, key })
      const other = await client.post({ ...good, signature })
      assert.deepEqual(
        [other.status, other.body.field],
        [400, 'signature'],
        'signed for the contracts',
      )
      assert.match(other.body.errors[0].message, /Farcaster KeyAdd/)
    })

    test('an approval with another signature, nonce or time is refused and the request stays pending', async () => {
      const [user, other, key] = [await newPerson(), await newPerson(), newKey()]
      const token = await client.ask(app, key, { gasless: GASLESS })
      const approval = await client.approvalOf(token, user)
      const refusal = async (changes: object) => {
        const { status, body } = await client.send({ ...approval, ...changes })
        return [status, body.field]
      }
      assert.deepEqual(await refusal({ userFid: other.fid }), [400, 'signature'])
      assert.deepEqual(await refusal({ deadline: approval.deadline + 1 }), [400, 'signature'])
      assert.deepEqual(await refusal({ deadline: client.now() - 1 }), [400, 'deadline'])
      assert.deepEqual(await refusal({ signature: '0x11' }), [400, 'signature'])
      const { signedKeyRequest } = (
        await world().platform('/v2/simulate-create-signed-key-request', {
          method: 'PUT',
          body: approval,
        })
      ).body.result
      assert.equal(signedKeyRequest.state, 'pending')
      const ours = await client.ask(app, newKey(), { gasless: GASLESS })
      accepted(await client.approve(ours, user))
      assert.deepEqual(await refusal({}), [400, 'signature'], 'its nonce is used')
      const early = await client.send(await client.approvalOf(token, user))
      assert.equal(early.status, 429, 'one a minute')
      assert.equal((await stateOf(token)).state, 'pending')
      world().clock.advance(60_001)
      accepted(await client.approve(token, user))
      accepted(await cast(user.fid, key))
    })

    test('of many approvals at once one is taken, and the same one again changes nothing', async () => {
      const key = newKey()
      const token = await client.ask(app, key, { gasless: GASLESS })
      const users = await client.people(Array.from({ length: 10 }, () => ++fids))
      const approvals = await Promise.all(users.map((user) => client.approvalOf(token, user)))
      const answers = await Promise.all(approvals.map(client.send))
      const winners = answers.flatMap(({ status }, i) => (status === 200 ? [i] : []))
      assert.equal(winners.length, 1)
      const winner = users[winners[0]!]!
      const again = accepted(await client.send(approvals[winners[0]!]!)).result.signedKeyRequest
      assert.deepEqual([again.state, again.userFid], ['completed', winner.fid])
      const held = await Promise.all(users.map(async ({ fid }) => (await cast(fid, key)).status))
      assert.equal(held.filter((status) => status === 200).length, 1)
    })

    test('a request that is denied or has expired adds no key', async () => {
      const [user, key] = [await newPerson(), newKey()]
      const token = await client.ask(app, key, { gasless: GASLESS })
      const late = await client.approvalOf(token, user)
      accepted(await client.deny(token, user))
      assert.equal((await client.send(late)).status, 400)
      assert.equal((await stateOf(token)).state, 'denied')
      const second = await client.ask(app, key, { gasless: GASLESS })
      world().clock.advance((DAY_SECONDS + 1) * 1_000)
      const expired = await client.send({ ...late, token: second, deadline: client.now() + 60 })
      assert.deepEqual([expired.status, expired.body.errors[0].reason], [400, 'expired'])
      assert.equal((await client.stateOf(second)).status, 404)
      assert.notEqual((await cast(user.fid, key)).status, 200)
    })

    test('a KEY_ADD that the user sends to the hub, and one whose server was killed, complete the request', async () => {
      const asker: Owner = await owner(world(), 71)
      const person = { fid: asker.fid, account: asker.account, app: asker }
      for (const fid of [72, 73]) {
        const user = await owner(world(), fid)
        const key: Key = keyOf(9_000 + fid)
        const token = await client.ask(
          person,
          { seed: key.seed, key: toHex(key.key) },
          { gasless: GASLESS },
        )
        const { storage } = world().app
        const row = (await storage.of(keyRequestRows).byToken(fromHex(token)!))!
        if (fid === 73) {
          // Approved, and then the power went out.
          const taken = {
            user_fid: fid,
            approved_at: client.now(),
            add_owner: user.custody,
            add_nonce: 1,
          }
          const signed = { add_deadline: client.now() + 60, add_signature: new Uint8Array(65) }
          const approved = { ...row, ...taken, ...signed, state: 'approved' as const }
          await storage.write('hub', (tx) => tx.of(keyRequestRows).put([approved]))
        }
        const edit = (body: object) => ({ ...body, metadata: metadataOf(row) }) as never
        accepted(await world().submit(await keyAdd(world(), user, key, { app: asker, edit })))
        if (fid === 73) await world().app.of(KEY_REQUESTS_OF_APPS).runMaintenance()
        const { state, userFid } = await stateOf(token)
        assert.deepEqual([state, userFid], ['completed', fid])
      }
    })

    test('an approval that no server has sent to the hub is sent later, once', async () => {
      const [user, key] = [await newPerson(), newKey()]
      const token = await client.ask(app, key, { gasless: GASLESS })
      const { deadline, signature } = await client.approvalOf(token, user)
      const { storage, of } = world().app
      const row = (await storage.of(keyRequestRows).byToken(fromHex(token)!))!
      const approved = {
        ...row,
        ...{ state: 'approved' as const, user_fid: user.fid, approved_at: client.now() },
        ...{ add_owner: user.app.custody, add_nonce: 1, add_deadline: deadline },
        add_signature: fromHex(signature)!,
      }
      await storage.write('hub', (tx) => tx.of(keyRequestRows).put([approved]))
      world().clock.advance(60_000)
      await Promise.all([1, 2].map(() => of(KEY_REQUESTS_OF_APPS).runMaintenance()))
      assert.equal((await stateOf(token)).state, 'completed')
      accepted(await cast(user.fid, key))
    })

    test('a stream tells that the key is there', async () => {
      const [user, key] = [await newPerson(), newKey()]
      const token = await client.ask(app, key, { gasless: GASLESS })
      const url = `${world().app.urls.platform}/v2/signed-key-request-events?token=${token}`
      const states: string[] = []
      for await (const text of (await fetch(url)).body!.pipeThrough(new TextDecoderStream())) {
        states.push(...[...text.matchAll(/^data: .*"state":"(\w+)"/gm)].map(([, state]) => state!))
        if (states.length === 1) accepted(await client.approve(token, user))
      }
      assert.deepEqual([states[0], states.at(-1)], ['pending', 'completed'])
    })

    test('the owner removes a gasless key through the platform, and nobody else', async () => {
      const [user, other, key] = [await newPerson(), await newPerson(), newKey()]
      accepted(await client.approve(await client.ask(app, key, { gasless: GASLESS }), user))
      const wrong = { signature: await other.account.signMessage({ message: 'x' }) }
      const refused = await remove(user, key.key, wrong)
      assert.deepEqual([refused.status, refused.body.field], [400, 'signature'])
      const late = await remove(user, key.key, { deadline: client.now() - 1 })
      assert.deepEqual([late.status, late.body.field], [400, 'deadline'])
      accepted(await cast(user.fid, key))
      accepted(await remove(user, key.key))
      assert.notEqual((await cast(user.fid, key)).status, 200)
      const path = `/v2/signer-removal?fid=${user.fid}&key=${key.key}`
      assert.equal((await world().platform(path)).status, 404)
      nextMinute(world())
      accepted(await client.approve(await client.ask(app, key, { gasless: GASLESS }), user))
      accepted(await cast(user.fid, key))
      accepted(await remove(user, user.app ? (toHex(user.app.key) as Hex) : '0x'))
    })
  },
  () => ({ startMs: KEYS_START_MS }),
)
