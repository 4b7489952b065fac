// Submitters that write without end to several processes on one store, and what was acknowledged to them.

import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { openStore } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { createLedger } from '../src/kernel/accounts/ledger.ts'
import { buildMessage, castAdd } from '../src/kernel/protocol/build.ts'
import { toHex } from '../src/kernel/protocol/codec/bytes.ts'
import { encodeEnvelope } from '../src/kernel/protocol/codec/envelope.ts'
import { networkTime } from '../src/kernel/protocol/time.ts'
import type { Storage } from '../src/kernel/storage/storage.ts'
import type { Env } from './program.ts'
import { accountEvents, DEVNET, testAccount } from './world.ts'

const FIRST_FID = 10_001
const POLL_MS = 20
/** Refused connections, a store that is away, and a proxy whose server is: what the disturbances are for. */
const AWAY = new Set([0, 502, 503, 504])

/** Where submitters write; it counts what was acknowledged there. */
export type Target = { readonly hub: string; writes: number }

export async function inStore(env: Env, work: (storage: Storage) => Promise<void>): Promise<void> {
  const storage = await openStore(readConfig(env, 'development'))
  try {
    await work(storage)
  } finally {
    await storage.close()
  }
}

/** Accounts for so many submitters. */
export async function addSubmitters(storage: Storage, count: number): Promise<void> {
  const clock = { now: () => Date.now() }
  const ledger = createLedger({ storage, clock, settings: { network: DEVNET } })
  const seconds = Math.floor(Date.now() / 1_000)
  for (let i = 0; i < count; i++) {
    await ledger.importEvents(accountEvents(testAccount(FIRST_FID + i), seconds, 1_000))
  }
}

export async function eventIds(storage: Storage): Promise<number[]> {
  const ids: number[] = []
  for (;;) {
    const events = await storage.events.list((ids.at(-1) ?? 0) + 1, 1_000, 1_000_000)
    if (events.length === 0) return ids
    ids.push(...events.map(({ id }) => id))
  }
}

/** `count` submitters that each send one cast after the other, to one target each. */
export function startLoad(targets: readonly Target[], count: number, pauseMs: number) {
  let isRunning = true
  let isOver = false
  const acknowledged = new Set<string>()
  const unexpected: string[] = []
  const submitters = Array.from({ length: count }, async (_, i) => {
    const target = targets[i % targets.length]!
    const { fid, seed: key } = testAccount(FIRST_FID + i)
    for (let n = 0; isRunning; n++) {
      const origin = { fid, timestamp: networkTime(Date.now()), network: DEVNET }
      const message = buildMessage(castAdd(origin, `cast ${n}`), key)
      const { status, text } = await submit(target.hub, encodeEnvelope(message))
      if (status === 200) {
        acknowledged.add(toHex(message.hash))
        target.writes++
        await sleep(pauseMs)
        continue
      }
      if (!AWAY.has(status) && unexpected.length < 10) {
        unexpected.push(`${status} ${text}`)
      }
      await sleep(POLL_MS)
    }
  })
  return {
    acknowledged,
    unexpected,
    writes: () => acknowledged.size,
    /** Whether everything that was submitted is answered. */
    get isOver() {
      return isOver
    },
    async stop() {
      isRunning = false
      await Promise.all(submitters)
      isOver = true
    },
  }
}

export type Posted = { readonly fid: number; readonly hash: string }

/** Writes one cast of the first submitter. */
export async function submitted(hub: string): Promise<Posted> {
  const { fid, seed: key } = testAccount(FIRST_FID)
  const origin = { fid, timestamp: networkTime(Date.now()), network: DEVNET }
  const message = buildMessage(castAdd(origin, `cast at ${performance.now()}`), key)
  const { status, text } = await submit(hub, encodeEnvelope(message))
  assert.equal(status, 200, text)
  return { fid, hash: toHex(message.hash) }
}

/** Status 0 when the process or its connection is gone. */
async function submit(hub: string, body: Uint8Array): Promise<{ status: number; text: string }> {
  try {
    const response = await fetch(`${hub}/v1/submitMessage`, {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream' },
      body: body as Uint8Array<ArrayBuffer>,
    })
    return { status: response.status, text: await response.text() }
  } catch {
    return { status: 0, text: '' }
  }
}

/** Waits until every target has acknowledged writes again, and returns the milliseconds. */
export async function recoveryTime(
  targets: readonly Target[],
  after: string,
  limitMs: number,
): Promise<number> {
  const started = performance.now()
  const before = targets.map(({ writes }) => writes)
  while (!targets.every(({ writes }, i) => writes > before[i]!)) {
    const writes = targets.map((target, i) => target.writes - before[i]!)
    assert.ok(performance.now() - started < limitMs, `writes after ${after}: ${writes}`)
    await sleep(POLL_MS)
  }
  return performance.now() - started
}
