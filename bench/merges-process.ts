// One of several processes that merge messages of their own accounts into one database, as fast as they can.

import { once } from 'node:events'
import { Candidate } from '../src/hub/candidate.ts'
import { startMerger } from '../src/hub/merger.ts'
import { MAX_BATCH_MESSAGES } from '../src/hub/settings.ts'
import { buildMessage, castAdd } from '../src/protocol/build.ts'
import { castSlot } from '../src/protocol/slots.ts'
import { networkTime } from '../src/protocol/time.ts'
import { benchAccount } from './accounts.ts'
import { type Merged, type MergerArguments, NETWORK } from './merges.ts'

/** As many messages of one shard as verifiers hand over at a time. */
const PART = 64
/** Messages of each shard under way: a full batch, and another one that fills up. */
const UNDER_WAY = 2 * MAX_BATCH_MESSAGES
/** Of each shard, before the time is taken: each merge thread compiles what it runs often. */
const WARM_MESSAGES = 8 * MAX_BATCH_MESSAGES

const [{ url, shards, seconds, fids }] = (await once(process, 'message')) as [MergerArguments]
const timestamp = networkTime(Date.now()) - 1
const casts = fids.map(benchAccount).map(({ fid, seed }) => {
  const origin = { fid, timestamp, network: NETWORK }
  return Candidate.of(buildMessage(castAdd(origin, 'the rooks look on, amused'), seed), undefined)
})
let made = 0
const merger = startMerger(
  {
    storage: { databaseUrl: url, dataDir: '', network: String(NETWORK), shards },
    network: NETWORK,
    storageEnds: false,
    enforceBlocks: false,
  },
  () => {},
)
const lanes = [...Map.groupBy(casts, merger.shardOf).values()]
let messages = 0
await mergeUntil(() => messages >= WARM_MESSAGES * shards)
process.send?.('ready')
await once(process, 'message')
messages = 0
const before = process.cpuUsage()
const end = performance.now() + seconds * 1_000
await mergeUntil(() => performance.now() >= end)
const { user, system } = process.cpuUsage(before)
process.send?.({ messages, cpuSeconds: (user + system) / 1e6 } satisfies Merged)
await merger.close()
process.exit()

/** Keeps the merge threads busy, and counts what they have merged until it is over. */
async function mergeUntil(isOver: () => boolean): Promise<void> {
  const loops = lanes.flatMap((lane) =>
    Array.from({ length: UNDER_WAY / PART }, async () => {
      while (!isOver()) {
        await merge(lane)
        if (!isOver()) messages += PART
      }
    }),
  )
  await Promise.all(loops)
}

/** Merges new casts of one shard, as the pipeline of a hub hands them over. */
async function merge(lane: readonly Candidate[]): Promise<void> {
  const part = Array.from({ length: PART }, () => nextCast(lane))
  for (const outcome of await merger.merge(part, Date.now())) if (!('id' in outcome)) throw outcome
}

/** The next one of the casts with another hash: signing and hashing take longer than merging and belong to other threads. */
function nextCast(lane: readonly Candidate[]): Candidate {
  const { row } = lane[made % lane.length]!
  const hash = Buffer.from(row.hash)
  hash.writeUInt32BE(made++)
  return new Candidate({ ...row, hash, slot: castSlot(row.fid, hash) }, undefined)
}
