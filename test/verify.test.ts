// The check of a whole store: silent about what is right, and able to see each way of being wrong.

import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import * as fc from 'fast-check'
import { installAction } from '../src/features/actions/installs.ts'
import { ACTIONS } from '../src/features/actions/port.ts'
import { CHANNELS } from '../src/features/channels/port.ts'
import { MAX_EXAMPLES } from '../src/kernel/hub/jobs/findings.ts'
import { verifyStore } from '../src/kernel/hub/jobs/integrity-check.ts'
import {
  castAdd,
  lendStorage,
  linkAdd,
  linkCompactState,
  userDataAdd,
} from '../src/kernel/protocol/build.ts'
import { MESSAGE_SETS } from '../src/kernel/protocol/slots.ts'
import { networkTime } from '../src/kernel/protocol/time.ts'
import { UserDataType } from '../src/kernel/protocol/wire/message_pb.js'
import type { Engine } from '../src/kernel/storage/engines/engine.ts'
import { openPostgres } from '../src/kernel/storage/engines/postgres.ts'
import type { Sql } from '../src/kernel/storage/engines/sql.ts'
import { joinSqlite } from '../src/kernel/storage/engines/sqlite.ts'
import { encodeStored } from '../src/kernel/storage/messages/message-rows.ts'
import type { StoredMessage } from '../src/kernel/storage/messages/messages.ts'
import { KEYS_START_MS, keyAdd, keyOf, owner } from './gasless-keys-support.ts'
import { arbitraryDraft, Scene } from './message-sets.ts'
import { runSeed } from './random.ts'
import { createWorld, DEVNET, ENGINES, WORLD_START_MS, type World } from './world.ts'

const seed = runSeed()
console.log(`verify: TEST_SEED=${seed}`)

type Kind = (typeof ENGINES)[number]

const SLOT_COLUMN = { sqlite: 'kept_slot', postgres: 'slot' } as const

type Damage = {
  readonly what: string
  /** The kinds that the report must name. */
  readonly finds: readonly string[]
  /** The same on the embedded store, which computes the slot of a cast from its other columns. */
  readonly findsEmbedded?: readonly string[]
  do(sql: Sql, row: StoredMessage, kind: Kind): Promise<unknown>
}

const flipped = (bytes: Uint8Array, at = bytes.length - 1) =>
  Uint8Array.from(bytes, (byte, i) => (i === at ? byte ^ 1 : byte))

const { privateKey: signInKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })

/** Damage to a cast that mentions an account and answers a url. */
const ACTION = 'https://actions.example/upvote'

