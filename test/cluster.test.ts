// The cluster of docs/cluster.md under load, while its machines are killed, frozen, cut off, filled and replaced.
// TEST_LONG=1 runs it, where Debian machines can be made.

import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { verifyStore } from '../src/kernel/hub/jobs/integrity-check.ts'
import {
  type Cluster,
  commands,
  hubOf,
  replaceNode,
  startApps,
  startCluster,
  untilReady,
} from './cluster.ts'
import { FAILURES, type Failure } from './cluster-failures.ts'
import { LONG } from './effort.ts'
import { checkReplay, follow, replay } from './feed.ts'
import type { Machine } from './machines.ts'
import { PATIENCE_MS } from './patience.ts'
import { createPlace, type Env, PROGRAM } from './program.ts'
import { randomFrom, runSeed } from './random.ts'
import {
  addSubmitters,
  eventIds,
  inStore,
  type Posted,
  recoveryTime,
  startLoad,
  submitted,
  type Target,
} from './submit-load.ts'
import { DEVNET } from './world.ts'

const seed = runSeed()
const ROUNDS = Number(process.env.TEST_CLUSTER_ROUNDS ?? 20)
const SUBMITTERS = 6
const PAUSE_MS = 50
/** What the guide promises. */
const RECOVERY_MS = 30_000
const MAX_FAILED_PAGES = 1_000
const PROBE_PAUSE_MS = 200

const started = LONG
  ? await startCluster().catch((error: Error) => error)
  : new Error('TEST_LONG=1 runs it')

if (started instanceof Error) {
  test('a cluster of Debian machines', { skip: started.message }, () => {})
} else {
  console.log(`cluster: TEST_SEED=${seed}`)
  after(() => started.stop())
  describe('a cluster of Debian machines', () => {
    test(`${ROUNDS} failures of machines lose nothing that was acknowledged, and writes are back within 30 seconds`, (t) =>
      failures(started, (line) => t.diagnostic(line)))
    test('a moment is restored beside the cluster, and the cluster is brought back to it', () =>
      recovery(started))
    test('an empty machine takes the place of a lost one, and the next failure takes nothing', () =>
      replacement(started))
  })
}

async function failures(cluster: Cluster, report: (line: string) => void): Promise<void> {
  const place = await createPlace('sqlite')
  const env = { ...place.env, ...cluster.env }
  let isOver = false
  try {
    await startApps(cluster)
    const started = await Promise.all(cluster.apps.map(processOf))
    await inStore(env, (storage) => addSubmitters(storage, SUBMITTERS))
    const hubs = [...cluster.apps.map(hubOf), `${cluster.front}/hub`]
    const targets = hubs.map((hub): Target => ({ hub, writes: 0 }))
    const load = startLoad(targets, SUBMITTERS, PAUSE_MS)
    const hasMore = () => !load.isOver
    const readers = hubs.map((hub) => follow(() => hub, hasMore, PAUSE_MS, MAX_FAILED_PAGES))
    const probes = cluster.nodes.map((node) => probe(cluster.superuserUrl(node), () => isOver))
    await recoveryTime(targets, 'the start', RECOVERY_MS)
    for (const failure of failuresInOrder()) {
      report(await failOnce(cluster, failure, targets))
      assert.deepEqual(await Promise.all(cluster.apps.map(processOf)), started)
    }
    await load.stop()
    isOver = true
    const feeds = await Promise.all(readers)
    const probed = (await Promise.all(probes)).flat()
    assert.deepEqual(load.unexpected, [])
    await checkStored(env, feeds)
    const { messages } = replay(feeds[0]!)
    for (const hash of load.acknowledged) assert.ok(messages.has(hash), `${hash} was acknowledged`)
    await checkProbes(cluster.superuserUrl(await cluster.leader()), probed)
    report(`${load.acknowledged.size} casts and ${probed.length} probes acknowledged, none lost`)
  } catch (error) {
    for (const app of cluster.apps) report(await app.run(LOG))
    throw error
  } finally {
    isOver = true
    for (const app of cluster.apps) for (const line of faultsOf(await app.run(LOG))) report(line)
    await place.remove()
  }
}

const LOG = 'journalctl --no-pager --output=cat -n 2000 -u rookery'

/** Another one after each restart. */
const processOf = (app: Machine) => app.run('systemctl show rookery --property=MainPID,NRestarts')

/** Each kind as often as any other. */
function failuresInOrder(): Failure[] {
  const random = randomFrom(seed)
  const kinds = Object.keys(FAILURES) as Failure[]
  const repeats = Math.ceil(ROUNDS / kinds.length)
  return Array.from({ length: repeats }, () => random.shuffled(kinds))
    .flat()
    .slice(0, ROUNDS)
}

async function failOnce(
  cluster: Cluster,
  failure: Failure,
  targets: readonly Target[],
): Promise<string> {
  const leader = await cluster.healthy()
  const others = cluster.nodes.filter((node) => node !== leader)
  const undo = await FAILURES[failure]({ cluster, leader, others, targets })
  const millis = await recoveryTime(targets, failure, RECOVERY_MS)
  await undo()
  const next = await cluster.healthy()
  return `${failure} of ${leader.name}: writes after ${Math.round(millis)} ms, then ${next.name}`
}

