// What a pro subscription allows: read from tier purchases that were imported or followed.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { create } from '@bufbuild/protobuf'
import { castAdd, userDataAdd } from '../src/kernel/protocol/build.ts'
import { DAY_SECONDS } from '../src/kernel/protocol/time.ts'
import { CastType, UserDataType } from '../src/kernel/protocol/wire/message_pb.js'
import {
  OnChainEventSchema,
  OnChainEventType,
  TierType,
} from '../src/kernel/protocol/wire/onchain_event_pb.js'
import { accepted, bytes, onEngines, refused } from './hub-support.ts'
import type { TestAccount, World } from './world.ts'

const BASE_CHAIN_ID = 8453

/** Imports the purchase of the pro tier by a fid, as of now. */
async function buyPro(world: World, fid: number, forDays: number): Promise<void> {
  const event = create(OnChainEventSchema, {
    type: OnChainEventType.EVENT_TYPE_TIER_PURCHASE,
    chainId: BASE_CHAIN_ID,
    blockNumber: 1_000 + fid,
    blockHash: bytes(32, fid),
    blockTimestamp: BigInt(Math.floor(world.clock.now() / 1000)),
    transactionHash: bytes(32, fid),
    fid: BigInt(fid),
    body: {
      case: 'tierPurchaseEventBody',
      value: { tierType: TierType.Pro, forDays: BigInt(forDays), payer: bytes(20, fid) },
    },
  })
  await world.app.ledger!.importEvents([event])
}

const banner = (world: World, account: TestAccount) =>
  world.sign(
    account,
    userDataAdd(
      world.origin(account),
      UserDataType.USER_DATA_TYPE_BANNER,
      'https://example.com/banner.png',
    ),
  )

const longCast = (world: World, account: TestAccount, characters: number) =>
  world.sign(
    account,
    castAdd(world.origin(account), { text: 'x'.repeat(characters), type: CastType.TEN_K_CAST }),
  )

const REQUIRED = {
  code: 'bad_request.validation_failure',
  says: /^Pro subscription required$/,
}

onEngines('a pro subscription', (world) => {
  test('an imported tier purchase allows banners and casts of 10,000 bytes, in validate and in submit', async () => {
    const account = await world().account(1)
    for (const message of [banner(world(), account), longCast(world(), account, 10_000)]) {
      refused(await world().submit(message), REQUIRED)
      const { valid, reason } = accepted(await world().validate(message))
      assert.deepEqual([valid, reason], [false, 'Pro subscription required'])
    }
    await buyPro(world(), 1, 30)
    for (const message of [banner(world(), account), longCast(world(), account, 10_000)]) {
      assert.equal(accepted(await world().validate(message)).valid, true)
      accepted(await world().submit(message))
    }
    const tooLong = longCast(world(), account, 10_001)
    refused(await world().submit(tooLong), { ...REQUIRED, says: /^text > 10,000 bytes/ })
  })

  test('the end of a pro subscription ends what it allows, and leaves what was stored', async () => {
    const account = await world().account(2)
    await buyPro(world(), 2, 30)
    const stored = longCast(world(), account, 2_000)
    accepted(await world().submit(stored))
    world().clock.advance((30 * DAY_SECONDS + 1) * 1000)
    refused(await world().submit(banner(world(), account)), REQUIRED)
    assert.equal(accepted(await world().validate(banner(world(), account))).valid, false)
    const { messages } = accepted(await world().get('/v1/castsByFid?fid=2'))
    assert.equal(messages.length, 1)
  })

  test('a pro subscription of one fid allows nothing to others in the same batch', async () => {
    const [pro, other] = await world().accounts([3, 4])
    await buyPro(world(), 3, 30)
    const answers = await Promise.all(
      [pro!, other!, pro!, other!].map((account, i) =>
        world().submit(longCast(world(), account, 2_000 + i)),
      ),
    )
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 400, 200, 400],
    )
  })
})