const DAMAGE: readonly Damage[] = [
  {
    what: 'a row deleted under its lists',
    finds: ['mention', 'usage', 'event message', 'row count'],
    do: (sql, { id }) => sql.all('delete from message where id = ?', [id]),
  },
  {
    what: 'a flipped byte of data',
    finds: ['message hash'],
    do: (sql, { id, data }) =>
      sql.all('update message set data = ? where id = ?', [
        flipped(data, Buffer.from(data).indexOf('hello')),
        id,
      ]),
  },
  {
    what: 'data that is no message',
    finds: ['message hash', 'message data'],
    do: (sql, { id }) =>
      sql.all('update message set data = ? where id = ?', [Uint8Array.of(1, 2, 3), id]),
  },
  {
    what: 'another hash',
    finds: ['message hash', 'message slot', 'mention'],
    findsEmbedded: ['message hash', 'mention'],
    do: (sql, { id, hash }) =>
      sql.all('update message set hash = ? where id = ?', [flipped(hash), id]),
  },
  {
    what: 'another signature',
    finds: ['message signature'],
    do: (sql, { id, signature }) =>
      sql.all('update message set signature = ? where id = ?', [flipped(signature), id]),
  },
  {
    what: 'another signer',
    finds: ['message signature'],
    do: (sql, { id, signer }) =>
      sql.all('update message set signer = ? where id = ?', [flipped(signer), id]),
  },
  {
    what: 'another slot',
    finds: ['message slot'],
    do: (sql, { id, slot }, kind) =>
      sql.all(`update message set ${SLOT_COLUMN[kind]} = ? where id = ?`, [flipped(slot), id]),
  },
  {
    what: 'another target',
    finds: ['message target'],
    do: (sql, { id, target }) =>
      sql.all('update message set target = ? where id = ?', [flipped(target!), id]),
  },
  {
    what: 'no target',
    finds: ['message target'],
    do: (sql, { id }) => sql.all('update message set target = null where id = ?', [id]),
  },
  {
    what: 'another time',
    finds: ['message timestamp', 'mention'],
    do: (sql, { id }) => sql.all('update message set timestamp = timestamp + 1 where id = ?', [id]),
  },
  {
    what: 'another type',
    finds: ['message type', 'row count'],
    findsEmbedded: ['message type', 'message slot', 'row count'],
    do: (sql, { id }) => sql.all('update message set type = 2 where id = ?', [id]),
  },
  {
    what: 'another store',
    finds: ['message store', 'row count', 'usage'],
    do: (sql, { id }) => sql.all('update message set store = 3 where id = ?', [id]),
  },
  {
    what: 'another author',
    finds: ['message fid', 'usage', 'mention'],
    findsEmbedded: ['message fid', 'message slot', 'usage', 'mention'],
    do: (sql, { id }) => sql.all('update message set fid = fid + 1 where id = ?', [id]),
  },
  {
    what: 'a mention missing',
    finds: ['mention'],
    do: (sql, { id }) => sql.all('delete from mention where id = ?', [id]),
  },
  {
    what: 'a mention too many',
    finds: ['mention'],
    do: (sql, { id }) =>
      sql.all(
        `insert into mention (mentioned, timestamp, hash, fid, id)
          select 4242, timestamp, hash, fid, id from message where id = ?`,
        [id],
      ),
  },
  {
    what: 'a wrong counter',
    finds: ['usage'],
    do: (sql, { fid }) =>
      sql.all('update usage set count = count + 1 where fid = ? and store = 1', [fid]),
  },
  {
    what: 'a counter missing',
    finds: ['usage'],
    do: (sql, { fid }) => sql.all('delete from usage where fid = ? and store = 1', [fid]),
  },
  {
    what: 'a counter of nothing',
    finds: ['usage'],
    do: (sql) =>
      sql.all(
        `insert into usage (fid, store, count)
          select fid, 1, 7 from (select 4242 as fid) as one`,
      ),
  },
  ...['message', 'custody', 'name_proof'].map((table) => ({
    what: `a wrong row count of ${table}`,
    finds: ['row count'],
    do: (sql: Sql) => sql.all('update row_total set value = value + 1 where name = ?', [table]),
  })),
  {
    what: 'the event of the newest merge missing',
    finds: ['merge event', 'message id'],
    do: (sql, { id }) => sql.all('delete from event where id = ?', [id]),
  },
  {
    what: 'the event of a merge of another type',
    finds: ['merge event'],
    do: (sql, { id }) => sql.all('update event set type = 2 where id = ?', [id]),
  },
  {
    what: 'an event with a copy of a message that is there',
    finds: ['event message'],
    do: (sql, row) =>
      sql.all('update event set message = ? where id = ?', [encodeStored(row), row.id]),
  },
  {
    what: 'an event about nothing',
    finds: ['event message'],
    do: (sql) =>
      sql.all(
        `insert into event (id, type)
          select id, 1 from (select 1 as id) as one`,
      ),
  },
  {
    what: 'an event that cannot be read',
    finds: ['event bytes'],
    do: (sql) =>
      sql.all(
        `insert into event (id, type, message)
          select id, 1, ? from (select 1 as id) as one`,
        [Uint8Array.of(1)],
      ),
  },
  {
    what: 'an event id that is not positive',
    finds: ['event id'],
    do: async (sql) => {
      await sql.all(
        `insert into event (id, type, body) select id, type, body from (
          select 0 as id, type, body from event where body is not null order by event.id limit 1
        ) as one`,
      )
    },
  },
  {
    what: 'another custody address',
    finds: ['custodies'],
    do: (sql, { fid }) =>
      sql.all('update custody set address = ? where fid = ?', [Buffer.alloc(20, 9), fid]),
  },
  {
    what: 'an account without events',
    finds: ['custodies', 'keys', 'rents'],
    do: (sql, { fid }) => sql.all('delete from chain_event where fid = ?', [fid]),
  },
  {
    what: 'a key switched off',
    finds: ['keys'],
    do: (sql, { fid }) => sql.all('update signer set active = 0 where fid = ?', [fid]),
  },
  {
    what: 'a rent missing',
    finds: ['rents'],
    do: (sql, { fid }) => sql.all('delete from storage_rent where fid = ?', [fid]),
  },
  {
    what: 'a follower that a channel does not count',
    finds: ['channel count'],
    do: (sql) => sql.all("insert into channel_follow values ('birds', 4242, 1)"),
  },
  {
    what: 'a member who is gone',
    finds: ['channel count'],
    do: (sql) => sql.all('delete from channel_standing'),
  },
  {
    what: 'a member that a starter pack does not count',
    finds: ['starter pack count'],
    do: (sql) => sql.all("insert into starter_pack values ('lost', 'Lost', '', '', 1, 1, 1)"),
  },
  {
    what: 'a user that an action does not count',
    finds: ['action count'],
    do: (sql) => sql.all('insert into installed_action values (4242, 1, 1)'),
  },
  {
    what: 'a sponsor with more than it was given',
    finds: ['credits'],
    do: (sql) => sql.all('insert into sponsor_credit values (4242, 5, 0)'),
  },
  {
    what: 'credits set aside for nothing',
    finds: ['credits'],
    async do(sql) {
      await sql.all('insert into sponsor_credit values (4242, 100, 100)')
      await sql.all("insert into sponsor_entry values (4242, 1, 100, 'given', 1)")
    },
  },
  {
    what: 'a gasless key without the message that added it',
    finds: ['gasless key'],
    do: (sql) =>
      sql.all('insert into gasless_key values (?, 4242, 1, 1)', [Uint8Array.from({ length: 32 })]),
  },
  {
    what: 'a gasless key missing',
    finds: ['gasless key'],
    do: (sql) => sql.all('delete from gasless_key'),
  },
  {
    what: 'a gasless key of another fid',
    finds: ['gasless key'],
    do: (sql) => sql.all('update gasless_key set fid = fid + 1'),
  },
  {
    what: 'a gasless key of another app',
    finds: ['gasless key'],
    do: (sql) => sql.all('update gasless_key set request_fid = request_fid + 1'),
  },
  {
    what: 'a gasless key that was used before it was added',
    finds: ['gasless key'],
    do: (sql) => sql.all('update gasless_key set last_used_at = last_used_at - 1'),
  },
  {
    what: 'a nonce of gasless keys that may be used again',
    finds: ['gasless key'],
    do: (sql) => sql.all('update gasless_key_nonce set user_nonce = user_nonce - 1'),
  },
  {
    what: 'no nonce of gasless keys',
    finds: ['gasless key'],
    do: (sql) => sql.all('delete from gasless_key_nonce'),
  },
  {
    what: 'a lend missing',
    finds: ['lent storage'],
    do: (sql) => sql.all('delete from storage_lend'),
  },
  {
    what: 'a lend to another fid',
    finds: ['lent storage'],
    do: (sql) => sql.all('update storage_lend set borrower = borrower + 1'),
  },
  {
    what: 'a lend of more units than its message says',
    finds: ['lent storage'],
    do: async (sql) => {
      await sql.all('update storage_lend set units = units + 1')
      await sql.all('update storage_lent set units = units + 1')
    },
  },
  {
    what: 'a lend that has ended too early',
    finds: ['lent storage'],
    do: async (sql) => {
      await sql.all('update storage_lend set ended_at = since')
      await sql.all('update storage_lent set units = 0')
    },
  },
  {
    what: 'a lend without its message',
    finds: ['lent storage'],
    async do(sql) {
      await sql.all('insert into storage_lend values (1, 4242, 4243, 2, 3, 1, 0, 0)')
      await sql.all('insert into storage_lent values (4242, 2, 3)')
    },
  },
  {
    what: 'a lend of a message of another kind',
    finds: ['lent storage'],
    async do(sql, { id }) {
      await sql.all('insert into storage_lend values (?, 4242, 4243, 2, 3, 1, 0, 0)', [id])
      await sql.all('insert into storage_lent values (4242, 2, 3)')
    },
  },
  {
    what: 'more lent units than there are lends',
    finds: ['lent storage'],
    do: (sql) => sql.all('update storage_lent set units = units + 1'),
  },
  {
    what: 'no sum of lent units',
    finds: ['lent storage'],
    do: (sql) => sql.all('delete from storage_lent'),
  },
  {
    what: 'a key of sign-ins that cannot be read',
    finds: ['sign-in key'],
    do: (sql) => sql.all('insert into sign_in_key values (\'a\', \'{"kty":"RSA"}\', 1)'),
  },
  {
    what: 'two keys of sign-ins',
    finds: ['sign-in key'],
    async do(sql) {
      const jwk = JSON.stringify(signInKey.export({ format: 'jwk' }))
      for (const kid of ['a', 'b']) {
        await sql.all('insert into sign_in_key values (?, ?, 1)', [kid, jwk])
      }
    },
  },
  {
    what: 'a username whose name is gone',
    finds: ['username', 'row count'],
    do: (sql) => sql.all('delete from name_proof'),
  },
]

