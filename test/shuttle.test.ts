// @farcaster/shuttle 0.3.3 end to end, unmodified: from the hub through Redis into PostgreSQL.

import assert from 'node:assert/strict'
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { after, before, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  castAdd,
  castRemove,
  type DataInit,
  linkAdd,
  linkRemove,
  reactionAdd,
  reactionRemove,
  userDataAdd,
  verificationRemove,
} from '../src/kernel/protocol/build.ts'
import { encodeList } from '../src/kernel/protocol/codec/envelope.ts'
import { ReactionType, UserDataType } from '../src/kernel/protocol/wire/message_pb.js'
import { accepted, bytes, onEngines, post, removeKey } from './hub-support.ts'
import { PATIENCE_MS } from './patience.ts'
import { adminQuery, createDatabase } from './postgres.ts'
import { ROOT } from './program.ts'
import { startRedis } from './redis.ts'
import type { ShuttleAnswer, ShuttleRequest, ShuttleSettings } from './shuttle-app.ts'
import { stockClient } from './stock-clients.ts'
import type { TestAccount, World } from './world.ts'

/** As shuttle's own migrations make it. */
const MESSAGES_TABLE = `create table messages (
  id uuid not null default gen_random_uuid() primary key,
  created_at timestamptz not null default now(), updated_at timestamptz not null default now(),
  timestamp timestamptz not null, deleted_at timestamptz, pruned_at timestamptz,
  revoked_at timestamptz, fid bigint not null, type smallint not null,
  hash_scheme smallint not null, signature_scheme smallint not null, hash bytea not null unique,
  signer bytea not null, raw bytea not null, body json not null, unique (hash, fid, type))`

/** Redis is a package of Debian; a machine without it that cannot install it runs none of these tests. */
const redis = await startRedis().catch((error: Error) => error)
after(async () => {
  if (!(redis instanceof Error)) await redis.stop()
})

type Shuttle = {
  ask(request: ShuttleRequest): Promise<ShuttleAnswer>
  kill(): Promise<void>
}

const running = new Set<ChildProcess>()
after(() => {
  for (const child of running) child.kill('SIGKILL')
})

/** Starts a program that follows the hub. */
async function startShuttle(settings: ShuttleSettings): Promise<Shuttle> {
  const { PATH, NODE_COMPILE_CACHE } = process.env
  const child = fork(join(ROOT, 'test', 'shuttle-app.ts'), {
    cwd: ROOT,
    env: { PATH, ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }), LOG_LEVEL: 'silent' },
    execArgv: [],
  })
  running.add(child)
  const exited = once(child, 'exit').then(() => {
    running.delete(child)
    throw new Error('the program that uses shuttle has ended')
  })
  exited.catch(() => {})
  const ask = async (request: ShuttleRequest): Promise<ShuttleAnswer> => {
    const answered = once(child, 'message')
    child.send(request)
    return (await Promise.race([answered, exited]))[0]
  }
  await ask({ start: settings })
  return {
    ask,
    async kill() {
      child.kill('SIGKILL')
      await exited.catch(() => {})
    },
  }
}

/** Messages of every store that shuttle keeps, with removals and replacements, a second apart. */
function messagesOf(world: World, author: TestAccount, round: number): DataInit[] {
  let second = 1_000 + round * 100
  const next = () => world.origin(author, second++)
  const target = { fid: 1, hash: bytes(20, round) }
  const casts = Array.from({ length: 6 }, (_, i) => castAdd(next(), `cast ${round} ${i}`))
  const removed = world.sign(author, casts[0]!).hash
  return [
    ...casts,
    castRemove(next(), removed),
    reactionAdd(next(), ReactionType.LIKE, target),
    reactionAdd(next(), ReactionType.RECAST, target),
    reactionRemove(next(), ReactionType.LIKE, target),
    linkAdd(next(), 'follow', 100 + round),
    linkAdd(next(), 'follow', 200 + round),
    linkRemove(next(), 'follow', 100 + round),
    userDataAdd(next(), UserDataType.USER_DATA_TYPE_BIO, `bio ${round}`),
    userDataAdd(next(), UserDataType.USER_DATA_TYPE_DISPLAY, `name ${round}`),
  ]
}

