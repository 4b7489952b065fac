// What verifiers of signatures ask of an Ethereum node, asked of the accounts: by auth-client and viem, and by hand.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createAppClient, createWalletClient, viemConnector } from '@farcaster/auth-client'
import { createPublicClient, encodeFunctionData, type Hex, hashMessage, http, parseAbi } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { optimism } from 'viem/chains'
import { fidRegistered, keyAdded, keyRemoved, sealBlock } from '../src/kernel/accounts/events.ts'
import { fromHex, toHex } from '../src/kernel/protocol/codec/bytes.ts'
import { createWorld, enginesOf, WORLD_START_MS, type World } from './world.ts'

const ABI = parseAbi([
  'function idOf(address) view returns (uint256)',
  'function custodyOf(uint256) view returns (address)',
  'function keyDataOf(uint256, bytes) view returns ((uint8 state, uint32 keyType))',
  'function isValidSignature(bytes32, bytes) view returns (bytes4)',
  'function totalKeys(uint256, uint8) view returns (uint256)',
])
const ID_REGISTRY = '0x00000000Fc6c5F01Fc30151999387Bb99A9f489b'
const KEY_REGISTRY = '0x00000000Fc1237824fb747aBDE0FF18990E59b7e'
const ROBIN = privateKeyToAccount(`0x${'11'.repeat(32)}`)
const STRANGER = privateKeyToAccount(`0x${'22'.repeat(32)}`)
const AUTH_ADDRESS = privateKeyToAccount(`0x${'33'.repeat(32)}`)
const padded = (address: Hex): Hex => `0x${'00'.repeat(12)}${address.slice(2).toLowerCase()}`
const SIGN_IN = { domain: 'app.example', uri: 'https://app.example/login', nonce: 'abcdefgh12' }

