// Names of Ethereum at a hub that lists them without the messages that prove them.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { create } from '@bufbuild/protobuf'
import { readItems, type UnreadItem } from '../src/features/exports/message-rows.ts'
import { changes, everything } from '../src/features/exports/source.ts'
import type { Item } from '../src/features/exports/tables.ts'
import { mirrorRows } from '../src/features/mirror/tables/mirror.ts'
import { userDataAdd, usernameProof } from '../src/kernel/protocol/build.ts'
import { toHex } from '../src/kernel/protocol/codec/bytes.ts'
import {
  UserDataType,
  UserNameProofSchema,
  UserNameType,
} from '../src/kernel/protocol/wire/message_pb.js'
import { type FakeHub, startFakeHub } from './fake-hub/fake-hub.ts'
import { Author } from './mirror-authors.ts'
import { createMirror, hashesOf, heights, type MirrorWorld } from './mirror-support.ts'
import { until } from './until.ts'
import { enginesOf, WORLD_START_MS } from './world.ts'

const { USER_DATA_TYPE_USERNAME } = UserDataType

for (const engine of enginesOf(import.meta.url)) {
  describe(`a mirror of people with names of Ethereum on ${engine}`, () => {
    let fake: FakeHub
    let mirror: MirrorWorld
    let author: Author
    before(async () => {
      fake = await startFakeHub({ now: () => WORLD_START_MS })
      author = new Author(fake.account(1))
      fake.account(2)
      fake.merge(prove('wader.eth'))
      fake.merge(author.sign((o) => userDataAdd(o, USER_DATA_TYPE_USERNAME, 'wader.eth')))
      // Its message is in no log and in no list.
      fake.pruneLog(100)
      mirror = await createMirror({ address: fake.address, now: () => WORLD_START_MS }, { engine })
      await mirror.follow('fid:1')
      fake.startBlocks(250)
      await settle()
    })
    after(async () => {
      await mirror.close()
      await fake.close()
    })

    const settle = () => mirror.settled(heights(fake))
    const prove = (name: string) =>
      author.sign((o) =>
        usernameProof(o, {
          name,
          owner: new Uint8Array(20).fill(7),
          signature: new Uint8Array(65).fill(1),
          type: name.endsWith('.base.eth')
            ? UserNameType.USERNAME_TYPE_BASENAME
            : UserNameType.USERNAME_TYPE_ENS_L1,
        }),
      )
    const compareAll = async () => {
      await mirror.app.storage.write('hub', (tx) => tx.of(mirrorRows).setAllDue(mirror.clock.now()))
      await settle()
    }
    const namesOf = async (fid: number) => {
      const { body } = await mirror.get(`/v1/userNameProofsByFid?fid=${fid}`)
      return body.proofs.map(({ name, type }: Record<string, string>) => `${name} ${type}`)
    }
    const byName = async (name: string) =>
      (await mirror.get(`/v1/userNameProofByName?name=${name}`)).body
    const proofMessages = async () =>
      (await hashesOf(mirror.app.storage, [1]))['1 usernameProofs'] ?? []

    test('a name without its message is served, and a username that refers to it is stored', async () => {
      assert.deepEqual(await namesOf(1), ['wader.eth USERNAME_TYPE_ENS_L1'])
      const { owner, fid } = await byName('wader.eth')
      assert.deepEqual([owner, fid], [`0x${'07'.repeat(20)}`, 1])
      const { body } = await mirror.get('/v1/userDataByFid?fid=1&user_data_type=6')
      assert.equal(body.data.userDataBody.value, 'wader.eth')
      const { people, quarantine } = await mirror.status()
      assert.deepEqual([people.live, people.differ, quarantine], [1, 0, {}])
      assert.deepEqual(await proofMessages(), [])
    })

    test('an export has the name, of everybody, of chosen people and of what came since', async () => {
      const { storage } = mirror.app
      const name = {
        ...{ fid: 1, hash: null, event_id: null, name: 'wader.eth', type: 'ens_l1' },
        owner: `0x${'07'.repeat(20)}`,
      }
      const untilId = await storage.events.newestId()
      const range = { fids: undefined, untilId }
      for (const [pages, expected] of [
        [everything(storage, range), [name]],
        [everything(storage, { untilId, fids: [1] }), [name]],
        [everything(storage, { untilId, fids: [2] }), []],
        [changes(storage, untilId, range), [name]],
      ] as const) {
        const items = readItems((await Array.fromAsync<(Item | UnreadItem)[]>(pages)).flat())
        const rows = items.filter(({ table }) => table === 'usernames').map(({ row }) => row)
        assert.deepEqual(
          rows.map(({ timestamp: _, ...row }) => row),
          expected,
        )
      }
    })

    test('the message takes its place when an event brings it, and takes the name away when it goes', async () => {
      const again = prove('wader.eth')
      fake.merge(again)
      await until(async () => (await proofMessages()).length === 1)
      assert.deepEqual(await proofMessages(), [toHex(again.hash)])
      const untilId = await mirror.app.storage.events.newestId()
      const pages = everything(mirror.app.storage, { fids: undefined, untilId })
      const items = readItems((await Array.fromAsync(pages)).flat())
      const names = items.filter((one) => one.row.name)
      assert.deepEqual(
        names.map(({ row }) => [row.name, row.hash]),
        [['wader.eth', toHex(again.hash)]],
      )
      assert.deepEqual(await namesOf(1), ['wader.eth USERNAME_TYPE_ENS_L1'])
      await compareAll()
      assert.deepEqual(await namesOf(1), ['wader.eth USERNAME_TYPE_ENS_L1'])
      fake.revoke(again.hash)
      await until(async () => (await namesOf(1)).length === 0)
      assert.equal((await byName('wader.eth')).errCode, 'not_found')
    })

    test('the username of a name that somebody else has now is in quarantine while the source keeps it', async () => {
      const registered = (fid: bigint, seconds: number) =>
        create(UserNameProofSchema, {
          ...{ fid, type: UserNameType.USERNAME_TYPE_FNAME, name: Buffer.from('traded') },
          timestamp: BigInt(WORLD_START_MS / 1_000 + seconds),
          owner: new Uint8Array(20).fill(Number(fid)),
          signature: new Uint8Array(65).fill(1),
        })
      fake.name(registered(1n, 0))
      const username = author.sign((o) => userDataAdd(o, USER_DATA_TYPE_USERNAME, 'traded'))
      fake.merge(username)
      await settle()
      assert.deepEqual((await mirror.status()).quarantine, {})
      fake.name(registered(2n, 1))
      await settle()
      const { body } = await mirror.operate('/mirror/verify?level=lists')
      assert.deepEqual([body.differences, (await mirror.status()).people.differ], [[], 0])
      const { messages } = (await mirror.operate('/mirror/quarantine')).body
      assert.deepEqual(
        messages.map(({ hash }: { hash: string }) => hash),
        [toHex(username.hash)],
      )
    })
  })
}
