// The browser that the test files of a run share. The run offers it at an address, starts it for the first file that asks, and
// ends it. A file has a connection of its own, and its tests have contexts that share nothing.

import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { BrowserServer } from 'playwright-core'

export type BrowserOffer = {
  /** Answers where the browser listens, or why there is none. */
  readonly address: string
  /** Ends the browser, and tells the processor time of its processes that the system does not count as time of our children. */
  stop(): Promise<{ uncountedSeconds: number }>
}

/** Of /proc/[pid]/stat behind the name in brackets: the parent, and the time of the process and of its children that have ended. */
const STAT = { parent: 1, own: [11, 12], ended: [13, 14], ticksPerSecond: 100 }

export async function offerBrowser(
  launch: () => Promise<BrowserServer>,
  say: (text: string) => void = console.error,
): Promise<BrowserOffer> {
  let browser: Promise<BrowserServer> | undefined
  let crash: string | undefined
  let isStopping = false
  const start = async () => {
    const started = await launch()
    started.process().once('exit', (code, signal) => {
      if (isStopping) return
      crash = `The browser of this run has ended with ${signal ?? `code ${code}`}: every test that used it fails.`
      say(crash)
    })
    return started
  }
  const server = createServer((_request, response) => {
    browser ??= start()
    browser.then(
      (started) => response.writeHead(crash ? 500 : 200).end(crash ?? started.wsEndpoint()),
      ({ message }: Error) => response.writeHead(500).end(message),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A run without a test that asks for it ends without waiting for it.
  server.unref()
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async stop() {
      isStopping = true
      server.close()
      const started = await browser?.catch(() => undefined)
      if (!started) return { uncountedSeconds: 0 }
      const spent = secondsOfTree(started.process().pid!)
      const countedBefore = secondsOfEnded()
      await started.close()
      const counted = secondsOfEnded() - countedBefore
      return { uncountedSeconds: Math.max(0, spent - counted) }
    },
  }
}

/** Processor time of a process and of all below it, which a browser does not wait for when it ends. Linux tells it. */
function secondsOfTree(pid: number): number {
  if (process.platform !== 'linux') return 0
  const names = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  const all = names.flatMap((name) => statOf(Number(name)) ?? [])
  const ofTree = (root: number): number =>
    all.filter((one) => one.pid === root).reduce((sum, one) => sum + one.own + one.ended, 0) +
    all.filter((one) => one.parent === root).reduce((sum, one) => sum + ofTree(one.pid), 0)
  return ofTree(pid) / STAT.ticksPerSecond
}

/** What the system counts as time of our children: of those that have ended. */
const secondsOfEnded = (): number => (statOf(process.pid)?.ended ?? 0) / STAT.ticksPerSecond

/** Undefined for one that has just ended. */
function statOf(pid: number) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const sumOf = (places: readonly number[]) =>
      places.reduce((sum, place) => sum + Number(fields[place]), 0)
    return {
      pid,
      parent: Number(fields[STAT.parent]),
      own: sumOf(STAT.own),
      ended: sumOf(STAT.ended),
    }
  } catch {
    return undefined
  }
}
