// Gasless keys over gRPC, by the newest published client, unmodified: it submits them and reads them back.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HubEventType, Message, MessageType, SignerSource } from 'hub-nodejs-0.17'
import { DAY_SECONDS } from '../src/kernel/protocol/time.ts'
import {
  KEYS_START_MS,
  keyAdd,
  keyOf,
  keyRemove,
  nextMinute,
  owner,
} from './gasless-keys-support.ts'
import { accepted, onEngines } from './hub-support.ts'
import { stockClient } from './stock-clients.ts'

onEngines(
  'gasless keys by hub-nodejs 0.17',
  (world) => {
    test('the client submits a key, reads it and its nonces, pages through all keys and removes it', async (t) => {
      const [user, app] = [await owner(world(), 11), await owner(world(), 12)]
      const client = stockClient(world(), '0.17.0')
      t.after(() => client.close())
      const keys = [keyOf(1), keyOf(2), keyOf(3)]
      for (const [i, key] of keys.entries()) {
        const message = Message.decode(await keyAdd(world(), user, key, { app, nonce: i + 1 }))
        const stored = (await client.submitMessage(message))._unsafeUnwrap()
        assert.equal(stored.data?.type, MessageType.KEY_ADD)
        nextMinute(world())
      }
      const [key] = keys as [(typeof keys)[0]]
      const one = (await client.getSigner({ fid: 11, signer: key.key }))._unsafeUnwrap().signer!
      assert.equal(one.source, SignerSource.OFFCHAIN)
      assert.deepEqual(Buffer.from(one.key), Buffer.from(key.key))
      const { fid, ttl, scopes, requestFid, nonce, onchainEvent } = one
      assert.deepEqual(
        { fid, ttl, scopes, requestFid, nonce, onchainEvent },
        {
          fid: 11,
          ttl: DAY_SECONDS,
          scopes: [MessageType.CAST_ADD, MessageType.CAST_REMOVE],
          requestFid: 12,
          nonce: 1,
          onchainEvent: undefined,
        },
      )
      assert.equal(one.expiresAt, one.lastUsedAt! + DAY_SECONDS)
      assert.equal(one.addedAt, KEYS_START_MS / 1_000)

      const added = (await client.getSigner({ fid: 11, signer: user.key }))._unsafeUnwrap().signer!
      assert.equal(added.source, SignerSource.ONCHAIN)
      assert.ok(added.onchainEvent?.signerEventBody)

      const read = async (pageToken?: Uint8Array) =>
        (
          await client.getSignersByFid({
            fid: 11,
            pageSize: 1,
            requesterFids: [12, 13],
            ...(pageToken && { pageToken }),
          })
        )._unsafeUnwrap()
      const found: string[] = []
      for (let page = await read(); ; page = await read(page.nextPageToken)) {
        assert.equal(page.signers.length <= 1, true)
        assert.deepEqual(page.requesterFidNonces, { 12: 0, 13: 0 })
        assert.deepEqual([page.gaslessSignerCount, page.gaslessSignerLimit], [3, 1_000])
        assert.equal(page.currentUserNonce, 3)
        found.push(...page.signers.map((signer) => Buffer.from(signer.key).toString('hex')))
        if (!page.nextPageToken?.length) break
      }
      const all = [user, ...keys].map(({ key: bytes }) => Buffer.from(bytes).toString('hex'))
      assert.deepEqual(found.toSorted(), all.toSorted())

      const removal = await keyRemove(world(), user, key, { by: 'self', nonce: 7 })
      const removed = (await client.submitMessage(Message.decode(removal)))._unsafeUnwrap()
      const missing = await client.getSigner({ fid: 11, signer: key.key })
      assert.equal(missing._unsafeUnwrapErr().errCode, 'not_found')
      const after = await client.getSignersByFid({ fid: 11, requesterFids: [12] })
      assert.deepEqual(after._unsafeUnwrap().requesterFidNonces, { 12: 7 })

      const id = await world().app.storage.events.newestId()
      const event = (await client.getEvent({ id, shardIndex: 0 }))._unsafeUnwrap()
      assert.equal(event.type, HubEventType.MERGE_MESSAGE)
      assert.deepEqual(event.mergeMessageBody!.message!.hash, removed.hash)
      assert.equal(event.mergeMessageBody!.deletedMessages.length, 1)
    })

    test('a refused key has the code of its refusal', async (t) => {
      const user = await owner(world(), 21)
      const client = stockClient(world(), '0.17.0')
      t.after(() => client.close())
      accepted(await world().submit(await keyAdd(world(), user, keyOf(21), { nonce: 5 })))
      nextMinute(world())
      const again = Message.decode(await keyAdd(world(), user, keyOf(22), { nonce: 5 }))
      const refused = (await client.submitMessage(again))._unsafeUnwrapErr()
      assert.equal(refused.errCode, 'bad_request.conflict')
      assert.match(refused.message, /^gasless-key nonce 5 is not greater than stored nonce 5/)
    })
  },
  () => ({ startMs: KEYS_START_MS }),
)
