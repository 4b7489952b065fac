// Several server processes on one PostgreSQL under load, while processes and the database are killed and
// suspended, links drop and clocks are stepped: nothing acknowledged is lost and every feed is whole.

import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createLedger } from '../src/accounts/ledger.ts'
import { openStore } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { verifyStore } from '../src/hub/jobs/integrity-check.ts'
import { buildMessage, castAdd } from '../src/protocol/build.ts'
import { toHex } from '../src/protocol/codec/bytes.ts'
import { encodeEnvelope } from '../src/protocol/codec/envelope.ts'
import { networkTime } from '../src/protocol/time.ts'
import type { Storage } from '../src/storage/storage.ts'
import { effort } from './effort.ts'
import { checkReplay, follow, replay } from './feed.ts'
import { startPostgres } from './postgres.ts'
import { createPlace, type Env, type Program, startProgram } from './program.ts'
import { randomFrom, runSeed } from './random.ts'
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts'
import { accountEvents, DEVNET, testAccount } from './world.ts'

const seed = runSeed()
console.log(`chaos: TEST_SEED=${seed}`)

const PROCESSES = effort(2, 4)
const SUBMITTERS = effort(8, 32)
/** Each kind of disturbance happens once, and then at random until this time is over. */
const SECONDS = Number(process.env.TEST_CHAOS_SECONDS ?? effort(0, 600))
/** The longest pause, frozen link or stop of the database. */
const LONGEST_MS = effort(1_000, 8_000)
/** Everyday the submitters leave the processors to other tests. */
const PAUSE_MS = effort(50, 0)
/** Time in which every process has to acknowledge writes again. */
const RECOVERY_MS = 60_000
const LONGEST_STEP_SECONDS = 120
/** A link that drops without a word costs its process this long. */
const STATEMENT_SECONDS = effort(3, 5)
/** Reads may fail for a while after the last disturbance, on connections that were silent. */
const MAX_FAILED_PAGES = 1_000
const FIRST_FID = 10_001

const LIMITS = {
  ROOKERY_SUBMIT_LIMIT: '1000000',
  ROOKERY_DATABASE_TIMEOUT_SECONDS: String(STATEMENT_SECONDS),
  ROOKERY_DATABASE_CONNECT_TIMEOUT_SECONDS: '3',
}

/** A server process with its own link to the database. */
type Node = {
  readonly proxy: TcpProxy
  readonly env: Env
  program: Program
  writes: number
}

type Server = Awaited<ReturnType<typeof startPostgres>>

describe('a cluster under chaos', () => {
  test('kills, crashes, pauses, dropped links and stepped clocks lose nothing that was acknowledged', async (t) => {
    const random = randomFrom(seed)
    const server = await startPostgres()
    t.after(() => server.stop())
    const place = await createPlace('sqlite')
    t.after(place.remove)
    const env = { ...place.env, ...LIMITS, DATABASE_URL: server.url }
    const nodes: Node[] = []
    t.after(async () => {
      for (const { program } of nodes) program.child.kill('SIGKILL')
    })
    // The first one makes the development world.
    nodes.push(await startNode(t, env, server))
    const others = Array.from({ length: PROCESSES - 1 }, () => startNode(t, env, server))
    nodes.push(...(await Promise.all(others)))
    await inStore(env, addAccounts)

    const load = startLoad(nodes)
    t.after(load.stop)
    const readers = nodes.map((_, i) =>
      follow(
        () => nodes[(i + load.writes()) % nodes.length]!.program.hub,
        () => !load.isOver,
        20,
        MAX_FAILED_PAGES,
      ),
    )
    const started = performance.now()
    const kinds = Object.keys(DISTURBANCES) as Kind[]
    const counts = Object.fromEntries(kinds.map((kind) => [kind, 0])) as Record<Kind, number>
    let slowestMs = await recoveryTime(nodes, 'the start')
    const disturb = async (kind: Kind) => {
      counts[kind]++
      await DISTURBANCES[kind]({
        server,
        node: random.pick(nodes),
        millis: 1 + random.int(LONGEST_MS),
        seconds: 1 + random.int(LONGEST_STEP_SECONDS),
      })
      slowestMs = Math.max(slowestMs, await recoveryTime(nodes, kind))
      for (const { program } of nodes) {
        const { exitCode, signalCode } = program.child
        assert.deepEqual([exitCode, signalCode], [null, null], program.output.stderr)
      }
    }
    for (const kind of random.shuffled(kinds)) await disturb(kind)
    while (performance.now() - started < SECONDS * 1_000) await disturb(random.pick(kinds))

    await load.stop()
    const feeds = await Promise.all(readers)
    for (const { program } of nodes) await program.stop()
    assert.deepEqual(load.unexpected, [])
    await inStore(env, async (storage) => {
      const report = await verifyStore(storage, { network: DEVNET })
      assert.deepEqual(report.examples, [])
      const ids = await eventIds(storage)
      for (const feed of feeds) {
        const read = new Set(feed.map(({ id }) => id))
        const missing = ids.flatMap((id, i) =>
          read.has(id) ? [] : [`${id}, ${i} of ${ids.length}`],
        )
        assert.deepEqual(missing, [])
        await checkReplay(storage, feed)
      }
    })
    const { messages } = replay(feeds[0]!)
    for (const hash of load.acknowledged) {
      assert.ok(messages.has(hash), `${hash} was acknowledged`)
    }
    assert.deepEqual(new Set(feeds.map(({ length }) => length)), new Set([feeds[0]!.length]))
    t.diagnostic(
      `${load.acknowledged.size} casts acknowledged, ${feeds[0]!.length} events, ` +
        `${JSON.stringify(counts)}, writes back after ${Math.round(slowestMs)} ms at most`,
    )
  })
})

