import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { Registry } from 'prom-client'
import { PATIENCE_MS } from '../../../test/patience.ts'
import { createDatabase } from '../../../test/postgres.ts'
import { openWholeStore } from '../../store.ts'
import type { Storage, StorageSettings } from '../storage/storage.ts'
import { checkLease, type Job, type JobRun, LEADER_LEASE, LeaseLostError } from './job.ts'
import { Runner, type RunnerOptions } from './runner.ts'

/** Attempts are frequent; the lease is long enough that a busy machine does not let it expire. */
const FAST = { leaseMs: 60_000, renewalMs: 100, attemptMs: 20, safetyMs: 500 }
/** For a lease that expires in the test. */
const SHORT = { ...FAST, leaseMs: 3_000 }

async function until(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (const start = Date.now(); Date.now() - start < PATIENCE_MS; await delay(5)) {
    if (await condition()) return
  }
  assert.fail(`waited in vain: ${what}`)
}

/** A job whose runs last until the test ends them or they are aborted. */
function heldJob(name: string, scope: Job['scope']) {
  const runs: JobRun[] = []
  let ends: (() => void)[] = []
  const job: Job = {
    name,
    scope,
    everyMs: 1,
    async run(run) {
      runs.push(run)
      await new Promise<void>((resolve) => {
        ends.push(resolve)
        run.signal.addEventListener('abort', () => resolve())
      })
    },
  }
  return {
    job,
    runs,
    end() {
      for (const end of ends) end()
      ends = []
    },
  }
}

const silent = { info() {}, warn() {}, error() {} }

