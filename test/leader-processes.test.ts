import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPlace, type Program, startProgram } from './program.ts'
import { until } from './until.ts'

const isLeader = async ({ operations }: Program): Promise<boolean> => {
  const text = await (await fetch(`${operations}/metrics`)).text()
  return /^rookery_job_leader 1$/m.test(text)
}

const leaderRuns = async ({ operations }: Program): Promise<number> => {
  const text = await (await fetch(`${operations}/metrics`)).text()
  return Number(/job="follow names",outcome="succeeded"\} (\d+)/.exec(text)?.[1] ?? 0)
}

test('of two programs on one PostgreSQL one runs the leader jobs, and the other after it was killed', async () => {
  const place = await createPlace('postgres')
  const env = {
    ...place.env,
    ROOKERY_NETWORK: 'devnet',
    ROOKERY_PUBLIC_URL: 'http://127.0.0.1:2290',
  }
  const programs: Program[] = []
  try {
    for (let i = 0; i < 2; i++) programs.push(await startProgram('serve', env))
    const [first, second] = programs as [Program, Program]
    await until(() => isLeader(first), 'the first program is the leader')
    await until(async () => (await leaderRuns(first)) > 0, 'a run of a leader job')
    assert.equal(await isLeader(second), false)
    assert.equal(await leaderRuns(second), 0)
    await first.stop('SIGKILL')
    await until(() => isLeader(second), 'the takeover')
    await until(
      async () => (await leaderRuns(second)) > 0,
      'a run of a leader job after the takeover',
    )
  } finally {
    for (const program of programs) await program.stop('SIGKILL')
    await place.remove()
  }
})
