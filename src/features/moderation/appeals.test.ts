import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openStore } from '../../../test/storage-support.ts'
import { DAY_SECONDS } from '../../kernel/protocol/time.ts'
import { moderationLogRows } from '../moderation-records/port.ts'
import { Appeals } from './appeals.ts'
import type { Moderation } from './moderation.ts'

const FID = 7

test('a member appeals five decisions in 24 hours, each once, and only own ones that can be appealed', async (t) => {
  const storage = await openStore(t)
  let now = 1_767_225_600
  // Only answers ask it.
  const appeals = new Appeals(storage, {} as Moderation, () => now)
  const decide = (fid: number, action: 'hide' | 'unhide') =>
    storage.write('hub', (tx) =>
      tx.of(moderationLogRows).add({
        ...{ at: now, actor: 'operator', action, fid, reason: '' },
        ...{ cast_hash: null, name: null },
      }),
    )
  const decisions = []
  for (let i = 0; i < 6; i++) decisions.push((await decide(FID, 'hide')).id)
  for (const id of decisions.slice(0, 5)) {
    assert.equal((await appeals.add(FID, id, 'why?')).decision, id)
  }
  await assert.rejects(appeals.add(FID, decisions[5]!, 'why?'), { code: 'rate_limited' })
  assert.equal((await appeals.add(FID, decisions[0]!, 'again')).text, 'why?')
  now += DAY_SECONDS
  await assert.rejects(appeals.add(FID, decisions[5]!, 'why?'), { code: 'rate_limited' })
  now += 1
  assert.equal((await appeals.add(FID, decisions[5]!, 'why?')).state, 'open')

  for (const other of [await decide(8, 'hide'), await decide(FID, 'unhide')]) {
    await assert.rejects(appeals.add(FID, other.id, 'why?'), { code: 'not_found' })
  }
})
