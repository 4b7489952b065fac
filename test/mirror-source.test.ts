// A source with several addresses: which one is used when another does not answer, and how connections are encrypted.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseAddresses } from '../src/features/mirror/settings.ts'
import { Source } from '../src/features/mirror/source/source.ts'
import { castAdd } from '../src/kernel/protocol/build.ts'
import { startFakeHub } from './fake-hub/fake-hub.ts'
import { startGrpcTlsProxy } from './grpc-tls-proxy.ts'
import { Author, assertSame } from './mirror-authors.ts'
import { createMirror, heights } from './mirror-support.ts'
import { until } from './until.ts'
import { createWorld, enginesOf, WORLD_START_MS } from './world.ts'

const now = () => WORLD_START_MS
const UNAVAILABLE = 14
const MAINNET = 1

const sourceOf = (hubs: readonly { readonly address: string }[], returnMs?: number) =>
  new Source({
    addresses: parseAddresses(hubs.map(({ address }) => `grpc://${address}`).join()),
    headers: {},
    rate: 0,
    concurrency: 8,
    random: () => 0,
    ...(returnMs !== undefined && { returnMs }),
  })

test('the next address is asked after three faults in a row, and the first one again when it answers', async () => {
  const hubs = await Promise.all([startFakeHub({ now }), startFakeHub({ now })])
  const source = sourceOf(hubs, 100)
  try {
    hubs[0]!.limit({ status: UNAVAILABLE, calls: 3 })
    await source.info()
    assert.equal(source.address, 1)
    assert.equal(source.host, hubs[1]!.address)
    await until(async () => {
      await source.info()
      return source.address === 0
    })
  } finally {
    source.close()
    for (const hub of hubs) await hub.close()
  }
})

test('calls that fail together move a mirror on by one address', async () => {
  const hubs = await Promise.all([startFakeHub({ now }), startFakeHub({ now })])
  const source = sourceOf(hubs)
  try {
    // After so many answers the greatest number of calls is made at a time.
    for (let i = 0; i < 400; i++) await source.info()
    hubs[0]!.limit({ status: UNAVAILABLE, calls: 1_000 })
    const before = hubs[0]!.received.length
    await Promise.all(Array.from({ length: 8 }, () => source.info()))
    assert.equal(source.address, 1)
    assert.ok(hubs[0]!.received.length - before <= 8, 'nobody goes back to it')
  } finally {
    source.close()
    for (const hub of hubs) await hub.close()
  }
})

test('a source with TLS is believed by the certificates of ROOKERY_MIRROR_CA, and by no others', async () => {
  const hub = await startFakeHub({ now })
  const proxy = await startGrpcTlsProxy(hub.address)
  const env = {
    ROOKERY_MIRROR_URLS: `grpcs://${proxy.address}`,
    ROOKERY_MIRROR_CA: proxy.certificate,
  }
  const mirror = await createMirror({ address: hub.address, now }, { env })
  try {
    hub.startBlocks(250)
    await until(async () => (await mirror.status()).state === 'following')
    await mirror.restart({ ROOKERY_MIRROR_CA: '' })
    await until(async () => /self-signed/.test((await mirror.status()).problem ?? ''))
  } finally {
    await mirror.close()
    proxy.close()
    await hub.close()
  }
})

test('a mirror stops for good at a hub of another network, and at one of another kind than before', async () => {
  const hub = await startFakeHub({ now })
  const author = new Author(hub.account(1))
  for (let i = 0; i < 100; i++) {
    hub.queueMerge(
      author.sign((origin) => castAdd({ ...origin, network: MAINNET }, { text: `${i}` })),
    )
  }
  hub.commitAll()
  const other = await createWorld()
  const mirror = await createMirror({ address: hub.address, now })
  try {
    await mirror.follow('fid:1')
    hub.startBlocks(250)
    await until(async () => (await mirror.status()).state === 'stopped')
    assert.match(
      (await mirror.status()).stopped!,
      /of another network, mainnet, and this server of devnet: set ROOKERY_NETWORK=mainnet/,
    )
    const urls = { ROOKERY_MIRROR_URLS: `grpc://${other.app.urls.grpc}` }
    await mirror.restart(urls)
    assert.equal((await mirror.status()).state, 'stopped')
    // Whoever resumes has acted on what stopped it.
    await mirror.operate('/mirror/resume', { body: {} })
    await until(async () =>
      /these data are of a snapchain, and .* is a rookery/.test(
        (await mirror.status()).stopped ?? '',
      ),
    )
  } finally {
    await mirror.close()
    await other.close()
    await hub.close()
  }
})

for (const engine of enginesOf(import.meta.url)) {
  test(`a mirror on ${engine} whose first hub is gone follows the next one, and has what that one has`, async () => {
    const [first, second] = await Promise.all([startFakeHub({ now }), startFakeHub({ now })])
    const author = new Author(first.account(1))
    second.account(1)
    const casts = ['a', 'b'].map((text) => author.sign((origin) => castAdd(origin, { text })))
    for (const hub of [first, second]) hub.merge(...casts)
    const mirror = await createMirror(
      { address: first.address, now },
      { engine, env: { ROOKERY_MIRROR_URLS: `grpc://${first.address},grpc://${second.address}` } },
    )
    try {
      await mirror.follow('fid:1')
      for (const hub of [second, first]) hub.startBlocks(250)
      const later = heights(first)
      first.commitAll()
      await mirror.settled(later)
      first.stopBlocks()
      await mirror.settled(heights(first))
      // Without a known block the mirror cannot tell one node from another.
      await until(() =>
        [1, 2].every((shard) => second.shardAt(shard).height > first.shardAt(shard).height),
      )
      await first.close()
      second.merge(author.sign((origin) => castAdd(origin, { text: 'only there' })))
      second.prune(casts[0]!.hash)
      // Another node has other blocks.
      await until(async () => (await mirror.status()).shards.every(({ gaps }) => gaps.pruned >= 1))
      await mirror.settled(heights(second))
      await assertSame(mirror.app.storage, second, [1])
    } finally {
      await mirror.close()
      await second.close()
    }
  })
}
