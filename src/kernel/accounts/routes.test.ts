import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { hashTypedData } from 'viem/utils'
import {
  alice,
  bench,
  bob,
  carol,
  dave,
  keyOf,
  LATER,
  NOW,
  newKey,
  person,
  sqlite,
} from '../../../test/accounts-support.ts'
import { serve } from '../../../test/http-support.ts'
import { CostBudget } from '../limits/cost-budget.ts'
import { toBase64, toHex } from '../protocol/codec/bytes.ts'
import { typedDataDigest } from '../protocol/crypto/eip712.ts'
import { onChainEventJson } from '../protocol/json/json.ts'
import { Rejection } from '../protocol/rejection.ts'
import { encodeOnChainEvent } from './events.ts'
import { accountRoutes, operatorAccountRoutes } from './routes.ts'
import {
  addressOf,
  callJson,
  signChangeRecovery,
  signRecover,
  signRegister,
  signRemove,
  signTransfer,
  signTransferAndChangeRecovery,
} from './signatures/sign.ts'
import { registerTypedData } from './signatures/typed-data.ts'

const it = await bench(sqlite)
const http = serve(accountRoutes(it.ledger), { name: 'accounts', errors: 'plain' })
const operator = serve(operatorAccountRoutes(it.ledger), { name: 'operations', errors: 'plain' })
after(async () => {
  await Promise.all([http.close(), operator.close()])
  await it.close()
})

const get = async (url: string) => {
  const response = await http.inject({ method: 'GET', url })
  return { status: response.statusCode, body: response.json() }
}
const post = async (name: string, payload: object, to = http) => {
  const response = await to.inject({ method: 'POST', url: `/v1/${name}`, payload })
  return { status: response.statusCode, body: response.json() }
}
const call = (name: string, signed: object) => post(name, callJson(signed))
const [a, b] = [alice, bob].map((one) => toHex(addressOf(one)))

test('an account can sign up, add keys, move, recover and rent over HTTP', async () => {
  const register = await signRegister(alice, { deadline: LATER, recovery: addressOf(dave) })
  const { owner: _, ...key } = await newKey(alice, keyOf(1), { requestFid: 1 })
  const signedUp = await call('register', { ...register, keys: [key] })
  assert.equal(signedUp.status, 200)
  assert.deepEqual(
    { ...signedUp.body, transactionHash: '', events: signedUp.body.events.length },
    {
      fid: 1,
      transactionHash: '',
      blockNumber: 1,
      confirmed: true,
      confirmsAt: NOW * 1000,
      events: 3,
    },
  )
  assert.match(signedUp.body.transactionHash, /^0x[0-9a-f]{64}$/)
  assert.deepEqual(await get(`/v1/account?address=${a}`), {
    status: 200,
    body: {
      fid: 1,
      custodyAddress: a,
      recoveryAddress: toHex(addressOf(dave)),
      units: { legacy: 0, u2024: 0, u2025: 20 },
    },
  })
  const { body: keys } = await get('/v1/keys?fid=1')
  assert.deepEqual(
    keys.keys.map((one: Record<string, unknown>) => [one.key, one.requestFid]),
    [[toHex(keyOf(1)), 1]],
  )
  assert.deepEqual(keys.keys[0].event, signedUp.body.events[2])
  assert.equal(keys.nextPageToken, '')

  const second = await newKey(alice, keyOf(2), { requestFid: 1, nonce: 1 })
  const terms = { fid: 1, deadline: LATER }
  const calls: [string, object][] = [
    ['addFor', second],
    ['removeFor', await signRemove(alice, { key: keyOf(2), deadline: LATER })],
    ['rent', { fid: 1, units: 3 }],
    ['transferFor', await signTransfer(alice, bob, terms)],
    ['recoverFor', await signRecover(dave, carol, { ...terms, from: addressOf(bob) })],
    [
      'transferAndChangeRecoveryFor',
      await signTransferAndChangeRecovery(carol, bob, {
        ...terms,
        recovery: addressOf(alice),
        fromNonce: 1,
        toNonce: 1,
      }),
    ],
    [
      'changeRecoveryAddressFor',
      await signChangeRecovery(bob, {
        ...terms,
        from: addressOf(alice),
        to: addressOf(dave),
        nonce: 2,
      }),
    ],
    ['registerFor', await signRegister(alice, { deadline: LATER, nonce: 1 })],
  ]
  for (const [name, signed] of calls) {
    const { status, body } = await call(name, signed)
    assert.equal(status, 200, `${name}: ${body.message}`)
  }
  assert.equal((await get('/v1/account?fid=1')).body.custodyAddress, b)
  assert.equal((await get(`/v1/account?address=${a}`)).body.fid, 2)
  assert.equal((await get(`/v1/idOf?address=${a}`)).body.fid, 2)
  assert.deepEqual((await get(`/v1/nonce?contract=IdRegistry&address=${b}`)).body, {
    contract: 'idRegistry',
    address: b,
    nonce: 3,
  })
})