/** Errors that the program does not expect. */
const faultsOf = (log: string) =>
  log
    .split('\n')
    .filter((line) => /"fault"/.test(line) && !/StoreUnavailable/.test(line))
    .slice(0, 5)

async function checkStored(env: Env, feeds: Awaited<ReturnType<typeof follow>>[]): Promise<void> {
  await inStore(env, async (storage) => {
    const report = await verifyStore(storage, { network: DEVNET })
    assert.deepEqual(report.examples, [])
    const ids = await eventIds(storage)
    for (const feed of feeds) {
      assert.deepEqual(
        feed.map(({ id }) => id),
        ids,
      )
      await checkReplay(storage, feed)
    }
  })
}

async function recovery(cluster: Cluster): Promise<void> {
  const place = await createPlace('sqlite')
  const env = { ...place.env, ...cluster.env }
  const { backup, nodes } = cluster
  const [app1, app2] = cluster.apps as [Machine, Machine]
  try {
    const post = () => submitted(hubOf(app1))
    const kept = await post()
    const leader = await cluster.healthy()
    const moment = await sql(cluster, leader, 'select now()::text')
    const lost = await post()
    // What ends the recovery has to be in the archive.
    await sql(cluster, leader, 'select pg_switch_wal()')
    const archived = `select last_archived_time > '${moment}' from pg_stat_archiver`
    while ((await sql(cluster, leader, archived)) !== 'true') await sleep(500)
    const at = (script: string) => script.replace(/--target="[^"]*"/, `--target="${moment}"`)

    await backup.run(at(commands('drill.sh start')))
    await verifyDrill(cluster, env)
    await backup.run(commands('drill.sh remove'))

    for (const app of [app1, app2]) await app.run(commands('systemctl stop rookery'))
    for (const node of nodes) await node.run(commands('systemctl stop patroni'))
    const [first, ...others] = nodes as [Machine, ...Machine[]]
    await first.run(at(commands('recover.sh')))
    for (const node of others) await node.run(commands('rm -rf /var/lib/postgresql/rookery'))
    await cluster.healthy()
    for (const app of [app1, app2]) await startAgain(app)
    for (const app of [app1, app2]) await untilReady(app)
    assert.deepEqual([await statusOf(app1, kept), await statusOf(app1, lost)], [200, 404])
    assert.equal(await statusOf(app2, await post()), 200)
  } finally {
    await place.remove()
  }
}

async function startAgain(app: Machine): Promise<void> {
  const start = commands('systemctl start rookery')
  await app.run(start).catch(async (cause) => {
    throw new Error(await app.run('journalctl --no-pager -n 30 -u rookery'), { cause })
  })
}

async function verifyDrill({ backup, drillUrl }: Cluster, env: Env): Promise<void> {
  const verify = [process.execPath, PROGRAM, 'verify']
  const { stdout } = await backup.runInNetwork(verify, { ...env, DATABASE_URL: drillUrl })
  assert.match(stdout, /are as they should be/)
}

async function statusOf(app: Machine, { fid, hash }: Posted): Promise<number> {
  return (await fetch(`${hubOf(app)}/v1/castById?fid=${fid}&hash=${hash}`)).status
}

async function replacement(cluster: Cluster): Promise<void> {
  const app = cluster.apps[0]!
  const leader = await cluster.healthy()
  await replaceNode(cluster, cluster.nodes.find((node) => node !== leader)!)
  await cluster.healthy()
  const posted = await submitted(hubOf(app))
  await leader.crash()
  for (const start = Date.now(); (await statusOf(app, posted)) !== 200; await sleep(100)) {
    assert.ok(Date.now() - start < RECOVERY_MS, 'another machine answers')
  }
  await leader.boot()
  await cluster.healthy()
}

/** The only value of a query. */
async function sql(cluster: Cluster, node: Machine, text: string): Promise<string> {
  const client = await connected(cluster.superuserUrl(node))
  try {
    const { rows } = await client.query({ text, rowMode: 'array' })
    return String(rows[0]?.[0])
  } finally {
    await client.end()
  }
}

/** Writes to one machine for as long as it takes writes, and returns what was confirmed. */
async function probe(url: string, isOver: () => boolean): Promise<string[]> {
  const confirmed: string[] = []
  let client: pg.Client | undefined
  for (let n = 0; !isOver(); n++) {
    const id = `${new URL(url).hostname} ${n}`
    try {
      client ??= await connected(url)
      await client.query(`insert into probe values ('${id}')`)
      confirmed.push(id)
    } catch {
      client?.connection.stream.destroy()
      client = undefined
    }
    await sleep(PROBE_PAUSE_MS)
  }
  client?.connection.stream.destroy()
  return confirmed
}

async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client({
    ...{ connectionString: url, connectionTimeoutMillis: 2_000, query_timeout: PATIENCE_MS },
    ssl: { rejectUnauthorized: false },
  })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query('create table if not exists probe (id text primary key)')
    return client
  } catch (error) {
    client.connection.stream.destroy()
    throw error
  }
}

async function checkProbes(url: string, confirmed: readonly string[]): Promise<void> {
  const client = await connected(url)
  const { rows } = await client.query('select id from probe')
  await client.end()
  const stored = new Set(rows.map(({ id }) => id))
  assert.deepEqual(
    confirmed.filter((id) => !stored.has(id)),
    [],
  )
}
