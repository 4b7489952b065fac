// The whole server on a real EVM node: our own contracts, real transactions, and a chain that changes its mind.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { encodeAbiParameters, encodeFunctionData, parseAbi } from 'viem'
import { devAccount } from '../src/dev/accounts.ts'
import { placeContracts } from '../src/dev/deploy.ts'
import { REGISTRY } from '../src/features/registry/port.ts'
import { signNameChange } from '../src/features/registry/sign.ts'
import { createChainCalls } from '../src/kernel/accounts/chain/calls.ts'
import { DEPLOYED_CHAIN_CONTRACTS as AT } from '../src/kernel/accounts/chain/contracts.ts'
import type { AccountCalls } from '../src/kernel/accounts/port.ts'
import {
  addressOf,
  callJson,
  signAdd,
  signChangeRecovery,
  signedKeyRequestMetadata,
  signRecover,
  signRegister,
  signRemove,
  signTransfer,
} from '../src/kernel/accounts/signatures/sign.ts'
import { verifyStore } from '../src/kernel/hub/jobs/integrity-check.ts'
import { castAdd } from '../src/kernel/protocol/build.ts'
import { fromHex, toHex } from '../src/kernel/protocol/codec/bytes.ts'
import { noAnvil, startAnvil } from './anvil.ts'
import { until } from './until.ts'
import {
  type Answer,
  createWorld,
  DEVNET,
  type TestAccount,
  testAccount,
  WORLD_START_MS,
  type World,
} from './world.ts'

const DEADLINE = BigInt(WORLD_START_MS / 1000 + 30 * 24 * 3600)
const ABI = parseAbi([
  'function register(address recovery) payable',
  'function rent(uint256 fid, uint256 units) payable',
  'function add(uint32 keyType, bytes key, uint8 metadataType, bytes metadata)',
  'function remove(bytes key)',
  'function transfer(address to, uint256 deadline, bytes sig)',
  'function recover(address from, address to, uint256 deadline, bytes sig)',
  'function changeRecoveryAddress(address recovery)',
])

