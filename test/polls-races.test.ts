// Polls whose rows two transactions want at once: erasures and decisions of the operator run under other locks than votes.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openStore } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { moderationLogRows } from '../src/features/moderation-records/port.ts'
import { cleaningJob } from '../src/features/polls/cleaning.ts'
import { removePoll, vote } from '../src/features/polls/polls.ts'
import { pollRows } from '../src/features/polls/tables/polls.ts'
import { verifyStore } from '../src/kernel/hub/jobs/integrity-check.ts'
import { rowsOf } from '../src/kernel/storage/rows.ts'
import { query } from '../src/kernel/storage/tables/table.ts'
import { createPlace } from './program.ts'
import { until } from './until.ts'
import { ENGINES } from './world.ts'

const NOW = 2_000_000_000
const [ID, OTHER] = ['a'.repeat(16), 'b'.repeat(16)]
const ALL = 100

/** Transactions of this database that wait for rows of others. */
const waits = rowsOf(
  (sql) => ({
    any: async () =>
      (
        await query(
          sql,
          `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        )
      ).length > 0,
  }),
  ({ sql }) => ({ any: async () => (await query(sql, 'select 1')).length > 0 }),
)

for (const engine of ENGINES) {
  describe(`polls that two transactions want, on ${engine}`, () => {
    const setUp = async (t: { after(work: () => Promise<void>): void }, endsAt = NOW + 1_000) => {
      const place = await createPlace(engine)
      const storage = await openStore(readConfig(place.env, 'development'))
      t.after(async () => {
        await storage.close()
        await place.remove()
      })
      const poll = { question: 'Which?', answers: 'a\nb', created_at: 1, ends_at: endsAt }
      await storage.write('hub', async (tx) => {
        for (const [i, id] of [ID, OTHER].entries()) {
          await tx.of(pollRows).insert({ id, ...poll, creator_fid: 7 + i, votes_state: 'kept' })
        }
        for (const fid of [50, 51]) {
          await tx.of(pollRows).vote({ poll_id: ID, fid, answer: 1, voted_at: 1 })
        }
      })
      const context = {
        ...{ storage, now: () => NOW, randomBytes: () => new Uint8Array(10) },
        ...{ refusal: undefined, checkMayAct: async () => {} },
        urlOf: (id: string) => `https://club.example/polls/${id}`,
      }
      /** On SQLite there is one writer; the others wait before they read. */
      const blocked = () => until(async () => engine === 'sqlite' || storage.of(waits).any())
      const examples = async () => (await verifyStore(storage, { network: undefined })).examples
      return { storage, context, blocked, examples }
    }

    test('an old poll whose creator is erased while its votes are forgotten stays deleted', async (t) => {
      const { storage, context, blocked, examples } = await setUp(t, 1_000)
      const job = cleaningJob(context)
      const signal = new AbortController().signal
      let cleaning: Promise<unknown> | undefined
      await storage.write('hub', async (tx) => {
        assert.ok(await tx.eraseRows(7, ALL))
        cleaning = job.run({ signal } as never)
        await blocked()
      })
      await cleaning
      await job.run({ signal } as never)
      assert.equal(await storage.of(pollRows).find(ID), undefined)
      assert.equal(await storage.of(pollRows).isDeleting(ID), false)
      assert.equal((await storage.of(pollRows).find(OTHER))?.votes_state, 'forgotten')
      assert.deepEqual(await examples(), [])
    })

    test('a vote that is changed while its account is erased is counted once', async (t) => {
      const { storage, context, blocked, examples } = await setUp(t)
      let voting: Promise<unknown> | undefined
      await storage.write('hub', async (tx) => {
        assert.ok(await tx.eraseRows(50, ALL))
        voting = vote(context, 50, { id: ID, answer: 'b' })
        await blocked()
      })
      await voting
      const { votes_1, votes_2 } = (await storage.of(pollRows).find(ID))!
      assert.deepEqual([votes_1, votes_2], [1, 1])
      assert.deepEqual(await examples(), [])
    })

    test('an erasure of an account whose vote is being changed takes off the new one', async (t) => {
      const { storage, blocked, examples } = await setUp(t)
      let erasing: Promise<unknown> | undefined
      await storage.write(`poll/${ID}`, async (tx) => {
        await tx.of(pollRows).vote({ poll_id: ID, fid: 50, answer: 2, voted_at: NOW })
        erasing = storage.write('hub', (erasure) => erasure.eraseRows(50, ALL))
        await blocked()
      })
      await erasing
      const { votes_1, votes_2 } = (await storage.of(pollRows).find(ID))!
      assert.deepEqual([votes_1, votes_2], [1, 0])
      assert.deepEqual(await examples(), [])
    })

    test('two polls that are removed at once are two entries of the moderation log', async (t) => {
      const { storage, context, blocked } = await setUp(t)
      const decision = { actor: 'ada', reason: 'spam', at: NOW, cast_hash: null }
      const remove = (poll: string, meanwhile?: () => Promise<unknown>) =>
        removePoll(context, poll, async (tx, { id: name, fid }) => {
          const entry = { ...decision, action: 'remove-poll', fid, name } as const
          await tx.of(moderationLogRows).add(entry)
          await meanwhile?.()
        })
      let second: Promise<number> | undefined
      const first = remove(ID, () => {
        second = remove(context.urlOf(OTHER))
        return blocked()
      })
      assert.equal(await first, 7)
      assert.equal(await second, 8)
      const entries = await storage.of(moderationLogRows).list({}, Number.MAX_SAFE_INTEGER, ALL)
      assert.deepEqual(
        entries.map(({ name }) => name),
        [OTHER, ID],
      )
    })
  })
}
