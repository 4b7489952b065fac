// The attacks of the security review on Ethereum signatures and on what chains are asked, as they were made.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { encodeFunctionData, type Hex, parseAbi, toHex } from 'viem'
import type { LocalAccount } from 'viem/accounts'
import { jsonRpcRoute } from '../src/kernel/accounts/json-rpc.ts'
import { ecdsa } from '../src/kernel/accounts/signatures/ecdsa.ts'
import {
  callJson,
  signAdd,
  signedKeyRequestMetadata,
  signRegister,
  signTransfer,
} from '../src/kernel/accounts/signatures/sign.ts'
import { unitsOf as unitsOfCost } from '../src/kernel/limits/cost.ts'
import { usernameProof, verificationAddEth } from '../src/kernel/protocol/build.ts'
import { fromHex } from '../src/kernel/protocol/codec/bytes.ts'
import { encodeEnvelope } from '../src/kernel/protocol/codec/envelope.ts'
import { signEthClaim } from '../src/kernel/protocol/crypto/eip712.ts'
import { UserNameType } from '../src/kernel/protocol/wire/message_pb.js'
import { startFakeChain } from './fake-chain.ts'
import { accepted, bytes, refused } from './hub-support.ts'
import { appKey, keyRequestClient } from './key-requests-support.ts'
import { custodyOf, type Person, registryClient } from './registry-support.ts'
import { until } from './until.ts'
import { createWorld, type TestAccount, testAccount, type World } from './world.ts'

type Body = { code?: string; field?: string; result?: string; valid?: boolean }

const ZERO = new Uint8Array(20)
/** 64 zero bytes and 27: `ecrecover` answers with the zero address. */
const NONSENSE = Uint8Array.from([...new Uint8Array(64), 27])
/** A "wallet" at the zero address that signs everything with nonsense. */
const NOBODY = {
  address: toHex(ZERO),
  signTypedData: async () => toHex(NONSENSE),
  signMessage: async () => toHex(NONSENSE),
  sign: async () => toHex(NONSENSE),
} as unknown as LocalAccount

