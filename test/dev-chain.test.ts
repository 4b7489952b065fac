import { relayRows } from '../src/features/relay/tables/relays.ts'
import { DAY_SECONDS, networkTime } from '../src/kernel/protocol/time.ts'
// The development network with its accounts on a chain: a real node, real transactions.

import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { type App, startApp } from '../src/app.ts'
import { type Config, ConfigError, readConfig } from '../src/config.ts'
import { devAccount } from '../src/dev/accounts.ts'
import { startAnvil } from '../src/dev/anvil.ts'
import { type DevNetwork, startDevNetwork } from '../src/dev/network.ts'
import { toQuantity } from '../src/kernel/accounts/chain/answers.ts'
import { createChainCalls } from '../src/kernel/accounts/chain/calls.ts'
import { DEPLOYED_CHAIN_CONTRACTS } from '../src/kernel/accounts/chain/contracts.ts'
import { rpcTo } from '../src/kernel/accounts/chain/evm-client.ts'
import {
  addressOf,
  signAdd,
  signedKeyRequestMetadata,
  signRemove,
  signTransfer,
} from '../src/kernel/accounts/signatures/sign.ts'
import { createLogger } from '../src/kernel/http/logger.ts'
import { submitMessages } from '../src/kernel/hub/submit/submit-messages.ts'
import { buildMessage, castAdd } from '../src/kernel/protocol/build.ts'
import { fromHex, toHex } from '../src/kernel/protocol/codec/bytes.ts'
import { publicKeyOf } from '../src/kernel/protocol/crypto/ed25519.ts'
import { signedKeyRequestTypedData } from '../src/kernel/protocol/crypto/eip712.ts'
import { noAnvil } from './anvil.ts'
import { until } from './until.ts'
import { DEVNET } from './world.ts'

const OP_MAINNET = 10

