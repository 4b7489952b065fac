import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { it } from 'node:test'
import { openWholeStore, SCHEMA } from '../../store.ts'
import { fidFloor, putFidFloor } from '../accounts/fid-floor.ts'
import { claimStoreId } from './engines/data-mode.ts'
import { WrongNetworkError } from './storage.ts'
import { STORE_ID_CURSOR } from './store-id.ts'
import { UNDECLARED_TABLES } from './tables/tables.ts'

it('a reset deletes every row apart from the network, its lowest fid and the newest ids, and gives the data another id', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'rookery-reset-'))
  const storage = await openWholeStore({ dataDir, network: 'devnet' })
  await storage.write('hub', async (tx) => {
    await tx.cursors.put('something', 'stored')
    await putFidFloor(tx, 5)
    await tx.events.append([{ id: 4096, type: 1, body: new Uint8Array(1) }])
  })
  await claimStoreId(storage)
  const id = await storage.cursors.get(STORE_ID_CURSOR)
  await claimStoreId(storage)
  assert.equal(await storage.cursors.get(STORE_ID_CURSOR), id)
  await storage.reset()
  const next = await storage.cursors.get(STORE_ID_CURSOR)
  assert.ok(id && next && id !== next)
  assert.equal(await storage.cursors.get('something'), undefined)
  assert.equal(await fidFloor(storage), 5)
  assert.equal(await storage.write('hub', async (tx) => tx.newestId), 4096)
  await storage.close()

  const database = new DatabaseSync(join(dataDir, 'rookery.sqlite'))
  const tables = database.prepare("select name from sqlite_master where type = 'table'").all()
  // The numbers of keys never change.
  const own = ['lock', 'lease', 'schema_migration', 'schema_part', 'signer_key']
  const names = tables.map(({ name }) => String(name)).filter((name) => !own.includes(name))
  assert.deepEqual(
    names.sort(),
    [...[...SCHEMA.tables.map(({ name }) => name), ...UNDECLARED_TABLES]].sort(),
  )
  const rows = names.filter((name) => database.prepare(`select 1 from ${name}`).all().length > 0)
  assert.deepEqual(rows, ['cursor'])
  database.close()
  await assert.rejects(openWholeStore({ dataDir, network: 'mainnet' }), WrongNetworkError)
  rmSync(dataDir, { recursive: true })
})
