// Registry names: the hub follows the registry's transfers, and usernames follow the names.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { NameFeed, NameTransfer } from '../src/kernel/hub/names.ts'
import { MAX_OUTSIDE_QUESTIONS } from '../src/kernel/hub/settings.ts'
import { submitMessages } from '../src/kernel/hub/submit/submit-messages.ts'
import { type DataInit, userDataAdd } from '../src/kernel/protocol/build.ts'
import { Rejection } from '../src/kernel/protocol/rejection.ts'
import { UserDataType } from '../src/kernel/protocol/wire/message_pb.js'
import {
  accepted,
  bytes,
  eventsAfter,
  hex,
  newestEventId,
  onEngines,
  pathOf,
  type Refusal,
  refused,
} from './hub-support.ts'
import { createWorld, type TestAccount, testAccount, WORLD_START_MS, type World } from './world.ts'

const { USER_DATA_TYPE_BIO, USER_DATA_TYPE_USERNAME } = UserDataType
const INVALID = 'bad_request.validation_failure'

/** What a registry has published so far. */
class RecordedFeed implements NameFeed {
  readonly #transfers: NameTransfer[] = []

  async transfersAfter(id: number, limit: number): Promise<NameTransfer[]> {
    return this.#transfers.filter((one) => one.id > id).slice(0, limit)
  }

  /** Publishes a transfer; its owner is the custody address of who has the name then. */
  publish(username: string, from: number, to: number, timestamp: number): NameTransfer {
    const id = this.#transfers.length + 1
    const owner = testAccount(to === 0 ? from : to).custody
    const serverSignature = bytes(65, id)
    const transfer = { id, timestamp, username, owner, from, to, serverSignature }
    this.#transfers.push(transfer)
    return transfer
  }

  replay(transfers: readonly NameTransfer[]): void {
    for (const transfer of transfers) {
      this.#transfers.push({ ...transfer, id: this.#transfers.length + 1 })
    }
  }
}

const setName = (world: World, account: TestAccount, name: string) =>
  submit(world, account, userDataAdd(world.origin(account), USER_DATA_TYPE_USERNAME, name))

const submit = (world: World, account: TestAccount, init: DataInit) =>
  world.submit(world.sign(account, init))

const proofOf = (world: World, name: string) =>
  world.get(pathOf('/v1/userNameProofByName', { name }))

const SECONDS = WORLD_START_MS / 1000
const feeds = { sqlite: new RecordedFeed(), postgres: new RecordedFeed() }
const missing: Refusal = { status: 404, code: 'not_found' }

