// `npm run fuzz -- --requests 1000000 --seed 1 --engine sqlite`: random requests to every interface of a server, a tenth as
// many documents of mini apps, and a report of what came back. Ends with 1 when anything was a fault of the server.

import { parseArgs } from 'node:util'
import { startPostgres } from '../postgres.ts'
import { runSeed } from '../random.ts'
import { fuzz } from './fuzz.ts'
import { fuzzMiniAppDocuments } from './mini-app-documents.ts'

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: String(runSeed()) },
    engine: { type: 'string', default: 'sqlite' },
  },
})
const engine = values.engine === 'postgres' ? 'postgres' : 'sqlite'
const postgres = engine === 'postgres' ? await startPostgres({ flushes: false }) : undefined
if (postgres) process.env.TEST_DATABASE_URL = postgres.url

console.log(`seed ${values.seed}, ${values.requests} requests, on ${engine}`)
const {
  faults: found,
  memory,
  counts,
  sent,
  seconds,
} = await fuzz({
  seed: Number(values.seed),
  requests: Number(values.requests),
  engine,
  onProgress: (count) => console.log(`${count} sent`),
})
await postgres?.stop()

const documents = Math.ceil(Number(values.requests) / 10)
const read = fuzzMiniAppDocuments(Number(values.seed), documents)
const faults = [...found, ...read.faults]

const mib = (bytes: number) => `${Math.round(bytes / 1024 / 1024)} MiB`
console.log(`${sent} requests in ${Math.round(seconds)} s, ${documents} documents of mini apps`)
for (const result of Object.keys(counts).sort()) console.log(`${result}: ${counts[result]}`)
for (const [kind, n] of Object.entries(read.valid)) console.log(`valid ${kind}: ${n}`)
for (const { sent, heap, rss } of memory) {
  console.log(`after ${sent}: heap ${mib(heap)}, process ${mib(rss)}`)
}
for (const fault of faults) console.log(`FAULT ${fault}`)
process.exitCode = faults.length === 0 ? 0 : 1
