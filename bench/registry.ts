import { privateKeyToAccount } from 'viem/accounts'
import { signNameChange } from '../src/features/registry/sign.ts'
import { toHex } from '../src/kernel/protocol/codec/bytes.ts'
import { benchAccount } from './accounts.ts'
import { get, load, post } from './client.ts'
import { bareServer, READERS } from './floor.ts'
import { measure, type Row } from './report.ts'
import { type StartServer, startServer } from './server-process.ts'

const NAMES = 2_000
/** Registrations before the measurement, while V8 compiles. */
const WARM_UP_NAMES = 500
const READS = 20_000
/** Concurrent registrations. More of them only wait longer for the disk. */
const WRITERS = 16

/** Measures registrations, lookups and idle polls of the name registry, each beside a bare server. */
export async function benchRegistry(
  env: Readonly<Record<string, string>>,
  start: StartServer = startServer,
): Promise<Row[]> {
  const names = WARM_UP_NAMES + NAMES
  const server = await start('registry', names, env)
  const bodies = await Promise.all(
    Array.from({ length: names }, async (_, n) => {
      const { fid, seed } = benchAccount(n + 1)
      const account = privateKeyToAccount(toHex(seed) as `0x${string}`)
      const timestamp = Math.floor(Date.now() / 1000)
      return JSON.stringify(
        await signNameChange(account, { name: `bench${fid}`, from: 0, to: fid, timestamp }),
      )
    }),
  )
  const registrations = bodies.map((body) =>
    post('/transfers', Buffer.from(body), 'application/json'),
  )
  await load(server.url, registrations.splice(0, WARM_UP_NAMES), WRITERS)
  const rows = [
    await measure('registrations', server, registrations, WRITERS, await bareServer(500, NAMES)),
  ]
  const reads: [string, (n: number) => string][] = [
    ['lookups by name', (n) => `/transfers/current?name=bench${(n % names) + 1}`],
    ['lookups by fid', (n) => `/transfers/current?fid=${(n % names) + 1}`],
    ['idle polls', (n) => `/transfers?from_id=${names + (n % 7)}`],
    ['health checks', () => '/_health'],
  ]
  for (const [name, path] of reads) {
    const { length } = await (await fetch(server.url + path(0))).bytes()
    const requests = Array.from({ length: READS }, (_, n) => get(path(n)))
    const floor = await bareServer(length, READS)
    await load(server.url, requests.slice(0, READS / 4), READERS)
    rows.push(await measure(name, server, requests, READERS, floor))
  }
  server.stop()
  return rows
}
