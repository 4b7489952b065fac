import { load, type Request } from './client.ts'
import { type Profile, printProfiles, profiled } from './profile.ts'
import type { Server } from './server-process.ts'

/** The throughput of the same machine in the same run without our code. */
export type Floor = {
  readonly name: string
  readonly perSecond: number
  /** CPU of one thread for each request. */
  readonly cpuUs: number
}

export type Row = {
  readonly name: string
  readonly perSecond: number
  readonly floor: Floor
  readonly p50Ms: number
  readonly p99Ms: number
  /** CPU of the server process for each unit of work, and of the load generator, microseconds. */
  readonly cpuUs: number
  readonly clientCpuUs: number
  /** Peak RSS of the server process. */
  readonly rssBytes: number
  readonly profile: Profile | undefined
}

/** Sends each request once. Throws unless all are answered with 200 or 304. */
export async function measure(
  name: string,
  server: Server,
  requests: Request[],
  connections: number,
  floor: Floor,
  /** Units of work in each request. */
  unitsPerRequest = 1,
): Promise<Row> {
  const before = await server.usage()
  const { result, profile } = await profiled(() => load(server.url, requests, connections))
  const after = await server.usage()
  if (result.failures > 0) throw new Error(`${name}: ${result.failures} requests failed`)
  const { p50Ms, p99Ms } = result
  const units = result.requests * unitsPerRequest
  const cpuUs = ((after.cpuSeconds - before.cpuSeconds) / units) * 1e6
  return {
    name,
    perSecond: result.perSecond * unitsPerRequest,
    floor,
    p50Ms,
    p99Ms,
    cpuUs,
    clientCpuUs: result.clientCpuUs / unitsPerRequest,
    // Servers of old checkouts have no peak.
    rssBytes: after.peakRssBytes ?? after.rssBytes,
    profile,
  }
}

const HEADINGS = [
  'what',
  'per second',
  'beside',
  'of the same CPU',
  'p50 ms',
  'p99 ms',
  'CPU us',
  'client CPU us',
  'RSS MB',
]

/**
 * Prints rows as a Markdown table. `of the same CPU` is the CPU of the floor for each CPU of ours: unlike the share of
 * the throughput it is the same on a busy machine.
 */
export function printTable(rows: readonly Row[]): void {
  console.log(`| ${HEADINGS.join(' | ')} |`)
  console.log(`|${' --- |'.repeat(HEADINGS.length)}`)
  for (const row of rows) {
    const { floor } = row
    const ratio = (row.perSecond / floor.perSecond).toFixed(2)
    const cells = [
      row.name,
      row.perSecond.toFixed(0),
      `${ratio} of ${floor.name} (${floor.perSecond.toFixed(0)})`,
      (floor.cpuUs / row.cpuUs).toFixed(2),
      row.p50Ms.toFixed(2),
      row.p99Ms.toFixed(2),
      row.cpuUs.toFixed(1),
      row.clientCpuUs.toFixed(1),
      (row.rssBytes / 2 ** 20).toFixed(0),
    ]
    console.log(`| ${cells.join(' | ')} |`)
  }
  printProfiles(rows)
}
