// What an operator's tools see of a mirror.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { castAdd } from '../src/kernel/protocol/build.ts'
import { type FakeHub, startFakeHub } from './fake-hub/fake-hub.ts'
import { Author } from './mirror-authors.ts'
import { createMirror, heights, type MirrorWorld } from './mirror-support.ts'
import { until } from './until.ts'
import { enginesOf, WORLD_START_MS } from './world.ts'

const now = () => WORLD_START_MS

/** The values of the metrics of a mirror, by name and labels. */
async function metricsOf(mirror: MirrorWorld): Promise<ReadonlyMap<string, number>> {
  const text = await (await fetch(`${mirror.app.urls.operations}/metrics`)).text()
  const lines = text.split('\n').filter((line) => line.startsWith('rookery_mirror_'))
  return new Map(
    lines.map((line) => {
      const at = line.lastIndexOf(' ')
      return [line.slice('rookery_mirror_'.length, at), Number(line.slice(at))]
    }),
  )
}

for (const engine of enginesOf(import.meta.url)) {
  describe(`metrics of a mirror on ${engine}`, () => {
    let fake: FakeHub
    let mirror: MirrorWorld
    before(async () => {
      fake = await startFakeHub({ now, shards: 2 })
      const authors = [1, 2, 3].map((fid) => new Author(fake.account(fid)))
      const casts = authors.map((one) => one.sign((origin) => castAdd(origin, { text: 'hi' })))
      fake.lie('hash', casts[0]!.hash)
      fake.merge(...casts)
      mirror = await createMirror({ address: fake.address, now }, { engine })
      await mirror.follow('fid:1,2,3')
      await until(async () => (await mirror.status()).shards.length === 2)
      fake.gap(fake.shardAt(1).height + 2)
      fake.startBlocks(250)
      await mirror.settled(heights(fake))
    })
    after(async () => {
      await mirror.close()
      await fake.close()
    })

    test('values have the shard, state, outcome or reason that they are about', async () => {
      await until(async () => {
        const values = await metricsOf(mirror)
        const isRepaired = values.get('gaps_total{shard="1",outcome="repaired"}') === 1
        return isRepaired && values.get('people{state="live"}') === 3
      })
      const found = await metricsOf(mirror)
      for (const [name, value] of [
        ['people{state="waiting"}', 0],
        ['people{state="differ"}', 0],
        ['people_differ', 0],
        ['quarantine{reason="invalid_hash"}', 1],
        ['messages_total{outcome="merged"}', 2],
        ['gaps_total{shard="1",outcome="seen"}', 1],
        ['gaps_total{shard="1",outcome="repaired"}', 1],
        ['stopped', 0],
      ] as const) {
        assert.equal(found.get(name), value, name)
      }
      for (const name of [
        'lag_seconds{shard="1"}',
        'lag_seconds{shard="2"}',
        'oldest_check_seconds',
        'throttled_seconds_total',
        'messages_total{outcome="quarantined"}',
        'events_total{shard="1",type="11"}',
        'requests_total{method="GetInfo",status="0"}',
      ]) {
        assert.ok(found.get(name)! >= 0, name)
      }
    })
  })
}

test('a mirror whose key the source refuses is stopped, and says so to Prometheus', async () => {
  const fake = await startFakeHub({ now, key: { 'x-api-key': 'sesame' } })
  const mirror = await createMirror({ address: fake.address, now })
  try {
    await until(async () => (await mirror.status()).state === 'stopped')
    assert.match((await mirror.status()).stopped!, /refuses GetInfo/)
    await until(async () => (await metricsOf(mirror)).get('stopped') === 1)
  } finally {
    await mirror.close()
    await fake.close()
  }
})
