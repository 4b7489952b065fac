import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openPatient, PATIENT } from '../../../test/postgres.ts'
import { NETWORK, postgresPlace } from '../../../test/storage-support.ts'
import { openWholeStore } from '../../store.ts'

/** What earlier versions did to an empty database with several shards. */
const SHARDED = {
  message: 'id',
  event: 'id',
  mention: 'mentioned, timestamp, hash, fid',
  usage: 'fid, store',
  chain_event: 'fid, type, block_number, log_index',
  custody: 'fid',
  signer: 'fid, key',
  storage_rent: 'fid, block_number, log_index',
}
const bytes = (value: number, length: number) => `'\\x${`0${value}`.repeat(length)}'`

const EARLIER = [
  ...Object.entries(SHARDED).flatMap(([table, key]) => [
    `alter table ${table} add column shard smallint not null`,
    `alter table ${table} drop constraint ${table}_pkey`,
    `alter table ${table} add primary key (${key}, shard)`,
  ]),
  'drop index message_slot',
  'create unique index message_slot on message (slot, shard)',
  "insert into lock (name, turns, value) values ('hub 1', 0, 0), ('hub 2', 0, 0)",
  "insert into cursor (name, value) values ('shards', '2')",
  `insert into event (shard, id, type) values (1, 64, 1), (2, 65, 1), (2, 129, 1)`,
  ...[1, 2].map(
    (n) => `insert into message
      (shard, id, fid, store, type, timestamp, hash, slot, signer, signature, form, data)
      values (${n}, ${63 + n}, ${n}, 1, 1, 5, ${bytes(n, 20)}, ${bytes(n, 1)}, ${bytes(n, 32)},
        ${bytes(n, 64)}, 1, ${bytes(n, 9)})`,
  ),
  `insert into row_total (name, change, value)
    values ('message/1', 4, 1), ('message/2', 9, 1), ('cast/1', 1, 1), ('cast/2', 1, 1)`,
  'delete from schema_migration where id = 26',
  'delete from schema_part where id = 26',
]

test('data that were made with several shards are moved to one', async (t) => {
  const place = await postgresPlace()
  t.after(place.drop)
  await (await place.open()).close()
  const engine = openPatient(place.url)
  t.after(() => engine.close())
  for (const text of EARLIER) await engine.all(text)

  const open = () =>
    openWholeStore({
      databaseUrl: place.url,
      postgresLimits: PATIENT,
      dataDir: '',
      network: NETWORK,
    })
  const storage = await open()
  t.after(() => storage.close())
  assert.deepEqual(
    (await storage.events.list(0, 10)).map(({ id }) => id),
    [64, 65, 129],
  )
  assert.equal(await storage.messages.count(), 2)
  const [first] = await storage.messages.bySlots([Uint8Array.of(1)])
  assert.equal(first?.fid, 1)
  assert.deepEqual(await storage.audit.wrongTotals(), [])
  // One lock gives the next id, and the keys and slots are unique again.
  await storage.write('hub', async (tx) => {
    assert.equal(tx.newestId, 129)
    await tx.events.append([{ id: 130, type: 1 }])
  })
  await assert.rejects(storage.write('hub', (tx) => tx.events.append([{ id: 64, type: 1 }])))
  await assert.rejects(
    storage.write('hub', (tx) => tx.messages.insert([{ ...first!, id: 130, mentions: [] }])),
  )
  const left = await engine.all(
    `select name from lock where name like 'hub %'
      union all select table_name from information_schema.columns where column_name = 'shard' and table_name <> 'mirror_shard'
      union all select name from cursor where name = 'shards'`,
  )
  assert.deepEqual(left, [])
})
