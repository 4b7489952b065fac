// Networks are apart: what is signed for one holds on no other, and development data stay in development.

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import {
  SIGNED_KEY_REQUEST_TYPE,
  SIGNED_KEY_REQUEST_VALIDATOR_EIP_712_DOMAIN,
} from '@farcaster/core'
import type { LocalAccount } from 'viem'
import type { App } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { devAccount } from '../src/dev/accounts.ts'
import { startDevNetwork } from '../src/dev/network.ts'
import { REGISTRY } from '../src/features/registry/port.ts'
import { signNameChange } from '../src/features/registry/sign.ts'
import { callJson, signRegister, signTransfer } from '../src/kernel/accounts/signatures/sign.ts'
import { createLogger } from '../src/kernel/http/logger.ts'
import {
  accountDomains,
  DEPLOYED_CONTRACTS,
} from '../src/kernel/protocol/crypto/account-domains.ts'
import { isTestKey, TEST_ADDRESS, TEST_KEY } from '../src/kernel/protocol/crypto/test-keys.ts'
import { appKey } from './key-requests-support.ts'
import { ask, emptyStore, PRODUCTION_ENV, startServer } from './production.ts'
import { enginesOf, WORLD_START_MS } from './world.ts'

const DEADLINE = BigInt(WORLD_START_MS / 1000 + 3_600)
const [holder, receiver, thief] = [30, 31, 32].map((index) => devAccount(index).custody) as [
  LocalAccount,
  LocalAccount,
  LocalAccount,
]

const domainsOf = ({ signingNetwork }: App) => accountDomains(signingNetwork)

async function register(app: App, account: LocalAccount): Promise<number> {
  const call = await signRegister(account, { deadline: DEADLINE, domains: domainsOf(app) })
  const { status, body } = await ask(`${app.urls.accounts}/v1/registerFor`, callJson(call))
  assert.equal(status, 200, JSON.stringify(body))
  return body.fid
}

for (const engine of enginesOf(import.meta.url)) {
  test(`a channel keeps its url when the public URL changes, as in data of earlier versions, on ${engine}`, async (t) => {
    const store = await emptyStore(t, engine)
    const headers = { authorization: `Bearer ${PRODUCTION_ENV.ROOKERY_OPS_TOKEN}` }
    const create = async ({ urls }: App, ownerFid: number, id: string) => {
      const body = { channelId: id, name: id, ownerFid }
      const { status, body: answer } = await ask(
        `${urls.operations}/platform/channels`,
        body,
        headers,
      )
      assert.equal(status, 200, JSON.stringify(answer))
    }
    const urlOf = async ({ urls }: App, id: string): Promise<string> =>
      (await ask(`${urls.platform}/v1/channel?channelId=${id}`)).body.result.channel.url
    // What channels began with before they began with the public URL.
    const earlier = { ROOKERY_LINKS: 'deployed' }
    const before = await startServer(t, { ...store, ...earlier })
    const fid = await register(before, holder)
    await create(before, fid, 'old')
    await before.stop()
    const after = await startServer(t, {
      ...store,
      ROOKERY_LINKS: 'own',
      ROOKERY_PUBLIC_URL: 'http://new.example/',
    })
    await create(after, fid, 'new')
    assert.equal(await urlOf(after, 'old'), 'https://farcaster.xyz/~/channel/old')
    assert.equal(await urlOf(after, 'new'), 'http://new.example/channel/new')
  })

  test(`security finding 6: a call signed for one network is refused by another on ${engine}`, async (t) => {
    const here = await startServer(t, await emptyStore(t, engine))
    const there = await startServer(t, await emptyStore(t))
    const fid = await register(here, holder)
    assert.equal(await register(there, holder), fid)
    const transfer = async (app: App, domains: ReturnType<typeof accountDomains>) => {
      const call = await signTransfer(holder, receiver, { fid, deadline: DEADLINE, domains })
      return ask(`${app.urls.accounts}/v1/transferFor`, callJson(call))
    }
    const replayed = await transfer(there, domainsOf(here))
    assert.deepEqual([replayed.status, replayed.body.code], [400, 'InvalidSignature'])
    for (const app of [here, there]) {
      const deployed = await transfer(app, accountDomains())
      assert.deepEqual([deployed.status, deployed.body.code], [400, 'InvalidSignature'])
    }
    assert.equal((await transfer(here, domainsOf(here))).status, 200)
  })

  test(`a production ledger signs for chain 1, where every wallet is, and keeps the contract addresses that it generated on ${engine}`, async (t) => {
    const env = await emptyStore(t, engine)
    const first = await startServer(t, env)
    const { chainId, contracts } = first.signingNetwork
    assert.equal(chainId, 1)
    const addresses = Object.values(contracts)
    assert.equal(new Set([...addresses, ...Object.values(DEPLOYED_CONTRACTS)]).size, 10)
    const expected = { source: 'ledger', chainId, contracts }
    const info = await ask(`${first.urls.accounts}/v1/info`)
    assert.deepEqual([info.body.network, info.body.accounts], ['devnet', expected])
    assert.deepEqual((await ask(`${first.urls.hub}/v1/info`)).body.accounts, expected)
    const { body: domains } = await ask(`${first.urls.accounts}/v1/domains`)
    assert.deepEqual(domains.structs.Transfer.domain, domainsOf(first).idRegistry)
    const fid = await register(first, holder)
    const { body: events } = await ask(
      `${first.urls.hub}/v1/onChainEventsByFid?fid=${fid}&event_type=EVENT_TYPE_ID_REGISTER`,
    )
    assert.equal(events.events[0].chainId, chainId)
    await first.stop()
    const again = await startServer(t, env)
    assert.deepEqual(again.signingNetwork, first.signingNetwork)
    await again.stop()
    const changed = await startServer(t, { ...env, ROOKERY_LEDGER_CHAIN_ID: '77' })
    assert.deepEqual(changed.signingNetwork, { ...first.signingNetwork, chainId: 77 })
  })

  test(`security finding 13: production refuses the data of a development network on ${engine}`, async (t) => {
    const env = await emptyStore(t, engine)
    const network = await startDevNetwork({
      config: readConfig({ ...PRODUCTION_ENV, ...env }, 'development'),
      logger: createLogger({ level: 'fatal' }),
    })
    await network.stop()
    const refusal = /development network, whose keys everybody knows.*ROOKERY_DATA_DIR/
    await assert.rejects(startServer(t, env), refusal)
    const elsewhere = { ...env, ROOKERY_REGISTRY_URL: 'http://127.0.0.1:9' }
    await assert.rejects(startServer(t, elsewhere), refusal)
    const own = { ...env, ROOKERY_REGISTRY_KEY: `0x${'42'.repeat(32)}` }
    await assert.rejects(startServer(t, own), refusal)
  })
}

