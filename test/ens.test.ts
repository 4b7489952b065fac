// Names in ENS and contract wallets, with a real EVM node: everything that needs a chain to be shown.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { encodeAbiParameters, encodeDeployData, getContractAddress, type Hex } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { TEST_PHRASE } from '../src/dev/accounts.ts'
import { REGISTRY } from '../src/features/registry/port.ts'
import { signNameChange } from '../src/features/registry/sign.ts'
import { fromHex, toHex } from '../src/kernel/protocol/codec/bytes.ts'
import { addressOfPrivateKey } from '../src/kernel/protocol/crypto/secp256k1.ts'
import { noAnvil, startAnvil } from './anvil.ts'
import { compiled } from './contracts.ts'
import { freePort } from './postgres.ts'
import { registryClient } from './registry-support.ts'
import { createWorld, type World } from './world.ts'

describe('a name in ENS', { skip: noAnvil }, () => {
  let chain: Awaited<ReturnType<typeof startAnvil>>
  let world: World
  let universalResolver: `0x${string}`
  let registry: ReturnType<typeof registryClient>

  before(async () => {
    chain = await startAnvil(1)
    // The contract names the gateway and the gateway the contract: one of them has to be known before.
    const port = await freePort()
    const gateway = `http://127.0.0.1:${port}/ccip/{sender}/{data}.json`
    const key = new Uint8Array(32).fill(7)
    const signer = toHex(addressOfPrivateKey(key))
    const resolver = await chain.deploy(compiled('NameResolver'), [gateway, signer])
    universalResolver = await chain.deploy(compiled('OneResolver'), [resolver])
    world = await createWorld({
      env: {
        ROOKERY_REGISTRY_PORT: String(port),
        ROOKERY_REGISTRY_KEY: toHex(key),
        ROOKERY_ENS_DOMAINS: `rookery.eth=${resolver},names.example.org=${resolver}`,
      },
    })
    registry = registryClient(world)
  })
  after(async () => {
    await world?.close()
    await chain?.close()
  })

  const resolve = (name: string) =>
    chain.client.getEnsAddress({ name, universalResolverAddress: universalResolver })

  test('a name resolves to the custody address of its holder through the gateway', async () => {
    const alice = await registry.person(1)
    assert.equal(await resolve('alice.rookery.eth'), null)
    await registry.register(alice, 'alice')
    for (const domain of ['rookery.eth', 'names.example.org']) {
      assert.equal(await resolve(`alice.${domain}`), alice.account.address)
    }
  })

  test('a name does not resolve under other domains, below another name, or after its release', async () => {
    const bob = await registry.person(2)
    await registry.register(bob, 'bob')
    assert.equal(await resolve('bob.rookery.eth'), bob.account.address)
    for (const name of ['bob.other.eth', 'sub.bob.rookery.eth', 'rookery.eth', 'bob.eth']) {
      assert.equal(await resolve(name), null, name)
    }
    world.clock.advance(28 * 24 * 3_600_000)
    await registry.release(bob, 'bob')
    assert.equal(await resolve('bob.rookery.eth'), null)
  })

  test('the resolver refuses the signed row of another name', async () => {
    const answer = await fetch(
      `${world.app.urls.registry}/ccip/${universalResolver}/${callFor('alice.rookery.eth')}.json`,
    )
    const { data } = (await answer.json()) as { data: Hex }
    const { abi } = compiled('NameResolver')
    const resolver = toHex(world.app.of(REGISTRY).settings.resolvers.get('rookery.eth')!) as Hex
    const ask = (name: string) =>
      chain.client.readContract({
        address: resolver,
        abi: abi as never,
        functionName: 'resolveWithProof' as never,
        args: [data, callFor(name)] as never,
      })
    assert.match(String(await ask('alice.rookery.eth')), /^0x0{24}[0-9a-f]{40}$/i)
    await assert.rejects(ask('bob.rookery.eth'), /WrongName/)
  })
})

/** The call of `resolve` that a client makes for the address of a name. */
function callFor(name: string): Hex {
  const wire = Buffer.concat([
    ...name.split('.').map((label) => Buffer.from([label.length, ...Buffer.from(label)])),
    Buffer.of(0),
  ])
  const data = `0x3b3b57de${'00'.repeat(32)}` as const
  const parts = encodeAbiParameters(
    [{ type: 'bytes' }, { type: 'bytes' }],
    [toHex(wire) as Hex, data],
  )
  return `0x9061b923${parts.slice(2)}`
}

