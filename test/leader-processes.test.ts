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
    // The first one, unless the start of the other kept it from renewing its lease.
    const [leader, other] = await until(async () => {
      const [isFirst, isSecond] = await Promise.all([isLeader(first), isLeader(second)])
      if (isFirst === isSecond) return undefined
      return isFirst ? ([first, second] as const) : ([second, first] as const)
    }, 'one program is the leader')
    const before = await leaderRuns(other)
    await until(async () => (await leaderRuns(leader)) > 0, 'a run of a leader job')
    assert.equal(await isLeader(other), false)
    assert.equal(await leaderRuns(other), before)
    await leader.stop('SIGKILL')
    await until(() => isLeader(other), 'the takeover')
    await until(
      async () => (await leaderRuns(other)) > before,
      'a run of a leader job after the takeover',
    )
  } finally {
    for (const program of programs) await program.stop('SIGKILL')
    await place.remove()
  }
})
