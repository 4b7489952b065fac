// Data with four shards on PostgreSQL beside data with one: the same rows, and statements that name their shard.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import {
  create,
  type DescMessage,
  fromBinary,
  type MessageInitShape,
  toBinary,
} from '@bufbuild/protobuf'
import { Candidate } from '../src/hub/candidate.ts'
import { verifyStore } from '../src/hub/integrity-check.ts'
import { mergeBatch } from '../src/hub/merge.ts'
import { MergeMemory } from '../src/hub/merge-memory.ts'
import {
  castAdd,
  castRemove,
  linkAdd,
  linkCompactState,
  linkRemove,
  reactionAdd,
  userDataAdd,
} from '../src/protocol/build.ts'
import { shardOfFid, shardOfId } from '../src/protocol/shards.ts'
import { ReactionType, UserDataType } from '../src/protocol/wire/message_pb.js'
import * as rpc from '../src/protocol/wire/rpc_pb.js'
import { openPostgres } from '../src/storage/postgres.ts'
import { Connection } from '../src/storage/postgres-connection.ts'
import { SHARDED_TABLES } from '../src/storage/shard-statements.ts'
import { followEvents, rawClient, subscribeRequest } from './grpc-support.ts'
import { accepted } from './hub-support.ts'
import { createWorld, type TestAccount, testAccount, type World } from './world.ts'

const SHARDS = 4
const FIDS = Array.from({ length: 12 }, (_, i) => i + 1)
const OF_EACH_SHARD = new Set([1, 2, 3, 4])

type ShardInfo = {
  readonly shardId: number
  readonly numMessages: number
  readonly numFidRegistrations: number
  readonly approxSize: number
}

const worldWith = (shards: number) =>
  createWorld({ engine: 'postgres', env: { ROOKERY_SHARDS: String(shards) } })

/** Messages of every kind that merging treats in its own way, with what they replace and remove. */
function messagesOf(world: World, account: TestAccount, from = 100) {
  const at = (seconds: number) => world.origin(account, from - 100 + seconds)
  const cast = world.sign(account, castAdd(at(100), 'one'))
  const other = (account.fid % FIDS.length) + 1
  return [
    cast,
    world.sign(
      account,
      castAdd(at(101), { text: 'two', mentions: [1n, 2n], mentionsPositions: [0, 1] }),
    ),
    world.sign(account, linkAdd(at(102), 'follow', other)),
    world.sign(account, linkAdd(at(103), 'follow', 99)),
    world.sign(account, linkRemove(at(104), 'follow', other)),
    world.sign(account, linkCompactState(at(105), 'follow', [other, 7])),
    world.sign(account, reactionAdd(at(106), ReactionType.LIKE, { fid: other, hash: cast.hash })),
    world.sign(account, userDataAdd(at(107), UserDataType.USER_DATA_TYPE_BIO, 'old')),
    world.sign(account, userDataAdd(at(108), UserDataType.USER_DATA_TYPE_BIO, 'new')),
    world.sign(account, castRemove(at(109), cast.hash)),
  ]
}

async function fill(world: World): Promise<void> {
  const accounts = await world.accounts(FIDS)
  await Promise.all(
    accounts.map(async (account) => {
      for (const message of messagesOf(world, account)) accepted(await world.submit(message))
    }),
  )
}

/** The rows of the sharded tables without ids, which differ, and without shards. */
async function rowsOf(world: World): Promise<Record<string, string[]>> {
  const engine = openPostgres(world.env.DATABASE_URL!)
  const rows: Record<string, string[]> = {}
  try {
    for (const table of Object.keys(SHARDED_TABLES)) {
      const of = table === 'event' ? 'type, body, message, deleted' : '*'
      const found = await engine.all(
        `select row_to_json(t)::text as row from (select ${of} from ${table}) t`,
      )
      rows[table] = found
        .map(({ row }) => {
          const { id: _, shard: __, ...rest } = JSON.parse(row as string)
          return JSON.stringify(rest)
        })
        .sort()
    }
    return rows
  } finally {
    await engine.close()
  }
}

