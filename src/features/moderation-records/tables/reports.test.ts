import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openStore } from '../../../../test/storage-support.ts'
import { ENGINES } from '../../../../test/world.ts'
import { type Report, reportRows, UNANSWERED } from './reports.ts'

const REPORT = {
  ...{ reporter_fid: 1, fid: 2, cast_hash: null, mini_app: null, reason: 'spam', created_at: 1 },
  ...{ kind: null, rule: null },
  ...UNANSWERED,
}

for (const engine of ENGINES) {
  test(`of resolved reports the newest are kept, and every open one, on ${engine}`, async (t) => {
    const storage = await openStore(t, engine)
    const states: Report['state'][] = ['open', 'resolved', 'open', 'resolved', 'resolved', 'open']
    const left = await storage.write('all/reports', async (tx) => {
      const reports = tx.of(reportRows)
      const made = []
      for (const state of states) made.push(await reports.add({ ...REPORT, state }))
      await reports.trim(3)
      assert.equal(await reports.count('resolved'), 3, 'three are not too many')
      await reports.trim(1)
      const found = await Promise.all(made.map(({ id }) => reports.find(id)))
      return found.flatMap((one, i) => (one ? [i] : []))
    })
    assert.deepEqual(left, [0, 2, 4, 5])
  })

  test(`the kinds of all reports of several cases are counted in one statement, those that wait, on ${engine}`, async (t) => {
    const storage = await openStore(t, engine)
    const hash = new Uint8Array(20).fill(1)
    const [account, onCast, onApp] = await storage.write('all/reports', async (tx) => {
      const add = (more: Partial<Report>) =>
        tx.of(reportRows).add({ ...REPORT, state: 'open', ...more })
      const firsts = [
        await add({ kind: null }),
        await add({ cast_hash: hash, kind: 'hate' }),
        await add({ mini_app: 'app.example', kind: 'other' }),
      ]
      for (let i = 0; i < 30; i++) await add({ cast_hash: hash, kind: 'spam' })
      await add({ cast_hash: hash, kind: 'hate', fid: 3 })
      await add({ cast_hash: hash, kind: 'hate', state: 'resolved' })
      await add({ kind: 'violence' })
      await add({ kind: 'rule' })
      return firsts.map(({ id }) => id)
    })
    const kinds = await storage.of(reportRows).kindsOf([account!, onCast!, onApp!])
    const counts = (id: number | undefined) => kinds.get(id!)?.map(({ kind, n }) => [kind, n])
    assert.deepEqual(counts(account), [
      ['rule', 1],
      ['violence', 1],
    ])
    assert.deepEqual(counts(onCast), [
      ['spam', 30],
      ['hate', 1],
    ])
    assert.deepEqual(counts(onApp), [['other', 1]])
    assert.equal((await storage.of(reportRows).kindsOf([])).size, 0)
  })
}