describe('accounts on a chain', { skip: noAnvil }, () => {
  const [app, alice, bob, carol, rescuer, payer] = Array.from(
    { length: 6 },
    (_, index) => devAccount(index).custody,
  ) as [Person, Person, Person, Person, Person, Person]
  let chain: Awaited<ReturnType<typeof startAnvil>>
  let calls: AccountCalls
  let world: World

  before(async () => {
    chain = await startAnvil(10, ['--timestamp', String(WORLD_START_MS / 1000)])
    await placeContracts(chain.rpc)
    const { rpc } = chain
    calls = createChainCalls({ rpc, chainId: 10, contracts: AT, payer, signupUnits: 3 })
    await send(app, AT.idGateway, 'register', [toHex(addressOf(rescuer))])
    world = await createWorld({
      env: {
        ROOKERY_CHAIN_RPC_URLS: chain.url,
        ROOKERY_CHAIN_START_BLOCK: '1',
        ROOKERY_CHAIN_CONFIRMATIONS: '0',
        ROOKERY_CHAIN_POLL_MS: '20',
      },
    })
  })
  after(async () => {
    await world?.close()
    await chain?.close()
  })

  type Name = (typeof ABI)[number]['name']
  /** A transaction from any test address: the node has their keys. */
  const send = async (from: Person, to: string, functionName: Name, args: readonly unknown[]) => {
    const data = encodeFunctionData({ abi: ABI, functionName, args } as never)
    const hash = await chain.rpc('eth_sendTransaction', [{ from: from.address, to, data }])
    const receipt = await chain.client.waitForTransactionReceipt({ hash: hash as `0x${string}` })
    assert.equal(receipt.status, 'success', `${functionName} did not revert`)
  }
  const followed = async () => {
    const head = Number(await chain.rpc('eth_blockNumber'))
    await until(() => {
      const { followedBlock = 0, isCaughtUp } = world.app.followers.status()[0]!
      return isCaughtUp && followedBlock >= head
    }, `block ${head} is followed`)
  }
  const keyOf = (name: number) => testAccount(1_000 + name)
  const metadataFor = (key: Uint8Array) =>
    signedKeyRequestMetadata(app, { requestFid: 1, key, deadline: DEADLINE })
  const cast = (fid: number, key: TestAccount, text: string): Promise<Answer> => {
    const signer = { ...key, fid }
    return world.submit(world.sign(signer, castAdd(world.origin(signer), text)))
  }
  const account = async (fid: number) => {
    const response = await fetch(`${world.app.urls.accounts}/v1/account?fid=${fid}`)
    return (await response.json()) as { custodyAddress: string; recoveryAddress: string }
  }
  const custodyOf = async (fid: number) => (await account(fid)).custodyAddress
  const lower = (person: Person) => person.address.toLowerCase()

  test('direct transactions register, rent, add and remove keys, transfer and recover', async () => {
    await send(alice, AT.idGateway, 'register', [rescuer.address])
    await send(payer, AT.storageRegistry, 'rent', [2n, 2n])
    const key = keyOf(1)
    const metadata = toHex(await metadataFor(key.key))
    await send(alice, AT.keyGateway, 'add', [1, toHex(key.key), 1, metadata])
    await followed()
    assert.equal(await custodyOf(2), lower(alice))
    const accepted = await cast(2, key, 'from the chain')
    assert.equal(accepted.status, 200, JSON.stringify(accepted.body))
    const { u2025 } = await world.app.accounts.storageUnits(2)
    assert.equal(u2025, 3, 'one unit comes with a fid, two were rented')

    await send(alice, AT.keyRegistry, 'remove', [toHex(key.key)])
    const { toSignature } = await signTransfer(alice, bob, { fid: 2, deadline: DEADLINE })
    await send(alice, AT.idRegistry, 'transfer', [bob.address, DEADLINE, toHex(toSignature)])
    await followed()
    assert.equal((await cast(2, key, 'too late')).status, 400)
    assert.equal(await custodyOf(2), lower(bob))

    const terms = { fid: 2, deadline: DEADLINE, from: addressOf(bob), toNonce: 0 }
    const recovery = await signRecover(rescuer, carol, terms)
    const args = [bob.address, carol.address, DEADLINE, toHex(recovery.toSignature)]
    await send(rescuer, AT.idRegistry, 'recover', args)
    await send(carol, AT.idRegistry, 'changeRecoveryAddress', [app.address])
    await followed()
    const { custodyAddress, recoveryAddress } = await account(2)
    assert.deepEqual([custodyAddress, recoveryAddress], [lower(carol), lower(app)])
  })

  test('signed calls that another account pays for are followed the same way', async () => {
    const person = devAccount(6).custody
    const heir = devAccount(7).custody
    const key = keyOf(2)
    const metadata = await metadataFor(key.key)
    const registration = await signRegister(person, {
      deadline: DEADLINE,
      recovery: addressOf(rescuer),
    })
    const added = await signAdd(person, { key: key.key, metadata, deadline: DEADLINE })
    const { fid } = await calls.register({ ...registration, keys: [added] })
    await calls.rent({ fid, units: 4 })
    await followed()
    assert.equal(await custodyOf(fid), lower(person))
    assert.equal((await world.app.accounts.storageUnits(fid)).u2025, 7)
    assert.equal((await cast(fid, key, 'bundled')).status, 200)

    const second = keyOf(3)
    const more = { key: second.key, metadata: await metadataFor(second.key), nonce: 1 }
    await calls.addFor(await signAdd(person, { ...more, deadline: DEADLINE }))
    await calls.removeFor(await signRemove(person, { key: key.key, deadline: DEADLINE }))
    await followed()
    assert.equal((await cast(fid, key, 'removed')).status, 400)
    assert.equal((await cast(fid, second, 'added')).status, 200)

    await calls.transferFor(await signTransfer(person, heir, { fid, deadline: DEADLINE }))
    const change = { fid, from: addressOf(rescuer), to: addressOf(bob), nonce: 1 }
    await calls.changeRecoveryAddressFor(
      await signChangeRecovery(heir, { ...change, deadline: DEADLINE }),
    )
    await followed()
    assert.equal(await custodyOf(fid), lower(heir))
    const terms = { fid, from: addressOf(heir), toNonce: 1, deadline: DEADLINE }
    const nonce = await calls.nonce('idRegistry', addressOf(bob))
    await calls.recoverFor(await signRecover(bob, person, { ...terms, recoveryNonce: nonce }))
    await followed()
    assert.equal(await custodyOf(fid), lower(person))
    assert.equal((await cast(fid, second, 'keys stay')).status, 200)
  })

  test('an auth address of the chain may sign in until it is removed', async () => {
    const person = devAccount(19).custody
    const key = fromHex(encodeAbiParameters([{ type: 'address' }], [carol.address]))!
    const metadata = await metadataFor(key)
    const registration = await signRegister(person, { deadline: DEADLINE })
    const added = await signAdd(person, { key, keyType: 2, metadata, deadline: DEADLINE })
    const { fid } = await calls.register({ ...registration, keys: [added] })
    await followed()
    const isAuth = async () =>
      (await world.get(`/v1/fidAddressType?fid=${fid}&address=${lower(carol)}`)).body.is_auth
    assert.equal(await isAuth(), true)
    await calls.removeFor(await signRemove(person, { key, deadline: DEADLINE }))
    await followed()
    assert.equal(await isAuth(), false)
  })

  test('the holder of a fid on the chain can register a name', async () => {
    const timestamp = Math.floor(WORLD_START_MS / 1000)
    const submit = async (person: Person) =>
      world.app
        .of(REGISTRY)
        .submit(await signNameChange(person, { name: 'chained', from: 0, to: 1, timestamp }))
    await assert.rejects(submit(alice))
    await submit(app)
    const current = await fetch(`${world.app.urls.registry}/transfers/current?name=chained`)
    assert.equal(((await current.json()) as { transfer: { to: number } }).transfer.to, 1)
  })

  test('a key that a reorg removed is inactive until it is added again', async () => {
    const key = keyOf(4)
    const metadata = toHex(await metadataFor(key.key))
    const add = () => send(app, AT.keyGateway, 'add', [1, toHex(key.key), 1, metadata])
    await add()
    await followed()
    assert.equal((await cast(1, key, 'before')).status, 200)

    await chain.rpc('anvil_reorg', [1, []])
    // The chain is as high as before: only its blocks are others.
    const isActive = () => world.app.accounts.isActiveKey(1, key.key)
    await until(async () => !(await isActive()), 'the key is inactive')
    const refused = await cast(1, key, 'after')
    assert.equal(refused.status, 400)
    assert.match(JSON.stringify(refused.body), /signer/)
    assert.equal(await isActive(), false)

    await add()
    await followed()
    assert.equal((await cast(1, key, 'again')).status, 200)
    const report = await verifyStore(world.app.storage, { network: DEVNET })
    assert.deepEqual(report.examples, [])
  })

  test('a fid that a reorg gives to another owner loses its messages, and only then', async () => {
    const key = keyOf(5)
    const metadata = toHex(await metadataFor(key.key))
    const [first, second] = [devAccount(8).custody, devAccount(9).custody]
    const join = async (person: Person) => {
      await send(person, AT.idGateway, 'register', [rescuer.address])
      await send(person, AT.keyGateway, 'add', [1, toHex(key.key), 1, metadata])
      await followed()
      const fid = await world.app.accounts.fidOf(addressOf(person))
      assert.ok(fid !== undefined)
      return fid
    }
    const leave = async (fid: number) => {
      await chain.rpc('anvil_reorg', [2, []])
      await until(async () => !(await world.app.accounts.custodyOf(fid)), 'nobody has the fid')
    }
    const said = async (fid: number) =>
      ((await world.get(`/v1/castsByFid?fid=${fid}`)).body.messages as unknown[]).length
    const fid = await join(first)
    assert.equal((await cast(fid, key, 'who am I')).status, 200)
    await leave(fid)
    assert.equal(await join(first), fid)
    assert.equal(await said(fid), 1, 'it is the same person')
    await leave(fid)
    assert.equal(await join(second), fid)
    assert.equal(await said(fid), 0)
    const report = await verifyStore(world.app.storage, { network: DEVNET })
    assert.deepEqual(report.examples, [])
  })

  test('calls to the accounts interface are refused with the way to send them to the chain', async () => {
    const { accounts } = world.app.urls
    const post = async (call: string, body: object) => {
      const response = await fetch(`${accounts}/v1/${call}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      return { status: response.status, body: await response.json() }
    }
    const registration = callJson(await signRegister(bob, { deadline: DEADLINE }))
    const { status, body } = await post('registerFor', registration)
    assert.equal(status, 400)
    assert.match(JSON.stringify(body), /not_supported.*those of chain 10: call registerFor/)
    assert.equal((await post('rent', { fid: 1, units: 1 })).status, 400)
    const nonce = await fetch(`${accounts}/v1/nonce?contract=idGateway&address=${alice.address}`)
    assert.equal(nonce.status, 400)
    const domains = (await (await fetch(`${accounts}/v1/domains`)).json()) as { chainId: number }
    assert.equal(domains.chainId, 10)
    assert.equal(world.app.ledger, undefined)
  })

  test('hub, health check and metrics report the position on the chain without node URLs', async () => {
    await followed()
    const { urls } = world.app
    const block = Number(await chain.rpc('eth_blockNumber'))
    const info = (await world.get('/v1/info')).body
    assert.equal(info.isSyncing, false)
    const { chainId, headBlock, followedBlock, blocksBehind } = info.chain
    assert.deepEqual([chainId, headBlock, followedBlock, blocksBehind], [10, block, block, 0])
    const ready = await fetch(`${urls.operations}/health/ready`)
    const readyText = await ready.text()
    assert.match(readyText, /"details":\{"chain":\[\{"source":"accounts","chainId":10/)
    const metrics = await (await fetch(`${urls.operations}/metrics`)).text()
    assert.match(metrics, new RegExp(`rookery_chain_followed_block{source="accounts"} ${block}`))
    assert.match(metrics, /rookery_chain_requests_total{source="accounts",url="0",method="eth_get/)
    for (const text of [metrics, readyText, JSON.stringify(info)]) {
      assert.ok(!text.includes(chain.url.slice('http://'.length)))
    }
  })

  test('other functions work while the chain does not answer', async () => {
    await chain.close()
    const hasFailed = () => world.app.followers.status()[0]!.faults[0] === 'network'
    await until(hasFailed, 'a request to the chain has failed')
    assert.equal((await cast(1, keyOf(4), 'in the dark')).status, 200)
    assert.equal((await world.get('/v1/castsByFid?fid=1')).status, 200)
    const ready = await fetch(`${world.app.urls.operations}/health/ready`)
    assert.equal(ready.status, 200)
    assert.match(await ready.text(), /"faults":\["network"\]/)
  })
})

type Person = ReturnType<typeof devAccount>['custody']