describe('four shards', () => {
  let four: World
  before(async () => {
    four = await worldWith(SHARDS)
    await fill(four)
  })
  after(() => four.close())

  test('the rows are those of one shard, each with the shard of its fid, and verify finds nothing', async (t) => {
    const one = await worldWith(1)
    t.after(() => one.close())
    await fill(one)
    assert.deepEqual(await rowsOf(four), await rowsOf(one))

    const engine = openPostgres(four.env.DATABASE_URL!)
    t.after(() => engine.close())
    for (const table of Object.keys(SHARDED_TABLES)) {
      const isEvent = table === 'event'
      const rows = await engine.all(`select ${isEvent ? 'id' : 'fid'} as of, shard from ${table}`)
      assert.ok(rows.length > 0, table)
      for (const { of, shard } of rows) {
        const wanted = isEvent ? shardOfId(Number(of), SHARDS) : shardOfFid(Number(of), SHARDS)
        assert.equal(shard, wanted, `${table} of ${of}`)
      }
    }
    const report = await verifyStore(four.app.storage, { network: 3 })
    assert.equal(report.differences, 0, report.examples.join('\n'))
    const next = (by: number) =>
      `update message set shard = (shard + ${by} - 1) % ${SHARDS} + 1 where fid = 1 and type = 1`
    await engine.all(next(1))
    const moved = await verifyStore(four.app.storage, { network: 3 })
    assert.deepEqual(moved.kinds, { shard: 1 })
    await engine.all(next(SHARDS - 1))
    const info = accepted(await four.get('/v1/info?dbstats=1'))
    assert.equal(info.numShards, SHARDS)
    assert.equal(info.dbStats.numMessages, await one.app.storage.messages.count())
    const counts = await engine.all(
      `select s.shard as "shardId", (select count(*) from message m where m.shard = s.shard) as "numMessages",
         (select count(*) from custody c where c.shard = s.shard) as "numFidRegistrations"
       from generate_series(1, ${SHARDS}) s(shard) order by s.shard`,
    )
    const told = info.shardInfos.map(
      ({ shardId, numMessages, numFidRegistrations }: ShardInfo) => ({
        shardId,
        numMessages,
        numFidRegistrations,
      }),
    )
    assert.deepEqual(told, counts)
    const sizes = info.shardInfos.reduce((all: number, one: ShardInfo) => all + one.approxSize, 0)
    assert.ok(Math.abs(sizes - info.dbStats.approxSize) <= SHARDS)
  })

  test('events name their shard, and shard_index chooses those of one', async () => {
    const world = four
    const all = accepted(await world.get('/v1/events')).events
    const ids: number[] = []
    for (const shard of OF_EACH_SHARD) {
      const own = accepted(await world.get(`/v1/events?shard_index=${shard}`)).events
      assert.ok(own.length > 0)
      for (const event of own) assert.equal(event.shardIndex, shard)
      ids.push(...own.map(({ id }: { id: number }) => id))
    }
    assert.deepEqual(
      ids.sort((a, b) => a - b),
      all.map(({ id }: { id: number }) => id),
    )
    for (const { id, shardIndex } of all) {
      const own = await world.get(`/v1/eventById?event_id=${id}&shard_index=${shardIndex}`)
      assert.equal(accepted(own).id, id)
      const other = (shardIndex % SHARDS) + 1
      const elsewhere = await world.get(`/v1/eventById?event_id=${id}&shard_index=${other}`)
      assert.equal(elsewhere.status, 404)
    }
    for (const path of ['events?', `eventById?event_id=${ids[0]}&`, 'events?reverse=true&']) {
      const refused = await world.get(`/v1/${path}shard_index=5`)
      assert.equal(refused.status, 400)
      assert.match(JSON.stringify(refused.body), /shards 1 to 4/)
    }
  })

  test('shard_id chooses the fids of one shard, page by page', async () => {
    for (const shard of OF_EACH_SHARD) {
      const own = FIDS.filter((fid) => shardOfFid(fid, SHARDS) === shard)
      for (const [order, expected] of [
        ['0', own],
        ['1', own.toReversed()],
      ] as const) {
        const found: number[] = []
        let token = ''
        do {
          const path = `/v1/fids?shard_id=${shard}&pageSize=1&reverse=${order}&pageToken=${token}`
          const page = accepted(await four.get(path))
          found.push(...page.fids)
          token = encodeURIComponent(page.nextPageToken ?? '')
        } while (token)
        assert.deepEqual(found, expected)
      }
    }
    assert.deepEqual(accepted(await four.get('/v1/fids?shard_id=0')).fids, FIDS)
    const refused = await four.get('/v1/fids?shard_id=5')
    assert.equal(refused.status, 400)
    assert.match(JSON.stringify(refused.body), /shards 1 to 4.*shard_id|shard_id.*shards 1 to 4/)
  })

  test('gRPC chooses events and fids of a shard as HTTP does, and refuses shards that do not exist', async (t) => {
    const client = rawClient(four.app.urls.grpc)
    t.after(() => client.close())
    const ask = async <I extends DescMessage, O extends DescMessage>(
      [method, input, output]: readonly [string, I, O],
      init: MessageInitShape<I>,
    ) => {
      const ended = await client.call(method, toBinary(input, create(input, init)))
      return ended.bytes ? fromBinary(output, ended.bytes) : ended.errCode
    }
    const fids = ['GetFids', rpc.FidsRequestSchema, rpc.FidsResponseSchema] as const
    const events = ['GetEvents', rpc.EventsRequestSchema, rpc.EventsResponseSchema] as const
    const info = ['GetInfo', rpc.HubInfoRequestSchema, rpc.HubInfoResponseSchema] as const
    const told = accepted(await four.get('/v1/info')).shardInfos as ShardInfo[]
    const answer = await ask(info, {})
    assert.ok(typeof answer === 'object')
    assert.deepEqual(
      answer.shardInfos.map(({ shardId, numMessages }) => [shardId, Number(numMessages)]),
      told.map(({ shardId, numMessages }) => [shardId, numMessages]),
    )
    for (const shard of OF_EACH_SHARD) {
      const page = accepted(await four.get(`/v1/events?shard_index=${shard}`))
      const expected = page.events.map(({ id }: { id: number }) => id)
      const read = await ask(events, { shardIndex: shard })
      assert.ok(typeof read === 'object')
      assert.deepEqual(
        read.events.map(({ id, shardIndex }) => [Number(id), shardIndex]),
        expected.map((id: number) => [id, shard]),
      )
      const request = subscribeRequest({ fromId: 0n, shardIndex: BigInt(shard) })
      const stream = client.serverStream('Subscribe', request)
      const followed = followEvents(stream)
      await followed.until(expected.at(-1))
      stream.cancel()
      assert.deepEqual(followed.ids, expected)
      const own = await ask(fids, { shardId: shard })
      assert.ok(typeof own === 'object')
      assert.deepEqual(
        own.fids.map(Number),
        FIDS.filter((fid) => shardOfFid(fid, SHARDS) === shard),
      )
    }
    assert.equal(await ask(fids, { shardId: 5 }), 'bad_request.invalid_param')
    assert.equal(await ask(events, { shardIndex: 5 }), 'bad_request.invalid_param')
    const { status } = followEvents(
      client.serverStream('Subscribe', subscribeRequest({ shardIndex: 5n })),
    )
    assert.match((await status).details, /shards 1 to 4/)
  })

  test('the tables can be spread, and the statements of a batch name one shard', async (t) => {
    const world = four
    const accounts = FIDS.map(testAccount)
    const engine = openPostgres(world.env.DATABASE_URL!)
    t.after(() => engine.close())
    // What the engine that spreads tables asks of one: that each of its unique indexes has the column.
    await engine.all('create table spread (name text primary key)')
    await engine.all(`
      create function create_distributed_table(name text, col text, colocate_with text default '')
      returns void language plpgsql as $$ begin
        if exists (select 1 from pg_index i where i.indrelid = name::regclass and i.indisunique
            and not exists (select 1 from pg_attribute a where a.attrelid = i.indrelid
              and a.attname = col and a.attnum = any (i.indkey))) then
          raise exception 'a unique index of % lacks %', name, col;
        end if;
        insert into spread values (name);
      end $$`)
    const text = readFileSync('deploy/citus.sql', 'utf8').replace(/^--.*$/gm, '')
    for (const statement of text.split(';')) if (statement.trim()) await engine.all(statement)
    const spread = await engine.all('select name from spread order by name')
    assert.deepEqual(
      spread.map(({ name }) => name),
      Object.keys(SHARDED_TABLES).sort(),
    )

    const fid = FIDS.find((one) => shardOfFid(one, SHARDS) === 3)!
    const account = accounts[fid - 1]!
    const messages = messagesOf(world, account, 200).map((message) =>
      Candidate.of(message, undefined),
    )
    const texts: string[] = []
    const { query } = Connection.prototype
    t.mock.method(
      Connection.prototype,
      'query',
      function (this: Connection, ...given: Parameters<typeof query>) {
        texts.push(given[0].text)
        return query.apply(this, given)
      },
    )
    const memory = new MergeMemory()
    const context = { nowMs: world.clock.now(), network: 3, enforceBlocks: true, memory }
    const outcomes = await world.app.storage.write('hub/3', (tx) => {
      texts.length = 0
      return mergeBatch(tx, messages, context)
    })
    for (const outcome of outcomes) assert.ok('id' in outcome, String(outcome))
    const tables = new RegExp(
      `\\b(?:from|join|into|update) (${Object.keys(SHARDED_TABLES).join('|')})\\b`,
      'g',
    )
    const named = new Set<string>()
    for (const one of texts) {
      const used = [...one.matchAll(tables)].map(([, table]) => table!)
      if (used.length === 0) continue
      for (const table of used) named.add(table)
      const inserts = /insert into \w+ \(\s*shard,[^)]*\)\s*select 3,/.test(one)
      const conditions = one.match(/\.shard = 3\b/g)?.length ?? 0
      assert.ok(inserts || conditions >= used.length, `names no shard: ${one}`)
      assert.doesNotMatch(one, /shard = [^3]/)
    }
    for (const table of [
      'message',
      'event',
      'mention',
      'usage',
      'custody',
      'signer',
      'storage_rent',
    ]) {
      assert.ok(named.has(table), `no statement used ${table}`)
    }
  })
})