describe('a development network on a chain', { skip: noAnvil }, () => {
  const dir = mkdtempSync(join(tmpdir(), 'rookery-dev-chain-'))
  const ports = ['HUB', 'GRPC', 'REGISTRY', 'PLATFORM', 'ACCOUNTS', 'OPS', 'APP', 'WEB', 'CHAIN']
  const env = {
    ROOKERY_DATA_DIR: dir,
    ROOKERY_SIGNUP_UNITS: '7',
    ...Object.fromEntries(ports.map((name) => [`ROOKERY_${name}_PORT`, '0'])),
  }
  const start = (config: Config = readConfig(env, 'development')) =>
    startDevNetwork({ config, onChain: true, logger: createLogger({ level: 'fatal' }) })
  let network: DevNetwork

  before(async () => {
    network = await start()
  })
  after(async () => {
    await network?.stop()
    rmSync(dir, { recursive: true, force: true })
  })

  // biome-ignore lint/suspicious/noExplicitAny: tests look into JSON as they find it
  type Json = any
  const dev = async (path: string, body?: object): Promise<Json> => {
    const headers = { 'content-type': 'application/json' }
    const init = body && { method: 'POST', headers, body: JSON.stringify(body) }
    return (await fetch(network.urls.operations + path, init)).json()
  }
  const now = () => Math.floor(network.clock.now() / 1000)
  const deadline = () => BigInt(now() + 3_600)
  /** Undefined when the hub takes it, or the code of its refusal. */
  const cast = async ({ hub, clock }: App, fid: number, seed: Uint8Array) => {
    const origin = { fid, timestamp: networkTime(clock.now()), network: DEVNET }
    const message = buildMessage(castAdd(origin, `at ${performance.now()}`), seed)
    const [answer] = await submitMessages(hub, [message])
    return typeof answer === 'number' ? undefined : answer?.code
  }
  test('a development network on a chain has the same accounts and storage as without', async () => {
    const { accounts } = await dev('/dev/accounts')
    assert.deepEqual(
      accounts.map(({ fid, custodyAddress }: Json) => [fid, custodyAddress]),
      Array.from({ length: 10 }, (_, i) => [i + 1, toHex(addressOf(devAccount(i).custody))]),
    )
    assert.equal((await network.accounts.storageUnits(1)).u2025, 7)
    assert.equal(await cast(network, 1, devAccount(0).appSeed), undefined)
    const info = await (await fetch(`${network.urls.hub}/v1/userNameProofByName?name=rook`)).json()
    assert.equal((info as Json).fid, 1)
  })

  test('new development accounts on a chain can post at once, also after the clock was moved', async () => {
    const { unixSeconds } = await dev('/dev/clock', { advanceSeconds: 3 * DAY_SECONDS })
    const { accounts } = await dev('/dev/accounts', {})
    assert.equal(accounts[0].fid, 11)
    assert.equal(await cast(network, 11, fromHex(accounts[0].appPrivateKey)!), undefined)
    const rpc = rpcTo([network.chainUrl!], OP_MAINNET)
    const { timestamp } = (await rpc('eth_getBlockByNumber', ['latest', false])) as Json
    // The chain counts whole seconds, and its last block is older than the answer.
    assert.ok(Number(timestamp) > unixSeconds - DAY_SECONDS, 'the chain moved too')
  })

  test('direct transactions of wallets are followed', async () => {
    const [from, to] = [devAccount(1).custody, devAccount(500).custody]
    const calls = createChainCalls({
      rpc: rpcTo([network.chainUrl!], OP_MAINNET),
      chainId: OP_MAINNET,
      contracts: DEPLOYED_CHAIN_CONTRACTS,
      payer: devAccount(9).custody,
      signupUnits: 1,
    })
    await calls.transferFor(await signTransfer(from, to, { fid: 2, deadline: deadline() }))
    await until(async () => (await network.accounts.fidOf(addressOf(to))) === 2)
    assert.equal(await network.accounts.fidOf(addressOf(from)), undefined)
    assert.equal(await cast(network, 2, devAccount(1).appSeed), undefined, 'keys stay')
  })

  test('signed key calls are sent to the chain, and added keys sign messages until they are removed', async () => {
    const { keyCalls } = network
    const [owner, app] = [devAccount(2).custody, devAccount(0).custody]
    const seed = new Uint8Array(32).fill(9)
    const key = publicKeyOf(seed)
    const request = { requestFid: 1, key, deadline: deadline() }
    const metadata = await signedKeyRequestMetadata(app, request)
    const nonce = await keyCalls.nonce('keyGateway', addressOf(owner))
    const call = await signAdd(owner, { key, metadata, nonce, deadline: deadline() })
    assert.equal(await cast(network, 3, seed), 'bad_request.unknown_signer')
    await keyCalls.simulateAddFor(call)
    assert.equal((await keyCalls.addFor(call)).outcome, 'accepted')
    await until(() => network.accounts.isActiveKey(3, key))
    assert.equal(await cast(network, 3, seed), undefined)
    await keyCalls.removeFor(await signRemove(owner, { key, deadline: deadline() }))
    await until(async () => !(await network.accounts.isActiveKey(3, key)))
    assert.equal(await cast(network, 3, seed), 'bad_request.unknown_signer')
    const { details } = await dev('/health/ready')
    assert.equal(details.relayer.isBalanceLow, false)
  })

  /** An app asks for a key, and a user signs that it gets it. */
  const approve = async ({ urls }: App, userFid: number, key: Uint8Array) => {
    const request = platformClient(urls.platform)
    const signed = signedKeyRequestTypedData({ requestFid: 1, key, deadline: deadline() })
    const asked = await request('POST', '/v2/signed-key-requests', {
      key: toHex(key),
      requestFid: 1,
      deadline: Number(signed.message.deadline),
      signature: await devAccount(0).custody.signTypedData(signed as never),
    })
    const { token } = asked.signedKeyRequest
    const query = `token=${token}&fid=${userFid}`
    const { approval } = await request('GET', `/v2/signed-key-request-approval?${query}`)
    const { custody } = devAccount(userFid - 1)
    const answer = await request('PUT', '/v2/approve-signed-key-requests', {
      token,
      userFid,
      deadline: Number(approval.typedData.message.deadline),
      signature: await custody.signTypedData(approval.typedData),
    })
    const becomes = (state: string) =>
      until(async () => {
        const { signedKeyRequest } = await request('GET', `/v2/signed-key-request?token=${token}`)
        return signedKeyRequest.state === state
      })
    return { answer, becomes }
  }

  test('an approved key is added on the chain, and the app can cast with it', async () => {
    const seed = new Uint8Array(32).fill(10)
    const { answer, becomes } = await approve(network, 4, publicKeyOf(seed))
    assert.equal(answer.transaction, undefined)
    assert.match(answer.signedKeyRequest.state, /approved|completed/)
    await becomes('completed')
    assert.equal(await cast(network, 4, seed), undefined)
  })

  test('a key that a reorg removed is submitted again, and the request shows it', async () => {
    const seed = new Uint8Array(32).fill(13)
    const { becomes } = await approve(network, 7, publicKeyOf(seed))
    await becomes('completed')
    await until(async () => (await network.storage.of(relayRows).unfinishedCount()) === 0)
    const rpc = rpcTo([network.chainUrl!], OP_MAINNET)
    await rpc('evm_setAutomine', [false])
    await rpc('anvil_reorg', [1, []])
    await becomes('approved')
    assert.equal(await cast(network, 7, seed), 'bad_request.unknown_signer')
    await until(async () => Number(((await rpc('txpool_status')) as Json).pending) === 1)
    await rpc('evm_mine')
    await rpc('evm_setAutomine', [true])
    await becomes('completed')
    assert.equal(await cast(network, 7, seed), undefined)
  })

  test('a request is completed when another sender submitted the signed call first', async () => {
    const rpc = rpcTo([network.chainUrl!], OP_MAINNET)
    await rpc('evm_setAutomine', [false])
    const seed = new Uint8Array(32).fill(14)
    const { becomes } = await approve(network, 8, publicKeyOf(seed))
    const { pending } = (await rpc('txpool_content')) as Json
    const [ours] = Object.values(Object.values(pending)[0] as Json) as Json[]
    const fees = {
      maxFeePerGas: toQuantity(10n ** 11n),
      maxPriorityFeePerGas: toQuantity(10n ** 11n),
    }
    const from = devAccount(9).custody.address
    await rpc('eth_sendTransaction', [{ from, to: ours.to, data: ours.input, ...fees }])
    await rpc('evm_mine')
    await rpc('evm_setAutomine', [true])
    await becomes('completed')
    assert.equal(await cast(network, 8, seed), undefined)
  })

  test('a request fails visibly when its transaction reverts', async () => {
    const rpc = rpcTo([network.chainUrl!], OP_MAINNET)
    await rpc('evm_setAutomine', [false])
    const key = publicKeyOf(new Uint8Array(32).fill(12))
    const { answer, becomes } = await approve(network, 6, key)
    assert.equal(answer.signedKeyRequest.state, 'approved')
    // The user takes the signature back, and pays more to be first.
    const useNonce = { to: DEPLOYED_CHAIN_CONTRACTS.keyGateway, data: '0x69615a4c' }
    const fees = {
      maxFeePerGas: toQuantity(10n ** 11n),
      maxPriorityFeePerGas: toQuantity(10n ** 11n),
    }
    await rpc('eth_sendTransaction', [
      { ...useNonce, ...fees, from: devAccount(5).custody.address },
    ])
    await rpc('evm_mine')
    await rpc('evm_setAutomine', [true])
    await becomes('failed')
    assert.equal(await network.accounts.isActiveKey(6, key), false)
    const metrics = await (await fetch(`${network.urls.operations}/metrics`)).text()
    assert.match(metrics, /^rookery_relay_calls_total{outcome="failed"} 2$/m)
    assert.match(metrics, /^rookery_relay_queue_calls 0$/m)
  })

  test('without a relayer the server returns the transaction for the user and notices when it is done', async () => {
    const follower = await startApp({
      config: readConfig(
        {
          ...Object.fromEntries(ports.map((name) => [`ROOKERY_${name}_PORT`, '0'])),
          ROOKERY_DATA_DIR: join(dir, 'follower'),
          ROOKERY_CHAIN_RPC_URLS: network.chainUrl!,
          ROOKERY_CHAIN_START_BLOCK: '1',
          ROOKERY_CHAIN_CONFIRMATIONS: '0',
          ROOKERY_CHAIN_POLL_MS: '50',
        },
        'development',
      ),
      clock: network.clock,
      logger: createLogger({ level: 'fatal' }),
    })
    try {
      await until(async () => (await follower.accounts.custodyOf(10)) !== undefined)
      const seed = new Uint8Array(32).fill(11)
      const { answer, becomes } = await approve(follower, 5, publicKeyOf(seed))
      assert.equal(answer.signedKeyRequest.state, 'pending')
      const { chainId, to, data } = answer.transaction
      assert.equal(chainId, OP_MAINNET)
      const rpc = rpcTo([network.chainUrl!], OP_MAINNET)
      await rpc('eth_sendTransaction', [{ from: devAccount(4).custody.address, to, data }])
      await becomes('completed')
      assert.equal(await cast(follower, 5, seed), undefined)
      await until(() => network.accounts.isActiveKey(5, publicKeyOf(seed)))
      await rpc('anvil_reorg', [1, []])
      await becomes('pending')
      await rpc('eth_sendTransaction', [{ from: devAccount(4).custody.address, to, data }])
      await becomes('completed')
    } finally {
      await follower.stop()
    }
  })

  test('a development network keeps its chain over a restart and does not start without it', async () => {
    const before = await dev('/dev/accounts')
    await network.stop()
    const [kept, away] = [join(dir, 'chain.json'), join(dir, 'away.json')]
    renameSync(kept, away)
    await assert.rejects(start(), /the chain that the accounts in .* are on is gone/)
    renameSync(away, kept)
    network = await start()
    assert.deepEqual(await dev('/dev/accounts'), before)
    assert.equal((await dev('/dev/accounts', {})).accounts[0].fid, 12)
  })

  test('a reset starts the development chain anew', async () => {
    const { accounts } = await dev('/dev/reset', {})
    assert.equal(accounts?.length, 10)
    assert.equal(await network.accounts.fidOf(addressOf(devAccount(500).custody)), undefined)
    assert.equal((await dev('/dev/accounts', {})).accounts[0].fid, 11)
  })

  test('a development network on a chain refuses other settings about accounts', async () => {
    const url = 'ROOKERY_CHAIN_RPC_URLS'
    const config = readConfig({ [url]: 'http://127.0.0.1:1' }, 'development')
    await assert.rejects(start(config), (error) => {
      assert.ok(error instanceof ConfigError)
      return error.message.includes(url)
    })
  })
})

