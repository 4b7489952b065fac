import assert from 'node:assert/strict'
import { it } from 'node:test'
import { CHECK_STATES, CHECK_WORDS, JOB_WORDS } from '../web/operator/job-words.ts'
import { createWorld } from './world.ts'

it('the operator’s page has words for each job that runs here and for each check of its health', async () => {
  const env = {
    ROOKERY_PUBLIC_URL: 'https://club.example',
    ROOKERY_SMTP_URL: 'smtp://127.0.0.1:1?from=club@club.example',
    ROOKERY_VIEWS: 'on',
    ROOKERY_RECOVERY_DAYS: '7',
  }
  const world = await createWorld({ env })
  try {
    const { jobs } = (await world.operate('/jobs')).body as { jobs: { name: string }[] }
    assert.ok(jobs.length > 20)
    const words = Object.keys(JOB_WORDS)
    assert.deepEqual(
      jobs.map(({ name }) => name).filter((name) => !words.includes(name)),
      [],
    )
    const { status, checks } = (await world.operate('/health/ready')).body
    assert.deepEqual(Object.keys(checks).sort(), Object.keys(CHECK_WORDS).sort())
    for (const state of [status, ...Object.values<string>(checks)]) assert.ok(CHECK_STATES[state])
  } finally {
    await world.close()
  }
})