for (const engine of enginesOf(import.meta.url)) {
  test(`security finding 5: a claim of another network moves and releases names only where all claims are accepted on ${engine}`, async (t) => {
    const days = { ROOKERY_NAME_CHANGE_DAYS: '0' }
    const strict = { ...days, ROOKERY_REGISTRY_CLAIMS: 'registrations' }
    const testnet = await startServer(t, { ...(await emptyStore(t)), ...days })
    const careful = await startServer(t, { ...(await emptyStore(t, engine)), ...strict })
    const open = await startServer(t, { ...(await emptyStore(t, engine)), ...days })
    const post = (app: App, body: unknown) => ask(`${app.urls.registry}/transfers`, body)
    const holderAt = async (app: App) => {
      const { body } = await ask(`${app.urls.registry}/transfers/current?name=alice`)
      return body.transfer?.to
    }
    for (const app of [testnet, careful, open]) {
      assert.equal(await register(app, holder), 1)
      assert.equal(await register(app, thief), 2)
    }
    const now = WORLD_START_MS / 1000
    const claim = { name: 'alice', from: 0, to: 1 }
    const earlier = await signNameChange(holder, { ...claim, timestamp: now - 300 })
    for (const app of [careful, open]) assert.equal((await post(app, earlier)).status, 200)
    const published = await signNameChange(holder, { ...claim, timestamp: now })
    assert.equal((await post(testnet, published)).status, 200)
    // The attack: a reader of the public log submits the claim as a move to a fid of their own, or as a release.
    for (const to of [2, 0]) {
      const attack = await post(careful, { ...published, from: 1, to, fid: 1 })
      assert.deepEqual([attack.status, attack.body.code], [400, 'INVALID_SIGNATURE'])
      assert.match(attack.body.message, /NameTransfer\(name, from, to, timestamp\).*GET \/domains/)
    }
    assert.equal(await holderAt(careful), 1)
    const { accepted } = (await ask(`${careful.urls.registry}/domains`)).body
    assert.deepEqual(accepted, {
      register: ['UserNameProof', 'NameTransfer'],
      move: ['NameTransfer'],
      release: ['NameTransfer'],
    })
    // What SECURITY.md says of the default, and its end.
    const late = { ...published, from: 1, to: 2, fid: 1 }
    const { body: old } = await post(open, { ...late, timestamp: now - 601 })
    assert.equal(old.code, 'INVALID_SIGNATURE')
    assert.equal((await post(open, late)).status, 200)
    assert.equal(await holderAt(open), 2)
    // A NameTransfer of one network does not hold on another, nor for another receiver.
    const { transferDomain } = testnet.of(REGISTRY)
    const terms = { name: 'alice', from: 1, to: 2, timestamp: now + 1 }
    const move = await signNameChange(holder, { ...terms, transferDomain })
    assert.equal((await post(careful, move)).body.code, 'INVALID_SIGNATURE')
    const elsewhere = await post(testnet, { ...move, to: 3 })
    assert.equal(elsewhere.body.code, 'INVALID_SIGNATURE')
    assert.equal((await post(testnet, move)).body.transfer?.to, 2)
    // The holder's own release, in the form that the careful registry asks for.
    const own = {
      name: 'alice',
      from: 1,
      to: 0,
      timestamp: now + 1,
      struct: 'NameTransfer',
    } as const
    const released = await signNameChange(holder, {
      ...own,
      transferDomain: careful.of(REGISTRY).transferDomain,
    })
    assert.equal((await post(careful, released)).body.transfer?.to, 0)
  })
}