onEngines(
  'a registry name',
  (world, engine) => {
    const feed = feeds[engine]

    test('a registered name can be set as username at once, every time', async () => {
      const account = await world().account(1)
      const from = await newestEventId(world())
      for (let i = 0; i < 50; i++) {
        feed.publish(`n${i}`, 0, 1, SECONDS + i)
        world().clock.advance(1_000)
        accepted(await setName(world(), account, `n${i}`))
      }
      const events = (await eventsAfter(world(), from)).map((event) => event.type)
      assert.deepEqual(events.slice(0, 2), ['MERGE_USERNAME_PROOF', 'MERGE_MESSAGE'])
      const proof = accepted(await proofOf(world(), 'n49'))
      assert.deepEqual(
        { ...proof, signature: '' },
        {
          timestamp: SECONDS + 49,
          name: 'n49',
          owner: hex(account.custody),
          signature: '',
          fid: 1,
          type: 'USERNAME_TYPE_FNAME',
        },
      )
      const { proofs } = accepted(await world().get('/v1/userNameProofsByFid?fid=1'))
      assert.equal(proofs.length, 50)
      const read = accepted(await world().get('/v1/userDataByFid?fid=1&user_data_type=username'))
      assert.equal(read.data.userDataBody.value, 'n49')
    })

    test('a registered name is refused as username of other fids', async () => {
      const [holder, other] = await world().accounts([2, 3])
      feed.publish('mine', 0, 2, SECONDS)
      refused(await setName(world(), other!, 'mine'), {
        code: INVALID,
        says: /^fid 2 does not match message fid 3$/,
      })
      accepted(await setName(world(), holder!, 'mine'))
      accepted(await setName(world(), other!, ''))
    })

    test('the transfer of a name revokes the username of the fid that lost it', async () => {
      const [giver, taker] = await world().accounts([4, 5])
      feed.publish('gift', 0, 4, SECONDS)
      const set = accepted(await setName(world(), giver!, 'gift'))
      const from = await newestEventId(world())
      feed.publish('gift', 4, 5, SECONDS + 60)
      accepted(await setName(world(), taker!, 'gift'))
      const events = await eventsAfter(world(), from)
      assert.deepEqual(
        events.map((event) => event.type),
        ['MERGE_USERNAME_PROOF', 'REVOKE_MESSAGE', 'MERGE_MESSAGE'],
      )
      const { usernameProof, deletedUsernameProof } = events[0]!.mergeUsernameProofBody
      assert.deepEqual([usernameProof.fid, deletedUsernameProof.fid], [5, 4])
      assert.equal(events[1]!.revokeMessageBody.message.hash, set.hash)
      refused(await world().get('/v1/userDataByFid?fid=4&user_data_type=6'), missing)
      assert.equal(accepted(await proofOf(world(), 'gift')).fid, 5)
      assert.deepEqual(accepted(await world().get('/v1/userNameProofsByFid?fid=4')).proofs, [])
    })

    test('a released name belongs to no fid, and older transfers do not restore it', async () => {
      const account = await world().account(6)
      const old = feed.publish('gone', 0, 6, SECONDS)
      accepted(await setName(world(), account, 'gone'))
      const atRelease = await newestEventId(world())
      feed.publish('gone', 6, 0, SECONDS + 60)
      await world().app.hub.catchUpNames()
      const [released, revoked] = await eventsAfter(world(), atRelease)
      const { usernameProof, deletedUsernameProof } = released!.mergeUsernameProofBody
      assert.deepEqual([usernameProof.fid, deletedUsernameProof.fid], [0, 6])
      assert.equal(revoked!.type, 'REVOKE_MESSAGE')
      refused(await proofOf(world(), 'gone'), missing)
      refused(await world().get('/v1/userDataByFid?fid=6&user_data_type=6'), missing)
      const from = await newestEventId(world())
      feed.replay([old])
      await world().app.hub.catchUpNames()
      assert.deepEqual(await eventsAfter(world(), from), [])
      refused(await setName(world(), account, 'gone'), {
        code: INVALID,
        says: /is not registered$/,
      })
    })

    test('the lookup of a malformed name is refused and of an unknown name not found', async () => {
      const cases: [string, Refusal][] = [
        ['unknown', missing],
        ['unknown.eth', missing],
        ['', { code: INVALID, says: /^fname is missing$/ }],
        ['Capital', { code: INVALID, says: /^fname "Capital" doesn't match/ }],
        ['a\0', { code: INVALID }],
        ['a'.repeat(17), { code: INVALID, says: /> 16 characters$/ }],
        ['b.c.eth', { code: INVALID, says: /unsupported subdomain/ }],
      ]
      for (const [text, refusal] of cases) refused(await proofOf(world(), text), refusal)
    })
  },
  (engine) => ({ names: feeds[engine] }),
)

test('an unreachable registry affects only messages that need it', async () => {
  const names: NameFeed = {
    transfersAfter: async () => {
      throw new Error('connection refused')
    },
  }
  const world = await createWorld({ names })
  const account = await world.account(1)
  refused(await setName(world, account, 'someone'), {
    status: 503,
    code: 'unavailable.network_failure',
  })
  const { USER_DATA_TYPE_BIO } = UserDataType
  accepted(
    await submit(world, account, userDataAdd(world.origin(account), USER_DATA_TYPE_BIO, 'x')),
  )
  await world.close()
})

test('a registry that repeats a page of transfers is not read forever', async () => {
  const recorded = new RecordedFeed()
  recorded.publish('again', 0, 1, SECONDS)
  const world = await createWorld({
    names: { transfersAfter: () => recorded.transfersAfter(0, 9) },
  })
  await assert.rejects(world.app.hub.catchUpNames(), /repeats itself/)
  const account = await world.account(1)
  accepted(await setName(world, account, 'again'))
  await world.close()
})

test('transfers in any order lead to the same owners', async () => {
  const recorded = new RecordedFeed()
  const holders = new Map<string, number>()
  for (let i = 0; i < 120; i++) {
    const name = `name${i % 7}`
    const from = holders.get(name) ?? 0
    const to = (i * 5) % 4 === from ? 0 : (i * 5) % 4
    if (from === to) continue
    recorded.publish(name, from, to, SECONDS + i)
    holders.set(name, to)
  }
  const ordered = await recorded.transfersAfter(0, 1_000)
  const shuffled = new RecordedFeed()
  shuffled.replay([...ordered].sort((a, b) => ((a.id * 37) % 101) - ((b.id * 37) % 101)))
  for (const names of [recorded, shuffled]) {
    const world = await createWorld({ names })
    await world.app.hub.catchUpNames()
    for (const [name, fid] of holders) {
      const answer = await proofOf(world, name)
      if (fid === 0) refused(answer, missing)
      else assert.equal(accepted(answer).fid, fid, name)
    }
    await world.close()
  }
})

test('a bounded number of messages wait for the registry and the others are told when to retry', async () => {
  let answer = () => {}
  const answered = new Promise<void>((resolve) => {
    answer = resolve
  })
  let silent = false
  const world = await createWorld({
    names: {
      transfersAfter: async () => {
        if (silent) await answered
        return []
      },
    },
  })
  const account = await world.account(1)
  const claim = world.sign(
    account,
    userDataAdd(world.origin(account), USER_DATA_TYPE_USERNAME, 'nobody'),
  )
  silent = true
  const waiting = Array.from({ length: MAX_OUTSIDE_QUESTIONS }, () =>
    submitMessages(world.app.hub, [claim]),
  )
  const [refusal] = await submitMessages(world.app.hub, [claim])
  assert.ok(refusal instanceof Rejection)
  assert.equal(refusal.code, 'unavailable.overloaded')
  accepted(
    await submit(world, account, userDataAdd(world.origin(account), USER_DATA_TYPE_BIO, 'b')),
  )
  answer()
  for (const [refused] of await Promise.all(waiting)) {
    assert.ok(refused instanceof Rejection)
    assert.equal(refused.code, 'bad_request.validation_failure')
  }
  await world.close()
})
