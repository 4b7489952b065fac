import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serve } from '../../../test/http-support.ts'
import { type ServerFacts, serverRoutes } from './server-routes.ts'

async function answered(facts: Partial<ServerFacts>) {
  const routes = serverRoutes({
    mode: 'production',
    network: 3,
    databaseUrl: undefined,
    live: { shownNow: async () => [] },
    jobs: { list: () => [], isLeader: () => true },
    hops: { warning: undefined },
    cautions: async () => [],
    diskUse: async () => ({ usedBytes: 5, quotaBytes: undefined, share: 0 }),
    startedMs: 1_767_225_600_999,
    schema: 7,
    ...facts,
  })
  const response = await serve(routes, { name: 'operations', errors: 'plain' }).inject('/server')
  assert.equal(response.statusCode, 200, response.body)
  return response.json()
}

test('a server without a quota of disk says what it uses and names no quota', async () => {
  const { engine, startedAt, disk } = await answered({})
  assert.deepEqual([engine, startedAt], ['sqlite', 1_767_225_600])
  assert.deepEqual(disk, { usedBytes: 5, share: 0 })
})

test('a server with a quota of disk names it in whole bytes, and the engine behind an address of a database', async () => {
  const { engine, disk } = await answered({
    databaseUrl: 'postgres://somewhere',
    diskUse: async () => ({ usedBytes: 5, quotaBytes: 10.5, share: 0.5 }),
  })
  assert.equal(engine, 'postgres')
  assert.deepEqual(disk, { usedBytes: 5, quotaBytes: 10, share: 0.5 })
})

test('what endangers the data and a proxy that hides its clients are told together', async () => {
  const { cautions } = await answered({
    cautions: async () => [{ found: 'fsync is off', mend: 'turn it on' }],
    hops: { warning: 'all clients have one address' },
  })
  const told = cautions.map(({ about, found }: Record<string, string>) => [about, found])
  assert.deepEqual(told, [
    ['database', 'fsync is off'],
    ['proxy', 'all clients have one address'],
  ])
})