for (const engine of enginesOf(import.meta.url)) {
  test(`a key request in the domain of the brief is accepted beside the network's own, and a user approves in the own domain only, on ${engine}`, async (t) => {
    const app = await startServer(t, await emptyStore(t, engine))
    const requestFid = await register(app, holder)
    const userFid = await register(app, receiver)
    const deadline = Number(DEADLINE)
    const { body: shown } = await ask(`${app.urls.accounts}/v1/domains`)
    const { domain, acceptedDomains } = shown.structs.SignedKeyRequest
    const own = domainsOf(app).signedKeyRequestValidator
    assert.deepEqual(domain, own)
    assert.deepEqual(acceptedDomains, [own, SIGNED_KEY_REQUEST_VALIDATOR_EIP_712_DOMAIN])
    assert.deepEqual(shown.structs.Add.acceptedDomains, [shown.structs.Add.domain])

    const requestIn = async (domain: object, seed: number) => {
      const { key } = appKey(seed)
      const signature = await holder.signTypedData({
        domain,
        types: { SignedKeyRequest: SIGNED_KEY_REQUEST_TYPE },
        primaryType: 'SignedKeyRequest',
        message: { requestFid: BigInt(requestFid), key, deadline: DEADLINE },
      })
      const body = { key, requestFid, deadline, signature }
      return ask(`${app.urls.platform}/v2/signed-key-requests`, body)
    }
    const brief = { ...SIGNED_KEY_REQUEST_VALIDATOR_EIP_712_DOMAIN }
    for (const [i, accepted] of [own, brief].entries()) {
      const { status, body } = await requestIn(accepted, 40 + i)
      assert.equal(status, 200, JSON.stringify(body))
      const { token, state } = body.result.signedKeyRequest
      assert.equal(state, 'pending')
      const path = `/v2/signed-key-request-approval?token=${token}&fid=${userFid}`
      const { typedData } = (await ask(app.urls.platform + path)).body.result.approval
      assert.deepEqual(typedData.domain, domainsOf(app).keyGateway)
      const approveIn = async (addDomain: object) => {
        const signature = await receiver.signTypedData({ ...typedData, domain: addDomain })
        const approval = { token, deadline: Number(typedData.message.deadline), signature, userFid }
        return fetch(`${app.urls.platform}/v2/approve-signed-key-requests`, {
          method: 'PUT',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(approval),
        })
      }
      assert.equal((await approveIn(accountDomains().keyGateway)).status, 400)
      assert.equal((await approveIn(typedData.domain)).status, 200)
      const { body: polled } = await ask(
        `${app.urls.platform}/v2/signed-key-request?token=${token}`,
      )
      assert.equal(polled.result.signedKeyRequest.state, 'completed')
    }
    for (const wrong of [
      { ...brief, chainId: 1 },
      { ...own, chainId: 10 },
      { ...brief, name: 'Other' },
    ]) {
      const { status, body } = await requestIn(wrong, 50)
      assert.deepEqual([status, body.field], [400, 'signature'])
      assert.equal(body.errors[0].reason, 'invalid_signature')
      for (const { chainId, verifyingContract } of acceptedDomains) {
        assert.ok(
          body.errors[0].message.includes(`chain ${chainId} and contract ${verifyingContract}`),
        )
      }
      assert.match(body.errors[0].message, /GET \/v1\/domains/)
    }
  })
}

test('a development network refuses the data of production', async (t) => {
  const env = await emptyStore(t)
  await (await startServer(t, env)).stop()
  await assert.rejects(startServer(t, env, 'development'), /production server.*can be reset/)
})