for (const kind of ENGINES) {
  describe(`verify on ${kind}`, () => {
    let world: World
    let engine: Engine
    let sql: Sql
    let row: StoredMessage

    before(async () => {
      world = await createWorld({
        engine: kind,
        startMs: KEYS_START_MS,
        // The load has links of type block, and the casts of all of its authors.
        env: { ROOKERY_ENFORCE_BLOCKS: 'false' },
        names: {
          transfersAfter: async (id) =>
            id > 0
              ? []
              : [
                  {
                    id: 1,
                    timestamp: WORLD_START_MS / 1000,
                    username: 'alice',
                    owner: Buffer.alloc(20, 1),
                    from: 0,
                    to: 1,
                    serverSignature: Buffer.alloc(65, 1),
                  },
                ],
        },
      })
      const databaseUrl = world.env.DATABASE_URL
      engine = databaseUrl
        ? openPostgres(databaseUrl)
        : joinSqlite(join(world.env.ROOKERY_DATA_DIR!, 'rookery.sqlite'))
      sql = engine
      await load(world)
      const list = { fid: 1, store: MESSAGE_SETS.casts, types: [1] }
      const { items } = await world.app.storage.messages.listByFid(list, { size: 1, reverse: true })
      row = items[0]!
    })
    after(async () => {
      await engine.close()
      await world.close()
    })

    const verify = () => verifyStore(world.app.storage, { network: DEVNET })

    test('verify finds nothing after a random load, and reports its progress', async () => {
      const steps: [number, number][] = []
      const report = await verifyStore(world.app.storage, {
        network: DEVNET,
        onProgress: (done, total) => steps.push([done, total]),
      })
      assert.deepEqual(report.examples, [])
      assert.equal(report.differences, 0)
      assert.equal(report.messages, await world.app.storage.messages.count())
      assert.equal(report.accounts, 5)
      assert.ok(report.messages > 30 && report.events >= report.messages)
      assert.deepEqual(steps[0]![0], 0)
      assert.equal(steps.at(-1)![0], steps.at(-1)![1])
    })

    for (const { what, do: damage, ...found } of DAMAGE) {
      const finds = (kind === 'sqlite' && found.findsEmbedded) || found.finds
      test(`verify finds ${what}`, async () => {
        await keeping(sql, kind, async () => {
          await damage(sql, row, kind)
          const report = await verify()
          assert.deepEqual(
            Object.keys(report.kinds).sort(),
            [...finds].sort(),
            report.examples.join('\n'),
          )
          assert.ok(report.differences >= finds.length)
          assert.equal(report.examples.length, report.differences)
        })
      })
    }

    test('verify finds a link that its compact state should have deleted', async () => {
      const account = (await world.accounts([4]))[0]!
      const at = networkTime(world.clock.now())
      for (const init of [
        linkAdd(world.origin(account, at - 9), 'follow', 1),
        linkCompactState(world.origin(account, at - 5), 'follow', [1]),
      ]) {
        assert.equal((await world.submit(world.sign(account, init))).status, 200)
      }
      assert.equal((await verify()).differences, 0)
      await keeping(sql, kind, async () => {
        const emptied = world.sign(
          account,
          linkCompactState(world.origin(account, at - 5), 'follow', [2]),
        )
        await sql.all(
          'update message set data = ?, hash = ?, signature = ? where type = 14 and fid = 4',
          [emptied.dataBytes, emptied.hash, emptied.signature],
        )
        assert.deepEqual((await verify()).kinds, { 'compact state': 1 })
      })
    })

    test('verify reports data of another network', async () => {
      const report = await verifyStore(world.app.storage, { network: 1 })
      assert.equal(report.kinds['message network'], report.messages)
    })

    test('verify keeps a bounded list of examples', async () => {
      await keeping(sql, kind, async () => {
        await sql.all('update message set timestamp = timestamp + 1')
        await sql.all('update usage set count = count + 1')
        const report = await verify()
        assert.ok(report.differences > report.messages)
        assert.equal(report.examples.length, Math.min(MAX_EXAMPLES, report.differences))
      })
    })

    test('verify finds nothing once the damage is repaired', async () => {
      assert.deepEqual((await verify()).examples, [])
    })
  })
}

