// The process of the server under test: the program, or a bare node:http or node:http2 server that answers with a constant.
// Sends its addresses and its resource use to the parent process.

import { createServer, type Server } from 'node:http'
import { createServer as createHttp2Server, type ServerHttp2Stream } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { startApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { CHANNELS } from '../src/features/channels/port.ts'
import { benchAccount, importAccounts } from './accounts.ts'
import { bareSubmitServer } from './bare-submits.ts'
import { importChannels } from './channels.ts'
import { fillHub, fillNetwork } from './fill.ts'
import type { ServerUrls, UsageOrder } from './server-process.ts'

const FREE_PORTS = Object.fromEntries(
  ['HUB', 'GRPC', 'APP', 'REGISTRY', 'PLATFORM', 'ACCOUNTS', 'WEB', 'OPS'].map((name) => [
    `ROOKERY_${name}_PORT`,
    '0',
  ]),
)

/** Interval of the samples of the memory. */
const RSS_INTERVAL_MS = 50

const [kind = '', argument = '0'] = process.argv.slice(2)

if (kind === 'bare') {
  const constant = Buffer.alloc(Number(argument), 'x')
  const server = createServer((request, response) => {
    request.resume()
    request.on('end', () => {
      response.setHeader('content-type', 'application/json; charset=utf-8')
      response.end(constant)
    })
  })
  listen(server)
} else if (kind === 'bare-submits') {
  listen(bareSubmitServer(Number(argument)))
} else if (kind === 'bare-http2') {
  const frame = Buffer.alloc(5 + Number(argument))
  frame.writeUInt32BE(Number(argument), 1)
  const server = createHttp2Server()
  server.on('stream', (stream: ServerHttp2Stream) => {
    stream.resume()
    stream.on('end', () => {
      stream.respond({ 'content-type': 'application/grpc+proto' }, { waitForTrailers: true })
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }))
      stream.end(frame)
    })
  })
  server.listen(0, '127.0.0.1', () => {
    const grpc = `127.0.0.1:${(server.address() as AddressInfo).port}`
    answerParent({ url: '', hubUrl: '', opsUrl: '', grpc }, async () => 0)
  })
} else {
  const config = readConfig({ ...process.env, ...FREE_PORTS }, 'development')
  const app = await startApp({ config })
  const count = Number(argument)
  if (kind === 'app-fill' || kind === 'hub-fill') {
    const fill = kind === 'app-fill' ? fillNetwork : fillHub
    await fill(app, config, { users: count, messages: Number(process.env.BENCH_MESSAGES) })
  } else if (kind !== 'app') {
    const accounts = kind === 'platform' ? 1 : count
    await importAccounts(
      app.ledger!,
      Array.from({ length: accounts }, (_, i) => benchAccount(i + 1)),
    )
    if (kind === 'platform') await importChannels(app.of(CHANNELS), count)
  }
  const { hub, registry, platform, operations } = app.urls
  const url = { registry, platform, app: app.urls.app }[kind] ?? hub
  const urls = { url, hubUrl: hub, opsUrl: operations, grpc: app.urls.grpc }
  answerParent(urls, app.storage.sizeBytes)
}

function listen(server: Server): void {
  server.listen(0, '127.0.0.1', () => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    answerParent({ url, hubUrl: url, opsUrl: url, grpc: '' }, async () => 0)
  })
}

function answerParent(urls: ServerUrls, diskBytes: () => Promise<number>): void {
  let peakRssBytes = 0
  const delays = monitorEventLoopDelay({ resolution: 1 })
  const look = () => {
    peakRssBytes = Math.max(peakRssBytes, process.memoryUsage.rss())
  }
  setInterval(look, RSS_INTERVAL_MS).unref()
  process.on('message', async (order: UsageOrder) => {
    look()
    const { user, system } = process.cpuUsage()
    const longestStallMs = delays.max / 1e6
    process.send?.({
      cpuSeconds: (user + system) / 1e6,
      rssBytes: process.memoryUsage.rss(),
      peakRssBytes,
      diskBytes: await diskBytes(),
      heldBytes: order === 'after a collection' ? heldBytes() : 0,
      longestStallMs,
    })
    peakRssBytes = 0
    delays.disable()
    delays.reset()
    if (order === 'stalls from now on') delays.enable()
  })
  process.on('disconnect', () => process.exit(0))
  process.send?.(urls)
}

function heldBytes(): number {
  if (!globalThis.gc) return 0
  globalThis.gc()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