test('a reset keeps the mode and the signing network of the data', async (t) => {
  const env = await emptyStore(t)
  const app = await startServer(t, env)
  await app.storage.reset()
  await app.stop()
  await assert.rejects(startServer(t, env, 'development'), /production server/)
  const again = await startServer(t, env)
  assert.deepEqual(again.signingNetwork, app.signingNetwork)
})

test('development signs for the deployed contracts, as published clients do', async (t) => {
  const app = await startServer(t, await emptyStore(t), 'development')
  assert.deepEqual(domainsOf(app), accountDomains())
})

for (const engine of enginesOf(import.meta.url)) {
  test(`a ledger with a chain id of its own, as earlier versions made them, keeps it and may change to chain 1 on ${engine}`, async (t) => {
    const env = await emptyStore(t, engine)
    const own = 2_048_213_569
    const earlier = await startServer(t, { ...env, ROOKERY_LEDGER_CHAIN_ID: String(own) })
    const fid = await register(earlier, holder)
    await earlier.stop()
    const kept = await startServer(t, env)
    assert.deepEqual(kept.signingNetwork, earlier.signingNetwork)
    const keyDomain = async ({ urls }: App) =>
      (await ask(`${urls.accounts}/v1/domains`)).body.structs.KeyAdd.domain
    const name = { name: 'Farcaster KeyAdd', version: '1' }
    assert.deepEqual(await keyDomain(kept), { ...name, chainId: own })
    await kept.stop()
    const changed = await startServer(t, { ...env, ROOKERY_LEDGER_CHAIN_ID: '1' })
    // Gasless keys have no contract on the deployed network: one that is signed there must not hold here.
    const verifyingContract = changed.signingNetwork.contracts.keyRegistry
    assert.deepEqual(await keyDomain(changed), { ...name, chainId: 1, verifyingContract })
    const transfer = async (domains: ReturnType<typeof accountDomains>) => {
      const call = await signTransfer(holder, receiver, { fid, deadline: DEADLINE, domains })
      return ask(`${changed.urls.accounts}/v1/transferFor`, callJson(call))
    }
    assert.equal((await transfer(domainsOf(earlier))).body.code, 'InvalidSignature')
    assert.equal((await transfer(domainsOf(changed))).status, 200)
  })
}

test('a production ledger refuses to be the deployed network', async (t) => {
  const { idRegistry } = DEPLOYED_CONTRACTS
  const deployed = {
    ROOKERY_LEDGER_CHAIN_ID: '10',
    ROOKERY_LEDGER_CONTRACTS: `idRegistry=${idRegistry}`,
  }
  const env = await emptyStore(t)
  await assert.rejects(
    startServer(t, { ...env, ...deployed }),
    /idRegistry is the deployed network/,
  )
  const gasless = { ROOKERY_LEDGER_CONTRACTS: `keyRegistry=${DEPLOYED_CONTRACTS.keyRegistry}` }
  await assert.rejects(
    startServer(t, { ...env, ...gasless }),
    /keyRegistry is the deployed network/,
  )
  const started = await startServer(t, { ...env, ROOKERY_LEDGER_CHAIN_ID: '10' })
  assert.equal(started.signingNetwork.chainId, 10)
})

test('security finding 13: production refuses the keys of the public test phrase', async (t: TestContext) => {
  assert.ok(Array.from({ length: 20 }, (_, i) => devAccount(i)).every(hasTestKey))
  assert.ok(!hasTestKey(devAccount(20)))
  const settings = {
    ROOKERY_REGISTRY_KEY: TEST_KEY,
    ROOKERY_REGISTRY_ADMINS: `14045=${TEST_ADDRESS}`,
    ROOKERY_REGISTRY_SIGNERS: TEST_ADDRESS,
    ROOKERY_RELAYER_KEY: TEST_KEY,
  }
  for (const [variable, value] of Object.entries(settings)) {
    const env = { ...PRODUCTION_ENV, [variable]: value }
    assert.throws(
      () => readConfig(env, 'production'),
      (error: Error) =>
        new RegExp(`${variable} .*public test phrase`).test(error.message) &&
        !error.message.includes(TEST_KEY),
    )
  }
  const env = await emptyStore(t)
  writeFileSync(join(env.ROOKERY_DATA_DIR!, 'registry.key'), TEST_KEY)
  await assert.rejects(startServer(t, env), /registry\.key has a key of the public test phrase/)
})

const hasTestKey = ({ custodyPrivateKey }: ReturnType<typeof devAccount>) =>
  isTestKey(custodyPrivateKey)
