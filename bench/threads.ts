import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type LoadResult, load, post } from './client.ts'
import { READERS } from './floor.ts'
import { ACCOUNTS, Casts } from './hub.ts'
import type { LoadOrder } from './load-process.ts'
import { makeMessages } from './messages.ts'
import { randomNumbers } from './random.ts'
import { type Server, startServer } from './server-process.ts'

const SUBMITTERS = 128
const READS = 40_000
const PAGES = 4_000
const EVENTS = 1_000
const EVENT_PAGES = 800
const PAGE = 100
/** Reads come so long at this share of the rate that the first number of threads reached. */
const PACED_SECONDS = 3
const PACED_SHARE = 1 / 2

type Kind = { readonly name: string; readonly paths: readonly string[] }

/**
 * Reads of one embedded store with these numbers of serving threads, asked by as many processes as the most of them.
 * Prints a line for each, with the rate and the CPU time in units of the first number: as fast as they are answered, and at
 * a rate that leaves processors idle. The latter shows whether threads hinder each other also where cores are few.
 */
export async function benchThreads(numbers: readonly number[], messages: number): Promise<void> {
  const cores = availableParallelism()
  const needed = 2 * Math.max(...numbers)
  if (cores < needed) {
    console.log(
      `This machine has ${cores} cores. The threads and the load need ${needed}: the rates show what the machine can ` +
        'do in all, and the CPU time of a request at half the rate compares the numbers of threads.',
    )
  }
  console.log(
    '| what | threads | per second | times | p99 ms | CPU us | times | half the rate, CPU us | times |',
  )
  console.log('| --- | --- | --- | --- | --- | --- | --- | --- | --- |')
  const dir = mkdtempSync(join(tmpdir(), 'rookery-bench-'))
  const env = { ROOKERY_DATA_DIR: dir, ROOKERY_LOG_LEVEL: 'fatal', ROOKERY_VIEWS: 'off' }
  // As many for each number, so that only the threads differ.
  const loads = Array.from({ length: Math.max(...numbers) }, () =>
    fork(new URL('./load-process.ts', import.meta.url)),
  )
  const first = new Map<string, Measured>()
  let kinds: readonly Kind[] | undefined
  try {
    for (const threads of numbers) {
      const accounts = kinds ? 0 : ACCOUNTS
      const settings = { ...env, ROOKERY_HUB_THREADS: String(threads) }
      const server = await startServer('rookery', accounts, settings)
      kinds ??= await fill(server, messages)
      const idle = await idleShare(server)
      for (const kind of kinds) {
        const full = await measure(server, kind, loads)
        const perSecond = (first.get(kind.name) ?? full).perSecond * PACED_SHARE
        const paced = await measure(
          server,
          repeated(kind, perSecond * PACED_SECONDS),
          loads,
          perSecond,
        )
        const pacedCpuUs = paced.cpuUs - (idle / paced.perSecond) * 1e6
        const measured = { ...full, pacedCpuUs }
        if (!first.has(kind.name)) first.set(kind.name, measured)
        print(kind.name, threads, measured, first.get(kind.name)!)
      }
      server.stop()
      await server.ended
    }
  } finally {
    for (const child of loads) child.disconnect()
    rmSync(dir, { recursive: true, force: true })
  }
}

type Run = { readonly perSecond: number; readonly cpuUs: number; readonly p99Ms: number }
type Measured = Run & { readonly pacedCpuUs: number }

/** CPU seconds that the server takes in a second without requests. */
async function idleShare(server: Server): Promise<number> {
  const before = await server.usage()
  await delay(1_000)
  return (await server.usage()).cpuSeconds - before.cpuSeconds
}

const repeated = ({ name, paths }: Kind, count: number): Kind => ({
  name,
  paths: Array.from({ length: Math.ceil(count) }, (_, i) => paths[i % paths.length]!),
})

async function fill(server: Server, count: number): Promise<readonly Kind[]> {
  const { messages, bytes } = makeMessages(count, ACCOUNTS)
  const submits = bytes.map((one) => post('/v1/submitMessage', one))
  await load(server.url, submits, SUBMITTERS)
  const casts = new Casts(count)
  for (const message of messages) {
    if (message.data.body.case === 'castAddBody') casts.add(message)
  }
  const random = randomNumbers(7)
  const many = (length: number, path: () => string) => Array.from({ length }, path)
  return [
    {
      name: 'castById, uniform',
      paths: many(READS, () => casts.path(Math.floor(random() * casts.count))),
    },
    {
      name: `page of ${PAGE} casts`,
      paths: many(
        PAGES,
        () => `/v1/castsByFid?fid=${1 + Math.floor(random() * ACCOUNTS)}&pageSize=${PAGE}`,
      ),
    },
    {
      name: `page of ${EVENTS} events`,
      paths: many(EVENT_PAGES, () => `/v1/events?from_event_id=0&limit=${EVENTS}`),
    },
  ]
}

async function measure(
  server: Server,
  { paths }: Kind,
  loads: readonly ChildProcess[],
  perSecond?: number,
): Promise<Run> {
  const pace = perSecond === undefined ? undefined : { perSecond: perSecond / loads.length }
  const run = async (part: readonly string[]) => {
    const results = await Promise.all(
      loads.map((child, i) => {
        const own = part.filter((_, n) => n % loads.length === i)
        const connections = Math.ceil(READERS / loads.length)
        return ask(child, { url: server.url, paths: own, connections, pace })
      }),
    )
    return {
      seconds: Math.max(...results.map(({ seconds }) => seconds)),
      p99Ms: Math.max(...results.map(({ p99Ms }) => p99Ms)),
      failures: results.reduce((sum, { failures }) => sum + failures, 0),
    }
  }
  if (!pace) await run(paths.slice(0, paths.length / 4))
  const before = await server.usage()
  const { seconds, p99Ms, failures } = await run(paths)
  const after = await server.usage()
  if (failures > 0) throw new Error(`${failures} requests failed`)
  const cpuUs = ((after.cpuSeconds - before.cpuSeconds) / paths.length) * 1e6
  return { perSecond: paths.length / seconds, p99Ms, cpuUs }
}

async function ask(child: ChildProcess, order: LoadOrder): Promise<LoadResult> {
  child.send(order)
  const [result] = await once(child, 'message')
  return result
}

function print(name: string, threads: number, measured: Measured, first: Measured): void {
  const { perSecond, cpuUs, p99Ms } = measured
  const times = (perSecond / first.perSecond).toFixed(2)
  const cpuTimes = (cpuUs / first.cpuUs).toFixed(2)
  const pacedTimes = (measured.pacedCpuUs / first.pacedCpuUs).toFixed(2)
  const cells = [name, threads, Math.round(perSecond), times, p99Ms.toFixed(1), Math.round(cpuUs)]
  const paced = [Math.round(measured.pacedCpuUs), pacedTimes]
  console.log(`| ${[...cells, cpuTimes, ...paced].join(' | ')} |`)
}