describe('a ledger with a chain that confirms every signature', () => {
  let chain: Awaited<ReturnType<typeof startFakeChain>>
  let world: World
  before(async () => {
    chain = await startFakeChain()
    chain.contractSays = true
    const ROOKERY_ETH_RPC_URLS = `1=${chain.url},10=${chain.url}/10`
    world = await createWorld({ env: { ROOKERY_ETH_RPC_URLS } })
  })
  after(async () => {
    await world.close()
    await chain.close()
  })

  /** Imported events give a fid to the zero address. */
  const holdFid = async (): Promise<Person> => {
    const app = { ...testAccount(666), custody: ZERO }
    await registryClient(world).give(666, ZERO)
    return { fid: 666, account: NOBODY, app }
  }
  const deadline = () => BigInt(Math.floor(world.clock.now() / 1000) + 3600)
  const call = async (name: string, signed: object) => {
    const response = await fetch(`${world.app.urls.accounts}/v1/${name}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(callJson(signed)),
    })
    return { status: response.status, body: (await response.json()) as Body }
  }
  /** The call is refused as wrongly signed, and no node was asked. */
  const isForged = async (name: string, signed: object, field: string) => {
    const before = chain.asked
    const { status, body } = await call(name, signed)
    assert.deepEqual([status, body.code, body.field], [400, 'InvalidSignature', field])
    assert.equal(chain.asked, before)
  }

  test('security finding 1: a fid without recovery address is not recovered by the zero address', async () => {
    const victim = custodyOf(1)
    assert.equal(
      (await call('registerFor', await signRegister(victim, { deadline: deadline() }))).status,
      200,
    )
    const thief = custodyOf(2)
    const [from, to] = [fromHex(victim.address)!, fromHex(thief.address)!]
    const fid = (await world.app.accounts.fidOf(from))!
    const signed = await signTransfer(victim, thief, { fid, deadline: deadline() })
    const theft = {
      from,
      to,
      recoveryDeadline: deadline(),
      recoverySignature: NONSENSE,
      toDeadline: signed.toDeadline,
      toSignature: signed.toSignature,
    }
    await isForged('recoverFor', theft, 'recoverySignature')
    assert.deepEqual((await world.app.accounts.custodyOf(fid))!.address, from)
  })

  test('security finding 1: the zero address neither registers, nor receives, nor gives away a fid', async () => {
    await isForged('registerFor', await signRegister(NOBODY, { deadline: deadline() }), 'signature')
    const [giver, receiver] = [custodyOf(3), custodyOf(4)]
    await call('registerFor', await signRegister(giver, { deadline: deadline() }))
    const fid = (await world.app.accounts.fidOf(fromHex(giver.address)!))!
    const terms = { deadline: deadline() }
    await isForged(
      'transferFor',
      await signTransfer(giver, NOBODY, { fid, ...terms }),
      'toSignature',
    )
    await holdFid()
    const away = await signTransfer(NOBODY, receiver, { fid: 666, ...terms })
    await isForged('transferFor', away, 'fromSignature')
  })

  test('security finding 1: the zero address neither adds a key nor asks for one', async () => {
    const key = bytes(32, 5)
    await holdFid()
    const request = { requestFid: 666, key, deadline: deadline() }
    const metadata = await signedKeyRequestMetadata(NOBODY, request)
    const own = await signAdd(NOBODY, { key, metadata, deadline: deadline() })
    await isForged('addFor', own, 'signature')
    const user = custodyOf(5)
    await call('registerFor', await signRegister(user, { deadline: deadline() }))
    const add = await signAdd(user, { key, metadata, deadline: deadline() })
    const { body } = await call('addFor', add)
    assert.equal(body.code, 'InvalidMetadata')
  })

  test("security finding 1: the zero address is not verified as anybody's own address", async () => {
    const account = await world.account(20)
    const claim = { address: ZERO, blockHash: bytes(32, 1), claimSignature: NONSENSE }
    for (const kind of [{}, { verificationType: 1, chainId: 10 }]) {
      const message = world.sign(
        account,
        verificationAddEth(world.origin(account), { ...claim, ...kind }),
      )
      refused(await world.submit(message), {
        code: 'bad_request.validation_failure',
        says: /claimSignature/,
      })
      assert.equal(accepted(await world.validate(message)).valid, false)
    }
  })

  test('security finding 1: the zero address registers no name', async () => {
    const client = registryClient(world)
    const { status, body } = await client.register(await holdFid(), 'nobody')
    assert.deepEqual([status, body.code], [400, 'INVALID_SIGNATURE'])
  })

  test('security finding 1: the zero address is no app, no sponsor and no caller of the platform', async () => {
    const client = keyRequestClient(world)
    const zero = await holdFid()
    const asApp = await client.post(await client.bodyOf(zero, appKey(1)))
    assert.equal(asApp.status, 400)
    assert.equal(asApp.body.errors[0].reason, 'invalid_signature')
    const [app] = await client.people([30])
    await client.grant(666, 1_000)
    const sponsored = await client.post(await client.bodyOf(app!, appKey(2), { sponsor: zero }))
    assert.equal(sponsored.status, 400)
    assert.equal(sponsored.body.errors[0].reason, 'invalid_signature')
    const token = await client.ask(app!, appKey(3))
    assert.equal((await client.deny(token, zero)).status, 401)
  })

  test('security finding 7: no node is asked about a message of an unknown fid or key, by submit or validate', async () => {
    const known = await world.account(50)
    const strangers: TestAccount[] = [testAccount(51), { ...testAccount(52), fid: known.fid }]
    const before = chain.asked
    for (const account of strangers) {
      const origin = world.origin(account)
      const claim = { address: bytes(20, 7), blockHash: bytes(32, 1), claimSignature: bytes(65, 1) }
      for (const init of [
        verificationAddEth(origin, { ...claim, verificationType: 1, chainId: 10 }),
        usernameProof(origin, {
          name: 'vitalik.eth',
          owner: bytes(20, 1),
          signature: bytes(65, 1),
          type: UserNameType.USERNAME_TYPE_ENS_L1,
        }),
      ]) {
        const message = world.sign(account, init)
        const { valid, errCode } = accepted(await world.validate(message))
        assert.equal(valid, false)
        assert.match(errCode, /unknown_(fid|signer)/)
        refused(await world.submit(message), { code: errCode })
      }
    }
    assert.equal(chain.asked, before)
  })
})

describe('with an RPC budget of 10 requests a minute', () => {
  test('security finding 7: clients cannot make the server spend more RPC requests than the budget', async () => {
    const chain = await startFakeChain()
    const env = {
      ROOKERY_ETH_RPC_URLS: `10=${chain.url}/10`,
      ROOKERY_TRUSTED_PROXIES: '127.0.0.1',
    }
    const world = await createWorld({ env, config: { rpcBudget: 10 } })
    // Each request is of another client.
    const validate = async (body: Uint8Array, client: number) => {
      const answer = await fetch(`${world.app.urls.hub}/v1/validateMessage`, {
        method: 'POST',
        headers: {
          'content-type': 'application/octet-stream',
          'x-forwarded-for': `203.0.113.${client}`,
        },
        body: body as Uint8Array<ArrayBuffer>,
      })
      return { status: answer.status, body: (await answer.json()) as Body, headers: answer.headers }
    }
    try {
      const account = await world.account(1)
      const claim = { blockHash: bytes(32, 1), claimSignature: bytes(65, 1) }
      const answers = []
      for (let i = 1; i <= 30; i++) {
        const wallet = { ...claim, address: bytes(20, i), verificationType: 1, chainId: 10 }
        const message = world.sign(account, verificationAddEth(world.origin(account), wallet))
        answers.push(await validate(encodeEnvelope(message), i))
      }
      assert.equal(answers[0]!.body.valid, false)
      const last = answers.at(-1)!
      refused(last, {
        status: 503,
        code: 'unavailable.storage_failure',
        says: /10 RPC requests a minute/,
      })
      assert.ok(Number(last.headers.get('retry-after')) > 0)
      // One more for each node: the check of its chain id.
      assert.ok(chain.asked <= 11, `${chain.asked} RPC requests`)
      const metrics = await (await fetch(`${world.app.urls.operations}/metrics`)).text()
      assert.match(metrics, /rookery_rpc_over_budget_total [1-9]/)
    } finally {
      await world.close()
      await chain.close()
    }
  })
})

describe('with an RPC budget of 100 requests a minute', () => {
  const WALLET = bytes(20, 7)
  let chain: Awaited<ReturnType<typeof startFakeChain>>
  let world: World
  before(async () => {
    chain = await startFakeChain()
    world = await createWorld({
      env: {
        ROOKERY_ETH_RPC_URLS: `10=${chain.url}/10`,
        ROOKERY_TRUSTED_PROXIES: '127.0.0.1',
      },
      config: { rpcBudget: 100 },
    })
    await registryClient(world).give(7, WALLET)
  })
  after(async () => {
    await world.close()
    await chain.close()
  })

  const ABI = parseAbi(['function isValidSignature(bytes32, bytes) view returns (bytes4)'])
  const asking = (wallet: Uint8Array, n: number) => ({
    jsonrpc: '2.0',
    id: n,
    method: 'eth_call',
    params: [
      {
        to: toHex(wallet),
        data: encodeFunctionData({
          abi: ABI,
          functionName: 'isValidSignature',
          args: [toHex(bytes(32, n)) as Hex, toHex(bytes(65, 1)) as Hex],
        }),
      },
    ],
  })
  const ask = async (client: string, body: object) => {
    const answer = await fetch(`${world.app.urls.accounts}/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': client },
      body: JSON.stringify(body),
    })
    return { status: answer.status, body: (await answer.json()) as Body }
  }
  const list = (of: (n: number) => object) => Array.from({ length: 50 }, (_, n) => of(n + 1))

  test('signatures of addresses without a fid ask no node', async () => {
    const { status } = await ask(
      '203.0.113.1',
      list((n) => asking(bytes(20, 100 + n), n)),
    )
    assert.deepEqual([status, chain.asked], [200, 0])
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const head = part({ fid: 7, type: 'custody', key: toHex(bytes(20, 100)) })
    const exp = Math.floor(world.clock.now() / 1000) + 60
    const token = `${head}.${part({ exp })}.${Buffer.alloc(65, 1).toString('base64url')}`
    const answer = await fetch(`${world.app.urls.platform}/v2/deny-signed-key-request`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify({ token: `0x${'11'.repeat(16)}` }),
    })
    assert.equal(answer.status, 401)
    assert.equal(chain.asked, 0, 'nor do tokens in the name of somebody else')
  })

  test('one client uses up its own part of the budget, and wallets of others are still verified', async () => {
    const greedy = await ask(
      '203.0.113.1',
      list((n) => asking(WALLET, n)),
    )
    assert.equal(greedy.status, 503)
    // The first refusal is answered while the requests before it are under way.
    await until(() => chain.asked > 0, 'the wallet is asked')
    assert.match(JSON.stringify(greedy.body), /10 RPC requests a minute for one client/)
    assert.ok(chain.asked > 0 && chain.asked <= 11, `${chain.asked} RPC requests`)
    chain.contractSays = true
    const other = await ask('203.0.113.2', asking(WALLET, 1))
    assert.deepEqual([other.status, other.body.result?.slice(0, 10)], [200, '0x1626ba7e'])
  })

  test('a signature that may ask a node costs more than one that cannot', () => {
    const body = list((n) => asking(WALLET, n))
    const unitsOf = (asksChain: boolean) => {
      const { spec } = jsonRpcRoute({ asksChain } as Parameters<typeof jsonRpcRoute>[0])
      return unitsOfCost(spec.costOfBody!(body as never))
    }
    assert.ok(unitsOf(true) >= unitsOf(false) + 50 * 100)
  })
})