/** Casts, replies, removes, links, reactions and profiles of three accounts. */
async function load(world: World): Promise<void> {
  const accounts = await world.accounts([1, 2, 3])
  const scene = new Scene(accounts, networkTime(world.clock.now()) - 1_000)
  const drafts = fc.sample(arbitraryDraft, { numRuns: 300, seed })
  for (const draft of drafts) {
    if (!['verify', 'unverify', 'prove'].includes(draft.kind)) {
      await world.submit(scene.message(draft))
    }
  }
  const [account] = accounts
  const { of, platform: context } = world.app
  const [actions, channels] = [of(ACTIONS), of(CHANNELS)]
  await channels.create(1, { channelId: 'birds' })
  await channels.follow(2, 'birds')
  const document = { name: 'A', icon: 'x', description: '', about_url: null, image_url: null }
  const read = { kind: 'cast', document: { ...document, post_url: ACTION } } as const
  await actions.catalogue.put(ACTION, read)
  await installAction(context, 2, ACTION)
  const origin = world.origin(account!)
  const { USER_DATA_TYPE_USERNAME } = UserDataType
  const user = await owner(world, 5)
  for (const message of [
    await keyAdd(world, user, keyOf(1), { app: await owner(world, 6), nonce: 5 }),
    world.sign(user, lendStorage(world.origin(user), { toFid: 3, units: 2 })),
  ]) {
    const { status, body } = await world.submit(message)
    assert.equal(status, 200, JSON.stringify(body))
  }
  for (const init of [
    userDataAdd(origin, USER_DATA_TYPE_USERNAME, 'alice'),
    castAdd(origin, {
      text: 'hello',
      mentions: [2n],
      mentionsPositions: [0],
      parent: { case: 'parentUrl', value: 'https://example.com' },
    }),
  ]) {
    const { status, body } = await world.submit(world.sign(account!, init))
    assert.equal(status, 200, JSON.stringify(body))
  }
}

