import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openStore } from '../../../test/storage-support.ts'
import { createInvite, MAX_INVITES, MAX_MEMBER_INVITES } from './invites.ts'
import { inviteRows } from './tables/invites.ts'

const NOW_MS = 1_767_225_600_000
const BATCH = 1_000

test('the operator and the members together each have a bound of invites, and one does not count for the other', async (t) => {
  const storage = await openStore(t)
  const fill = async (count: number, inviter: number | null) => {
    for (let at = 0; at < count; at += BATCH) {
      await storage.write('hub', async (tx) => {
        for (let i = at; i < Math.min(at + BATCH, count); i++) {
          const code_hash = Buffer.alloc(20, inviter === null ? 1 : 2)
          code_hash.writeUInt32BE(i)
          await tx.of(inviteRows).insert({
            code_hash,
            ...{ label: '', uses: 1, uses_left: 1, created_at: NOW_MS, inviter, is_named: 1 },
            ...{ expires_at: NOW_MS + 1, role: null, used_by: null },
          })
        }
      })
    }
  }
  const make = (inviter?: number) =>
    createInvite(storage, NOW_MS, { uses: 1, days: 1, label: '', ...(inviter && { inviter }) })

  await fill(MAX_INVITES - 1, null)
  await make()
  await assert.rejects(make(), /there are 1000 invites, the most there can be/)
  await fill(MAX_MEMBER_INVITES - 1, 7)
  await make(8)
  await assert.rejects(make(9), { code: 'unavailable.overloaded' })
  await assert.rejects(make(), /there are 1000 invites/)
})

test('the invites of a member are listed from the newest on, as many as are asked for and nobody else’s', async (t) => {
  const storage = await openStore(t)
  for (const [at, inviter] of [7, 8, 7, 7].entries()) {
    const label = `number ${at}`
    await createInvite(storage, NOW_MS + at, { uses: 1, days: 1, label, inviter })
  }
  const labels = async (limit: number) =>
    (await storage.of(inviteRows).by(7, limit)).map(({ label }) => label)
  assert.deepEqual(await labels(10), ['number 3', 'number 2', 'number 0'])
  assert.deepEqual(await labels(2), ['number 3', 'number 2'])
})
