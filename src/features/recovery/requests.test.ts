import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openStore } from '../../../test/storage-support.ts'
import { ENGINES } from '../../../test/world.ts'
import { addRequest, addRequestByMail } from './requests.ts'
import { MAX_RECOVERIES, recoveryRows } from './tables/recoveries.ts'

const NOW = 1_800_000_000_000
const MOST_BY_MAIL = 6
const asked = (fid: number, byte = fid % 256) => ({
  ...{ fid, receiver: new Uint8Array(20).fill(byte), deadline: 30, note: '' },
  signature: new Uint8Array(65),
})

for (const engine of ENGINES) {
  test(`a flood of recoveries by mail and of requests keeps nobody out, on ${engine}`, async (t) => {
    const storage = await openStore(t, engine)
    const byMail = (fid: number, ip: string) =>
      storage.write('hub', async (tx) => {
        const { recovery: request, displaced } = await addRequestByMail(
          tx,
          asked(fid),
          { ip, now: NOW + fid * 1_000 },
          MOST_BY_MAIL,
        )
        const started = { ...request, due_at: Math.floor(NOW / 1_000) + fid }
        await tx.of(recoveryRows).put(started)
        return displaced?.fid
      })
    const rows = storage.of(recoveryRows)
    const waits = async (fid: number) => (await rows.startedOf(fid)).length
    // One owner is there before the flood of a stranger with many accounts in one provider, another comes after it.
    await byMail(1, '192.0.2.1')
    for (let fid = 10; fid < 10 + 2 * MOST_BY_MAIL; fid++) await byMail(fid, `198.51.${100}.${fid}`)
    assert.equal(await rows.byMailCount(), MOST_BY_MAIL)
    // Who makes room is one of the flood, and known, so that it can be told.
    assert.ok((await byMail(2, '203.0.113.5'))! >= 10)
    assert.deepEqual([await waits(1), await waits(2)], [1, 1])
    assert.equal(await rows.byMailCount(), MOST_BY_MAIL)
    // Requests to the operator are counted by themselves: neither kind keeps the other out.
    await storage.write('hub', async (tx) => {
      const request = { deadline: 30, note: '', signature: new Uint8Array(65), by_mail: 0 } as const
      for (let i = 0; i < MAX_RECOVERIES; i++) {
        const receiver = new Uint8Array(20)
        new DataView(receiver.buffer).setUint32(0, i)
        const provider = `${i % 7}`
        const row = { ...request, receiver, fid: 1_000 + i, provider, asked_at: i, due_at: null }
        await tx.of(recoveryRows).put(row)
      }
    })
    await byMail(3, '203.0.113.6')
    assert.equal(await waits(3), 1)
    await storage.write('hub', (tx) =>
      addRequest(tx, asked(4), { ip: '203.0.113.7', now: NOW + 9_999_000 }),
    )
    assert.equal(await rows.undecidedCount(), MAX_RECOVERIES)
    assert.equal((await rows.ofFid(4)).length, 1)
    // One account asks a bounded number of times in a day, wherever from.
    for (let i = 0; i < 4; i++) await byMail(2, `10.${i}.0.1`)
    await assert.rejects(byMail(2, '10.9.0.1'), { code: 'rate_limited' })
    // What is due is found among all that wait.
    const due = await rows.started(Math.floor(NOW / 1_000) + 1)
    assert.deepEqual(
      due.map(({ fid }) => fid),
      [1],
    )
  })
}
