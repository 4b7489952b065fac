import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openStore } from '../../../../test/storage-support.ts'
import { ENGINES } from '../../../../test/world.ts'
import { buildMessage, castAdd } from '../../../kernel/protocol/build.ts'
import { toStored } from '../../../kernel/storage/messages/message-rows.ts'
import { moderationLogRows, reportRows } from '../../moderation-records/port.ts'
import { resolved } from '../resolving.ts'
import { type HeldCast, heldRows } from '../tables/held.ts'
import { heldCastsJob } from './held-casts.ts'

const NOW = 100
/** Half of them may be held casts. */
const MAX_OPEN_REPORTS = 4
const ENTRY = {
  ...{ at: NOW, actor: 'operator', fid: 1, cast_hash: null, name: null, reason: 'fine' },
}
const SEED = new Uint8Array(32).fill(1)

for (const engine of ENGINES) {
  test(`held casts wait while they fill half of the queue or their account is hidden, and come into it afterwards, on ${engine}`, async (t) => {
    const storage = await openStore(t, engine)
    const casts = [1, 2, 3, 4].map((fid) =>
      buildMessage(castAdd({ fid, timestamp: fid, network: 3 }, 'hello'), SEED),
    )
    /** As decisions do it, with their entry of the log. */
    const hide = (hidden: 0 | 1) =>
      storage.write('hub', async (tx) => {
        await tx.moderation.putAccount({
          ...{ fid: 1, suspended: hidden, erasing: 0, hidden },
          ...{ erased_before: 0, erase_deadline: 0, changed_at: NOW },
        })
        await tx.of(moderationLogRows).add({ ...ENTRY, action: hidden ? 'suspend' : 'restore' })
      })
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
        await tx.of(moderationLogRows).add({ ...ENTRY, action: 'resolve' })
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

  test(`while nothing is decided and no cast is held, the job asks one question a second, on ${engine}`, async (t) => {
    const storage = await openStore(t, engine)
    let asked = 0
    const counted = {
      write: storage.write.bind(storage),
      of: ((rows: Parameters<typeof storage.of>[0]) =>
        new Proxy(storage.of(rows) as object, {
          get(target, name) {
            asked++
            return Reflect.get(target, name)
          },
        })) as typeof storage.of,
    }
    let now = NOW
    const job = heldCastsJob({ storage: counted, now: () => now, maxOpenReports: MAX_OPEN_REPORTS })
    const hold = (fid: number, held_at: number) =>
      storage.write('hub', async (tx) => {
        const message = buildMessage(
          castAdd({ fid, timestamp: fid, network: 3 }, `hello ${held_at}`),
          SEED,
        )
        const row = toStored(message, held_at * 10 + fid)
        await tx.messages.insert([row])
        const held: HeldCast = { hash: row.hash, fid, term: 'x', held_at, state: 'new' }
        await tx.of(heldRows).putCasts([held])
      })
    const asksIn = async (seconds: number) => {
      const before = asked
      for (let i = 0; i < seconds; i++) {
        now++
        await job.run({
          signal: new AbortController().signal,
          lease: undefined,
          repeatAfter: () => {},
        })
      }
      return asked - before
    }
    const open = () => storage.of(reportRows).count('open')
    // Two fill their half of the queue, and the third one waits.
    for (const fid of [1, 2, 3]) await hold(fid, NOW)
    await asksIn(1)
    assert.equal(await open(), 2)
    assert.equal(await asksIn(10), 10)
    await hold(4, now)
    assert.ok((await asksIn(1)) > 1, 'a new one is looked at')
    await asksIn(1)
    assert.equal(await asksIn(10), 10)
    await storage.write('all/reports', async (tx) => {
      const [first] = await tx.of(reportRows).list({ state: 'open' }, 0, 1)
      await resolved(tx, first!.id, { actor: 'operator', reason: 'fine' }, now)
      await tx.of(moderationLogRows).add({ ...ENTRY, action: 'resolve' })
    })
    await asksIn(1)
    assert.equal(await open(), 2, 'what is decided makes room for the next one')
    assert.ok((await asksIn(61)) > 61, 'all are looked at once a minute')
  })
}
