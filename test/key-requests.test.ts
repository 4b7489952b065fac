import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { secp256k1 } from '@noble/curves/secp256k1'
import {
  parseSignature,
  serializeCompactSignature,
  serializeSignature,
  signatureToCompactSignature,
  toHex,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { KEY_REQUESTS_OF_APPS } from '../src/features/key-requests/port.ts'
import { keyRequestRows } from '../src/features/key-requests/tables/key-requests.ts'
import { signTransfer } from '../src/kernel/accounts/signatures/sign.ts'
import { castAdd } from '../src/kernel/protocol/build.ts'
import { fromHex } from '../src/kernel/protocol/codec/bytes.ts'
import { effort } from './effort.ts'
import { type AppKey, appKey, keyRequestClient, signRequest } from './key-requests-support.ts'
import { custodyOf, type Person } from './registry-support.ts'
import { accountEvents, createWorld, enginesOf, testAccount, type World } from './world.ts'

// The published vectors: their app, their key, their sponsor.
const VECTOR = {
  app: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  sponsorKey: '0x7c852118294e51e653712a81e05800f419141751be58f605c371e15141b007a6',
  body: {
    key: '0xd04ab232742bb4ab3a1368bd4615e4e6d0224ab71a016baf8520a332c9778737',
    requestFid: 9152,
    deadline: 1_893_456_000,
    signature:
      '0x7b1a9a9ec44c7b0382a6836a6461366fea1c960fbeba6285cd48a242fcd0567d069c3a0000d25729cf5aa28651bb5dd4df5ef5a0f37e6bf63e904ea88be96edb1b',
  },
  sponsorSignature:
    '0xc4edb1de00187ecf9d5df3f27ccc4565eddda06c4a5eb430bfb730fe3af2fb2f0db8576d3bdf9939f368a4f0051e8de4d3c0e01bd256995ecc539b61013523331c',
} as const

/** Of the curve: every signature has a twin whose s is this minus its own. */
const ORDER = secp256k1.CURVE.n

for (const engine of enginesOf(import.meta.url)) {
  describe(`signed key requests (${engine})`, () => {
    let world: World
    let client: ReturnType<typeof keyRequestClient>
    let app: Person
    let user: Person
    let sponsor: Person
    let keys = 0
    let fids = 100
    const newKey = (): AppKey => appKey(++keys)
    const newPerson = async () => (await client.people([++fids]))[0]!
    const hasState = async (token: string, state: string, more: object = {}) => {
      const { body } = await client.stateOf(token)
      const { signedKeyRequest } = body.result
      assert.deepEqual({ ...signedKeyRequest, ...more, state }, signedKeyRequest)
    }
    /** Submits a cast by a key; the status of the answer. */
    const cast = async (fid: number, { seed }: AppKey, text: string) => {
      const account = { ...testAccount(fid), seed }
      const message = world.sign(account, castAdd(world.origin(account), { text }))
      return (await world.submit(message)).status
    }

    before(async () => {
      world = await createWorld({ engine })
      client = keyRequestClient(world)
      ;[app, user, sponsor] = (await client.people([1, 2, 3])) as [Person, Person, Person]
    })
    after(() => world.close())

    test('a new key request is pending and has a random token', async () => {
      const body = await client.bodyOf(app, newKey())
      const first = await client.post(body)
      assert.equal(first.status, 200)
      const { token, deeplinkUrl, approvalUrl, ...rest } = first.body.result.signedKeyRequest
      assert.match(token, /^0x[0-9a-f]{48}$/)
      assert.equal(deeplinkUrl, `farcaster://signed-key-request?token=${token}`)
      assert.equal(approvalUrl, `${world.app.urls.web}/platform/~/connect?token=${token}`)
      assert.deepEqual(rest, { key: body.key, requestFid: 1, state: 'pending', isSponsored: false })
      assert.equal(first.headers.get('cache-control'), 'no-store')
      const again = await client.post(body)
      const { token: other } = again.body.result.signedKeyRequest
      assert.notEqual(other, token)
      const unknown = `0x${'11'.repeat(24)}`
      const polled = await Promise.all([token, other, unknown, token].map(client.stateOf))
      assert.deepEqual(
        polled.map(({ status }) => status),
        [200, 200, 404, 200],
      )
      for (const [i, created] of [first, again, undefined, first].entries()) {
        if (created) assert.deepEqual(polled[i]!.body, created.body)
      }
      assert.equal(polled[0]!.headers.get('cache-control'), 'no-store')
    })

    test('approvals with invalid fids and times are refused, and the request stays readable', async () => {
      const asked = await client.bodyOf(app, newKey())
      for (const number of [1e308, 2 ** 53, '9999999999999999', 0, -1, 1.5]) {
        for (const field of ['requestFid', 'deadline']) {
          const { status, body } = await client.post({ ...asked, [field]: number })
          assert.deepEqual([status, body.field], [400, field], `${field} ${number}`)
        }
      }
      const token = await client.ask(app, newKey())
      const path = `/v2/signed-key-request-approval?token=${token}&fid=${user.fid}`
      const { typedData } = (await world.platform(path)).body.result.approval
      for (const deadline of [client.now() + 8 * 86_400, 999_999_999_999_999, '9999999999999999']) {
        typedData.message.deadline = String(deadline)
        const signature = await user.account.signTypedData(typedData)
        const answer = await client.send({ token, deadline, signature, userFid: user.fid })
        assert.deepEqual([answer.status, answer.body.field], [400, 'deadline'])
      }
      const approval = { token, deadline: client.now() + 60, signature: '0x11' }
      const nobody = await client.send({ ...approval, userFid: 1e308 })
      assert.deepEqual([nobody.status, nobody.body.field], [400, 'userFid'])
      await hasState(token, 'pending')
    })

    test('a key request accepts digit strings, further properties, both paths and any case of the key', async () => {
      const body = await client.bodyOf(app, newKey())
      const key = `0x${body.key.slice(2).toUpperCase()}`
      const asTexts = { requestFid: '1', deadline: String(body.deadline), publicKey: 'x' }
      const answer = await world.platform('/v2/signed-key-request', {
        body: { ...body, ...asTexts, key },
      })
      assert.equal(answer.status, 200)
      assert.equal(answer.body.result.signedKeyRequest.key, key)
      assert.equal((await world.platform('/v2/signed-key-requests')).status, 405)
    })

    test('the published vectors are accepted, sponsored and not', async () => {
      const sponsorAddress = privateKeyToAccount(VECTOR.sponsorKey).address
      const holders = [
        { ...testAccount(9152), custody: fromHex(VECTOR.app)! },
        { ...testAccount(9153), custody: fromHex(sponsorAddress)! },
      ]
      await world.app.ledger!.importEvents(
        holders.flatMap((one) => accountEvents(one, client.now(), 1)),
      )
      assert.equal((await client.post(VECTOR.body)).status, 200)
      const sponsorship = { sponsorFid: 9153, signature: VECTOR.sponsorSignature }
      const refused = await client.post({ ...VECTOR.body, sponsorship })
      assert.equal(refused.status, 400)
      assert.equal(refused.body.errors[0].reason, 'insufficient_warps')
      await client.grant(9153, 100)
      const { status, body } = await client.post({ ...VECTOR.body, sponsorship })
      assert.equal(status, 200)
      assert.equal(body.result.signedKeyRequest.isSponsored, true)
    })

    test('of two faults of a key request the first is reported', async () => {
      const key = newKey()
      const { account } = app
      const good = await client.bodyOf(app, key)
      const past = client.now() - 1
      const poor = await newPerson()
      const poorSignature = await poor.account.signMessage({ message: { raw: good.signature } })
      const overHex = await sponsor.account.signMessage({ message: good.signature })
      const faults = [
        [{ key: '0x00' }, undefined, 'key'],
        [{ requestFid: 77_777 }, 'no_registered_fid', 'requestFid'],
        [
          {
            deadline: past,
            signature: await signRequest(account, { requestFid: 1, key: key.key, deadline: past }),
          },
          undefined,
          'deadline',
        ],
        [{ signature: `0x${'11'.repeat(65)}` }, 'invalid_signature', 'signature'],
        [
          { sponsorship: { sponsorFid: 77_777, signature: poorSignature } },
          'no_registered_fid',
          'sponsorship.sponsorFid',
        ],
        [
          { sponsorship: { sponsorFid: sponsor.fid, signature: overHex } },
          'invalid_signature',
          'sponsorship.signature',
        ],
        [
          { sponsorship: { sponsorFid: poor.fid, signature: poorSignature } },
          'insufficient_warps',
          'sponsorship.sponsorFid',
        ],
      ] as const
      for (const [i, [fault, reason, field]] of faults.entries()) {
        for (const [later] of faults.slice(i)) {
          const { status, body } = await client.post({ ...good, ...later, ...fault })
          assert.equal(status, 400, JSON.stringify(body))
          assert.equal(body.field, field, JSON.stringify(body))
          assert.equal(body.errors[0].reason, reason)
        }
      }
    })

    test('the error for a malformed body names the field', async () => {
      const good = await client.bodyOf(app, newKey())
      const { key: _, ...withoutKey } = good
      const missing = await client.post(withoutKey)
      assert.equal(missing.status, 400)
      assert.deepEqual(missing.body.errors[0], {
        instancePath: '',
        schemaPath: '#/required',
        keyword: 'required',
        params: { missingProperty: 'key' },
        message: "must have required property 'key'",
      })
      const cases: [object, string][] = [
        [{ key: 'zz' }, 'key'],
        [{ key: good.key.slice(0, -1) }, 'key'],
        [{ requestFid: 0 }, 'requestFid'],
        [{ requestFid: 1.5 }, 'requestFid'],
        [{ requestFid: '1e3' }, 'requestFid'],
        [{ deadline: Date.now() * 1000 }, 'deadline'],
        [{ deadline: null }, 'deadline'],
        [{ signature: '' }, 'signature'],
        [{ signature: `0x${'00'.repeat(5_000)}` }, 'signature'],
        [{ redirectUrl: 'x'.repeat(3_000) }, 'redirectUrl'],
        [{ redirectUrl: 'app://back\u0000' }, 'redirectUrl'],
        [{ sponsorship: {} }, 'sponsorship.sponsorFid'],
        [{ keyType: 'auth-address' }, 'keyType'],
      ]
      for (const [change, field] of cases) {
        const { status, body } = await client.post({ ...good, ...change })
        assert.equal(status, 400, field)
        assert.equal(body.field, field, JSON.stringify(body))
      }
      for (const token of ['', '0x', '0x00', 'x'.repeat(100), `0x${'ab'.repeat(24)}`, '%00']) {
        const { status } = await client.stateOf(token)
        assert.equal(status, token === '' ? 400 : 404, token)
      }
    })

    test('a user can read who made a key request and what to sign', async () => {
      const key = newKey()
      const token = await client.ask(app, key)
      const path = `/v2/signed-key-request-approval?token=${token}`
      const { approval } = (await world.platform(path)).body.result
      assert.equal(approval.app.fid, 1)
      assert.equal(approval.typedData, undefined)
      const forUser = await world.platform(`${path}&address=${user.account.address}`)
      const { user: who, keyState, typedData, now, deadline } = forUser.body.result.approval
      assert.equal(who.fid, 2)
      assert.equal(keyState, 'none')
      assert.equal(deadline, now + 86_400)
      assert.equal(typedData.domain.name, 'Farcaster KeyGateway')
      assert.equal(typedData.message.owner, user.account.address.toLowerCase())
      assert.equal(typedData.message.key, key.key)
      const stranger = `${path}&address=0x${'12'.repeat(20)}`
      assert.equal((await world.platform(stranger)).body.result.approval.user, undefined)
    })

    test("a user's signature completes a request, and the first message of the key is accepted", async () => {
      const key = newKey()
      const token = await client.ask(app, key)
      assert.equal(await cast(2, key, 'too early'), 400)
      const approval = await client.approvalOf(token, user)
      const simulated = await world.platform('/v2/simulate-create-signed-key-request', {
        method: 'PUT',
        body: approval,
      })
      assert.equal(simulated.status, 200)
      await hasState(token, 'pending')
      const { status, body } = await client.send(approval)
      assert.equal(status, 200)
      assert.equal(body.result.signedKeyRequest.state, 'completed')
      assert.equal(body.result.signedKeyRequest.userFid, 2)
      await hasState(token, 'completed', { userFid: 2 })
      assert.equal(await cast(2, key, 'in time'), 200)
      assert.equal((await client.send(approval)).status, 200, 'the same approval again')
      assert.equal((await client.approve(await client.ask(app, newKey()), user)).status, 200)
    })

    test('a request does not change when a signature is invalid', async () => {
      const token = await client.ask(app, newKey())
      const approval = await client.approvalOf(token, user)
      const other = await newPerson()
      const bad: [object, number, string][] = [
        [{ signature: `0x${'22'.repeat(65)}` }, 400, 'InvalidSignature'],
        [{ userFid: other.fid }, 400, 'InvalidSignature'],
        [{ deadline: approval.deadline + 1 }, 400, 'InvalidSignature'],
        [{ deadline: client.now() - 1 }, 400, 'SignatureExpired'],
        [{ userFid: 88_888 }, 400, 'bad_request.validation_failure'],
        [{ userFid: undefined }, 400, 'bad_request.validation_failure'],
        [{ token: `0x${'00'.repeat(24)}` }, 404, 'not_found'],
      ]
      for (const [change, status, code] of bad) {
        const answer = await client.send({ ...approval, ...change })
        assert.equal(answer.status, status, JSON.stringify(answer.body))
        assert.equal(answer.body.code, code)
        await hasState(token, 'pending')
      }
      assert.equal((await client.send(approval)).status, 200)
    })

    test('a request that an account has denied stays denied', async () => {
      const token = await client.ask(app, newKey())
      const approval = await client.approvalOf(token, user)
      const anonymous = await world.platform('/v2/deny-signed-key-request', {
        method: 'PUT',
        body: { token },
      })
      assert.equal(anonymous.status, 401)
      assert.equal((await client.deny(token, user)).status, 200)
      await hasState(token, 'denied')
      assert.equal((await client.deny(token, user)).status, 200)
      assert.equal((await client.send(approval)).status, 400)
      await hasState(token, 'denied')
    })

    test('a request whose deadline has passed is denied no more', async () => {
      const token = await client.ask(app, newKey())
      const before = world.clock.now()
      const { deadline } = (await world.app.storage.of(keyRequestRows).byToken(fromHex(token)!))!
      world.clock.advance((deadline + 1) * 1_000 - before)
      const late = await client.deny(token, user)
      assert.equal(late.status, 400)
      assert.equal(late.body.errors[0].reason, 'expired')
      world.clock.advance(before - world.clock.now())
      await hasState(token, 'pending')
    })

    test('a request fails for a key that the user has removed before', async () => {
      const key = newKey()
      const person = await newPerson()
      assert.equal((await client.approve(await client.ask(app, key), person)).status, 200)
      const path = `/v2/signer-removal?fid=${person.fid}&key=${key.key}`
      const { typedData } = (await world.platform(path)).body.result
      const signature = await person.account.signTypedData(typedData)
      const { deadline } = typedData.message
      const removal = { fid: person.fid, key: key.key, deadline, signature }
      const remove = () => world.platform('/v2/signers', { method: 'DELETE', body: removal })
      assert.deepEqual((await remove()).body, { result: { success: true } })
      const repeated = await remove()
      assert.equal(repeated.status, 404)
      assert.equal(repeated.body.errors[0].reason, 'signer_already_removed')
      assert.equal(await cast(person.fid, key, 'gone'), 400)

      const token = await client.ask(app, key)
      const details = `/v2/signed-key-request-approval?token=${token}&fid=${person.fid}`
      assert.equal((await world.platform(details)).body.result.approval.keyState, 'removed')
      const answer = await client.approve(token, person)
      assert.equal(answer.status, 400)
      assert.deepEqual(answer.body.errors[0].data, { revertError: { name: 'InvalidState' } })
      const failed = { reason: 'transaction_would_revert', revertError: { name: 'InvalidState' } }
      await hasState(token, 'failed', failed)
    })

    test('a pending request fails when the app gets another owner', async () => {
      const [seller] = await client.people([++fids])
      const buyer = custodyOf(++fids)
      const token = await client.ask(seller!, newKey())
      const deadline = BigInt(client.now() + 600)
      await world.app.ledger!.transferFor(
        await signTransfer(seller!.account, buyer, { fid: seller!.fid, deadline }),
      )
      await hasState(token, 'failed', { reason: 'custody_address_mismatch' })
    })

    test('an expired request cannot be approved, is answered with 404 at once, and is deleted a day later', async () => {
      const token = await client.ask(app, newKey())
      world.clock.advance(86_400_000)
      await hasState(token, 'pending')
      const approval = await client.approvalOf(token, user)
      world.clock.advance(1_000)
      const { status, body } = await client.send(approval)
      assert.equal(status, 400)
      assert.match(body.errors[0].message, /deadline/)
      assert.equal(body.errors[0].reason, 'expired')
      await world.app.of(KEY_REQUESTS_OF_APPS).runMaintenance()
      for (const path of ['signed-key-request', 'signed-key-request-events']) {
        const polled = await world.platform(`/v2/${path}?token=${token}`)
        assert.deepEqual([polled.status, polled.body.field], [404, 'token'])
        assert.equal(polled.body.errors[0].reason, 'expired')
        assert.match(polled.body.errors[0].message, /deadline.*make a new request/)
      }
      world.clock.advance(86_400_000)
      await world.app.of(KEY_REQUESTS_OF_APPS).runMaintenance()
      assert.equal((await client.stateOf(token)).status, 404)
    })

    test('the stream of a request ends when its deadline passes without an approval', async () => {
      const token = await client.ask(app, newKey())
      const path = `/v2/signed-key-request-events?token=${token}`
      const stream = await fetch(world.app.urls.platform + path)
      assert.equal(stream.status, 200)
      world.clock.advance(86_401_000)
      assert.match(await stream.text(), /"state":"pending"/)
      assert.equal((await world.platform(path)).status, 404)
    })

    test('a request with a deadline in years is deleted after a month', async () => {
      const key = newKey()
      const deadline = client.now() + 10 * 365 * 86_400
      const request = { requestFid: 1, key: key.key, deadline }
      const signature = await signRequest(app.account, request)
      const { body } = await client.post({ ...request, signature })
      const { token } = body.result.signedKeyRequest
      world.clock.advance(31 * 86_400_000 - 1_000)
      await world.app.of(KEY_REQUESTS_OF_APPS).runMaintenance()
      await hasState(token, 'pending')
      world.clock.advance(1_000)
      await world.app.of(KEY_REQUESTS_OF_APPS).runMaintenance()
      assert.equal((await client.stateOf(token)).status, 404)
    })

    test('a request with a signature that the contracts refuse is refused', async () => {
      const good = await client.bodyOf(app, newKey())
      const { r, s, v } = parseSignature(good.signature)
      const others = [
        serializeSignature({
          r,
          s: toHex(ORDER - BigInt(s), { size: 32 }),
          v: v === 27n ? 28n : 27n,
        }),
        serializeCompactSignature(
          signatureToCompactSignature({ r, s, yParity: v === 27n ? 0 : 1 }),
        ),
        `${good.signature.slice(0, -2)}0${v! - 27n}`,
      ]
      for (const signature of others) {
        const { status, body } = await client.post({ ...good, signature })
        assert.deepEqual([status, body.field], [400, 'signature'], signature)
      }
      assert.equal((await client.post(good)).status, 200)
    })

    test('the number of requests for one key is bounded', async () => {
      const token = await client.ask(app, newKey())
      const { storage } = world.app
      const request = (await storage.of(keyRequestRows).byToken(fromHex(token)!))!
      const more = Array.from({ length: 99 }, () => ({ ...request, token: randomBytes(24) }))
      await storage.write('hub', (tx) => tx.of(keyRequestRows).put(more))
      const { key_text: key, deadline } = request
      const signature = toHex(request.signature)
      const { status, body } = await client.post({ key, requestFid: 1, deadline, signature })
      assert.deepEqual([status, body.field], [503, 'key'])
      assert.equal((await client.approve(token, await newPerson())).status, 200)
      const all = await storage.of(keyRequestRows).byKeys([request.key])
      assert.deepEqual(new Set(all.map(({ state }) => state)), new Set(['completed']))
    })

    test('of two requests approved with one nonce the second stays pending', async () => {
      const [payer, person] = [await newPerson(), await newPerson()]
      await client.grant(payer.fid, 200)
      const asked = [newKey(), newKey()].map((key) => client.ask(app, key, { sponsor: payer }))
      const tokens = await Promise.all(asked)
      const signed = await Promise.all(tokens.map((token) => client.approvalOf(token, person)))
      const answers = await Promise.all(signed.map((approval) => client.send(approval)))
      const second = answers.findIndex(({ status }) => status === 400)
      assert.equal(answers[second]?.body.code, 'InvalidSignature')
      assert.equal(answers[1 - second]?.body.result.signedKeyRequest.state, 'completed')
      await hasState(tokens[second]!, 'pending')
      const { credit } = await client.creditOf(payer.fid)
      assert.deepEqual(credit, { fid: payer.fid, balance: 100, reserved: 0 })
      assert.equal((await client.approve(tokens[second]!, person)).status, 200)
      await hasState(tokens[second]!, 'completed', { userFid: person.fid })
    })

    test('a request is completed when its key is added in another way', async () => {
      const key = newKey()
      const token = await client.ask(app, key)
      const { typedData } = (
        await world.platform(`/v2/signed-key-request-approval?token=${token}&fid=2`)
      ).body.result.approval
      const signature = await user.account.signTypedData(typedData)
      const { owner, keyType, metadataType, metadata, deadline } = typedData.message
      await world.app.ledger!.addFor({
        owner: fromHex(owner)!,
        keyType,
        key: fromHex(key.key)!,
        metadataType,
        metadata: fromHex(metadata)!,
        deadline: BigInt(deadline),
        signature: fromHex(signature)!,
      })
      await hasState(token, 'completed', { userFid: 2 })
    })

    test('a request stays pending when another request adds its key', async () => {
      const key = newKey()
      const [first, second] = [await client.ask(app, key), await client.ask(sponsor, key)]
      assert.equal((await client.approve(first, user)).status, 200)
      await hasState(first, 'completed')
      await hasState(second, 'pending')
      assert.equal((await client.approve(second, await newPerson())).status, 200)
      await hasState(second, 'completed', { userFid: fids })
    })

    test('a sponsored request costs its sponsor once, however many users approve at once', async () => {
      const payer = await newPerson()
      await client.grant(payer.fid, 350)
      const tokens: string[] = []
      const users = await client.people(Array.from({ length: 10 }, () => ++fids))
      for (const _ of users) tokens.push(await client.ask(app, newKey(), { sponsor: payer }))
      const approvals = await Promise.all(users.map((one, i) => client.approvalOf(tokens[i]!, one)))
      // Each five times at once: clients try again.
      const answers = await Promise.all(
        approvals.flatMap((approval) => Array.from({ length: 5 }, () => client.send(approval))),
      )
      assert.ok(answers.every(({ status }) => status === 200 || status === 400))
      const states = await Promise.all(
        tokens.map(async (token) => (await client.stateOf(token)).body.result.signedKeyRequest),
      )
      const count = (state: string) => states.filter((one) => one.state === state).length
      assert.equal(count('completed'), 3)
      assert.equal(count('failed'), 7)
      const { credit, entries } = await client.creditOf(payer.fid)
      assert.deepEqual(credit, { fid: payer.fid, balance: 50, reserved: 0 })
      assert.deepEqual(
        entries.map(({ amount }: { amount: number }) => amount),
        [-100, -100, -100, 350],
      )
    })

    test('a stream reports every state of a request to the last', async () => {
      const token = await client.ask(app, newKey())
      const url = `${world.app.urls.platform}/v2/signed-key-request-events?token=${token}`
      const response = await fetch(url)
      assert.equal(response.headers.get('content-type'), 'text/event-stream')
      assert.equal(response.headers.get('cache-control'), 'no-store, no-transform')
      const reading = response.text()
      await client.approve(token, user)
      const events = [...(await reading).matchAll(/^data: (.*)$/gm)].map(([, data]) =>
        JSON.parse(data!),
      )
      const states = events.map(({ result }) => result.signedKeyRequest.state)
      // The stream looks at intervals, so it may or may not see the state between.
      assert.deepEqual(
        states.filter((state) => state !== 'approved'),
        ['pending', 'completed'],
      )
      assert.ok(states.length === 2 || states[1] === 'approved', states.join())
      assert.equal((await fetch(url)).status, 200, 'what is over is told once')
      assert.equal((await fetch(url.slice(0, -2))).status, 404)
    })

    test('the apps of a user are listed in pages', async () => {
      const owner = await newPerson()
      const own = Array.from({ length: 4 }, newKey)
      for (const key of own) await client.approve(await client.ask(app, key), owner)
      const list = `/v2/signers?fid=${owner.fid}&limit=2`
      const seen: { key: string; app?: { fid: number } }[] = []
      for (let path: string | undefined = list; path; ) {
        const { body } = await world.platform(path)
        assert.equal(body.result.user.fid, owner.fid)
        seen.push(...body.result.signers)
        path = body.next && `${list}&cursor=${body.next.cursor}`
      }
      const keys = seen.map(({ key }) => key)
      assert.deepEqual(keys.toSorted(), keys)
      assert.equal(keys.length, 5, 'with the key that the account began with')
      for (const { key } of own) {
        assert.deepEqual(seen.find((one) => one.key === key)?.app, { fid: 1 })
      }
      const unknown = `/v2/signers?address=0x${'34'.repeat(20)}`
      assert.equal((await world.platform(unknown)).status, 404)
      assert.equal((await world.platform('/v2/signers')).status, 400)
    })

    test('an approval that was interrupted before its submission is submitted later', async () => {
      const key = newKey()
      const person = await newPerson()
      const token = await client.ask(app, key)
      const approval = await client.approvalOf(token, person)
      const keyRequests = world.app.storage.of(keyRequestRows)
      const bytes = fromHex(token)!
      const request = (await keyRequests.byToken(bytes))!
      const interrupted = {
        ...request,
        state: 'approved' as const,
        user_fid: person.fid,
        approved_at: client.now(),
        add_owner: fromHex(person.account.address)!,
        add_nonce: 0,
        add_deadline: approval.deadline,
        add_signature: fromHex(approval.signature)!,
      }
      await world.app.storage.write('hub', (tx) => tx.of(keyRequestRows).put([interrupted]))
      world.clock.advance(59_000)
      await world.app.of(KEY_REQUESTS_OF_APPS).runMaintenance()
      // The process that took the approval may still be submitting it.
      await hasState(token, 'approved', { userFid: person.fid })
      world.clock.advance(1_000)
      await world.app.of(KEY_REQUESTS_OF_APPS).runMaintenance()
      await hasState(token, 'completed', { userFid: person.fid })
      assert.equal(await cast(person.fid, key, 'after all'), 200)
    })

    test('many requests in a row are completed, and each first message is accepted', async () => {
      for (let i = 0; i < effort(10, 200); i++) {
        const key = newKey()
        const owner = i % 50 === 0 ? await newPerson() : (await client.people([fids]))[0]!
        const token = await client.ask(app, key)
        const { body } = await client.approve(token, owner)
        assert.equal(body.result?.signedKeyRequest.state, 'completed', JSON.stringify(body))
        assert.equal(await cast(owner.fid, key, `message ${i}`), 200, `message ${i}`)
      }
    })

    test('with a confirmation time a request is approved first, and survives a restart', async () => {
      const slow = await createWorld({ engine, env: { ROOKERY_CONFIRMATION_MS: '5000' } })
      try {
        const slowClient = keyRequestClient(slow)
        const [asker, owner] = (await slowClient.people([1, 2])) as [Person, Person]
        const key = newKey()
        const token = await slowClient.ask(asker, key)
        const { body } = await slowClient.approve(token, owner)
        assert.equal(body.result.signedKeyRequest.state, 'approved')
        assert.equal(body.result.signedKeyRequest.userFid, 2)
        await slow.app.of(KEY_REQUESTS_OF_APPS).runMaintenance()
        await slow.restart()
        slow.clock.advance(5_000)
        await slow.app.ledger!.confirmDue()
        const done = (await slowClient.stateOf(token)).body.result.signedKeyRequest
        assert.equal(done.state, 'completed')
        const account = { ...testAccount(2), seed: key.seed }
        const message = slow.sign(account, castAdd(slow.origin(account), { text: 'first' }))
        assert.equal((await slow.submit(message)).status, 200)
      } finally {
        await slow.close()
      }
    })
  })
}
