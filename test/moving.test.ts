// What docs/chain.md says about messages that another hub stores and this one refuses.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import {
  castAdd,
  type DataInit,
  linkCompactState,
  userDataAdd,
} from '../src/kernel/protocol/build.ts'
import { encodeList } from '../src/kernel/protocol/codec/envelope.ts'
import { UserDataType } from '../src/kernel/protocol/wire/message_pb.js'
import { accepted, inWorld, post, removeKey } from './hub-support.ts'
import type { TestAccount } from './world.ts'

const GUIDE = new URL('../docs/chain.md', import.meta.url)

/** The error codes in the first column of the table. */
function namedCodes(): Set<string> {
  const [, section = ''] = readFileSync(GUIDE, 'utf8').split('### What a copy by submits loses')
  return new Set([...section.matchAll(/^\| `([a-z_.]+)`/gm)].map(([, code]) => code!))
}

// As on a chain: on a ledger whose storage grows nothing is pruned.
inWorld(
  'moving messages to a hub',
  (world) => {
    const submit = async (account: TestAccount, init: DataInit) =>
      world().submit(world().sign(account, init))

    test('the guide names every refusal that messages which another hub stores can get', async () => {
      const seen = new Set<string>()
      const see = ({ status, body }: Awaited<ReturnType<typeof submit>>) => {
        assert.notEqual(status, 200)
        seen.add(body.errCode)
      }
      const at = (account: TestAccount, second = 1_000) => world().origin(account, second)

      const removed = await world().account(1)
      await removeKey(world(), removed)
      see(await submit(removed, castAdd(at(removed), 'of a key that was removed later')))

      const ended = await world().account(2, { units: 0 })
      see(await submit(ended, castAdd(at(ended), 'of an account without storage')))

      const full = await world().account(3, { units: 1 })
      const newest = Array.from({ length: 100 }, (_, i) =>
        world().sign(full, castAdd(at(full, 2_000 + i), `cast ${i}`)),
      )
      accepted(await post(world(), '/v1/submitBulkMessages', encodeList(newest)))
      see(await submit(full, castAdd(at(full), 'older than what the storage holds')))

      const named = await world().account(4)
      const username = userDataAdd(at(named), UserDataType.USER_DATA_TYPE_USERNAME, 'unknown')
      see(await submit(named, username))

      const busy = await world().account(5, { units: 1 })
      const targets = Array.from({ length: 12_000 }, (_, i) => 2 ** 27 + i)
      const state = (second: number) =>
        submit(busy, linkCompactState(at(busy, second), 'f', targets))
      let answer = accepted(await state(1)) && (await state(2))
      for (let second = 3; answer.status === 200 && second < 200; second++)
        answer = await state(second)
      see(answer)
      assert.equal(answer.status, 429)

      assert.deepEqual(seen, namedCodes())
    })
  },
  { env: { ROOKERY_STORAGE_GROWS: 'off' } },
)
