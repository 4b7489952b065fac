// Several server processes on one PostgreSQL under load, while processes and the database are killed and
// suspended, links drop and clocks are stepped: nothing acknowledged is lost and every feed is whole.

import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { verifyStore } from '../src/kernel/hub/jobs/integrity-check.ts'
import { effort } from './effort.ts'
import { checkReplay, follow, replay } from './feed.ts'
import { patient } from './patience.ts'
import { startPostgres } from './postgres.ts'
import { createPlace, type Env, type Program, startProgram } from './program.ts'
import { randomFrom, runSeed } from './random.ts'
import {
  addSubmitters,
  eventIds,
  inStore,
  recoveryTime,
  startLoad,
  type Target,
} from './submit-load.ts'
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts'
import { DEVNET } from './world.ts'

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
const RECOVERY_MS = patient(10_000)
const LONGEST_STEP_SECONDS = 120
/** A link that drops without a word costs its process this long. */
const STATEMENT_SECONDS = effort(3, 5)
/** Reads may fail for a while after the last disturbance, on connections that were silent. */
const MAX_FAILED_PAGES = 1_000

const LIMITS = {
  ROOKERY_SUBMIT_LIMIT: '1000000',
  ROOKERY_DATABASE_TIMEOUT_SECONDS: String(STATEMENT_SECONDS),
}

/** A server process with its own link to the database. */
class Node implements Target {
  readonly proxy: TcpProxy
  readonly env: Env
  program: Program
  writes = 0

  constructor(proxy: TcpProxy, env: Env, program: Program) {
    this.proxy = proxy
    this.env = env
    this.program = program
  }

  /** Its process may be another one by now. */
  get hub(): string {
    return this.program.hub
  }
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
    await inStore(env, (storage) => addSubmitters(storage, SUBMITTERS))

    const load = startLoad(nodes, SUBMITTERS, PAUSE_MS)
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
    let slowestMs = await recoveryTime(nodes, 'the start', RECOVERY_MS)
    const disturb = async (kind: Kind) => {
      counts[kind]++
      await DISTURBANCES[kind]({
        server,
        node: random.pick(nodes),
        millis: 1 + random.int(LONGEST_MS),
        seconds: 1 + random.int(LONGEST_STEP_SECONDS),
      })
      slowestMs = Math.max(slowestMs, await recoveryTime(nodes, kind, RECOVERY_MS))
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
  return new Node(proxy, own, await startProgram('start', own))
}