/** On every anvil: deploys the code that follows the 32 bytes of salt. */
const DEPLOYER = '0x4e59b44847b379578588920cA78FbF26c0B4956C'
const ERC_6492_MAGIC = '6492'.repeat(16)
const OP_MAINNET = 10

describe('a contract wallet that holds a fid', { skip: noAnvil }, () => {
  let chain: Awaited<ReturnType<typeof startAnvil>>
  let world: World
  let registry: ReturnType<typeof registryClient>
  const key = mnemonicToAccount(TEST_PHRASE, { addressIndex: 5 })

  before(async () => {
    chain = await startAnvil(OP_MAINNET)
    const ROOKERY_ETH_RPC_URLS = `${OP_MAINNET}=${chain.url}`
    world = await createWorld({ env: { ROOKERY_ETH_RPC_URLS } })
    registry = registryClient(world)
  })
  after(async () => {
    await world?.close()
    await chain?.close()
  })

  const request = (wallet: Hex, name: string, fid: number) =>
    signNameChange(key, {
      name,
      from: 0,
      to: fid,
      timestamp: registry.now(),
      owner: wallet,
    })

  test('a contract wallet registers a name with a contract signature (ERC-1271)', async () => {
    const wallet = await chain.deploy(compiled('Wallet'), [key.address])
    await registry.give(21, fromHex(wallet)!)
    const signed = await request(wallet, 'vault', 21)
    const forged = { ...signed, signature: await strangersSignature(signed.name, wallet) }
    registry.refused(await registry.post(forged), 'INVALID_SIGNATURE', 'signature')
    const transfer = registry.accepted(await registry.post(signed))
    assert.deepEqual([transfer.to, transfer.owner], [21, wallet.toLowerCase()])
  })

  test('a contract wallet registers a name before its deployment (ERC-6492)', async () => {
    const { abi, bytecode } = compiled('Wallet')
    const code = encodeDeployData({ abi, bytecode: bytecode as Hex, args: [key.address] } as never)
    const salt = `0x${'2a'.repeat(32)}` as const
    const wallet = getContractAddress({ opcode: 'CREATE2', from: DEPLOYER, salt, bytecode: code })
    await registry.give(22, fromHex(wallet)!)
    const signed = await request(wallet, 'futurevault', 22)
    const wrapped = encodeAbiParameters(
      [{ type: 'address' }, { type: 'bytes' }, { type: 'bytes' }],
      [DEPLOYER, `${salt}${code.slice(2)}`, signed.signature],
    )
    registry.refused(await registry.post(signed), 'INVALID_SIGNATURE', 'signature')
    const signature = wrapped + ERC_6492_MAGIC
    assert.equal(registry.accepted(await registry.post({ ...signed, signature })).to, 22)
  })

  test('contract wallets are asked to retry while the chain does not answer, and plain keys are not', async () => {
    // Nothing listens on port 1.
    const silent = await createWorld({
      env: { ROOKERY_ETH_RPC_URLS: `${OP_MAINNET}=http://127.0.0.1:1` },
    })
    const there = registryClient(silent)
    const wallet = `0x${'11'.repeat(20)}` as const
    await there.give(23, fromHex(wallet)!)
    const signed = await signNameChange(key, {
      name: 'patient',
      from: 0,
      to: 23,
      timestamp: there.now(),
      owner: wallet,
    })
    const answer = await there.post(signed)
    assert.deepEqual([answer.status, answer.body.code], [503, 'unavailable.network_failure'])
    assert.ok(Number(answer.headers.get('retry-after')) > 0)
    const carol = await there.person(3)
    there.accepted(await there.register(carol, 'carol'))
    await silent.close()
  })

  async function strangersSignature(name: string, wallet: Hex): Promise<string> {
    const stranger = mnemonicToAccount(TEST_PHRASE, { addressIndex: 6 })
    const timestamp = registry.now()
    return (await signNameChange(stranger, { name, from: 0, to: 21, timestamp, owner: wallet }))
      .signature
  }
})
