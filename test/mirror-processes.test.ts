// Two programs on one PostgreSQL that mirror the same hub: one follows it, and a leader that was paused writes nothing.

import { test } from 'node:test'
import { openStore } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import type { MirrorStatus } from '../src/features/mirror/status.ts'
import { castAdd } from '../src/kernel/protocol/build.ts'
import { startFakeHub } from './fake-hub/fake-hub.ts'
import { checkReplay, follow } from './feed.ts'
import { Author, assertSame } from './mirror-authors.ts'
import { createPlace, type Program, startProgram } from './program.ts'
import { until } from './until.ts'

const OPS_TOKEN = 'token-of-the-operator'

async function statusOf({ operations }: Program): Promise<MirrorStatus> {
  const headers = { authorization: `Bearer ${OPS_TOKEN}` }
  return (await (await fetch(`${operations}/mirror`, { headers })).json()) as MirrorStatus
}

const castsAt = async ({ hub }: Program): Promise<number> => {
  const answer = await fetch(`${hub}/v1/castsByFid?fid=1&pageSize=1000`)
  return ((await answer.json()) as { messages: unknown[] }).messages.length
}

test('of two mirrors on one PostgreSQL one follows the source, and a paused leader writes nothing', async () => {
  const place = await createPlace('postgres')
  const fake = await startFakeHub()
  const author = new Author(fake.account(1))
  const env = {
    ...place.env,
    ROOKERY_NETWORK: 'devnet',
    ROOKERY_PUBLIC_URL: 'http://127.0.0.1:2290',
    ROOKERY_LOG_LEVEL: 'fatal',
    ROOKERY_OPS_TOKEN: OPS_TOKEN,
    ROOKERY_MIRROR_URLS: `grpc://${fake.address}`,
    ROOKERY_MIRROR_SCOPE: 'all',
    ROOKERY_MIRROR_MIN_FREE_GIB: '0',
  }
  const programs: Program[] = []
  try {
    fake.startBlocks(250)
    for (let i = 0; i < 2; i++) programs.push(await startProgram('serve', env))
    let casts = 0
    const post = () => {
      fake.merge(author.sign((o) => castAdd(o, { text: `${casts++}` })))
    }
    const arrived = (program: Program) => until(async () => (await castsAt(program)) === casts)
    /** The process that follows the source, and the other one, once that one says that it does not. */
    const roles = () =>
      until(async () => {
        const states = await Promise.all(programs.map(async (one) => (await statusOf(one)).state))
        const at = states.indexOf('following')
        const isOne = at >= 0 && states[1 - at] === 'elsewhere'
        return isOne ? ([programs[at]!, programs[1 - at]!] as const) : undefined
      })
    const [first, second] = await roles()
    for (let i = 0; i < 5; i++) post()
    await arrived(second)
    first.child.kill('SIGSTOP')
    for (let i = 0; i < 5; i++) post()
    await until(async () => (await statusOf(second)).state === 'following')
    await arrived(second)
    first.child.kill('SIGCONT')
    for (let i = 0; i < 5; i++) post()
    await roles()
    await arrived(second)
    await arrived(first)
    const events = await follow(
      () => second.hub,
      () => false,
    )
    fake.stopBlocks()
    for (const program of programs) await program.stop()
    const storage = await openStore(readConfig(env, 'production'))
    try {
      await assertSame(storage, fake, [1])
      await checkReplay(storage, events)
    } finally {
      await storage.close()
    }
  } finally {
    for (const program of programs) {
      program.child.kill('SIGCONT')
      await program.stop('SIGKILL')
    }
    await fake.close()
    await place.remove()
  }
})
