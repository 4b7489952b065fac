// The views equal what the stored messages say, whatever happened, in whatever portions they were applied.

import assert from 'node:assert/strict'
import { copyFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { submitMessages } from '../src/kernel/hub/submit/submit-messages.ts'
import type { Engine } from '../src/kernel/storage/engines/engine.ts'
import { joinStorage } from '../src/kernel/storage/storage.ts'
import { createViews } from '../src/kernel/storage/views/view-schema.ts'
import {
  openViewEngine,
  openViewStore,
  type ViewStore,
  viewsFile,
} from '../src/kernel/storage/views/view-store.ts'
import { viewWriter } from '../src/kernel/storage/views/view-writer.ts'
import { firstDocAt } from '../src/kernel/storage/views/views.ts'
import { Indexer } from '../src/kernel/views/indexer.ts'
import type { IndexerBounds } from '../src/kernel/views/indexer-work.ts'
import type { Matcher } from '../src/kernel/views/matcher.ts'
import { effort } from './effort.ts'
import { randomFrom } from './random.ts'
import { History } from './views-history.ts'
import { modelOf, viewsIn } from './views-model.ts'
import { createWorld, ENGINES, type TestAccount, type World } from './world.ts'

const FIDS = [1, 2, 3, 4, 5, 6]
const SEED = 20_260_101
/** More than a history has. */
const MORE_EVENTS = 1_000_000
/** More than the indexer has in memory at a time. */
const PORTION_EVENTS = 300

for (const engineName of ENGINES) {
  describe(`the views on ${engineName}`, () => {
    let world: World
    let accounts: TestAccount[]
    let engine: Engine
    let store: ViewStore
    const random = randomFrom(SEED)

    before(async () => {
      world = await createWorld({ engine: engineName, env: { ROOKERY_STORAGE_GROWS: 'off' } })
      accounts = await world.accounts(FIDS, { units: 1 })
      await open()
    })
    after(async () => {
      await store.close()
      await engine.close()
      await world.close()
    })

    async function open(): Promise<void> {
      engine = openViewEngine(world.app.storage.settings)
      await createViews(engine)
      store = openViewStore(world.app.storage.settings)
    }

    /** Does some work and then undoes all of its transactions, as a power cut does that comes before a flush. */
    async function undone(work: () => Promise<unknown>): Promise<void> {
      const file = viewsFile(world.app.storage.settings)
      const replace = async (from: string, to: string) => {
        await store.close()
        await engine.close()
        // Closing the last connection has moved the log of writes into the file.
        copyFileSync(from, to)
        await open()
      }
      await replace(file, `${file}-saved`)
      await work()
      await replace(`${file}-saved`, file)
    }

    const indexer = (bounds: Partial<IndexerBounds> = {}, matcher: Matcher = async () => []) =>
      new Indexer({
        storage: world.app.storage,
        views: store,
        matcher,
        holder: 'test',
        now: Date.now,
        bounds,
      })

    async function catchUp(bounds?: Partial<IndexerBounds>): Promise<void> {
      const one = indexer(bounds)
      while ((await one.step()).hasMore);
    }

    /** What `rookery verify` finds wrong about the views. */
    async function recounted() {
      const storage = joinStorage({ ...world.app.storage.settings, views: true })
      try {
        return await storage.audit.recountViews()
      } finally {
        await storage.close()
      }
    }

    async function checkEqual(what: string): Promise<void> {
      const [model, views] = [await modelOf(world.app.storage), await viewsIn(engine)]
      for (const name of Object.keys(model)) {
        assert.deepEqual(views[name], model[name], `${name} ${what}, seed ${SEED}`)
      }
    }

    const someBounds = (): Partial<IndexerBounds> => ({
      events: 1 + random.int(50),
      messages: 1 + random.int(50),
      profiles: 1 + random.int(5),
    })

    test('every table equals a recount after each part of a random history', async () => {
      const history = new History(world, accounts, random)
      await catchUp()
      for (let round = 0; round < effort(5, 100); round++) {
        world.clock.advance(random.int(5) * 1_000)
        for (const batch of random.cut(history.batch(60), 20)) {
          await submitMessages(world.app.hub, batch)
        }
        if (round === 3) await submitMessages(world.app.hub, history.burst(accounts[5]!, 120))
        await catchUp(someBounds())
        await checkEqual(`in round ${round}`)
      }
      const casts = (await viewsIn(engine)).posts!
      assert.ok(casts.length > 100, `${casts.length} posts`)
      assert.deepEqual(await recounted(), [])
    })

    test('a recount finds rows of the views that are wrong, missing or too many, until a rebuild', async () => {
      const damages: readonly (readonly [statement: string, ...finds: string[]])[] = [
        ['update view_count set likes = likes + 1', 'likes of a cast', 'likes in all'],
        ['update view_count set recasts = recasts + 1', 'recasts in all'],
        ['update view_count set replies = 0', 'replies of a cast', 'replies in all'],
        ['delete from view_quote', 'quotes in all'],
        ['update view_post set id = -id where kind = 3', 'recast without its message'],
        ['delete from view_post where kind = 2', 'number of rows of casts', 'words of a cast'],
        ['update view_post set root = root - 1 where kind = 1', 'thread of a cast'],
        ['update view_follow set at = at + 1', 'follow without its message'],
        ['update view_user set followers = followers + 1', 'followers of a user'],
        ['update view_user set following = following + 1', 'following of a user'],
        ['update view_notice set actor = actor + 1', 'notification without its message'],
        ['delete from view_follow', 'number of rows of follows'],
      ]
      for (const [statement, ...finds] of damages) {
        await engine.transaction((sql) => sql.all(statement))
        const found = (await recounted()).map(({ what }) => what)
        for (const what of finds) assert.ok(found.includes(what), `${statement}: ${found}`)
      }
      await indexer().rebuild()
      await catchUp()
      assert.deepEqual(await recounted(), [])
    })

    if (engineName === 'sqlite') {
      test('the words of a transaction become one part of the index, whatever the order of their casts', async () => {
        const parts = async () => {
          const [row] = await engine.all('select count(distinct segid) as n from view_words_idx')
          return Number(row?.n)
        }
        const docs = [3, 1, 2].map((n) => firstDocAt(0xffff_0000) + n)
        await store.write((sql) =>
          sql.all(`insert into view_words (view_words) values ('optimize')`),
        )
        const before = await parts()
        await store.write((sql) => {
          const rows = docs.map((doc) => ({ doc, words: 'rook' }))
          return viewWriter(sql, store.engine).insertWords(rows)
        })
        assert.equal(await parts(), before + 1)
        await store.write((sql) => viewWriter(sql, store.engine).removeWords(docs))
      })

      test('transactions that a power cut undoes are done again, while events are read and during a build', async () => {
        const history = new History(world, accounts, random)
        const submit = () => submitMessages(world.app.hub, history.batch(30))
        for (let round = 0; round < effort(1, 20); round++) {
          await submit()
          await indexer({ events: 1 + random.int(10) }).step()
          await undone(async () => {
            await submit()
            await catchUp(someBounds())
          })
          await catchUp(someBounds())
          await checkEqual('after undone transactions')
          await indexer().rebuild()
          for (let steps = random.int(6); steps > 0; steps--) await indexer({ messages: 9 }).step()
          await undone(async () => {
            await submit()
            for (let steps = 4; steps > 0; steps--) await indexer({ messages: 9 }).step()
          })
          await catchUp(someBounds())
          await checkEqual('after an undone part of a build')
        }
      })
    }

    test('a rebuild in small portions between new messages equals the kept views', async () => {
      const history = new History(world, accounts, random)
      await indexer().rebuild()
      const slow = indexer({ events: 7, messages: 9, profiles: 2 })
      for (let hasMore = true; hasMore; ) {
        hasMore = (await slow.step()).hasMore
        if (random.int(3) === 0) await submitMessages(world.app.hub, history.batch(8))
      }
      await catchUp(someBounds())
      await checkEqual('after a rebuild')
    })

    test('moderation that hides and shows changes nothing, and an erasure takes everything back', async () => {
      const decide = async (action: string) => {
        const path = `/moderation/accounts/2/${action}`
        await world.operate(path, { body: { reason: 'because', actor: 'test' } })
        await world.app.jobs.run('moderation')
      }
      const kept = await viewsIn(engine)
      await decide('suspend')
      await catchUp(someBounds())
      await decide('restore')
      await catchUp(someBounds())
      assert.deepEqual(await viewsIn(engine), kept)
      await decide('erase')
      await catchUp(someBounds())
      await checkEqual('after an erasure')
      assert.notDeepEqual((await viewsIn(engine)).posts, kept.posts)
    })

    test('views whose place in the log is gone are built again', async () => {
      const history = new History(world, accounts, random)
      const { storage, clock } = world.app
      const submit = () => submitMessages(world.app.hub, history.batch(20))
      // Pruned beyond the cursor.
      await submit()
      clock.now()
      await storage.write('hub', (tx) => tx.events.prune(Number.MAX_SAFE_INTEGER, MORE_EVENTS))
      const step = await indexer().step()
      assert.equal(step.ratio, 0)
      await catchUp(someBounds())
      await checkEqual('after pruning')
      // Pruned, but nothing that had not been read.
      await submit()
      await catchUp()
      await storage.write('hub', (tx) => tx.events.prune(Number.MAX_SAFE_INTEGER, MORE_EVENTS))
      assert.equal((await indexer().step()).ratio, undefined)
      // Pruned between two portions of a transaction: by the matcher, which is asked after each.
      await submit()
      await catchUp()
      const { newestId } = await storage.events.logState(0)
      const unread = () => storage.events.list(newestId + 1, MORE_EVENTS, 1e9)
      while ((await unread()).length <= PORTION_EVENTS) await submit()
      let portions = 0
      const interrupted = indexer({ events: MORE_EVENTS }, async () => {
        if (portions++ === 0) {
          await storage.write('hub', (tx) => tx.events.prune(Number.MAX_SAFE_INTEGER, MORE_EVENTS))
          await submit()
        }
        return []
      })
      await interrupted.step()
      assert.equal(portions, 1)
      assert.equal((await interrupted.step()).ratio, 0)
      await catchUp(someBounds())
      await checkEqual('after pruning within a transaction')
      // Another version of the tables.
      await engine.all('update view_version set version = 0')
      await createViews(engine)
      await submit()
      assert.notEqual((await indexer({ messages: 5 }).step()).ratio, undefined)
      await catchUp(someBounds())
      await checkEqual('after a new version')
      // A position that the log of a restored backup does not have.
      await submit()
      await engine.all(
        `update view_state set value = '{"cursor":${2 ** 51},"logStart":0}' where name = 'position'`,
      )
      assert.equal((await indexer().step()).ratio, 0)
      await catchUp(someBounds())
      await checkEqual('after a restored backup')
      // All data deleted.
      await storage.reset()
      await catchUp(someBounds())
      await checkEqual('after a reset')
      assert.deepEqual((await viewsIn(engine)).posts, [])
    })
  })
}
