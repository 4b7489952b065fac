// What a pool of connections does when hosts fall silent, through proxies that freeze.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createDatabase } from '../../../../test/postgres.ts'
import { startTcpProxy, type TcpProxy } from '../../../../test/tcp-proxy.ts'
import { ConnectionPool } from './postgres-pool.ts'

const HOURS_MS = 10_000_000
const STATEMENT_MS = 1_000

let database: Awaited<ReturnType<typeof createDatabase>>
let proxy: TcpProxy
before(async () => {
  database = await createDatabase('template0')
  const { hostname, port } = new URL(database.url)
  proxy = await startTcpProxy({ host: hostname, port: Number(port) })
})
after(async () => {
  await proxy?.close()
  await database?.drop()
})

const proxied = () => {
  const url = new URL(database.url)
  url.port = String(proxy.port)
  return url.href
}
const poolOf = (hosts: readonly string[]) =>
  new ConnectionPool({
    url: { hosts, target: 'read-write' },
    maxConnections: 4,
    preparesStatements: true,
    statementTimeoutMs: STATEMENT_MS,
    connectTimeoutMs: HOURS_MS,
  })
const ONE = { text: 'select 1' }

test('a host that accepts connections and stays silent does not hold up the next one', async () => {
  proxy.freeze()
  const pool = poolOf([proxied(), database.url])
  const connection = await pool.lend()
  await connection.query(ONE)
  pool.release(connection)
  await pool.close()
  proxy.cut()
  proxy.thaw()
})

test('when connections fall silent, idle ones of the same age are closed, and one that was opened since is kept', async () => {
  const pool = poolOf([proxied()])
  const [silent, later, idle] = [await pool.lend(), await pool.lend(), await pool.lend()]
  pool.release(idle)
  proxy.freeze()
  const lost = [silent, later].map((one) => assert.rejects(one.query(ONE), /did not answer/))
  proxy.thaw()
  // The idle one is lent once more: of two new ones, one stays in use.
  const [frozen, fresh] = [await pool.lend(), await pool.lend()]
  assert.equal(frozen, idle)
  await fresh.query(ONE)
  pool.release(fresh)
  pool.release(frozen)
  await lost[0]
  pool.release(silent)
  await lost[1]
  pool.release(later)
  assert.equal(await pool.lend(), fresh)
  assert.notEqual(await pool.lend(), idle)
  await pool.close()
})
