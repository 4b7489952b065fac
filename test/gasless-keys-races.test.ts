// Two servers on one PostgreSQL that add, use and remove the same gasless keys at once.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type App, startApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { createLogger } from '../src/kernel/http/logger.ts'
import { verifyStore } from '../src/kernel/hub/jobs/integrity-check.ts'
import { toHex } from '../src/kernel/protocol/codec/bytes.ts'
import { encodeEnvelope } from '../src/kernel/protocol/codec/envelope.ts'
import {
  cast,
  KEYS_START_MS,
  keyAdd,
  keyOf,
  keyRemove,
  nextMinute,
  owner,
} from './gasless-keys-support.ts'
import { accepted } from './hub-support.ts'
import { type Answer, createWorld, DEVNET, type World } from './world.ts'

const CROWD = 20

describe('gasless keys in two servers at once', () => {
  let world: World
  let second: App
  before(async () => {
    world = await createWorld({ engine: 'postgres', startMs: KEYS_START_MS })
    const config = readConfig(world.env, 'development')
    const logger = createLogger({ level: 'fatal' })
    second = await startApp({ config, clock: world.clock, logger })
  })
  after(async () => {
    await second?.stop()
    await world?.close()
  })

  /** Submits all at once, by turns to each server. */
  const submitAll = (messages: readonly Uint8Array[]): Promise<Answer[]> =>
    Promise.all(
      messages.map(async (message, i) => {
        const { hub } = [world.app, second][i % 2]!.urls
        const response = await fetch(`${hub}/v1/submitMessage`, {
          method: 'POST',
          headers: { 'content-type': 'application/octet-stream' },
          body: message as Uint8Array<ArrayBuffer>,
        })
        const { status, headers } = response
        // biome-ignore lint/suspicious/noExplicitAny: tests look into JSON as they find it
        return { status, headers, body: (await response.json()) as any }
      }),
    )
  const won = (answers: readonly Answer[]) => answers.filter(({ status }) => status === 200)
  const codes = (answers: readonly Answer[]) =>
    [...new Set(answers.map(({ body }) => body.errCode ?? 'accepted'))].sort()
  const crowd = <T>(make: (i: number) => T) =>
    Promise.all(Array.from({ length: CROWD }, (_, i) => make(i)))
  const noncesOf = async (fid: number) => {
    const [row] = await world.app.storage.gaslessKeys.nonces([fid])
    return [row?.user_nonce, row?.app_nonce]
  }
  const verified = async () =>
    assert.deepEqual((await verifyStore(world.app.storage, { network: DEVNET })).examples, [])

  test('one key that many fids add at once belongs to one of them', async () => {
    const users = await crowd((i) => owner(world, 100 + i))
    const answers = await submitAll(
      await Promise.all(users.map((user) => keyAdd(world, user, keyOf(1)))),
    )
    assert.equal(won(answers).length, 1)
    assert.deepEqual(codes(answers), ['accepted', 'bad_request.validation_failure'])
    const nonces = await world.app.storage.gaslessKeys.nonces(users.map(({ fid }) => fid))
    assert.deepEqual(nonces, [{ fid: won(answers)[0]!.body.data.fid, user_nonce: 1, app_nonce: 0 }])
    await verified()
  })

  test('one nonce of a fid is spent by one key, and its limit of one key a minute holds', async () => {
    const user = await owner(world, 201)
    const same = await submitAll(
      await crowd((i) => keyAdd(world, user, keyOf(200 + i), { nonce: 4 })),
    )
    assert.equal(won(same).length, 1)
    assert.deepEqual(codes(same), ['accepted', 'bad_request.conflict'])
    nextMinute(world)
    const higher = await submitAll(
      await crowd((i) => keyAdd(world, user, keyOf(300 + i), { nonce: 5 + i })),
    )
    assert.equal(won(higher).length, 1)
    assert.deepEqual(await noncesOf(201), [won(higher)[0]!.body.data.keyAddBody.nonce, 0])
    await verified()
  })

  test('a key is removed once, and nothing that it signed is merged after its removal', async () => {
    const [user, app] = [await owner(world, 301), await owner(world, 302)]
    const key = keyOf(400)
    accepted(await world.submit(await keyAdd(world, user, key, { app })))
    const removals = await crowd((i) =>
      keyRemove(world, user, key, i % 4 < 2 ? { by: 'self', nonce: 7 } : { nonce: 7 }),
    )
    const casts = await crowd((i) => encodeEnvelope(cast(world, 301, key, `at once ${i}`)))
    const answers = await submitAll(removals.flatMap((one, i) => [casts[i]!, one, casts[i]!]))
    const removed = won(answers).filter(({ body }) => body.data.type === 'MESSAGE_TYPE_KEY_REMOVE')
    assert.equal(removed.length, 1)
    const isSelf = removed[0]!.body.data.keyRemoveBody.signatureType === 2
    assert.deepEqual(await noncesOf(301), [isSelf ? 1 : 7, 0])
    assert.deepEqual(await noncesOf(302), isSelf ? [0, 7] : [undefined, undefined])
    const { body } = await world.get('/v1/events?from_event_id=0&pageSize=1000')
    const merged = body.events.flatMap(
      ({ mergeMessageBody }: Answer['body']) => mergeMessageBody?.message ?? [],
    )
    const at = merged.findIndex(({ hash }: { hash: string }) => hash === removed[0]!.body.hash)
    assert.ok(at > 0)
    const later = merged
      .slice(at)
      .filter(
        ({ signer, data }: Answer['body']) =>
          signer === toHex(key.key) && data.type === 'MESSAGE_TYPE_CAST_ADD',
      )
    assert.deepEqual(later, [])
    const late = await submitAll(
      await crowd((i) => encodeEnvelope(cast(world, 301, key, `late ${i}`))),
    )
    assert.deepEqual(codes(late), ['bad_request.unknown_signer'])
    await verified()
  })

  test('of adds and removals of one key with one nonce one wins, and the key is as it says', async () => {
    const user = await owner(world, 401)
    const key = keyOf(500)
    accepted(await world.submit(await keyAdd(world, user, key, { nonce: 1 })))
    for (const nonce of [2, 3, 4]) {
      nextMinute(world)
      const answers = await submitAll(
        await crowd((i) =>
          i % 4 < 2 ? keyAdd(world, user, key, { nonce }) : keyRemove(world, user, key, { nonce }),
        ),
      )
      assert.equal(won(answers).length, 1)
      const isThere = won(answers)[0]!.body.data.type === 'MESSAGE_TYPE_KEY_ADD'
      const { status } = await world.get(`/v1/signer?fid=401&signer=${toHex(key.key)}`)
      assert.equal(status, isThere ? 200 : 404)
      if (isThere) continue
      nextMinute(world)
      accepted(await world.submit(await keyAdd(world, user, key, { nonce: nonce + 10 })))
      break
    }
    await verified()
  })
})