describe('on a ledger without a chain', () => {
  let world: World
  before(async () => {
    world = await createWorld()
  })
  after(() => world.close())

  /** A register call with the most keys, its last signature wrong. */
  const wrongAtTheEnd = async (index: number) => {
    const user = custodyOf(index)
    const deadline = BigInt(Math.floor(world.clock.now() / 1000) + 3600)
    const app = custodyOf(1)
    const keys = []
    for (let nonce = 0; nonce < 16; nonce++) {
      const key = bytes(32, nonce + 1)
      const metadata = await signedKeyRequestMetadata(app, { requestFid: 1, key, deadline })
      keys.push(await signAdd(user, { key, metadata, deadline, nonce }))
    }
    const wrong = keys.at(-1)!
    const request = { requestFid: 1, key: bytes(32, 99), deadline }
    const metadata = await signedKeyRequestMetadata(app, request)
    // The owner's own signature holds; the app asked for another key.
    keys[15] = await signAdd(user, { ...wrong, metadata, deadline, nonce: 15 })
    return { call: { ...(await signRegister(user, { deadline })), keys }, deadline }
  }
  /** The owner of all keys is the one who registers. */
  const keyJson = (add: object) => {
    const { owner: _, ...key } = callJson(add)
    return key
  }
  const post = async (call: { readonly keys: readonly object[] }) => {
    const response = await fetch(`${world.app.urls.accounts}/v1/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...callJson(call), keys: call.keys.map(keyJson) }),
    })
    return { status: response.status, body: (await response.json()) as Body }
  }

  test('security finding 4: a register with 16 keys recovers each signature once, off the main thread', async () => {
    await registryClient(world).people([1])
    const { call } = await wrongAtTheEnd(60)
    const before = ecdsa.recovered
    // Each signature lets the main thread do something else before the next.
    let turns = 0
    let isOver = false
    const turn = () => {
      turns++
      if (!isOver) setImmediate(turn)
    }
    turn()
    const { status, body } = await post(call)
    isOver = true
    assert.deepEqual([status, body.code, body.field], [400, 'InvalidMetadata', 'keys.15.metadata'])
    const recovered = ecdsa.recovered - before
    assert.ok(recovered <= 33, `${recovered} signatures for a call that has 33`)
    assert.ok(turns > 33, `${turns} turns of the event loop`)
    for (let again = 0; again < 5; again++) assert.equal((await post(call)).status, 400)
    assert.equal(ecdsa.recovered - before, recovered, 'the same body costs nothing again')
  })

  test('security finding 4: a request that is refused anyway recovers no signature', async () => {
    const { call, deadline } = await wrongAtTheEnd(61)
    const late = { ...call.keys[15]!, deadline: deadline - 7200n }
    const before = ecdsa.recovered
    const { body } = await post({ ...call, keys: [...call.keys.slice(0, 15), late] })
    assert.deepEqual([body.code, body.field], ['SignatureExpired', 'keys.15.deadline'])
    assert.equal(ecdsa.recovered, before)
  })

  test('security finding 1: a plain claim by the zero address is refused', async () => {
    const account = await world.account(70)
    const origin = world.origin(account)
    const claim = { address: ZERO, blockHash: bytes(32, 1) }
    const real = signEthClaim(origin, claim, bytes(32, 3))
    for (const claimSignature of [NONSENSE, real, new Uint8Array(65)]) {
      const message = world.sign(account, verificationAddEth(origin, { ...claim, claimSignature }))
      refused(await world.submit(message), { code: 'bad_request.validation_failure' })
    }
  })
})

test('security finding 12: one signature of a sponsor pays for one request', async (t) => {
  // Approved requests wait for the confirmation of their calls.
  const slow = await createWorld({ env: { ROOKERY_CONFIRMATION_MS: '60000' } })
  t.after(() => slow.close())
  const client = keyRequestClient(slow)
  const [app, sponsor, ...users] = await client.people([80, 81, 82, 83, 84])
  await client.grant(sponsor!.fid, 1_000)
  const body = await client.bodyOf(app!, appKey(80), { sponsor: sponsor! })
  const tokens: string[] = []
  for (const _ of users) {
    const answer = await client.post(body)
    tokens.push(answer.body.result.signedKeyRequest.token)
  }
  const statuses: number[] = []
  for (const [i, user] of users.entries()) {
    statuses.push((await client.approve(tokens[i]!, user)).status)
  }
  assert.deepEqual(statuses, [200, 400, 400])
  const { credit } = await client.creditOf(sponsor!.fid)
  assert.deepEqual(credit, { fid: sponsor!.fid, balance: 1_000, reserved: 100 })
  const again = await client.post(body)
  assert.equal(again.status, 400)
  assert.match(again.body.errors[0].message, /^sponsorship.signature has paid for another request/)
})
