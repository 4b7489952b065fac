// What people see of a mirror that reads for the first time.

import { once } from 'node:events'
import { after, before, describe, test } from 'node:test'
import { castAdd } from '../src/kernel/protocol/build.ts'
import { type FakeHub, startFakeHub } from './fake-hub/fake-hub.ts'
import { Author } from './mirror-authors.ts'
import { createPlace, launch } from './program.ts'
import { until } from './until.ts'

describe('a mirror that people start', () => {
  let fake: FakeHub
  before(async () => {
    fake = await startFakeHub()
    for (const fid of [2, 3]) {
      const author = new Author(fake.account(fid))
      fake.merge(author.sign((origin) => castAdd(origin, { text: 'hi' })))
    }
    fake.startBlocks(250)
  })
  after(() => fake.close())

  test('lines say how far it is without a terminal, and that everybody was read', async () => {
    const place = await createPlace('sqlite')
    const env = {
      ...place.env,
      ROOKERY_NETWORK: 'devnet',
      ROOKERY_PUBLIC_URL: 'http://127.0.0.1:2290',
      ROOKERY_MIRROR_MIN_FREE_GIB: '0',
    }
    const url = `grpc://${fake.address}`
    const release = fake.hold('getAllReactionMessagesByFid')
    const child = launch(env, ['mirror', 'start', url, '--people', 'fid:2,3'])
    let output = ''
    for (const stream of [child.stdout!, child.stderr!]) {
      stream.on('data', (chunk) => {
        output += chunk
      })
    }
    try {
      await until(async () => /Reading: 0 of 2 people, 0 messages a second\./.test(output))
      release()
      await until(async () => /Read: 2 of 2 people, 2 messages\./.test(output))
    } finally {
      child.kill('SIGTERM')
      if (child.exitCode === null) await once(child, 'exit')
      await place.remove()
    }
  })
})
