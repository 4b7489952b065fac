// A server that writes to a primary and reads from its standby.

import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import { castAdd } from '../src/kernel/protocol/build.ts'
import { toHex } from '../src/kernel/protocol/codec/bytes.ts'
import { createPairTemplate, type Pair, type PairOptions } from './postgres-standby.ts'
import { until } from './until.ts'
import { createWorld, type TestAccount, type World } from './world.ts'

let template: Awaited<ReturnType<typeof createPairTemplate>>
before(async () => {
  template = await createPairTemplate()
})
after(() => template?.remove())

/** A server that writes to the primary and reads from the standby, with one account. */
export function onPair(options: PairOptions, env: Readonly<Record<string, string>> = {}) {
  const place = {} as { pair: Pair; world: World; author: TestAccount }
  before(async () => {
    place.pair = await template.startPair(options)
    place.world = await createWorld({
      env: {
        DATABASE_URL: place.pair.primary.url,
        DATABASE_READ_URL: place.pair.standby.url,
        ...env,
      },
    })
    place.author = await place.world.account(1)
    await until(async () => {
      await place.world.get('/v1/castsByFid?fid=1')
      const [replica] = place.world.app.storage.replicas()
      return replica!.isUsed && replica!.lagSeconds !== undefined
    }, 'the standby has applied a transaction')
  })
  after(async () => {
    await place.world?.close()
    await place.pair?.stop()
  })
  let casts = 0
  return {
    place,
    /** Posts a cast and returns its hash. */
    async post(): Promise<string> {
      const { world, author } = place
      const message = world.sign(author, castAdd(world.origin(author), `cast ${++casts}`))
      const { status, body } = await world.submit(message)
      assert.equal(status, 200, JSON.stringify(body))
      return toHex(message.hash)
    },
    async find(hash: string): Promise<number> {
      return (await place.world.get(`/v1/castById?fid=1&hash=${hash}`)).status
    },
    async listed(): Promise<string[]> {
      const { status, body } = await place.world.get('/v1/castsByFid?fid=1&pageSize=1000')
      assert.equal(status, 200, JSON.stringify(body))
      return body.messages.map((message: { hash: string }) => message.hash)
    },
  }
}
