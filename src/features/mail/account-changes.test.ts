import assert from 'node:assert/strict'
import { test } from 'node:test'
import { create } from '@bufbuild/protobuf'
import { openStore } from '../../../test/storage-support.ts'
import { ENGINES } from '../../../test/world.ts'
import { ENGLISH } from '../../kernel/base/languages/languages.ts'
import { translator } from '../../kernel/http/translator.ts'
import type { Ports } from '../../kernel/ports.ts'
import {
  IdRegisterEventType,
  OnChainEventSchema,
  OnChainEventType,
} from '../../kernel/protocol/wire/onchain_event_pb.js'
import { type AccountNotice, PUSHES } from '../push/port.ts'
import { accountChanges } from './account-changes.ts'
import { changeLocks } from './address-changes.ts'
import { MailQueue } from './queue.ts'
import { FIRST_CHOICES, mailAddressRows } from './tables/addresses.ts'
import { mailRows } from './tables/mails.ts'

const FID = 7
const [CUSTODY, OTHER] = [1, 2].map((byte) => new Uint8Array(20).fill(byte)) as [
  Uint8Array,
  Uint8Array,
]
const say = translator(ENGLISH)

for (const engine of ENGINES) {
  test(`while no mail is sent devices are told of another owner, and the address leaves the account, on ${engine}`, async (t) => {
    const storage = await openStore(t, engine)
    const told: AccountNotice[] = []
    const pushes = {
      tell: async (_: unknown, notice: AccountNotice) => told.push(notice),
      fidsWithDevices: async () => new Set([FID]),
    }
    const find = ((port: unknown) =>
      port === PUSHES ? pushes : undefined) as unknown as Ports['find']
    const queue = new MailQueue(
      async () => () => say,
      async () => false,
    )
    const tell = accountChanges({
      find,
      publicUrl: 'https://social.example',
      queue,
      nowMs: () => 5,
    })
    const moved = create(OnChainEventSchema, {
      type: OnChainEventType.EVENT_TYPE_ID_REGISTER,
      fid: BigInt(FID),
      body: {
        case: 'idRegisterEventBody',
        value: { eventType: IdRegisterEventType.TRANSFER, from: CUSTODY, to: OTHER },
      },
    })
    await storage.write(changeLocks(FID), async (tx) => {
      const row = { fid: FID, address: 'ada@example.org', custody: CUSTODY, confirmed_at: 1 }
      await tx.of(mailAddressRows).put({ ...row, ...FIRST_CHOICES })
      await tell(tx, [moved])
    })
    assert.deepEqual(
      told.map(({ texts }) => texts(say).title),
      ['Your account belongs to another key'],
    )
    assert.equal(await storage.of(mailAddressRows).find(FID), undefined)
    assert.equal(await storage.of(mailRows).waitingCount(1), 0)
  })
}