onEngines(
  'shuttle with Redis',
  (world, engine) => {
    let database: Awaited<ReturnType<typeof createDatabase>>
    before(async () => {
      database = await createDatabase('template0')
      await adminQuery(database.url, MESSAGES_TABLE)
    })
    after(() => database.drop())

    const settings = (batch?: number): ShuttleSettings => ({
      hub: world().app.urls.grpc,
      redis: (redis as { url: string }).url,
      database: database.url,
      ...(batch && { batch }),
    })
    const send = async (author: TestAccount, inits: readonly DataInit[]) => {
      const signed = inits.map((init) => world().sign(author, init))
      const { messages } = accepted(
        await post(world(), '/v1/submitBulkMessages', encodeList(signed)),
      )
      for (const message of messages) assert.ok(message.hash, JSON.stringify(message))
    }
    const inDatabase = async (condition: string): Promise<string[]> =>
      (
        await adminQuery(
          database.url,
          `select encode(hash, 'hex') as hash from messages where ${condition} order by 1`,
        )
      ).map(({ hash }) => hash)
    const ACTIVE = 'deleted_at is null and pruned_at is null and revoked_at is null'

    /** What the hub has of these fids, in the stores that shuttle keeps. */
    const inHub = async (fids: readonly number[]): Promise<string[]> => {
      const client = stockClient(world(), '0.11.24')
      const hashes: string[] = []
      for (const fid of fids) {
        for (const method of [
          'getAllCastMessagesByFid',
          'getAllReactionMessagesByFid',
          'getAllLinkMessagesByFid',
          'getAllVerificationMessagesByFid',
          'getAllUserDataMessagesByFid',
        ] as const) {
          const { messages } = (await client[method]({ fid }))._unsafeUnwrap()
          hashes.push(...messages.map(({ hash }) => Buffer.from(hash).toString('hex')))
        }
      }
      return hashes.sort()
    }
    const untilEqual = async (fids: readonly number[]) => {
      const wanted = await inHub(fids)
      let found: string[] = []
      for (const end = performance.now() + PATIENCE_MS; performance.now() < end; await sleep(200)) {
        found = await inDatabase(`${ACTIVE} and fid in (${fids.join(', ')})`)
        if (found.length === wanted.length && found.every((hash, i) => hash === wanted[i])) return
      }
      assert.deepEqual(found, wanted)
    }
    const skipped = (context: TestContext): boolean => {
      if (redis instanceof Error) context.skip(`needs redis-server: ${redis.message}`)
      return redis instanceof Error
    }

    test(`shuttle copies what the hub has, continues after it was killed, and its reconciliation finds nothing to repair, on ${engine}`, async (context) => {
      if (skipped(context)) return
      const fids = [11, 12, 13, 14]
      const [first, second, losing, small] = await world().accounts(fids, { units: 1 })
      await send(first!, messagesOf(world(), first!, 0))
      const shuttle = await startShuttle(settings(1))
      await untilEqual(fids)
      await send(second!, messagesOf(world(), second!, 1))
      await send(losing!, messagesOf(world(), losing!, 2))
      await removeKey(world(), losing!)
      // More than a unit holds.
      const addresses = [1, 2, 3, 4, 5, 6, 7, 8].map((n) => bytes(20, n))
      await send(
        small!,
        addresses.map((address, i) =>
          verificationRemove(world().origin(small!, 1_000 + i), address),
        ),
      )
      await untilEqual(fids)
      const revoked = await inDatabase('revoked_at is not null')
      assert.ok(revoked.length >= 10, `${revoked.length} messages are revoked`)
      assert.ok((await inDatabase('pruned_at is not null')).length > 0)
      assert.ok((await inDatabase('deleted_at is not null')).length > 3)
      await shuttle.kill()

      await send(first!, messagesOf(world(), first!, 3))
      const again = await startShuttle(settings(1))
      await send(second!, messagesOf(world(), second!, 4))
      await untilEqual(fids)
      assert.deepEqual(await again.ask({ reconcile: fids }), {
        missingInDatabase: [],
        missingInHub: [],
      })
      await again.kill()
    })

    test(`shuttle writes full batches of 100 events and continues behind the last one, on ${engine}`, async (context) => {
      if (skipped(context)) return
      const author = await world().account(21, { units: 10 })
      const cast = (n: number) => castAdd(world().origin(author, 2_000 + n), `one of 300: ${n}`)
      // Another database of Redis, so that it begins anew.
      const { redis: url, ...others } = settings()
      const follow = () => startShuttle({ ...others, redis: `${url}/1` })
      /** Waits until all full batches of the log are in Redis, and what they say of the author is stored. */
      const untilFollowed = async (shuttle: Shuttle, beginsAt: number): Promise<number> => {
        const events = await world().app.storage.events.list(0, 100_000)
        const batched = events.slice(0, events.length - ((events.length - beginsAt) % 100))
        const wanted = batched.filter(({ merged }) => merged?.fid === author.fid).length
        let position: unknown
        let stored = 0
        for (
          const end = performance.now() + PATIENCE_MS;
          performance.now() < end;
          await sleep(200)
        ) {
          position = await shuttle.ask({ ask: 'position' })
          stored = (await inDatabase(`${ACTIVE} and fid = ${author.fid}`)).length
          if (stored === wanted) break
        }
        assert.deepEqual([position, stored], [{ position: batched.at(-1)!.id }, wanted])
        // Where the next one begins: with the last event that was handled.
        return batched.length - 1
      }
      const shuttle = await follow()
      await send(
        author,
        Array.from({ length: 200 }, (_, n) => cast(n)),
      )
      const last = await untilFollowed(shuttle, 0)
      await shuttle.kill()
      await send(
        author,
        Array.from({ length: 100 }, (_, n) => cast(200 + n)),
      )
      const again = await follow()
      await untilFollowed(again, last)
      await again.kill()
    })
  },
  // Revoked and pruned as on the deployed network.
  () => ({ env: { ROOKERY_REVOKE_ON_KEY_REMOVAL: 'true', ROOKERY_STORAGE_GROWS: 'off' } }),
)
