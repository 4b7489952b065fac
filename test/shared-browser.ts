// The browser that the test files of a run share. The run offers it at an address, starts it for the first file that asks, and
// ends it. A file has a connection of its own, and its tests have contexts that share nothing.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { BrowserServer } from 'playwright-core'
import { endedSeconds, treeSeconds } from '../scripts/processor-time.ts'

/** Processor time of the browser, and the part of it that the system does not count as time of our children. */
export type BrowserTime = { readonly seconds: number; readonly uncountedSeconds: number }

export type BrowserOffer = {
  /** Answers where the browser listens, or why there is none. */
  readonly address: string
  /** Ends the browser. */
  stop(): Promise<BrowserTime>
}

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
      if (!started) return { seconds: 0, uncountedSeconds: 0 }
      const seconds = treeSeconds(started.process().pid!)
      const countedBefore = endedSeconds()
      await started.close()
      const counted = endedSeconds() - countedBefore
      return { seconds, uncountedSeconds: Math.max(0, seconds - counted) }
    },
  }
}
