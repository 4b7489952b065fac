import { get, load } from './client.ts'
import type { Floor } from './report.ts'
import { startServer } from './server-process.ts'

/** Number of connections that send requests. */
export const READERS = 64

/** Measures plain node:http answering with a constant of this size. */
export async function bareServer(bytes: number, number: number): Promise<Floor> {
  const bare = await startServer('bare', bytes, {})
  const requests = Array.from({ length: number }, () => get('/'))
  await load(bare.url, requests.slice(0, number / 4), READERS)
  const before = await bare.usage()
  const { perSecond, requests: answered } = await load(bare.url, requests, READERS)
  const after = await bare.usage()
  bare.stop()
  const cpuUs = ((after.cpuSeconds - before.cpuSeconds) / answered) * 1e6
  return { name: 'bare server', perSecond, cpuUs }
}
