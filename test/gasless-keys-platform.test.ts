// Gasless keys on the client platform: in the list of keys, in tokens of callers, and their removal by the owner.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type * as core from '@farcaster/core'
import * as client from 'rookery/client'
import { GASLESS_SCOPES } from '../src/kernel/protocol/kinds/gasless-key.ts'
import { DAY_SECONDS, networkTime } from '../src/kernel/protocol/time.ts'
import {
  KEYS_START_MS,
  keyAdd,
  keyOf,
  keyRemove,
  nextMinute,
  owner,
} from './gasless-keys-support.ts'
import { accepted, hex, onEngines } from './hub-support.ts'

const ALL = [...GASLESS_SCOPES] as core.MessageType[]

onEngines(
  'gasless keys on the platform',
  (world) => {
    test('keys of both kinds are listed in pages, with the app, the scopes and the end of gasless ones', async () => {
      const [user, app] = [await owner(world(), 11), await owner(world(), 12)]
      const keys = [keyOf(1), keyOf(2), keyOf(3)]
      for (const [i, key] of keys.entries()) {
        accepted(await world().submit(await keyAdd(world(), user, key, { app, nonce: i + 1 })))
        nextMinute(world())
      }
      type Row = {
        key: string
        addedAt: number
        app?: { fid: number }
        gasless?: { scopes: string[]; expiresAt: number }
      }
      for (const limit of [1, 2, 3, 4, 100]) {
        const list = `/v2/signers?fid=11&limit=${limit}`
        const seen: Row[] = []
        for (let path: string | undefined = list; path; ) {
          const body = accepted(await world().platform(path))
          const left = 4 - seen.length
          assert.equal(body.result.signers.length, Math.min(limit, left), 'pages are full')
          assert.equal(body.result.user.fid, 11)
          seen.push(...body.result.signers)
          path = body.next && `${list}&cursor=${body.next.cursor}`
        }
        const [first, ...rest] = seen
        assert.deepEqual([first!.key, first!.gasless], [hex(user.key), undefined])
        assert.deepEqual(
          rest.map(({ key }) => key).toSorted(),
          keys.map(({ key }) => hex(key)).toSorted(),
        )
        const one = rest.find(({ key }) => key === hex(keys[0]!.key))!
        assert.equal(one.app!.fid, 12)
        assert.equal(one.addedAt, KEYS_START_MS / 1_000)
        assert.deepEqual(one.gasless, {
          scopes: ['MESSAGE_TYPE_CAST_ADD', 'MESSAGE_TYPE_CAST_REMOVE'],
          expiresAt: KEYS_START_MS / 1_000 + DAY_SECONDS,
        })
      }
    })

    test('the owner signs the typed data of the platform, and any key sends the removal to the hub', async () => {
      const user = await owner(world(), 21)
      const key = keyOf(21)
      accepted(await world().submit(await keyAdd(world(), user, key, { nonce: 7 })))
      const path = `/v2/signer-removal?fid=21&key=${hex(key.key)}`
      const { typedData } = accepted(await world().platform(path)).result
      assert.deepEqual([typedData.primaryType, typedData.message.nonce], ['KeyRemove', 8])
      const signature = await user.account.signTypedData(typedData)
      const { nonce, deadline } = typedData.message
      const terms = { key: key.key, nonce, deadline: Number(deadline), signature }
      const timestamp = networkTime(world().clock.now())
      const { bytes } = await client.signMessage(
        client.keyRemove(terms),
        { fid: 21, network: 'devnet', timestamp },
        await client.keySigner(keyOf(99).seed),
      )
      accepted(await world().submit(bytes))
      const { result } = accepted(await world().platform('/v2/signers?fid=21'))
      assert.equal(result.signers.length, 1)
      assert.equal((await world().platform(path)).status, 404)
    })

    test('a gasless key of all scopes makes tokens until it expires or is removed; any other makes none', async () => {
      const user = await owner(world(), 31)
      await owner(world(), 33)
      const [full, partial] = [keyOf(31), keyOf(32)]
      const reports = (key: typeof full, fid = 31) =>
        world().platform('/v1/reports', {
          body: { fid: 33, reason: 'a test' },
          token: world().token({ ...key, fid }),
        })
      assert.equal((await reports(full)).status, 401)
      accepted(await world().submit(await keyAdd(world(), user, full, { scopes: ALL, ttl: 600 })))
      nextMinute(world())
      const most = ALL.slice(1)
      accepted(
        await world().submit(await keyAdd(world(), user, partial, { scopes: most, nonce: 2 })),
      )
      accepted(await reports(full))
      assert.equal((await reports(partial)).status, 401)
      await owner(world(), 32)
      assert.equal((await reports(full, 32)).status, 401, 'of another fid')
      world().clock.advance(600_000)
      assert.equal((await reports(full)).status, 401, 'expired')
      accepted(
        await world().submit(
          await keyAdd(world(), user, full, { scopes: ALL, ttl: 600, nonce: 3 }),
        ),
      )
      accepted(await reports(full))
      accepted(await world().submit(await keyRemove(world(), user, full, { nonce: 4 })))
      assert.equal((await reports(full)).status, 401, 'removed')
    })
  },
  () => ({ startMs: KEYS_START_MS }),
)