const TABLES = [
  'message',
  'mention',
  'usage',
  'row_total',
  'event',
  'lock',
  'custody',
  'signer',
  'storage_rent',
  'chain_event',
  'name_proof',
  'channel_follow',
  'channel_standing',
  'installed_action',
  'starter_pack',
  'sponsor_credit',
  'sponsor_entry',
  'gasless_key',
  'gasless_key_nonce',
  'storage_lend',
  'storage_lent',
  'sign_in_key',
]

/** The running server takes locks at any moment, so their rows are never away. */
const RENEW_LOCKS = `insert into lock select * from kept_lock where true
  on conflict (name) do update set turns = excluded.turns, value = excluded.value`

/** Those of a message on the embedded store that are not computed. */
const GIVEN_COLUMNS =
  'id, fid, store, type, timestamp, hash, kept_slot, target, signer, signature, form, data, whole_hash'

/** Puts all tables back as they were after `work`. */
async function keeping(sql: Sql, kind: Kind, work: () => Promise<void>): Promise<void> {
  const isNarrow = (table: string) => kind === 'sqlite' && table === 'message'
  for (const table of TABLES) {
    const columns = isNarrow(table) ? GIVEN_COLUMNS : '*'
    await sql.all(`create table kept_${table} as select ${columns} from ${table}`)
  }
  try {
    await work()
  } finally {
    for (const table of TABLES) {
      const into = isNarrow(table) ? `message (${GIVEN_COLUMNS})` : table
      if (table === 'lock') await sql.all(RENEW_LOCKS)
      else {
        await sql.all(`delete from ${table}`)
        await sql.all(`insert into ${into} select * from kept_${table}`)
      }
      await sql.all(`drop table kept_${table}`)
    }
  }
}
