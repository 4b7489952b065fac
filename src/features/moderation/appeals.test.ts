import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { openStore } from '../../../test/storage-support.ts'
import { ENGINES } from '../../../test/world.ts'
import { DAY_SECONDS } from '../../kernel/protocol/time.ts'
import { moderationLogRows } from '../moderation-records/port.ts'
import { Appeals } from './appeals.ts'
import type { Moderation } from './moderation.ts'

const FID = 7

test('a warning is appealed while it is in force, and an act that was taken back is refused', async (t) => {
  const storage = await openStore(t)
  const appeals = new Appeals(storage, {} as Moderation, () => 1_767_225_600)
  const decide = (action: 'warn' | 'unwarn' | 'limit' | 'unlimit', name: string | null = null) =>
    storage.write('hub', (tx) =>
      tx.of(moderationLogRows).add({
        ...{ at: 1, actor: 'operator', action, fid: FID, reason: '', cast_hash: null, name },
      }),
    )
  const [first, second] = [await decide('warn'), await decide('warn')]
  await decide('unwarn', String(first.id))
  await assert.rejects(appeals.add(FID, first.id, 'why?'), {
    ...{ code: 'changed_meanwhile', field: 'decision', message: /taken back/ },
  })
  assert.equal((await appeals.add(FID, second.id, 'why?')).action, 'warn')
  const limit = await decide('limit')
  const appeal = await appeals.add(FID, limit.id, 'why?')
  await decide('unlimit')
  // The same again is answered as before.
  assert.equal((await appeals.add(FID, limit.id, 'again')).id, appeal.id)
})

for (const engine of ENGINES) {
  test(`an appeal that comes while its decision is taken back waits for that and is refused, on ${engine}`, async (t) => {
    const storage = await openStore(t, engine)
    const appeals = new Appeals(storage, {} as Moderation, () => 1_767_225_600)
    const rest = { at: 1, actor: 'operator', fid: FID, reason: '', cast_hash: null, name: null }
    const { id } = await storage.write('hub', (tx) =>
      tx.of(moderationLogRows).add({ ...rest, action: 'limit' }),
    )
    const appeal = await storage.write('hub', async (tx) => {
      const added = appeals.add(FID, id, 'why?').catch(({ code }) => code)
      // It comes first, if nothing keeps it. On SQLite there is one writer.
      if (engine === 'postgres') await Promise.race([added, setTimeout(500)])
      await tx.of(moderationLogRows).add({ ...rest, action: 'unlimit' })
      return { added }
    })
    assert.equal(await appeal.added, 'changed_meanwhile')
  })
}

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