type Disturbed = {
  readonly server: Server
  readonly node: Node
  readonly millis: number
  readonly seconds: number
}
type Kind = keyof typeof DISTURBANCES

const DISTURBANCES = {
  async kill({ node }: Disturbed): Promise<void> {
    await node.program.stop('SIGKILL')
    node.program = await startProgram('start', node.env)
  },
  async crash({ server, millis }: Disturbed): Promise<void> {
    await server.crash()
    await sleep(millis)
    await server.restart()
  },
  async pause({ node, millis }: Disturbed): Promise<void> {
    node.program.child.kill('SIGSTOP')
    await sleep(millis)
    node.program.child.kill('SIGCONT')
  },
  /** The link drops without a word, and works again for new connections. */
  async freeze({ node, millis }: Disturbed): Promise<void> {
    node.proxy.freeze()
    await sleep(millis)
    node.proxy.thaw()
  },
  async cut({ node }: Disturbed): Promise<void> {
    node.proxy.cut()
  },
  /** The clock of one process goes ahead of the others. */
  async step({ node, seconds }: Disturbed): Promise<void> {
    const response = await fetch(`${node.program.operations}/dev/clock`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ advanceSeconds: seconds }),
    })
    assert.equal(response.status, 200, await response.text())
  },
}

async function startNode(t: TestContext, env: Env, server: Server): Promise<Node> {
  const url = new URL(server.url)
  const proxy = await startTcpProxy({ host: url.hostname, port: Number(url.port) })
  t.after(proxy.close)
  url.port = String(proxy.port)
  const own = { ...env, DATABASE_URL: url.href }
  return { proxy, env: own, program: await startProgram('start', own), writes: 0 }
}

async function inStore(env: Env, work: (storage: Storage) => Promise<void>): Promise<void> {
  const storage = await openStore(readConfig(env, 'development'))
  try {
    await work(storage)
  } finally {
    await storage.close()
  }
}

async function addAccounts(storage: Storage): Promise<void> {
  const clock = { now: () => Date.now() }
  const ledger = createLedger({ storage, clock, settings: { network: DEVNET } })
  const seconds = Math.floor(Date.now() / 1_000)
  for (let i = 0; i < SUBMITTERS; i++) {
    await ledger.importEvents(accountEvents(testAccount(FIRST_FID + i), seconds, 1_000))
  }
}

async function eventIds(storage: Storage): Promise<number[]> {
  const ids: number[] = []
  for (;;) {
    const events = await storage.events.list((ids.at(-1) ?? 0) + 1, 1_000, 1_000_000)
    if (events.length === 0) return ids
    ids.push(...events.map(({ id }) => id))
  }
}

/** Submitters that each send one cast after the other, to one process each. */
function startLoad(nodes: readonly Node[]) {
  let isRunning = true
  let isOver = false
  const acknowledged = new Set<string>()
  const unexpected: string[] = []
  const submitters = Array.from({ length: SUBMITTERS }, async (_, i) => {
    const node = nodes[i % nodes.length]!
    const { fid, seed: key } = testAccount(FIRST_FID + i)
    for (let n = 0; isRunning; n++) {
      const origin = { fid, timestamp: networkTime(Date.now()), network: DEVNET }
      const message = buildMessage(castAdd(origin, `cast ${n}`), key)
      const { status, text } = await submit(node.program.hub, encodeEnvelope(message))
      if (status === 200) {
        acknowledged.add(toHex(message.hash))
        node.writes++
        await sleep(PAUSE_MS)
        continue
      }
      // Refused connections and a store that is away are what the disturbances are for.
      if (status !== 0 && status !== 503 && unexpected.length < 10) {
        unexpected.push(`${status} ${text}`)
      }
      await sleep(20)
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

/** Waits until every process has acknowledged writes again. */
async function recoveryTime(nodes: readonly Node[], after: string): Promise<number> {
  const started = performance.now()
  const before = nodes.map(({ writes }) => writes)
  while (!nodes.every(({ writes }, i) => writes > before[i]!)) {
    const writes = nodes.map((node, i) => node.writes - before[i]!)
    assert.ok(performance.now() - started < RECOVERY_MS, `writes after ${after}: ${writes}`)
    await sleep(10)
  }
  return performance.now() - started
}
