import assert from 'node:assert/strict'
import { tmpdir } from 'node:os'
import { test } from 'node:test'
import { createDatabase, openPatient } from '../../../../test/postgres.ts'
import { fileCautions, fileSystemCautions, settingCautions } from './cautions.ts'

const LIMITS = { readConnections: 8, writeConnections: 8 }
const GOOD = {
  fsync: 'on',
  full_page_writes: 'on',
  server_version_num: '150004',
  max_connections: '52',
  superuser_reserved_connections: '3',
}
const found = (settings: object) =>
  settingCautions(new Map(Object.entries(settings)), LIMITS).map((caution) => caution.found)

test('a PostgreSQL that flushes, is new enough and has enough connections gets no caution', () => {
  assert.deepEqual(found(GOOD), [])
})

test('each setting of PostgreSQL that endangers the data or the service has a caution of its own', () => {
  assert.match(found({ ...GOOD, fsync: 'off' }).join(), /fsync = off: a power cut/)
  assert.match(found({ ...GOOD, full_page_writes: 'off' }).join(), /full_page_writes = off/)
  assert.match(found({ ...GOOD, server_version_num: '140012' }).join(), /14 is older than 15/)
  assert.match(found({ ...GOOD, max_connections: '51' }).join(), /allows 48 .* may open 49/)
})

test('a database without the settings of PostgreSQL gets no caution', () => {
  assert.deepEqual(found({}), [])
})

test('the settings are read from a running server', async (t) => {
  const database = await createDatabase()
  const engine = openPatient(database.url, { readConnections: 1_000 })
  t.after(async () => {
    await engine.close()
    await database.drop()
  })
  const cautions = await engine.cautions()
  assert.match(cautions.map((one) => one.found).join('; '), /and this process may open 3025/)
})

test('data of SQLite on a network file system get a caution, also where the sign of its type is extended', () => {
  const CIFS = 0xff534d42
  for (const type of [0x6969, CIFS, CIFS - 2 ** 32]) {
    assert.match(fileSystemCautions(type, '/srv')[0]!.found, /^\/srv is on .* network file system/)
  }
  const EXT4 = 0xef53
  assert.deepEqual(fileSystemCautions(EXT4, '/srv'), [])
  assert.deepEqual(fileCautions(tmpdir()), [])
})
