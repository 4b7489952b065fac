import { openWholeStore } from '../src/store.ts'
// Security finding 17 against a real PostgreSQL behind real TLS.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { createDatabase } from './postgres.ts'
import { startTlsProxy } from './tls-proxy.ts'

const fixture = (name: string) => fileURLToPath(new URL(`../fixtures/tls/${name}`, import.meta.url))
const certificate = (name: string) => ({
  cert: readFileSync(fixture(`${name}.pem`)),
  key: readFileSync(fixture(`${name}.key`)),
})

/** A database behind a proxy, under an address that is not one of this machine by its name. */
async function remoteDatabase(t: TestContext, name?: string) {
  const database = await createDatabase()
  t.after(() => database.drop())
  const { username, password, hostname, port, pathname } = new URL(database.url)
  const proxy = await startTlsProxy({
    target: { host: hostname, port: Number(port) },
    ...(name !== undefined && { certificate: certificate(name) }),
  })
  t.after(() => proxy.close())
  const url = `postgres://${username}:${password}@0.0.0.0:${proxy.port}${pathname}`
  return { proxy, url }
}

const TRUSTED = `sslrootcert=${encodeURIComponent(fixture('ca.pem'))}`

const LIMITS = { connectTimeoutMs: 60_000, readConnections: 1, writeConnections: 1 }
const open = (url: string) =>
  openWholeStore({ databaseUrl: url, dataDir: '', network: 'devnet', postgresLimits: LIMITS })

test('security finding 17: a database on another machine is spoken to only after its certificate was verified', async (t) => {
  const { proxy, url } = await remoteDatabase(t, 'server')
  await assert.rejects(open(url), /certificate/)
  assert.equal(proxy.forwarded, 0, 'nothing was sent to a server that is not trusted')
  const storage = await open(`${url}?${TRUSTED}`)
  await storage.write('hub', (tx) => tx.cursors.put('name', 'value'))
  assert.equal(await storage.cursors.get('name'), 'value')
  await storage.close()
  assert.ok(proxy.forwarded > 0)
})

test('security finding 17: a trusted certificate for another name is refused', async (t) => {
  const { proxy, url } = await remoteDatabase(t, 'other-name')
  await assert.rejects(open(`${url}?${TRUSTED}`), /altnames|does not match/i)
  assert.equal(proxy.forwarded, 0)
})

test('security finding 17: a server without TLS is refused, and used in clear text only when the URL says so', async (t) => {
  const { proxy, url } = await remoteDatabase(t)
  await assert.rejects(open(url), /SSL/)
  assert.equal(proxy.forwarded, 0)
  const storage = await open(`${url}?sslmode=disable`)
  await storage.close()
  assert.ok(proxy.forwarded > 0)
})
