// Addresses that sign in for an account and sign no messages, added with the published library and viem.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as core from '@farcaster/core'
import { pad } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { castAdd } from '../src/kernel/protocol/build.ts'
import { fromHex, toHex } from '../src/kernel/protocol/codec/bytes.ts'
import { addKey, keyOfAddress, postAccounts } from './auth-address-support.ts'
import { accepted, onEngines, refused } from './hub-support.ts'
import { stockClient } from './stock-clients.ts'
import { accountEvents, testAccount, type World } from './world.ts'

type Hex = `0x${string}`

/** A fid whose custody address is a wallet of the published library. */
async function owner(world: World, fid: number) {
  const account = privateKeyToAccount(generatePrivateKey())
  const person = { ...testAccount(fid), custody: fromHex(account.address)! }
  const events = accountEvents(person, Math.floor(world.clock.now() / 1_000), 10)
  await world.app.ledger!.importEvents(events)
  return { ...person, account, wallet: new core.ViemLocalEip712Signer(account) }
}
const usesOf = async (world: World, fid: number, address: string) => {
  const { body } = await world.get(`/v1/fidAddressType?fid=${fid}&address=${address.toLowerCase()}`)
  const client = stockClient(world, '0.17.0')
  const request = { fid, address: fromHex(address)! }
  const read = (await client.getFidAddressType(request as never))._unsafeUnwrap()
  client.close()
  assert.deepEqual(read, {
    isCustody: body.is_custody,
    isAuth: body.is_auth,
    isVerified: body.is_verified,
  })
  return read
}
const AUTH = { isCustody: false, isAuth: true, isVerified: false }
const NOTHING = { ...AUTH, isAuth: false }

onEngines('auth addresses', (world) => {
  test('an address that the custody address adds as an auth address may sign in until it is removed, and is no signer', async () => {
    const user = await owner(world(), 11)
    const { address } = privateKeyToAccount(generatePrivateKey())
    const key = keyOfAddress(address)
    assert.deepEqual(await usesOf(world(), 11, address), NOTHING)
    const added = await addKey(world().app, user, key, 2)
    assert.equal(added.status, 200, await added.text())
    assert.deepEqual(await usesOf(world(), 11, address), AUTH)
    assert.deepEqual(await usesOf(world(), 12, address), NOTHING)
    assert.equal(accepted(await world().get('/v1/signersByFid?fid=11')).signers.length, 1)
    refused(await world().get(`/v1/signer?fid=11&signer=${key}`), {
      status: 404,
      code: 'not_found',
    })
    const { events } = accepted(
      await world().get('/v1/onChainEventsByFid?fid=11&event_type=EVENT_TYPE_SIGNER'),
    )
    assert.deepEqual(
      [events.at(-1).signerEventBody.key, events.at(-1).signerEventBody.keyType],
      [key.toLowerCase(), 2],
    )
    await world().restart()
    assert.deepEqual(await usesOf(world(), 11, address), AUTH)
    const deadline = BigInt(Math.floor(world().clock.now() / 1_000) + 3_600)
    const terms = { owner: user.account.address, key: fromHex(key)!, nonce: 0n, deadline }
    const signature = toHex((await user.wallet.signRemove(terms as never))._unsafeUnwrap())
    const removal = { owner: user.account.address, key, deadline: Number(deadline), signature }
    assert.equal((await postAccounts(world().app, 'removeFor', removal)).status, 200)
    assert.deepEqual(await usesOf(world(), 11, address), NOTHING)
  })

  test('a key of another form or type is refused, and a message signed with a key that was added as an auth address too', async () => {
    const user = await owner(world(), 21)
    const signing = testAccount(500)
    const codeOf = async (key: Hex, keyType: number) =>
      ((await (await addKey(world().app, user, key, keyType)).json()) as { code: string }).code
    assert.equal(await codeOf(toHex(signing.key) as Hex, 2), 'InvalidMetadata')
    assert.equal(await codeOf(user.account.address, 2), 'InvalidMetadata')
    assert.equal(await codeOf(pad(user.account.address), 3), 'ValidatorNotFound')
    // A chain takes any 32 bytes.
    const added = accountEvents(
      { ...signing, fid: 21 },
      Math.floor(world().clock.now() / 1_000),
      1,
    )[1]!
    assert.ok(added.body.case === 'signerEventBody')
    added.body.value.keyType = 2
    await world().app.ledger!.importEvents([{ ...added, blockNumber: 900 }])
    const sender = { ...signing, fid: 21 }
    refused(
      await world().submit(world().sign(sender, castAdd(world().origin(sender), { text: 'x' }))),
      {
        code: 'bad_request.unknown_signer',
      },
    )
  })
})
