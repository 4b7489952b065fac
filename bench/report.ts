import { load, type Request } from './client.ts'
import type { Server } from './server-process.ts'

/** What the same machine does in the same run without our code. */
export type Floor = { readonly name: string; readonly perSecond: number }

export type Row = {
  readonly name: string
  readonly perSecond: number
  readonly floor: Floor
  readonly p50Ms: number
  readonly p99Ms: number
  /** CPU of the server process for each request, microseconds. */
  readonly cpuUs: number
  readonly rssBytes: number
}

/** Sends the requests once each. Throws when one is not answered 200: a refusal is not work done. */
export async function measure(
  name: string,
  server: Server,
  requests: Request[],
  connections: number,
  floor: Floor,
): Promise<Row> {
  const before = await server.usage()
  const result = await load(server.url, requests, connections)
  const after = await server.usage()
  if (result.failures > 0) throw new Error(`${name}: ${result.failures} requests failed`)
  const { perSecond, p50Ms, p99Ms } = result
  const cpuUs = ((after.cpuSeconds - before.cpuSeconds) / result.requests) * 1e6
  return { name, perSecond, floor, p50Ms, p99Ms, cpuUs, rssBytes: after.rssBytes }
}

/** Prints rows as a Markdown table. */
export function printTable(rows: readonly Row[]): void {
  console.log('| what | per second | beside | p50 ms | p99 ms | CPU us | RSS MB |')
  console.log('| --- | --- | --- | --- | --- | --- | --- |')
  for (const row of rows) {
    const ratio = (row.perSecond / row.floor.perSecond).toFixed(2)
    const cells = [
      row.name,
      row.perSecond.toFixed(0),
      `${ratio} of ${row.floor.name} (${row.floor.perSecond.toFixed(0)})`,
      row.p50Ms.toFixed(2),
      row.p99Ms.toFixed(2),
      row.cpuUs.toFixed(0),
      (row.rssBytes / 2 ** 20).toFixed(0),
    ]
    console.log(`| ${cells.join(' | ')} |`)
  }
}
