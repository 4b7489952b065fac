import { joinWholeStore, SCHEMA } from '../src/store.ts'
// Gasless keys in exports, erasures and backups.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { Message } from '@farcaster/core'
import { readConfig } from '../src/config.ts'
import { makeBackup } from '../src/features/backups/copy.ts'
import { keySettingsOf } from '../src/features/backups/keys.ts'
import { exportReply } from '../src/features/moderation/owner-routes.ts'
import { verifyStore } from '../src/kernel/hub/jobs/integrity-check.ts'
import { encodeEnvelope } from '../src/kernel/protocol/codec/envelope.ts'
import { storageSettingsOf } from '../src/kernel/storage/from-config.ts'
import { envelopeOf } from '../src/kernel/storage/messages/message-rows.ts'
import type { StoredMessage } from '../src/kernel/storage/messages/messages.ts'
import {
  cast,
  KEYS_START_MS,
  keyAdd,
  keyOf,
  keyRemove,
  nextMinute,
  owner,
} from './gasless-keys-support.ts'
import { accepted, hex, inWorld, onEngines, refused } from './hub-support.ts'
import { until } from './until.ts'
import { createWorld, DEVNET } from './world.ts'

const hashOf = (message: Uint8Array) => hex(Message.decode(message).hash)

const options = () => ({ startMs: KEYS_START_MS })

onEngines(
  'gasless keys of an erased account',
  (world) => {
    test('an export has the KEY_ADD messages; an erasure deletes them and the keys, and keeps the nonces', async () => {
      const [user, app] = [await owner(world(), 11), await owner(world(), 12)]
      const [key, other] = [keyOf(1), keyOf(2)]
      const kept = await keyAdd(world(), user, key, { app, nonce: 5 })
      accepted(await world().submit(kept))
      nextMinute(world())
      accepted(await world().submit(await keyAdd(world(), user, other, { app, nonce: 6 })))
      const ownRemoval = await keyRemove(world(), user, other, { by: 'self', nonce: 3 })
      accepted(await world().submit(ownRemoval))
      accepted(await world().submit(cast(world(), 11, key)))
      const { storage } = world().app
      const encode = (row: StoredMessage) => encodeEnvelope(envelopeOf(row))
      const hashes: string[] = []
      for (let pageToken: string | undefined; pageToken !== ''; ) {
        const page = await exportReply({ storage, encode }, 11, pageToken)
        hashes.push(...page.messages.map((text) => hashOf(Buffer.from(text, 'base64'))))
        pageToken = page.nextPageToken
      }
      assert.equal(hashes.length, 2, 'a cast and a KEY_ADD: the other was deleted with its key')
      assert.ok(hashes.includes(hashOf(kept)))

      const decision = { reason: 'asked for', actor: 'test' }
      accepted(await world().operate('/moderation/accounts/11/erase', { body: decision }))
      const { moderation } = storage
      await until(
        async () => !(await moderation.nextTask()) && (await moderation.erasedTasks()).length === 0,
        'the erasure is finished',
      )
      assert.deepEqual(await storage.gaslessKeys.ofKeys([key.key]), [])
      assert.deepEqual(await storage.gaslessKeys.nonces([11, 12]), [
        { fid: 11, user_nonce: 6, app_nonce: 0 },
        { fid: 12, user_nonce: 0, app_nonce: 3 },
      ])
      assert.deepEqual((await verifyStore(storage, { network: DEVNET })).examples, [])
      refused(await world().submit(kept), { code: 'bad_request.erased' })
      refused(await world().submit(cast(world(), 11, key)), { code: 'bad_request.unknown_signer' })
      nextMinute(world())
      refused(await world().submit(await keyAdd(world(), user, key, { nonce: 6 })), {
        code: 'bad_request.conflict',
      })
      accepted(await world().submit(await keyAdd(world(), user, key, { nonce: 7 })))
      accepted(await world().submit(cast(world(), 11, key, 'after the erasure')))
    })
  },
  options,
)

inWorld(
  'gasless keys in a backup',
  (world) => {
    test('a server on a backup of the embedded store has the keys and the nonces', async (t) => {
      const user = await owner(world(), 21)
      accepted(await world().submit(await keyAdd(world(), user, keyOf(21), { nonce: 5 })))
      const directory = join(mkdtempSync(join(tmpdir(), 'rookery-keys-')), 'backup')
      t.after(() => rmSync(join(directory, '..'), { recursive: true }))
      const config = readConfig(world().env, 'development')
      const request = {
        schema: SCHEMA.newest,
        storage: storageSettingsOf(config),
        network: DEVNET,
        keys: keySettingsOf(config),
        settings: '',
        directory,
        startedMs: world().clock.now(),
      }
      await makeBackup(request, joinWholeStore)
      nextMinute(world())
      const env = { ROOKERY_DATA_DIR: directory }
      const restored = await createWorld({ env, startMs: world().clock.now() })
      t.after(() => restored.close())
      accepted(await restored.submit(cast(restored, 21, keyOf(21))))
      refused(await restored.submit(await keyAdd(restored, user, keyOf(22), { nonce: 5 })), {
        code: 'bad_request.conflict',
      })
      accepted(await restored.submit(await keyAdd(restored, user, keyOf(22), { nonce: 6 })))
    })
  },
  options(),
)