/** Answers with the result, which there must be. */
const platformClient =
  (url: string) =>
  // biome-ignore lint/suspicious/noExplicitAny: tests look into JSON as they find it
  async (method: string, path: string, body?: object): Promise<any> => {
    const headers = { 'content-type': 'application/json' }
    const init = { method, ...(body && { headers, body: JSON.stringify(body) }) }
    const answer = (await (await fetch(url + path, init)).json()) as { result?: unknown }
    assert.ok(answer.result, JSON.stringify(answer))
    return answer.result
  }

test('a development chain continues after its node was killed', { skip: noAnvil }, async () => {
  const dir = mkdtempSync(join(tmpdir(), 'rookery-anvil-'))
  const stateFile = join(dir, 'chain.json')
  const left = await startAnvil({ chainId: OP_MAINNET, stateFile })
  await left.rpc('evm_mine')
  const minedAt = Date.now()
  // Its node writes the state each second.
  while (!isWrittenSince(stateFile, minedAt)) await delay(50)
  process.kill(Number(readFileSync(`${stateFile}.pid`, 'utf8')), 'SIGKILL')
  const next = await startAnvil({ chainId: OP_MAINNET, stateFile })
  assert.equal(await next.rpc('eth_blockNumber'), '0x1')
  await next.close()
  rmSync(dir, { recursive: true, force: true })
})

test('a development chain continues where a killed server left it', { skip: noAnvil }, async () => {
  const dir = mkdtempSync(join(tmpdir(), 'rookery-anvil-'))
  const stateFile = join(dir, 'chain.json')
  const startedAt = Date.now()
  const left = await startAnvil({ chainId: OP_MAINNET, stateFile })
  // A node answers before it can be asked to end.
  while (!isWrittenSince(stateFile, startedAt)) await delay(50)
  await left.rpc('evm_mine')
  const next = await startAnvil({ chainId: OP_MAINNET, stateFile })
  assert.equal(await next.rpc('eth_blockNumber'), '0x1')
  await assert.rejects(left.rpc('eth_blockNumber'), 'the one before has ended')
  await next.close()
  rmSync(dir, { recursive: true, force: true })
})

function isWrittenSince(file: string, ms: number): boolean {
  if (!existsSync(file) || statSync(file).mtimeMs <= ms) return false
  try {
    JSON.parse(readFileSync(file, 'utf8'))
    return true
  } catch {
    return false // It is being written.
  }
}
