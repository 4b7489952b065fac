// npm run bench -- --cluster: the cluster of docs/cluster.md on Debian machines. What standbys take off the primary, how far
// they are behind, and for how long writes are away after each failure. All machines share the processors of this one, so
// only ratios mean something.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Cluster, commands, startCluster } from '../test/cluster.ts'
import { FAILURES, type Failure } from '../test/cluster-failures.ts'
import type { Machine } from '../test/machines.ts'
import { addSubmitters, inStore, recoveryTime, startLoad, submitted } from '../test/submit-load.ts'
import { get, load, type Request } from './client.ts'
import { ACCOUNTS, Casts, submitsOf } from './hub.ts'
import { makeMessages } from './messages.ts'
import { randomNumbers } from './random.ts'
import { type Server, startServer } from './server-process.ts'

const READS = 8_000
const PAGES = 1_000
const CONNECTIONS = 32
const SUBMITTERS = 64
/** Write while machines fail. */
const WRITERS = 8
/** Writes after each of which a standby is asked. */
const ASKED = 200
/** Casts of one second are listed by hash: the page has all of both runs. */
const NEWEST = 2 * ASKED
const LONGEST_OUTAGE_MS = 120_000
/** The time after which Patroni replaces a primary that it does not hear of. */
const TTL_MS = 15_000

type Env = Readonly<Record<string, string>>

export async function benchCluster(count: number): Promise<void> {
  const cluster = await startCluster()
  const dir = mkdtempSync(join(tmpdir(), 'rookery-bench-'))
  const { DATABASE_URL = '', ROOKERY_SIGNER_SECRET = '' } = cluster.env
  const env = {
    ...{ ROOKERY_DATA_DIR: dir, ROOKERY_LOG_LEVEL: 'fatal', ROOKERY_VIEWS: 'off' },
    ...{ DATABASE_URL, ROOKERY_SIGNER_SECRET, ROOKERY_DATABASE_TIMEOUT_SECONDS: '8' },
  }
  try {
    const casts = await fill(env, count)
    await inStore(env, (storage) => addSubmitters(storage, WRITERS))
    await benchReads(cluster, env, casts)
    await benchStaleness(cluster, env)
    await benchFailures(cluster, env)
  } finally {
    await cluster.stop()
    rmSync(dir, { recursive: true, force: true })
  }
}

async function onServer<T>(accounts: number, env: Env, run: (server: Server) => Promise<T>) {
  const server = await startServer('rookery', accounts, env)
  try {
    return await run(server)
  } finally {
    server.stop()
    await server.ended
  }
}

function fill(env: Env, count: number): Promise<Casts> {
  return onServer(ACCOUNTS, env, async ({ url }) => {
    const { messages, bytes } = makeMessages(count, ACCOUNTS)
    const { failures } = await load(url, submitsOf(bytes), SUBMITTERS)
    if (failures > 0) throw new Error(`${failures} submits failed`)
    const casts = new Casts(count)
    casts.addAll(messages)
    return casts
  })
}

