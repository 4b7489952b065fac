import { openWholeStore } from '../src/store.ts'
// A real pgbouncer in transaction mode in front of PostgreSQL: the storage suite and whole programs behind it.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { castAdd } from '../src/kernel/protocol/build.ts'
import { toHex } from '../src/kernel/protocol/codec/bytes.ts'
import { openPostgres } from '../src/kernel/storage/engines/postgres.ts'
import { startPgbouncer } from './pgbouncer.ts'
import { createDatabase, PATIENT } from './postgres.ts'
import { storageSuite } from './storage-suite.ts'
import { NETWORK } from './storage-support.ts'
import { createWorld, type World } from './world.ts'

const base = process.env.TEST_DATABASE_URL
if (!base) throw new Error('TEST_DATABASE_URL is not set: run the tests with `npm test`')

const started = await startPgbouncer(base).catch((error: Error) => error)

if (started instanceof Error) {
  test('a store behind pgbouncer', { skip: started.message }, () => {})
} else {
  const { through, knowsPrepared, version } = started
  after(() => started.stop())
  console.log(`pgbouncer ${version}, prepared statements: ${knowsPrepared}`)

  storageSuite(`PostgreSQL behind pgbouncer ${version}`, async () => {
    const database = await createDatabase()
    return {
      open: (network = NETWORK) =>
        openWholeStore({
          ...{ databaseUrl: through(database.url), dataDir: '', network },
          postgresLimits: { ...PATIENT, preparesStatements: knowsPrepared },
        }),
      drop: database.drop,
    }
  })

  describe('a program behind pgbouncer', () => {
    let database: Awaited<ReturnType<typeof createDatabase>>
    let world: World
    before(async () => {
      database = await createDatabase()
      world = await createWorld({
        env: {
          DATABASE_URL: through(database.url),
          ROOKERY_DATABASE_PREPARED_STATEMENTS: knowsPrepared ? 'on' : 'off',
        },
      })
    })
    after(async () => {
      await world.close()
      await database.drop()
    })

    test('messages, channels and names are written and read behind pgbouncer, also at the same time', async () => {
      const people = await world.accounts(Array.from({ length: 20 }, (_, i) => i + 1))
      const casts = people.map((one) => world.sign(one, castAdd(world.origin(one), 'hello')))
      const answers = await Promise.all(casts.map(world.submit))
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
      const created = await world.platform('/fc/channels', {
        body: { channelId: 'pooled' },
        token: world.token(people[0]!),
      })
      assert.equal(created.status, 200)
      const follows = await Promise.all(
        people.map((one) =>
          world.platform('/fc/channel-follows', {
            body: { channelId: 'pooled' },
            token: world.token(one),
          }),
        ),
      )
      assert.deepEqual(new Set(follows.map(({ status }) => status)), new Set([200]))
      const { body } = await world.platform('/v1/channel?channelId=pooled')
      assert.equal(body.result.channel.followerCount, people.length)
      for (const [i, cast] of casts.entries()) {
        const path = `/v1/castById?fid=${people[i]!.fid}&hash=${toHex(cast.hash)}`
        assert.equal((await world.get(path)).status, 200)
      }
      const ready = await fetch(`${world.app.urls.operations}/health/ready`)
      assert.equal(ready.status, 200)
    })

    test('limits of a transaction do not reach other clients of the same server connection', async () => {
      const engine = openPostgres(through(database.url), {
        preparesStatements: knowsPrepared,
        statementTimeoutMs: 61_234,
        writeConnections: 30,
      })
      const shown = await Promise.all(
        Array.from({ length: 30 }, () =>
          engine.transaction((sql) => sql.all('show statement_timeout')),
        ),
      )
      assert.deepEqual(new Set(shown.map(([row]) => row?.statement_timeout)), new Set(['61234ms']))
      const idle = await engine.all('show idle_in_transaction_session_timeout')
      assert.equal(idle[0]?.idle_in_transaction_session_timeout, '0')
      await engine.close()
    })
  })
}
