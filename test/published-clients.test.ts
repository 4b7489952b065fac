// Published clients that need nothing but an address: unmodified, with the calls that their users make.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { createVerifyAppKeyWithHub, parseWebhookEvent } from '@farcaster/miniapp-node'
import { Configuration, NeynarHubClient } from '@neynar/nodejs-sdk'
import { privateKeyToAccount } from 'viem/accounts'
import { castAdd, linkAdd, reactionAdd, userDataAdd } from '../src/kernel/protocol/build.ts'
import { fromHex, toHex } from '../src/kernel/protocol/codec/bytes.ts'
import { encodeMessage } from '../src/kernel/protocol/codec/decode.ts'
import { signEd25519 } from '../src/kernel/protocol/crypto/ed25519.ts'
import { ReactionType, UserDataType } from '../src/kernel/protocol/wire/message_pb.js'
import { appAccountEvents } from './app-account.ts'
import { accepted, bytes, inWorld } from './hub-support.ts'
import { ROOT } from './program.ts'
import { accountEvents, testAccount } from './world.ts'

inWorld('published clients', (world) => {
  test('NeynarHubClient of @neynar/nodejs-sdk publishes a message and reads what is stored', async () => {
    const client = new NeynarHubClient(
      new Configuration({ apiKey: 'any', basePath: world().app.urls.hub }),
    )
    const [author, other] = await world().accounts([11, 12])
    const at = (second: number) => world().origin(author!, second)
    const cast = world().sign(
      author!,
      castAdd(at(1), { text: 'by the client', mentions: [12n], mentionsPositions: [0] }),
    )
    // The client sends what it is given; its type is that of browsers.
    const body = Buffer.from(encodeMessage(cast)) as unknown as File
    assert.equal((await client.validateMessage({ body })).valid, true)
    const published = await client.publishMessage({ body })
    assert.equal(published.hash, toHex(cast.hash))
    const target = { fid: 11, hash: cast.hash }
    for (const data of [
      reactionAdd(world().origin(other!, 2), ReactionType.LIKE, target),
      reactionAdd(world().origin(other!, 3), ReactionType.LIKE, { url: 'https://a.example' }),
      linkAdd(world().origin(other!, 4), 'follow', 11),
      userDataAdd(world().origin(other!, 5), UserDataType.USER_DATA_TYPE_BIO, 'Waders.'),
    ]) {
      accepted(await world().submit(world().sign(other!, data)))
    }

    const hash = toHex(cast.hash)
    const like = 'Like' as never
    const follow = 'follow' as never
    assert.equal((await client.lookupCastByHashAndFid({ fid: 11, hash })).hash, hash)
    assert.equal((await client.fetchUsersCasts({ fid: 11 })).messages[0]!.hash, hash)
    assert.equal((await client.fetchCastsMentioningUser({ fid: 12 })).messages[0]!.hash, hash)
    assert.deepEqual((await client.fetchCastsByParent({ fid: 11, hash })).messages, [])
    const reactions = { targetFid: 11, targetHash: hash, reactionType: like }
    assert.equal((await client.fetchCastReactions(reactions)).messages.length, 1)
    assert.equal((await client.lookupReactionById({ fid: 12, ...reactions })).data.fid, 12)
    assert.equal(
      (await client.fetchUserReactions({ fid: 12, reactionType: like })).messages.length,
      2,
    )
    const byUrl = await client.fetchReactionsByTarget({
      url: 'https://a.example',
      reactionType: like,
    })
    assert.equal(byUrl.messages.length, 1)
    const relation = { fid: 12, targetFid: 11, linkType: follow }
    assert.equal((await client.lookupUserRelation(relation)).data.fid, 12)
    assert.equal(
      (await client.fetchUserFollowing({ fid: 12, linkType: follow })).messages.length,
      1,
    )
    assert.equal(
      (await client.fetchUserFollowers({ targetFid: 11, linkType: follow })).messages.length,
      1,
    )
    assert.ok((await client.fetchFids({ shardId: 1 })).fids.includes(11))
    const { events } = await client.fetchEvents({})
    const [event] = events as { id: number }[]
    assert.equal((await client.lookupEvent({ eventId: event!.id })).id, event!.id)
    assert.equal((await client.lookupHubInfo({ dbstats: true })).isSyncing, false)
    assert.ok((await client.lookupUserStorageLimit({ fid: 11 })).limits.length > 0)
    assert.deepEqual((await client.fetchUsernameProofsByFid({ fid: 11 })).proofs, [])
    assert.deepEqual((await client.fetchVerificationsByFid({ fid: 11 })).messages, [])
    const chain = { fid: 11, eventType: 'EVENT_TYPE_SIGNER' as never }
    assert.equal((await client.fetchUserOnChainEvents(chain)).events.length, 1)
    await client.fetchUserOnChainSignersEvents({ fid: 11 })
    const { custody } = testAccount(11)
    const registered = await client.lookupOnChainIdRegistryEventByAddress({
      address: toHex(custody),
    })
    assert.equal(registered.fid, 11)
  })

  test('@farcaster/miniapp-node verifies a webhook event that an app key of the user has signed', async () => {
    const user = testAccount(21)
    const seconds = Math.floor(world().clock.now() / 1_000)
    await world().app.ledger!.importEvents(appAccountEvents(user, seconds, 9_152))
    const stranger = testAccount(22)
    const verify = createVerifyAppKeyWithHub(world().app.urls.hub)
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const eventOf = ({ seed, key }: typeof user) => {
      const header = part({ fid: 21, type: 'app_key', key: toHex(key) })
      const payload = part({ event: 'miniapp_removed' })
      const signature = Buffer.from(signEd25519(Buffer.from(`${header}.${payload}`), seed))
      return { header, payload, signature: signature.toString('base64url') }
    }
    const parsed = await parseWebhookEvent(eventOf(user), verify)
    assert.deepEqual(
      [parsed.fid, parsed.appFid, parsed.event.event],
      [21, 9_152, 'miniapp_removed'],
    )
    await assert.rejects(parseWebhookEvent(eventOf(stranger), verify))
  })

  test('the example adds a gasless key with @farcaster/core and posts with it', async () => {
    const custodyKey = toHex(bytes(32, 77)) as `0x${string}`
    const wallet = privateKeyToAccount(custodyKey)
    const account = { ...testAccount(31), custody: fromHex(wallet.address)! }
    // The example takes the time of this machine.
    world().clock.set(Date.now())
    const seconds = Math.floor(Date.now() / 1_000)
    await world().app.ledger!.importEvents(accountEvents(account, seconds, 10))
    const child = spawn(process.execPath, [join(ROOT, 'examples', 'gasless-key-core.ts')], {
      cwd: ROOT,
      env: {
        PATH: process.env.PATH,
        ROOKERY_HUB: world().app.urls.hub,
        FID: '31',
        CUSTODY_KEY: custodyKey,
      },
    })
    const [output, errors] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'exit'),
    ])
    assert.match(
      output,
      /^SIGNER_SOURCE_OFFCHAIN MESSAGE_TYPE_CAST_ADD posted 0x[0-9a-f]{40}\n$/,
      errors,
    )
    const { messages } = accepted(await world().get('/v1/castsByFid?fid=31'))
    assert.equal(messages[0].data.castAddBody.text, 'Signed by a key that no transaction added.')
  })
})