for (const engine of enginesOf(import.meta.url)) {
  describe(`JSON-RPC of the accounts on ${engine}`, () => {
    let world: World
    before(async () => {
      world = await createWorld({ engine })
      await world.account(1)
      await give(world, 7, ROBIN.address)
    })
    after(() => world?.close())
    const url = () => `${world.app.urls.accounts}/`
    const client = () => createPublicClient({ chain: optimism, transport: http(url()) })
    const ask = async (body: unknown) => {
      const headers = { 'content-type': 'application/json' }
      const request = { method: 'POST', headers, body: JSON.stringify(body) }
      const response = await fetch(url(), request)
      // biome-ignore lint/suspicious/noExplicitAny: tests look into JSON as they find it
      return { status: response.status, body: (await response.json()) as any }
    }
    const call = (method: string, params?: unknown[]) =>
      ask({ jsonrpc: '2.0', id: 1, method, ...(params && { params }) })

    test('auth-client verifies the signature of the custody address that holds the fid, and no other', async () => {
      const ethereum = viemConnector({ rpcUrl: url() })
      const app = createAppClient({ ethereum })
      const wallet = createWalletClient({ ethereum })
      const verify = async (signer: typeof ROBIN, fid: number) => {
        const { message } = wallet.buildSignInMessage({ ...SIGN_IN, address: signer.address, fid })
        const signature = await signer.signMessage({ message })
        return app.verifySignInMessage({ ...SIGN_IN, message, signature })
      }
      const ours = await verify(ROBIN, 7)
      assert.deepEqual(
        [ours.success, ours.fid, ours.authMethod],
        [true, 7, 'custody'],
        `${ours.error}`,
      )
      for (const [signer, fid] of [
        [ROBIN, 8],
        [STRANGER, 7],
        [AUTH_ADDRESS, 7],
      ] as const) {
        const { isError, error } = await verify(signer, fid)
        assert.equal(isError, true)
        assert.match(`${error}`, /not an auth address or owner of fid/)
      }
    })

    test('auth-client takes an auth address while it is active', async () => {
      const ethereum = viemConnector({ rpcUrl: url() })
      const key = padded(AUTH_ADDRESS.address)
      const { message } = createWalletClient({ ethereum }).buildSignInMessage({
        ...SIGN_IN,
        address: AUTH_ADDRESS.address,
        fid: 7,
      })
      const signature = await AUTH_ADDRESS.signMessage({ message })
      const verify = () =>
        createAppClient({ ethereum }).verifySignInMessage({ ...SIGN_IN, message, signature })
      const added = keyAdded(7, {
        key: fromHex(key)!,
        keyType: 2,
        metadataType: 1,
        metadata: fromHex('00')!,
      })
      await store(world, [added], 900_001)
      assert.equal((await verify()).authMethod, 'authAddress')
      assert.deepEqual(await readKey(7n, key), { state: 1, keyType: 2 })
      await store(world, [keyRemoved(7, fromHex(key)!)], 900_002)
      assert.equal((await verify()).isError, true)
      assert.equal((await readKey(7n, key)).state, 2)
    })

    const readKey = (fid: bigint, key: Hex) =>
      client().readContract({
        address: KEY_REGISTRY,
        abi: ABI,
        functionName: 'keyDataOf',
        args: [fid, key],
      })

    test('viem reads fids, custody addresses and keys as from the contracts', async () => {
      const account = await world.account(1)
      const read = (functionName: 'idOf' | 'custodyOf', arg: Hex | bigint) =>
        client().readContract({
          address: ID_REGISTRY,
          abi: ABI,
          functionName,
          args: [arg] as never,
        })
      assert.equal(await read('idOf', ROBIN.address), 7n)
      assert.equal(await read('idOf', STRANGER.address), 0n)
      assert.equal(await read('custodyOf', 7n), ROBIN.address)
      for (const fid of [0n, 8n, 2n ** 32n + 7n, 2n ** 256n - 1n]) {
        assert.equal(await read('custodyOf', fid), `0x${'00'.repeat(20)}`)
      }
      assert.deepEqual(await readKey(1n, toHex(account.key) as Hex), { state: 1, keyType: 1 })
      assert.deepEqual(await readKey(7n, toHex(account.key) as Hex), { state: 0, keyType: 0 })
      assert.deepEqual(await readKey(2n ** 255n, '0x'), { state: 0, keyType: 0 })
      assert.equal(await client().getChainId(), 10)
    })

    test('signatures are verified as by the ERC-6492 validator and by ERC-1271', async () => {
      const message = 'anything'
      const signature = await ROBIN.signMessage({ message })
      const verify = (address: Hex) => client().verifyMessage({ address, message, signature })
      assert.equal(await verify(ROBIN.address), true)
      assert.equal(await verify(STRANGER.address), false)
      const isValid = (address: Hex) =>
        client().readContract({
          address,
          abi: ABI,
          functionName: 'isValidSignature',
          args: [hashMessage(message), signature],
        })
      assert.equal(await isValid(ROBIN.address), '0x1626ba7e')
      await assert.rejects(isValid(STRANGER.address), /reverted/)
    })

    test('a batch is answered in order, each request for itself, up to a bound', async () => {
      const one = (id: number, method: string) => ({ jsonrpc: '2.0', id, method })
      const { status, body } = await ask([one(1, 'eth_chainId'), one(2, 'eth_getLogs')])
      assert.equal(status, 200)
      assert.deepEqual([body[0].id, body[0].result], [1, '0xa'])
      assert.deepEqual([body[1].id, body[1].error.code], [2, -32601])
      const many = (n: number) => Array.from({ length: n }, (_, i) => one(i, 'eth_chainId'))
      assert.equal((await ask(many(50))).body.length, 50)
      for (const [n, text] of [
        [0, 'the body must not have fewer than 1 items'],
        [51, 'the body must not have more than 50 items'],
      ] as const) {
        const refusal = await ask(many(n))
        assert.deepEqual([refusal.status, refusal.body.message], [400, text])
      }
    })

    test('what is not answered here is refused with a JSON-RPC error that says so', async () => {
      const data = encodeFunctionData({ abi: ABI, functionName: 'idOf', args: [ROBIN.address] })
      const other = encodeFunctionData({ abi: ABI, functionName: 'totalKeys', args: [7n, 1] })
      const refused = async (params: unknown[], code: number) => {
        const { status, body } = await call('eth_call', params)
        assert.deepEqual([status, body.error?.code, body.result], [200, code, undefined])
      }
      await refused([{ to: KEY_REGISTRY, data }, 'latest'], 3)
      await refused([{ to: STRANGER.address, data }], 3)
      await refused([{ to: KEY_REGISTRY, data: other }], 3)
      await refused([{ to: ID_REGISTRY, data: data.slice(0, 20) }], 3)
      await refused([{ data: '0x6080' }], 3)
      await refused([{ to: ID_REGISTRY, data: '0x123' }], -32602)
      await refused([{ to: '0x12', data }], -32602)
      await refused([], -32602)
      await refused([null], -32602)
      const malformed = [
        { jsonrpc: '2.0', method: 'eth_chainId' },
        { id: 1, method: 'eth_chainId' },
      ]
      for (const body of [...malformed, 'eth_chainId']) assert.equal((await ask(body)).status, 400)
    })

    test('the same is answered below /accounts of the front door', async () => {
      const rpc = createPublicClient({ transport: http(`${world.app.urls.web}/accounts`) })
      assert.equal(await rpc.getChainId(), 10)
    })
  })
}

/** Makes an address hold a fid. */
async function give(world: World, fid: number, address: Hex) {
  await store(world, [fidRegistered(fid, fromHex(address)!, new Uint8Array(20))], 900_000)
}

async function store(world: World, events: Parameters<typeof sealBlock>[0], blockNumber: number) {
  const block = { chainId: 10, blockNumber, timestamp: WORLD_START_MS / 1000 }
  await world.app.ledger!.importEvents(sealBlock(events, block))
}
