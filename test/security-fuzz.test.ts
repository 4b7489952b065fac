// Random, mutated and grammar-made requests to every interface. TEST_SEED gives others, TEST_LONG=1 more, and
// `npm run fuzz` a million.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fuzz } from './defences/fuzz.ts'
import { fuzzMiniAppDocuments } from './defences/mini-app-documents.ts'
import { effort } from './effort.ts'
import { runSeed } from './random.ts'
import { enginesOf } from './world.ts'

const REQUESTS = effort(300, 50_000)
const DOCUMENTS = effort(2_000, 100_000)
/** What may be kept between a fifth of the run and its end; caches and tables of clients are still filling. */
const HEAP_GROWTH_BYTES = effort(24, 48) * 1024 * 1024

test('random manifests, tags, pages and domains of mini apps are refused with a fix or read the same way twice', () => {
  const seed = runSeed()
  const { faults, valid } = fuzzMiniAppDocuments(seed, DOCUMENTS)
  assert.deepEqual(faults, [])
  for (const kind of ['manifest', 'embed', 'page', 'domain']) {
    assert.ok((valid[kind] ?? 0) > 0.01 * DOCUMENTS, `${kind}: ${valid[kind]}`)
  }
})

for (const engine of enginesOf(import.meta.url)) {
  test(`a server on ${engine} answers random requests to every interface without a fault and without growing`, async () => {
    const seed = runSeed()
    console.log(`seed ${seed}`)
    const { faults, counts, memory, sent } = await fuzz({ seed, engine, requests: REQUESTS })
    assert.deepEqual(faults, [])
    assert.equal(sent, REQUESTS)
    const grown = memory.at(-1)!.heap - memory[1]!.heap
    assert.ok(grown < HEAP_GROWTH_BYTES, `the heap grew by ${grown} bytes`)
    // The requests reach the rules, and are not all refused at the door.
    for (const [kind, least] of [
      ['http 200', 0.1],
      ['http 400', 0.1],
      ['grpc 0', 0.01],
      ['grpc 3', 0.02],
    ] as const) {
      assert.ok((counts[kind] ?? 0) >= least * REQUESTS, `${kind}: ${counts[kind]}`)
    }
  })
}
