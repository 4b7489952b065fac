// Servers that mirror themselves or each other: it is said, and none of them goes on.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { test } from 'node:test'
import { mirrorRows } from '../src/features/mirror/tables/mirror.ts'
import { createMirror, type MirrorWorld, sourceOf } from './mirror-support.ts'
import { until } from './until.ts'
import { createWorld, enginesOf, WORLD_START_MS, type World } from './world.ts'

/** An address that leads to a server which is named later. */
async function openWay() {
  let target: number | undefined
  const sockets = new Set<Socket>()
  const proxy = createServer((socket) => {
    sockets.add(socket)
    if (target === undefined) return void socket.destroy()
    const onward = connect(target, '127.0.0.1')
    for (const [one, other] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      one.pipe(other)
      one.on('error', () => other.destroy())
    }
  })
  await once(proxy.listen(0, '127.0.0.1'), 'listening')
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    address: `127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    now: () => WORLD_START_MS,
    leadTo({ app }: World) {
      target = Number(app.urls.grpc.split(':')[1])
      cut()
    },
    close() {
      proxy.close()
      cut()
    },
  }
}

const saysCircle = async (mirror: MirrorWorld): Promise<boolean> => {
  const { problem, state } = await mirror.status()
  return state === 'connecting' && /mirror each other/.test(problem ?? '')
}

test('a mirror whose source is the mirror itself says so, and follows nothing', async () => {
  const way = await openWay()
  const mirror = await createMirror(way)
  try {
    way.leadTo(mirror)
    await until(() => saysCircle(mirror))
    assert.equal(await mirror.app.storage.of(mirrorRows).source(), undefined)
  } finally {
    await mirror.close()
    way.close()
  }
})

for (const engine of enginesOf(import.meta.url)) {
  test(`of empty mirrors in a circle on ${engine} one says so, until it mirrors another hub`, async () => {
    const way = await openWay()
    const first = await createMirror(way, { engine })
    const second = await createMirror(sourceOf(first), { engine })
    // Each mirror has found its source before the next one asks for its path, and before the circle is closed.
    await until(async () => (await second.status()).state === 'following')
    const third = await createMirror(sourceOf(second), { engine })
    const hub = await createWorld({ engine })
    try {
      await until(async () => (await third.status()).state === 'following')
      way.leadTo(third)
      await until(() => saysCircle(first))
      assert.equal(await first.app.storage.of(mirrorRows).source(), undefined)
      way.leadTo(hub)
      await first.restart()
      await until(async () => (await first.status()).state === 'following')
    } finally {
      for (const world of [third, second, first, hub]) await world.close()
      way.close()
    }
  })

  test(`a mirror on ${engine} whose source begins to mirror it stops following`, async () => {
    const hub = await createWorld({ engine })
    const way = await openWay()
    way.leadTo(hub)
    const first = await createMirror(way, { engine })
    const second = await createMirror(sourceOf(first), { engine })
    try {
      await until(async () => (await second.status()).state === 'following')
      const { body } = await second.operate('/mirror/verify?level=counts')
      assert.deepEqual(body.differences, [])
      way.leadTo(second)
      await until(() => saysCircle(first))
      const against = { url: `grpc://${second.app.urls.grpc}`, level: 'counts' }
      const compared = await first.operate('/mirror/verify', { body: against })
      assert.equal(compared.status, 200, 'to compare with one is no circle')
    } finally {
      for (const world of [second, first, hub]) await world.close()
      way.close()
    }
  })
}
