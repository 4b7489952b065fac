import assert from 'node:assert/strict'
import { it } from 'node:test'
import { PATIENCE_MS } from '../../../../test/patience.ts'
import { until } from '../../../../test/until.ts'
import { createSiteFiles } from './site-files.ts'

it('a client that has as many files as one may have ends no file of another client by asking for one more', async () => {
  const files = createSiteFiles({
    allowLoopback: true,
    timeoutMs: PATIENCE_MS,
    slowMs: PATIENCE_MS,
  })
  const ended: string[] = []
  const answers: (() => void)[] = []
  /** A file that is read until it is answered, or ended for others. */
  const read = (ip: string, host: string) => {
    const asked = { url: new URL(`http://${host}/`), ip }
    const reading = async ({ signal }: { readonly signal: AbortSignal }) => {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      answers.push(resolve)
      signal.addEventListener('abort', () => {
        ended.push(ip)
        reject(signal.reason)
      })
      return promise
    }
    return files.runLimited(asked, () => files.read(asked, reading, () => {}))
  }
  const [one, other] = ['203.0.113.1', '203.0.113.2']
  const perClient = 8
  const asked = [other, one].flatMap((ip) =>
    Array.from({ length: perClient }, () => read(ip, 'popular.example')),
  )
  await until(() => answers.length === 2 * perClient, 'all places are taken')
  const all = Promise.allSettled([...asked, read(one, 'quiet.example')])
  await until(() => answers.length === 2 * perClient + 1, 'the one more is read')
  assert.deepEqual(ended, [one])
  for (const answer of answers) answer()
  await all
})
