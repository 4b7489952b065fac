import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sayingIn } from '../../../../test/mail-support.ts'
import { openStore } from '../../../../test/storage-support.ts'
import { ENGINES } from '../../../../test/world.ts'
import { moderationLogRows, reportRows, UNANSWERED } from '../../moderation-records/port.ts'
import { appealRows } from '../tables/appeals.ts'
import { waitingFor, waitingText } from './waiting.ts'

const MODERATOR = { fid: 1, role: 'moderator', since: 0, appointed_by: 'operator' } as const

for (const engine of ENGINES) {
  test(`what waits is told as reports and appeals, and beyond a hundred appeals as so many or more, on ${engine}`, async (t) => {
    const storage = await openStore(t, engine)
    const told = async () => waitingText(await waitingFor(storage, MODERATOR), sayingIn('en'))
    const appeal = (actor: string, count = 1) =>
      storage.write(['hub', 'all/reports'], async (tx) => {
        for (let i = 0; i < count; i++) {
          const entry = { at: 1, action: 'hide', fid: 2, cast_hash: null, name: null } as const
          const { id } = await tx.of(moderationLogRows).add({ ...entry, actor, reason: 'spam' })
          await tx.of(appealRows).add({
            ...{ fid: 2, decision: id, action: 'hide', cast_hash: null, text: 'why?' },
            ...{ state: 'open', created_at: 1, answered_at: null, outcome: null, answer: null },
            answered_by: null,
          })
        }
      })
    const report = (fid: number) =>
      storage.write('all/reports', (tx) =>
        tx.of(reportRows).add({
          ...{ reporter_fid: 3, fid, cast_hash: null, mini_app: null, kind: null, rule: null },
          ...{ reason: 'spam', created_at: 1 },
          ...UNANSWERED,
        }),
      )
    // Nobody answers an appeal against their own decision.
    await appeal('fid 1 (moderator)')
    await appeal('operator')
    assert.equal(await told(), 'An appeal waits for you')
    await appeal('operator')
    assert.equal(await told(), '2 appeals wait for you')
    await report(2)
    assert.equal(await told(), 'Reports that wait for you: 1. Appeals: 2.')
    await appeal('operator', 98)
    const waiting = await waitingFor(storage, MODERATOR)
    assert.deepEqual(waiting, { cases: 1, appeals: 100, hasMoreAppeals: true, newestAt: 1 })
    assert.equal(await told(), 'Reports that wait for you: 1. Appeals: 100 or more.')
    assert.equal(
      waitingText({ ...waiting, cases: 0 }, sayingIn('en')),
      'Appeals that wait for you: 100 or more',
    )
    await appeal('fid 1 (moderator)', 101)
    assert.equal(await told(), 'A report waits for you')
    assert.equal(
      waitingText({ ...waiting, appeals: 0, cases: 3, hasMoreAppeals: false }, sayingIn('en')),
      '3 reports wait for you',
    )
  })
}