test('the interface returns typed data that a wallet can sign', async () => {
  const { body } = await get('/v1/domains')
  assert.equal(body.chainId, 10)
  assert.deepEqual(Object.keys(body.structs), [
    'Register',
    'Transfer',
    'TransferAndChangeRecovery',
    'ChangeRecoveryAddress',
    'Add',
    'Remove',
    'SignedKeyRequest',
    'KeyAdd',
    'KeyRemove',
  ])
  const terms = { nonce: 0, deadline: LATER }
  const [to, recovery] = [addressOf(alice), addressOf(dave)]
  const ours = typedDataDigest(
    registerTypedData(it.ledger.settings.domains, { to, recovery, ...terms }),
  )
  const { domain, types } = body.structs.Register
  const message = { to: toHex(to), recovery: toHex(recovery), nonce: '0', deadline: String(LATER) }
  assert.equal(hashTypedData({ domain, types, primaryType: 'Register', message }), toHex(ours))
})

test('a refusal has the error name of the contract and names the field', async () => {
  const good = callJson(await signRegister(carol, { deadline: LATER, nonce: 0 }))
  const cases: [object, number, string, string | undefined][] = [
    [{ ...good, signature: '0x' }, 400, 'InvalidSignature', 'signature'],
    [{ ...good, deadline: 5 }, 400, 'SignatureExpired', 'deadline'],
    [{ ...good, deadline: '5' }, 400, 'SignatureExpired', 'deadline'],
    [{ ...good, to: '0x12' }, 400, 'bad_request.validation_failure', 'to'],
    [{ ...good, deadline: '9'.repeat(78) }, 400, 'bad_request.validation_failure', 'deadline'],
    [{ ...good, deadline: -1 }, 400, 'bad_request.validation_failure', 'deadline'],
    [{ ...good, extraStorage: '1' }, 400, 'bad_request.validation_failure', 'extraStorage'],
    [{ ...good, typo: 1 }, 400, 'bad_request.validation_failure', 'typo'],
    [{ ...good, to: undefined }, 400, 'bad_request.validation_failure', 'to'],
  ]
  for (const [payload, status, code, field] of cases) {
    const answer = await post('registerFor', payload)
    assert.deepEqual(
      [answer.status, answer.body.code, answer.body.field],
      [status, code, field],
      JSON.stringify(payload),
    )
  }
  const taken = await call('registerFor', await signRegister(alice, { deadline: LATER, nonce: 2 }))
  assert.deepEqual([taken.status, taken.body.error], [409, 'HasId'])
})

test('an account must be named in exactly one way', async () => {
  for (const query of ['', `?fid=1&address=${a}`]) {
    assert.equal((await get(`/v1/account${query}`)).status, 400)
  }
  assert.equal((await get('/v1/account?fid=999')).status, 404)
  const nobody = toHex(new Uint8Array(20).fill(9))
  assert.deepEqual(await get(`/v1/idOf?address=${nobody}`), {
    status: 200,
    body: { address: nobody, fid: 0 },
  })
  assert.equal((await get('/v1/idOf?address=0x12')).status, 400)
  assert.equal((await get(`/v1/account?address=${toHex(new Uint8Array(20).fill(9))}`)).status, 404)
  assert.equal((await get(`/v1/nonce?contract=other&address=${a}`)).body.field, 'contract')
})

