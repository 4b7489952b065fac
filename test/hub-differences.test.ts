// Behaviour in which the two deployed hubs differ from each other or from ours: docs/decisions says why ours
// is as these tests state.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as core from '@farcaster/core'
import { privateKeyToAccount } from 'viem/accounts'
import { SignerEventType } from '../src/kernel/protocol/wire/onchain_event_pb.js'
import { accepted, bytes, hex, inWorld, keyEvent, onEngines } from './hub-support.ts'
import type { TestAccount } from './world.ts'

const WALLET = new core.ViemLocalEip712Signer(privateKeyToAccount(hex(bytes(32, 6)) as never))
const NETWORK = core.FarcasterNetwork.DEVNET

onEngines(
  'verifications of one address by two fids',
  (world) => {
    test('two fids can verify one address, and removing one verification leaves the other', async () => {
      const accounts = await world().accounts([1, 2])
      for (const account of accounts) accepted(await world().submit(await verification(account)))
      const address = hex((await WALLET.getSignerKey())._unsafeUnwrap())
      const holds = async (fid: number) =>
        (await world().get(`/v1/verificationsByFid?fid=${fid}&address=${address}`)).status === 200
      assert.deepEqual([await holds(1), await holds(2)], [true, true])
      const events = accepted(await world().get('/v1/events?from_event_id=0')).events
      for (const { mergeMessageBody } of events) {
        assert.deepEqual(mergeMessageBody?.deletedMessages ?? [], [])
      }
      accepted(await world().submit(await removal(accounts[0]!)))
      assert.deepEqual([await holds(1), await holds(2)], [false, true])
    })
  },
  () => ({ startMs: Date.now() }),
)

inWorld('imported signer events', (world) => {
  test('an ADD in a later block than the REMOVE of a key makes the key active again', async () => {
    const account = await world().account(3)
    const isActive = async () =>
      accepted(await world().get('/v1/onChainSignersByFid?fid=3')).events.length === 1
    await world().app.ledger!.importEvents([
      keyEvent(account, SignerEventType.REMOVE, { blockNumber: 50 }),
    ])
    assert.equal(await isActive(), false)
    await world().app.ledger!.importEvents([
      keyEvent(account, SignerEventType.ADD, { blockNumber: 51 }),
    ])
    assert.equal(await isActive(), true)
  })

  test('an ADMIN_RESET makes a key unknown, after which it can be added again', async () => {
    const account = await world().account(4)
    const isActive = async () =>
      accepted(await world().get('/v1/onChainSignersByFid?fid=4')).events.length === 1
    await world().app.ledger!.importEvents([
      keyEvent(account, SignerEventType.ADMIN_RESET, { blockNumber: 60 }),
    ])
    assert.equal(await isActive(), false)
    await world().app.ledger!.importEvents([
      keyEvent(account, SignerEventType.ADD, { blockNumber: 61 }),
    ])
    assert.equal(await isActive(), true)
  })
})

inWorld('endpoints between hubs', (world) => {
  for (const [method, path] of [
    ['GET', '/v1/currentPeers'],
    ['GET', '/v1/syncStatus'],
    ['POST', '/v1/stopSync'],
    ['POST', '/v1/forceSync'],
  ] as const) {
    test(`${method} ${path} is not served and answers 404 with the deployed error object`, async () => {
      const answer = await fetch(world().app.urls.hub + path, { method })
      assert.equal(answer.status, 404)
      assert.equal(((await answer.json()) as { errCode: string }).errCode, 'not_found')
    })
  }
})

async function verification({ fid, seed }: TestAccount): Promise<Uint8Array> {
  const address = (await WALLET.getSignerKey())._unsafeUnwrap()
  const blockHash = bytes(32, 1)
  const { ETHEREUM } = core.Protocol
  const claim = core.makeVerificationAddressClaim(fid, address, NETWORK, blockHash, ETHEREUM)
  const signed = await WALLET.signVerificationEthAddressClaim(claim._unsafeUnwrap())
  const claimSignature = signed._unsafeUnwrap()
  const body = { address, blockHash, claimSignature, verificationType: 0, chainId: 0 }
  const signer = new core.NobleEd25519Signer(seed)
  const options = { fid, network: NETWORK }
  const message = await core.makeVerificationAddEthAddress(
    { ...body, protocol: ETHEREUM },
    options,
    signer,
  )
  return core.Message.encode(message._unsafeUnwrap()).finish()
}

async function removal({ fid, seed }: TestAccount): Promise<Uint8Array> {
  const address = (await WALLET.getSignerKey())._unsafeUnwrap()
  const signer = new core.NobleEd25519Signer(seed)
  const options = { fid, network: NETWORK, timestamp: core.getFarcasterTime()._unsafeUnwrap() + 1 }
  const body = { address, protocol: core.Protocol.ETHEREUM }
  const message = await core.makeVerificationRemove(body, options, signer)
  return core.Message.encode(message._unsafeUnwrap()).finish()
}
