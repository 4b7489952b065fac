import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openStore } from '../../../../test/storage-support.ts'
import { ENGINES } from '../../../../test/world.ts'
import { buildMessage, castAdd } from '../../../kernel/protocol/build.ts'
import { toStored } from '../../../kernel/storage/messages/message-rows.ts'
import { reportRows } from '../../moderation-records/port.ts'
import { resolved } from '../resolving.ts'
import { heldRows } from '../tables/held.ts'
import { heldCastsJob } from './held-casts.ts'

const NOW = 100
/** Half of them may be held casts. */
const MAX_OPEN_REPORTS = 4
const SEED = new Uint8Array(32).fill(1)

for (const engine of ENGINES) {
  test(`held casts wait while they fill half of the queue or their account is hidden, and come into it afterwards, on ${engine}`, async (t) => {
    const storage = await openStore(t, engine)
    const casts = [1, 2, 3, 4].map((fid) =>
      buildMessage(castAdd({ fid, timestamp: fid, network: 3 }, 'hello'), SEED),
    )
    const hide = (hidden: 0 | 1) =>
      storage.write('hub', (tx) =>
        tx.moderation.putAccount({
          ...{ fid: 1, suspended: hidden, erasing: 0, hidden },
          ...{ erased_before: 0, erase_deadline: 0, changed_at: NOW },
        }),
      )
    await storage.write('hub', async (tx) => {
      const rows = casts.map((message, i) => toStored(message, i + 1))
      await tx.messages.insert(rows)
      await tx
        .of(heldRows)
        .putCasts(
          rows.map(({ hash, fid }) => ({ hash, fid, term: 'x', held_at: fid, state: 'new' })),
        )
    })
    const job = heldCastsJob({ storage, now: () => NOW, maxOpenReports: MAX_OPEN_REPORTS })
    const queued = async () => {
      await job.run({
        signal: new AbortController().signal,
        lease: undefined,
        repeatAfter: () => {},
      })
      const open = await storage.of(reportRows).list({ state: 'open' }, 0, 10)
      return open.map(({ fid }) => fid)
    }
    const answerFirst = () =>
      storage.write('all/reports', async (tx) => {
        const [first] = await tx.of(reportRows).list({ state: 'open' }, 0, 1)
        await resolved(tx, first!.id, { actor: 'operator', reason: 'fine' }, NOW)
      })
    await hide(1)
    assert.deepEqual(await queued(), [2, 3])
    await answerFirst()
    assert.deepEqual(await queued(), [3, 4])
    await answerFirst()
    assert.deepEqual(await queued(), [4])
    await hide(0)
    assert.deepEqual(await queued(), [4, 1])
  })
}
