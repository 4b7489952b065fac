import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { type SentToApp, tellSent, watchSent } from '../../kernel/deliveries/sent.ts'
import { Recorder } from './recorder.ts'
import { replay } from './replay.ts'
import { readSession, writeSession } from './session.ts'

const NOW_MS = 1_767_225_600_000

/** A recorder, and what tells it of deliveries. */
function startRecorder(t: TestContext) {
  const by = {}
  const recorder = new Recorder(by, { now: () => NOW_MS })
  t.after(() => recorder.stop())
  const told = (id: string, what: SentToApp) => tellSent(() => ({ by, id, what }))
  return {
    recorder,
    webhook: (id: string, url: string) => told(id, { kind: 'webhook', url, body: '{}' }),
    signIn: (id: string, url: string) =>
      told(id, { kind: 'sign-in', url, domain: 'app.example', fid: 1 }),
    paths: () => recorder.list().map(({ path }) => path),
  }
}

describe('the recorder of a development network', () => {
  it('the recorder leaves out addresses to which nothing can be sent, and its file is readable', async (t) => {
    const { recorder, webhook, signIn, paths } = startRecorder(t)
    for (const [i, url] of ['myapp://login', 'myapp:login', 'no address'].entries()) {
      signIn(`outside ${i}`, url)
    }
    webhook('slashes', 'https://app.example//hook')
    webhook('backslash', 'https://app.example/\\hook')
    signIn('page', 'https://app.example/login')
    webhook('hook', 'https://app.example')
    assert.deepEqual(paths(), ['/login', '/'])
    const folder = mkdtempSync(join(tmpdir(), 'rookery-recorder-'))
    t.after(() => rmSync(folder, { recursive: true }))
    const file = join(folder, 'session.ndjson')
    await writeSession(file, recorder.list())
    assert.deepEqual(await readSession(file), recorder.list())
  })

  it('the recorder takes an id once, and again after a revert', (t) => {
    const { recorder, webhook, paths } = startRecorder(t)
    webhook('1', 'https://app.example/first')
    webhook('1', 'https://app.example/first')
    assert.deepEqual(paths(), ['/first'])
    recorder.reverted()
    webhook('1', 'https://app.example/second')
    webhook('1', 'https://app.example/second')
    assert.deepEqual(paths(), ['/first', '/second'])
  })

  it('a replay goes to the host that was named, whatever the path is', async (t) => {
    const got: string[] = []
    const app = createServer((request, response) => {
      got.push(request.url!)
      response.end()
    })
    const network = createServer((_request, response) => response.end('{"unixSeconds":1}'))
    for (const server of [app, network]) {
      server.listen(0, '127.0.0.1')
      await once(server, 'listening')
      t.after(() => server.closeAllConnections())
      t.after(() => void server.close())
    }
    const at = (server: typeof app) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const urls = { platform: at(network), app: at(network), operations: at(network) }
    const entry = { kind: 'webhook', at: '', body: {} } as const
    const session = [{ ...entry, path: '//other.example/hook' }]
    await replay(session, { to: at(app), secret: 's' }, urls)
    assert.deepEqual(got, ['//other.example/hook'])
  })
})

it('what a watcher throws is a warning, and the others are told', async (t) => {
  const by = {}
  const told: string[] = []
  t.after(
    watchSent(by, () => {
      throw new Error('the watcher failed')
    }),
  )
  t.after(watchSent(by, (_what, id) => void told.push(id)))
  const warned = once(process, 'warning')
  tellSent(() => ({ by, id: '1', what: { kind: 'webhook', url: 'https://a.example', body: '' } }))
  const [warning] = await warned
  assert.match(warning.message, /the watcher failed/)
  assert.deepEqual(told, ['1'])
})