test('an operator imports events as JSON or as bytes', async () => {
  const [event] = it.told[0]!
  const foreign = { ...event!, fid: 50n }
  const other = { ...event!, fid: 51n }
  const events = [onChainEventJson(foreign), toBase64(encodeOnChainEvent(other))]
  assert.deepEqual(await post('import', { events }, operator), {
    status: 200,
    body: { merged: 2, duplicates: 0 },
  })
  assert.equal((await get('/v1/account?fid=51')).status, 200)
  const broken = [...events, { ...onChainEventJson(foreign), fid: 0 }]
  const refused = await post('import', { events: broken }, operator)
  assert.deepEqual([refused.status, refused.body.field], [400, 'events.2.fid'])
})

test('calls are rate limited by their cost', async () => {
  assert.deepEqual((await get('/v1/price')).body, {
    price: '0',
    signupUnits: 20,
    maxUnitsPerFid: 1000,
    maxKeysPerFid: 1000,
    confirmationMs: 0,
  })
})

test('a call of an address without a fid is charged to that address, wherever it comes from', async (t) => {
  const costs = new CostBudget(
    {
      unitsPerSecond: 1_000,
      // One removal costs 12.5 units.
      principalUnitsPerSecond: 13,
      totalUnitsPerSecond: 1_000,
      burstSeconds: 1,
      totalBurstSeconds: 1,
      exemptLoopback: false,
    },
    () => 0,
  )
  const priced = serve(accountRoutes(it.ledger), { name: 'accounts', errors: 'plain', costs })
  t.after(() => priced.close())
  const stranger = person(77)
  const signed = callJson(await signRemove(stranger, { key: keyOf(1), deadline: LATER }))
  const remove = async (remoteAddress: string, payload: object) => {
    const response = await priced.inject({
      method: 'POST',
      url: '/v1/removeFor',
      remoteAddress,
      payload,
    })
    return [response.json().error, response.headers['retry-after']]
  }
  const forged = { ...signed, key: toHex(keyOf(2)) }
  assert.deepEqual(await remove('192.0.2.1', forged), ['InvalidSignature', undefined])
  assert.deepEqual(await remove('192.0.2.2', signed), ['Unauthorized', undefined])
  assert.deepEqual(await remove('192.0.2.3', signed), ['rate_limited', '1'])
  assert.deepEqual(await remove('192.0.2.3', forged), ['InvalidSignature', undefined])
})

test('every call is documented with its errors', () => {
  type Operation = { responses: Record<string, { description: string }>; summary: string }
  const { paths } = http.openapi() as { paths: Record<string, Record<string, Operation>> }
  const calls = Object.entries(paths).filter(([, methods]) => methods.post)
  assert.equal(calls.length, 9)
  for (const [path, { post }] of calls) {
    assert.ok(post!.summary, path)
    if (path !== '/v1/rent') {
      assert.match(post!.responses['400']!.description, /InvalidSignature.*|SignatureExpired/, path)
    }
  }
})

test('a wrong body of a rent is refused for what is wrong, without a token of a user', async () => {
  const checkToken = async () => {
    throw new Rejection('unauthenticated', 'no token of a user')
  }
  for (const operator of [undefined, { token: 'hush' }]) {
    const routes = accountRoutes(it.ledger, operator)
    const rents = serve(routes, { name: 'accounts', errors: 'plain', checkToken })
    const response = await rents.inject({
      method: 'POST',
      url: '/v1/rent',
      headers: { authorization: 'Bearer hush' },
      payload: { fid: 1 },
    })
    assert.deepEqual([response.statusCode, response.json().field], [400, 'units'])
  }
})