/** The URL of some hosts of `url`. */
const readUrl = (url: string, hosts: readonly Machine[]) =>
  url.replace(/@[^/]*\//, `@${hosts.map(({ address }) => address).join(',')}/`)

async function standbysOf(cluster: Cluster): Promise<[Machine, Machine[]]> {
  const leader = await cluster.healthy()
  return [leader, cluster.nodes.filter((node) => node !== leader)]
}

async function benchReads(cluster: Cluster, env: Env, casts: Casts): Promise<void> {
  const [leader, standbys] = await standbysOf(cluster)
  const random = randomNumbers(7)
  const any = () => Math.floor(random() * casts.count)
  const kinds: Record<string, Request[]> = {
    castById: Array.from({ length: READS }, () => get(casts.path(any()))),
    'page of 100 casts': Array.from({ length: PAGES }, () =>
      get(`/v1/castsByFid?fid=${1 + (any() % ACCOUNTS)}&pageSize=100`),
    ),
  }
  console.log('| what | standbys | rate, of that without | CPU of the primary, of that without |')
  console.log('| --- | --- | --- | --- |')
  for (const [what, requests] of Object.entries(kinds)) {
    let alone: { perSecond: number; cpu: number } | undefined
    for (let number = 0; number <= standbys.length; number++) {
      const hosts = standbys.slice(0, number)
      const url = env.DATABASE_URL ?? ''
      const reading = number === 0 ? env : { ...env, DATABASE_READ_URL: readUrl(url, hosts) }
      const measured = await onServer(0, reading, async (server) => {
        await load(server.url, requests.slice(0, requests.length >> 2), CONNECTIONS)
        const before = await cpuOf(leader)
        const { perSecond, failures } = await load(server.url, requests, CONNECTIONS)
        if (failures > 0) throw new Error(`${what}: ${failures} requests failed`)
        return { perSecond, cpu: (await cpuOf(leader)) - before }
      })
      alone ??= measured
      const ratio = (a: number, b: number) => (a / b).toFixed(2)
      console.log(
        `| ${[what, number, ratio(measured.perSecond, alone.perSecond), ratio(measured.cpu, alone.cpu)].join(' | ')} |`,
      )
    }
  }
}

/** Ticks of the processor that its PostgreSQL has used. */
const cpuOf = async (machine: Machine): Promise<number> =>
  Number(
    await machine.run(
      "cat /proc/[0-9]*/stat 2> /dev/null | awk '/\\(postgres\\)/ { ticks += $14 + $15 + $16 + $17 } END { print ticks }'",
    ),
  )

async function benchStaleness(cluster: Cluster, env: Env): Promise<void> {
  console.log(
    '\n| commits wait until standbys have it | lists that miss a write | until it is listed, p50, p99 |',
  )
  console.log('| --- | --- | --- |')
  const modes = { 'on disk': undefined, 'and show it': commands('synchronous_commit=remote_apply') }
  for (const [mode, command] of Object.entries(modes)) {
    const [leader, standbys] = await standbysOf(cluster)
    if (command) await leader.run(command)
    if (command) await sleep(5_000)
    const reading = { ...env, DATABASE_READ_URL: readUrl(env.DATABASE_URL ?? '', standbys) }
    const waits = await onServer(0, reading, ({ hubUrl }) => listWaits(hubUrl))
    const at = (share: number) => waits[Math.floor((waits.length - 1) * share)]!.toFixed(1)
    const missed = waits.filter((wait) => wait > 0).length
    console.log(`| ${mode} | ${missed} of ${waits.length} | ${at(0.5)} ms, ${at(0.99)} ms |`)
  }
}

/** For each of some writes how long after its answer a list of a standby lacked it; 0: never. */
async function listWaits(hub: string): Promise<number[]> {
  const waits: number[] = []
  for (let n = 0; n < ASKED; n++) {
    const { fid, hash } = await submitted(hub)
    const answered = performance.now()
    for (let asked = 0; ; asked++) {
      const page = await fetch(`${hub}/v1/castsByFid?fid=${fid}&reverse=1&pageSize=${NEWEST}`)
      if (!(await page.text()).includes(hash)) continue
      waits.push(asked === 0 ? 0 : performance.now() - answered)
      break
    }
  }
  return waits.sort((a, b) => a - b)
}

async function benchFailures(cluster: Cluster, env: Env): Promise<void> {
  console.log("\n| failure | writes back after | of Patroni's ttl |")
  console.log('| --- | --- | --- |')
  await onServer(0, env, async ({ hubUrl: hub }) => {
    const targets = [{ hub, writes: 0 }]
    const submitters = startLoad(targets, WRITERS, 20)
    for (const failure of Object.keys(FAILURES) as Failure[]) {
      const [leader, others] = await standbysOf(cluster)
      const started = performance.now()
      const undo = await FAILURES[failure]({ cluster, leader, others, targets })
      await recoveryTime(targets, failure, LONGEST_OUTAGE_MS)
      const millis = performance.now() - started
      console.log(
        `| ${failure} | ${(millis / 1_000).toFixed(1)} s | ${(millis / TTL_MS).toFixed(2)} |`,
      )
      await undo()
    }
    await submitters.stop()
  })
}