for (const engine of ['sqlite', 'postgres'] as const) {
  describe(`the job runner on ${engine}`, async () => {
    const dir = mkdtempSync(join(tmpdir(), 'rookery-jobs-'))
    const database = engine === 'postgres' ? await createDatabase() : undefined
    const settings: StorageSettings = { databaseUrl: database?.url, dataDir: dir, network: '3' }
    const opened: Storage[] = []
    const open = async () => {
      const storage = await openWholeStore(settings)
      opened.push(storage)
      return storage
    }
    after(async () => {
      for (const storage of opened) await storage.close()
      await database?.drop()
      rmSync(dir, { recursive: true })
    })
    const storage = await open()
    const runner = (options: Partial<RunnerOptions> = {}) =>
      new Runner({ storage, metrics: new Registry(), log: silent, timing: FAST, ...options })

    test('a job runs again and again without overlap, and stop waits for the present run', async () => {
      const jobs = runner()
      const { job, runs, end } = heldJob('held', 'process')
      jobs.add([job])
      await jobs.start()
      await until(() => runs.length === 1, 'first run')
      const [asked, alsoAsked] = [jobs.run('held'), jobs.run('held')]
      await delay(20)
      assert.equal(runs.length, 1, 'nothing overlaps')
      end()
      await until(() => runs.length === 2, 'the run that was asked for')
      end()
      await Promise.all([asked, alsoAsked])
      await until(() => runs.length === 3, 'the schedule goes on')
      await jobs.stop()
      assert.equal(runs[2]!.signal.aborted, true)
      await delay(20)
      assert.equal(runs.length, 3)
    })

    test('a job that fails is logged, counted and repeated with backoff; others are not affected', async () => {
      const metrics = new Registry()
      const logged: object[] = []
      const log = { ...silent, error: (facts: object) => logged.push(facts) }
      const jobs = runner({ metrics, log, random: () => 0 })
      const failedAt: number[] = []
      let healthyRuns = 0
      jobs.add([
        {
          name: 'failing',
          scope: 'process',
          everyMs: 1,
          maxBackoffMs: 100,
          async run() {
            failedAt.push(performance.now())
            throw new Error('broken')
          },
        },
        {
          name: 'healthy',
          scope: 'process',
          everyMs: 1,
          run: async () => {
            healthyRuns++
          },
        },
      ])
      await jobs.start()
      await until(() => failedAt.length >= 4, 'retries')
      await assert.rejects(jobs.run('failing'), /^Error: broken$/)
      await until(() => healthyRuns > failedAt.length, 'the other job is not held up')
      await jobs.stop()
      // Without the backoff a run would follow after one millisecond.
      assert.ok(failedAt[3]! - failedAt[0]! >= 3 * 45, `${failedAt}`)
      assert.match(JSON.stringify(logged[0]), /"job":"failing"/)
      const text = await metrics.metrics()
      assert.match(text, /rookery_job_runs_total\{job="failing",outcome="failed"\} [4-9]/)
      assert.match(text, /rookery_job_runs_total\{job="healthy",outcome="succeeded"\} \d/)
      assert.match(text, /rookery_job_last_success_timestamp_seconds\{job="healthy"\} 1/)
      assert.doesNotMatch(text, /last_success_timestamp_seconds\{job="failing"\}/)
    })

    test('a run can choose when the next one starts', async () => {
      const jobs = runner()
      let count = 0
      jobs.add([
        {
          name: 'adaptive',
          scope: 'process',
          everyMs: 3_600_000,
          firstAfterMs: 0,
          async run({ repeatAfter }) {
            if (++count < 5) repeatAfter(0)
          },
        },
      ])
      await jobs.start()
      await until(() => count === 5, 'five runs')
      await jobs.stop()
    })

    test('running all jobs runs each once in order, and fails with the first that fails', async () => {
      const jobs = runner()
      const ran: string[] = []
      const once = (name: string, scope: Job['scope']): Job => ({
        name,
        scope,
        everyMs: 3_600_000,
        run: async () => {
          ran.push(name)
          if (name === 'bad') throw new Error('bad')
        },
      })
      jobs.add([once('a', 'leader'), once('b', 'process')])
      await jobs.start()
      await jobs.runAll()
      assert.deepEqual(ran, ['a', 'b'])
      jobs.add([once('bad', 'leader')])
      await assert.rejects(jobs.runAll(), /^Error: bad$/)
      await jobs.stop()
    })

    for (const [what, ask] of [
      ['one job', (jobs: Runner) => jobs.run('interrupted')],
      ['all jobs', (jobs: Runner) => jobs.runAll()],
    ] as const)
      test(`running ${what} repeats a run during which the lease could not be renewed`, async () => {
        const runs: boolean[] = []
        const jobs = runner({
          timing: { ...FAST, leaseMs: 1_500, renewalMs: PATIENCE_MS, safetyMs: 500 },
        })
        const interrupted: Job = {
          name: 'interrupted',
          scope: 'leader',
          everyMs: 3_600_000,
          async run({ signal }) {
            // With an embedded store the lease never ends.
            if (runs.length === 0 && engine === 'postgres') {
              await new Promise((resolve) => signal.addEventListener('abort', resolve))
            }
            runs.push(signal.aborted)
            signal.throwIfAborted()
          },
        }
        jobs.add([interrupted])
        await jobs.start()
        await ask(jobs)
        assert.deepEqual([runs[0], runs.at(-1)], [engine === 'postgres', false])
        await jobs.stop()
      })

    test('a process that starts after another one has stopped is the leader at once', async () => {
      for (let i = 0; i < 3; i++) {
        const jobs = runner()
        const { job, runs } = heldJob('leading', 'leader')
        jobs.add([{ ...job, firstAfterMs: 0 }])
        await jobs.start()
        assert.equal(jobs.isLeader(), true)
        await until(() => runs.length === 1, 'the run')
        await storage.write('hub', (tx) => checkLease(tx, runs[0]!.lease!))
        await jobs.stop()
        assert.equal(jobs.isLeader(), false)
      }
    })

    if (engine === 'postgres') {
      test('of several processes one runs the jobs of the leader; when it stops, another one does', async () => {
        const others = await Promise.all([1, 2, 3].map(open))
        const all = others.map((storage) => {
          const held = heldJob('leading', 'leader')
          const jobs = runner({ storage })
          jobs.add([held.job])
          return { ...held, jobs }
        })
        await Promise.all(all.map(({ jobs }) => jobs.start()))
        const remaining = new Set(all)
        while (remaining.size > 0) {
          await until(() => [...remaining].some(({ runs }) => runs.length > 0), 'a leader')
          const leaders = [...remaining].filter(({ jobs }) => jobs.isLeader())
          assert.equal(leaders.length, 1)
          const [leader] = leaders
          const others = [...remaining].filter((one) => one !== leader)
          assert.ok(others.every(({ runs }) => runs.length === 0))
          await others[0]?.jobs.run('leading')
          assert.ok(others.every(({ runs }) => runs.length === 0))
          await leader!.jobs.stop()
          remaining.delete(leader!)
        }
      })

      test('a leader that cannot renew its lease stops its jobs before another can take it', async () => {
        const cut = await open()
        let isCut = false
        let attempts = 0
        const failing: Storage = {
          ...cut,
          write: (lock, work) => {
            attempts++
            return isCut ? Promise.reject(new Error('no connection')) : cut.write(lock, work)
          },
        }
        const old = heldJob('leading', 'leader')
        const oldJobs = runner({ storage: failing, timing: SHORT })
        oldJobs.add([old.job])
        await oldJobs.start()
        await until(() => old.runs.length === 1, 'the first leader')
        const { signal, lease } = old.runs[0]!
        const next = heldJob('leading', 'leader')
        const nextJobs = runner()
        nextJobs.add([
          {
            ...next.job,
            run: (run) => {
              assert.equal(signal.aborted, true, 'the former leader has stopped')
              return next.job.run(run)
            },
          },
        ])
        await nextJobs.start()
        assert.equal(nextJobs.isLeader(), false)
        await storage.write('hub', (tx) => checkLease(tx, lease!))
        isCut = true
        await until(() => next.runs.length === 1, 'the takeover')
        assert.equal(oldJobs.isLeader(), false)
        await assert.rejects(
          storage.write('hub', (tx) => checkLease(tx, lease!)),
          LeaseLostError,
        )
        isCut = false
        const before = attempts
        await until(() => attempts > before + 2, 'the former leader has tried to take it back')
        assert.equal(nextJobs.isLeader(), true, 'the former leader does not take it back')
        await nextJobs.stop()
        await until(() => oldJobs.isLeader(), 'the former leader leads again')
        await until(() => old.runs.length >= 2, 'and runs its jobs again')
        await oldJobs.stop()
      })

      test('a transaction of the leader keeps others from taking the lease until it ends', async () => {
        const jobs = runner()
        const { job, runs } = heldJob('leading', 'leader')
        jobs.add([job])
        await jobs.start()
        await until(() => runs.length === 1, 'the run')
        const other = await open()
        const order: string[] = []
        let taking: Promise<unknown> = Promise.resolve()
        await storage.write('hub', async (tx) => {
          await checkLease(tx, runs[0]!.lease!)
          taking = other
            .write('leader', (one) =>
              one.leases.take(LEADER_LEASE, {
                holder: 'other',
                now: Number.MAX_SAFE_INTEGER,
                expiresAt: Number.MAX_SAFE_INTEGER,
              }),
            )
            .then(() => order.push('taken'))
          await delay(50)
          order.push('committed')
        })
        await taking
        assert.deepEqual(order, ['committed', 'taken'])
        await other.write('leader', (tx) =>
          tx.leases.take(LEADER_LEASE, { holder: 'other', now: 0, expiresAt: 0 }),
        )
        await jobs.stop()
      })
    }
  })
}
