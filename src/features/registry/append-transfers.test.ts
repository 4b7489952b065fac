import assert from 'node:assert/strict'
import { test } from 'node:test'
import { postgresPlace, sqlitePlace } from '../../../test/storage-support.ts'
import type { Storage } from '../../kernel/storage/storage.ts'
import { appendTransfers, type SignedRequest } from './append-transfers.ts'
import { transferJson } from './schemas.ts'
import { nameTransferRows } from './tables/name-transfers.ts'

const NOW = 1_790_000_000
const FIDS = [1, 2, 3, 4]
const NAMES = ['ann', 'bob', 'cyn']
const SETTINGS = { intervals: { change: 3, undo: 2 }, limits: { perFid: 30, total: 90 } }

/** The same numbers from 0 to 1 in each run. */
function numbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

function requestsOf(random: () => number, count: number): SignedRequest[] {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!
  return Array.from({ length: count }, (_, i) => {
    const [from, to] = pick([
      [0, pick(FIDS)],
      [pick(FIDS), 0],
      [1, 2],
      [3, 4],
      [0, pick(FIDS)],
    ])
    const actingFid = from === 0 ? to! : from!
    return {
      name: pick(NAMES),
      from: from!,
      to: to!,
      owner: new Uint8Array(20).fill(actingFid),
      timestamp: NOW - 200 + i + Math.floor(random() * 3),
      byAdmin: random() < 0.2,
      actingFid,
      signature: new Uint8Array(65).fill(i),
      serverSignature: new Uint8Array(65).fill(i + 1),
    }
  })
}

/** Appends the requests in batches of these sizes. Returns what was answered and what the store then holds. */
async function appended(
  storage: Storage,
  requests: readonly SignedRequest[],
  sizeOfNext: () => number,
) {
  const answers = []
  const waiting = [...requests]
  while (waiting.length > 0) {
    const batch = waiting.splice(0, sizeOfNext())
    const terms = { settings: SETTINGS, nowMs: NOW * 1000 }
    answers.push(...(await storage.write('registry', (tx) => appendTransfers(tx, batch, terms))))
  }
  const quotas = await storage.quotas.used('name changes', [...FIDS.map(String), 'all'])
  return {
    answers: answers.map((answer) =>
      'value' in answer
        ? { ...answer.value, transfer: transferJson(answer.value.transfer) }
        : answer.refused.message,
    ),
    log: (await storage.of(nameTransferRows).list({}, 1_000)).map(transferJson),
    held: await Promise.all(
      FIDS.map(async (fid) => (await storage.of(nameTransferRows).heldBy(fid))?.username),
    ),
    quotas: quotas.sort((a, b) => a.subject.localeCompare(b.subject)),
  }
}

test('requests that are decided together are answered and stored as one after the other, on both engines', async (t) => {
  const seed = 151
  const requests = requestsOf(numbers(seed), 200)
  const results = []
  for (const [openPlace, most] of [
    [sqlitePlace, 1],
    [sqlitePlace, 16],
    [() => postgresPlace('template1'), 16],
  ] as const) {
    const place = await openPlace()
    const storage = await place.open()
    t.after(async () => {
      await storage.close()
      await place.drop()
    })
    const random = numbers(seed)
    results.push(await appended(storage, requests, () => 1 + Math.floor(random() * most)))
  }
  const [single, ...together] = results
  for (const result of together) assert.deepEqual(result, single, `seed ${seed}`)
  const kinds = single!.answers.map((answer) =>
    typeof answer === 'string' ? 'refused' : answer.outcome,
  )
  assert.deepEqual(new Set(kinds), new Set(['transfer', 'repeat', 'refused']))
  assert(single!.log.length > 20, `${single!.log.length} transfers`)
})
