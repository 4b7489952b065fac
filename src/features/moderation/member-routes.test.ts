import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openStore } from '../../../test/storage-support.ts'
import { ENGINES } from '../../../test/world.ts'
import type { Route } from '../../kernel/http/route.ts'
import {
  type ModerationEntry,
  moderationLogRows,
  type Report,
  reportRows,
} from '../moderation-records/port.ts'
import { type MemberContext, memberRoutes } from './member-routes.ts'

const [REPORTER, FID] = [5, 7]
const [ONE, OTHER] = [new Uint8Array(20).fill(1), new Uint8Array(20).fill(2)]

for (const engine of ENGINES) {
  const start = async (t: Parameters<typeof openStore>[0]) => {
    const storage = await openStore(t, engine)
    const context = { storage, callerOf: async () => ({ fid: REPORTER }) }
    const [own] = memberRoutes(context as unknown as MemberContext)
    const decided = (action: ModerationEntry['action'], at: number, more: object = {}) =>
      storage.write('hub', (tx) =>
        tx.of(moderationLogRows).add({
          ...{ at, action, actor: 'operator', fid: FID, reason: 'spam', cast_hash: null },
          ...{ name: null, ...more },
        }),
      )
    const answered = (
      act: Report['act'],
      times: readonly [number, number],
      decision: number | null = null,
    ) =>
      storage.write('all/reports', (tx) =>
        tx.of(reportRows).add({
          ...{ reporter_fid: REPORTER, fid: FID, cast_hash: ONE, mini_app: null, reason: 'boats' },
          ...{ state: 'resolved', created_at: times[0], resolved_at: times[1], act },
          ...{ resolution: 'operator: spam', answer: 'spam', kind: null, rule: null },
          decision,
        }),
      )
    /** When what was done about each report was taken back, the newest first. */
    const reversed = async () => {
      const input = { request: {} } as Parameters<Route['handler']>[1]
      const { result } = (await own!.handler(undefined, input)) as {
        result: { reports: { reversedAt: number | null }[] }
      }
      return result.reports.map(({ reversedAt }) => reversedAt)
    }
    return { decided, answered, reversed }
  }

  test(`a report names its warning, whatever others with the same words were sent in the same second, on ${engine}`, async (t) => {
    const { decided, answered, reversed } = await start(t)
    const warned = async (more: object = {}) => {
      const { id } = await decided('warn', 1_000, { cast_hash: ONE })
      return { id, answer: await decided('resolve', 1_000, { goes_with: id, ...more }) }
    }
    const [first, second] = [await warned(), await warned()]
    // One warning for a further case.
    const further = await decided('resolve', 1_000, { goes_with: first.id, cast_hash: OTHER })
    for (const { id } of [first.answer, second.answer, further]) {
      await answered('warn', [900, 1_090], id)
    }
    assert.deepEqual(await reversed(), [null, null, null])
    await decided('unwarn', 1_000, { name: String(second.id) })
    assert.deepEqual(await reversed(), [null, 1_000, null])
    await decided('unwarn', 1_300, { name: String(first.id) })
    assert.deepEqual(await reversed(), [1_300, 1_000, 1_300])
    // Of an earlier version, which did not say which warning it was.
    await answered('warn', [900, 1_000])
    assert.deepEqual((await reversed())[0], null)
  })

  test(`what was taken back before a report was answered in the same second says nothing about it, on ${engine}`, async (t) => {
    const { decided, answered, reversed } = await start(t)
    await decided('limit', 1_000)
    await decided('unlimit', 1_000)
    const { id: goes_with } = await decided('limit', 1_000)
    await answered('limit', [900, 1_000], (await decided('resolve', 1_000, { goes_with })).id)
    assert.deepEqual(await reversed(), [null])
    await decided('unlimit', 1_000)
    assert.deepEqual(await reversed(), [1_000])
  })

  test(`who reported a hidden cast reads that it was shown again, however many casts of the account were held, on ${engine}`, async (t) => {
    const { decided, answered, reversed } = await start(t)
    await decided('hide', 1_000, { cast_hash: ONE })
    await answered('hide', [900, 1_000])
    await decided('unhide', 1_100, { cast_hash: ONE })
    for (let i = 0; i < 200; i++) await decided('release', 1_200 + i, { cast_hash: OTHER })
    assert.deepEqual(await reversed(), [1_100])
    await decided('hide', 2_000, { cast_hash: ONE })
    await answered('hide', [1_900, 2_000])
    await decided('release', 2_100, { cast_hash: ONE })
    assert.deepEqual(await reversed(), [2_100, 1_100])
  })
}
