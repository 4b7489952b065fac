// ENS and base names, and claims of contract wallets: what only a chain can say.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import {
  type DataInit,
  userDataAdd,
  usernameProof,
  verificationAddEth,
} from '../src/kernel/protocol/build.ts'
import { UserDataType, UserNameType } from '../src/kernel/protocol/wire/message_pb.js'
import { startFakeChain } from './fake-chain.ts'
import {
  accepted,
  bytes,
  eventsAfter,
  inWorld,
  newestEventId,
  pathOf,
  refused,
} from './hub-support.ts'
import { createWorld, type TestAccount, testAccount, type World } from './world.ts'

const { USER_DATA_TYPE_USERNAME } = UserDataType
const INVALID = 'bad_request.validation_failure'

const setName = (world: World, account: TestAccount, name: string) =>
  submit(world, account, userDataAdd(world.origin(account), USER_DATA_TYPE_USERNAME, name))

const submit = (world: World, account: TestAccount, init: DataInit) =>
  world.submit(world.sign(account, init))

const proofOf = (world: World, name: string) =>
  world.get(pathOf('/v1/userNameProofByName', { name }))

const ensProof = (world: World, account: TestAccount, name: string, owner: Uint8Array) =>
  usernameProof(world.origin(account), {
    name,
    owner,
    signature: bytes(65, 1),
    type: name.endsWith('.base.eth')
      ? UserNameType.USERNAME_TYPE_BASENAME
      : UserNameType.USERNAME_TYPE_ENS_L1,
  })

inWorld('without an Ethereum address to ask', (world) => {
  for (const name of ['someone.eth', 'someone.base.eth']) {
    test(`the ENS name ${name} is refused, and the error says what is missing`, async () => {
      const account = await world().account(1)
      const answer = await submit(
        world(),
        account,
        ensProof(world(), account, name, account.custody),
      )
      refused(answer, { status: 400, code: 'not_implemented', says: /ROOKERY_ETH_RPC_URLS/ })
      refused(await setName(world(), account, name), { code: INVALID, says: /not registered/ })
    })
  }
})

describe('with a chain to ask', () => {
  let chain: Awaited<ReturnType<typeof startFakeChain>>
  let world: World
  before(async () => {
    chain = await startFakeChain()
    const ROOKERY_ETH_RPC_URLS = `1=${chain.url},8453=${chain.url}/8453`
    const transfer = { id: 1, timestamp: 1_700_000_000, username: 'registered', from: 0, to: 1 }
    const published = [{ ...transfer, owner: bytes(20, 1), serverSignature: bytes(65, 1) }]
    world = await createWorld({
      env: { ROOKERY_ETH_RPC_URLS },
      names: { transfersAfter: async (id) => published.filter((one) => one.id > id) },
    })
    await world.app.hub.catchUpNames()
  })
  after(async () => {
    await world.close()
    await chain.close()
  })

  test('the chain is not asked about messages without a signature of an active key', async () => {
    const account = await world.account(40)
    const stranger = { ...testAccount(41), fid: 40 }
    const unknown = testAccount(42)
    const proof = ensProof(world, account, 'holder.eth', account.custody)
    const forged = { ...world.sign(account, proof), signature: bytes(64, 1) }
    const before = chain.asked
    refused(await world.submit(forged), { code: INVALID, says: /invalid signature/ })
    assert.equal(accepted(await world.validate(forged)).valid, false)
    refused(await submit(world, stranger, proof), { code: 'bad_request.unknown_signer' })
    refused(await submit(world, unknown, ensProof(world, unknown, 'holder.eth', bytes(20, 1))), {
      code: 'bad_request.unknown_fid',
    })
    assert.equal(chain.asked, before)
  })

  for (const name of ['holder.eth', 'holder.base.eth']) {
    test(`the ENS name ${name} is proven by the address it resolves to, and can then be the username`, async () => {
      const [account, other] = await world.accounts([1, 2])
      world.clock.advance(1_000)
      const proof = (who: TestAccount, owner = who.custody) =>
        submit(world, who, ensProof(world, who, name, owner))
      refused(await proof(account!), { code: INVALID, says: /^no valid address for / })
      chain.names.set(name, account!.custody)
      refused(await proof(other!), { code: INVALID, says: /does not match proof$/ })
      refused(await proof(other!, account!.custody), {
        code: INVALID,
        says: /^ens name does not belong to fid: 2$/,
      })
      const message = accepted(await proof(account!))
      assert.equal(accepted(await proofOf(world, name)).fid, 1)
      const { proofs } = accepted(await world.get('/v1/userNameProofsByFid?fid=1'))
      // Registry names first, then those of a chain.
      const held = proofs.map((one: { name: string; type: string }) => `${one.type} ${one.name}`)
      assert.equal(held[0], 'USERNAME_TYPE_FNAME registered')
      assert.ok(held.slice(1).some((one: string) => one.endsWith(` ${name}`)))
      assert.equal(message.data.usernameProofBody.name, name)
      refused(await setName(world, other!, name), { code: INVALID, says: /does not match/ })
      accepted(await setName(world, account!, name))
    })
  }

  test('a proof of an ENS name by a new owner revokes the username of the old owner', async () => {
    const [old, young] = await world.accounts([3, 4])
    chain.names.set('moving.eth', old!.custody)
    accepted(await submit(world, old!, ensProof(world, old!, 'moving.eth', old!.custody)))
    accepted(await setName(world, old!, 'moving.eth'))
    world.clock.advance(5_000)
    chain.names.set('moving.eth', young!.custody)
    const from = await newestEventId(world)
    accepted(await submit(world, young!, ensProof(world, young!, 'moving.eth', young!.custody)))
    const [merged, revoked] = await eventsAfter(world, from)
    assert.equal(merged!.mergeUsernameProofBody.usernameProof.fid, 4)
    assert.equal(merged!.mergeUsernameProofBody.deletedUsernameProof.fid, 3)
    assert.equal(revoked!.revokeMessageBody.message.data.fid, 3)
    refused(await world.get('/v1/userDataByFid?fid=3&user_data_type=6'), {
      status: 404,
      code: 'not_found',
    })
  })

  test('the claim of a contract wallet is accepted when its contract confirms it', async () => {
    const account = await world.account(6)
    const wallet = { address: bytes(20, 7), blockHash: bytes(32, 7) }
    const claim = (claimSignature: Uint8Array) =>
      verificationAddEth(world.origin(account), {
        ...wallet,
        claimSignature,
        verificationType: 1,
        chainId: 1,
      })
    refused(await submit(world, account, claim(bytes(65, 1))), {
      code: INVALID,
      says: /^invalid claimSignature$/,
    })
    chain.down = true
    refused(await submit(world, account, claim(bytes(65, 1))), {
      status: 503,
      code: 'unavailable.network_failure',
    })
    chain.down = false
    chain.contractSays = true
    accepted(await submit(world, account, claim(bytes(65, 1))))
  })

  test('an ENS name is refused as unavailable while the chain does not answer', async () => {
    const account = await world.account(5)
    chain.down = true
    const answer = await submit(world, account, ensProof(world, account, 'x.eth', account.custody))
    refused(answer, { status: 503, code: 'unavailable.network_failure' })
    chain.down = false
  })
})
