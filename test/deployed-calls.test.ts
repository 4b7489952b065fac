// docs/deployed.md says which calls of the deployed hub are not here: compared with the routes and methods of this one.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { HUB_METHODS } from '../src/kernel/grpc/hub-methods.ts'
import { rawClient } from './grpc-support.ts'
import { inWorld } from './hub-support.ts'
import { ROOT } from './program.ts'

const read = (file: string) => readFileSync(`${ROOT}${file}`, 'utf8')
const deployed = JSON.parse(read('fixtures/deployed-hub-calls.json')) as {
  readonly http: readonly string[]
  readonly HubService: readonly string[]
  readonly AdminService: readonly string[]
}
const [, section = ''] = read('docs/deployed.md').split('## Calls of a hub that are not here')
const named = (pattern: RegExp) => [...section.matchAll(pattern)].map(([, name]) => name!).sort()
const PATHS = named(/`(\/v1\/[\w/]+)`/g)
const METHODS = named(/`((?:Get|Is)\w+)`/g)

inWorld('the calls that docs/deployed.md names', (world) => {
  test('the HTTP routes of the deployed hub that are not here are those of the list, and answer 404', async () => {
    const { paths } = (await (await fetch(`${world().app.urls.hub}/openapi.json`)).json()) as {
      paths: Record<string, unknown>
    }
    assert.deepEqual(
      PATHS,
      deployed.http.filter((path) => !(path in paths)),
    )
    for (const path of PATHS) {
      assert.equal((await fetch(world().app.urls.hub + path)).status, 404, path)
    }
  })

  test('the gRPC methods of the deployed hub that are not here are those of the list, and have status 12', async () => {
    assert.deepEqual(
      METHODS,
      deployed.HubService.filter((name) => !(name in HUB_METHODS)),
    )
    const client = rawClient(world().app.urls.grpc)
    const admin = deployed.AdminService.map((name) => `/AdminService/${name}`)
    const served = ['/AdminService/SubmitOnChainEvent']
    for (const method of [...METHODS, ...admin.filter((name) => !served.includes(name))]) {
      assert.equal((await client.call(method, new Uint8Array(0))).status, 12, method)
    }
    client.close()
  })

  test('the peers of a hub are an empty list over gRPC', async () => {
    const client = rawClient(world().app.urls.grpc)
    for (const method of ['GetConnectedPeers', 'GetCurrentPeers']) {
      const { status, bytes } = await client.call(method, new Uint8Array(0))
      assert.deepEqual([status, bytes?.length], [0, 0], method)
    }
    client.close()
  })
})
