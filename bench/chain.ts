import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { startServer } from './server-process.ts'

export const EVENTS_PER_ACCOUNT = 4
export const FIRST_BLOCK = 1_000
export const lastBlockOf = (events: number) => FIRST_BLOCK + (events / EVENTS_PER_ACCOUNT) * 2

const LOOK_MS = 100

type Info = { chain: { followedBlock: number; blocksBehind: number | null } }

/**
 * Measures reading the past of a chain into an empty store. Another process is the node.
 */
export async function benchChain(
  events: number,
  env: Readonly<Record<string, string>>,
): Promise<void> {
  const node = fork(new URL('./chain-node.ts', import.meta.url), [String(events)])
  const [{ url }] = (await once(node, 'message')) as [{ url: string }]
  const started = performance.now()
  const server = await startServer('rookery', 0, {
    ...env,
    ROOKERY_CHAIN_RPC_URLS: url,
    ROOKERY_CHAIN_START_BLOCK: String(FIRST_BLOCK),
    ROOKERY_CHAIN_CONFIRMATIONS: '0',
  })
  let rssBytes = 0
  for (let behind = 1; behind > 0; await sleep(LOOK_MS)) {
    const info = (await (await fetch(`${server.url}/v1/info`)).json()) as Info
    behind = info.chain.blocksBehind ?? 1
    rssBytes = Math.max(rssBytes, (await server.usage()).rssBytes)
  }
  const seconds = (performance.now() - started) / 1000
  const { cpuSeconds, diskBytes } = await server.usage()
  node.send('asked')
  const [asked] = (await once(node, 'message')) as [Record<string, number>]
  server.stop()
  node.disconnect()

  const questions = Object.values(asked).reduce((sum, count) => sum + count)
  const each = (value: number) => (value / events).toFixed(0)
  console.log(`following a chain: ${events} events in ${seconds.toFixed(1)} s`)
  console.log(
    `  ${(events / seconds).toFixed(0)} events/s, ${each(cpuSeconds * 1e6)} us of CPU each`,
  )
  console.log(
    `  RSS at most ${(rssBytes / 2 ** 20).toFixed(0)} MB, ${each(diskBytes)} bytes on disk each`,
  )
  console.log(`  ${questions} questions to the node: ${JSON.stringify(asked)}`)
}
