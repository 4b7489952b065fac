// SubmitOnChainEvent of AdminService: what tools of hubs bring accounts into a development network with.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getAdminRpcClient, getAuthMetadata, OnChainEvent } from 'hub-nodejs-0.17'
import { encodeOnChainEvent } from '../src/kernel/accounts/events.ts'
import { castAdd } from '../src/kernel/protocol/build.ts'
import { rawClient } from './grpc-support.ts'
import { onEngines } from './hub-support.ts'
import { accountEvents, createWorld, testAccount, type World } from './world.ts'

const PATH = '/AdminService/SubmitOnChainEvent'
const TOKEN = 'a-token-of-the-operator'

const eventsOf = (world: World, fid: number) =>
  accountEvents(testAccount(fid), Math.floor(world.clock.now() / 1000), 1).map(encodeOnChainEvent)

onEngines('the events that an operator submits over gRPC', (world) => {
  test('the admin client of a published library brings in an account, whose key signs then', async () => {
    const client = await getAdminRpcClient(world().app.urls.grpc)
    const account = testAccount(7)
    for (const bytes of eventsOf(world(), 7)) {
      const event = OnChainEvent.decode(bytes)
      // A second time it is known, which is no error.
      for (const _ of [1, 2]) {
        const answer = await client.submitOnChainEvent(event, getAuthMetadata('any', 'thing'))
        assert.deepEqual(OnChainEvent.toJSON(answer._unsafeUnwrap()), OnChainEvent.toJSON(event))
      }
    }
    const cast = castAdd(world().origin(account), { text: 'hello' })
    assert.equal((await world().submit(world().sign(account, cast))).status, 200)
    client.close()
  })

  test('what is no event is refused with the field, and a web page may not call', async () => {
    const client = rawClient(world().app.urls.grpc)
    const [bytes] = eventsOf(world(), 8)
    const unreadable = await client.call(PATH, Uint8Array.of(0xff))
    assert.deepEqual([unreadable.status, unreadable.errCode], [3, 'bad_request.parse_failure'])
    const empty = await client.call(PATH, new Uint8Array())
    assert.deepEqual([empty.status, empty.details], [3, 'events.0.type: 0 is not a known type'])
    const page = await client.call(PATH, bytes!, { headers: { origin: 'https://a.example' } })
    assert.deepEqual([page.status, page.errCode], [7, 'unauthorized'])
    assert.equal((await world().get('/v1/onChainIdRegistryEventByFid?fid=8')).status, 404)
    client.close()
  })
})

for (const [what, config, headers, status] of [
  ['with the token', { opsToken: TOKEN }, { authorization: `Bearer ${TOKEN}` }, 0],
  ['without it', { opsToken: TOKEN }, {}, 16],
  ['with another one', { opsToken: TOKEN }, { authorization: 'Bearer no' }, 16],
  ['in production where none is set', { mode: 'production', opsToken: undefined }, {}, 7],
] as const) {
  test(`a call ${what} has status ${status}`, async (t) => {
    const world = await createWorld({ config })
    t.after(() => world.close())
    const client = rawClient(world.app.urls.grpc)
    t.after(() => client.close())
    const answer = await client.call(PATH, eventsOf(world, 9)[0]!, { headers })
    assert.equal(answer.status, status, answer.details)
  })
}
