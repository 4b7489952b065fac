// Indexers that are killed at any moment: the views equal a recount, and every event was matched exactly once.

import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { submitMessages } from '../src/kernel/hub/submit/submit-messages.ts'
import { createViews } from '../src/kernel/storage/views/view-schema.ts'
import { openViewEngine, openViewStore } from '../src/kernel/storage/views/view-store.ts'
import { Indexer } from '../src/kernel/views/indexer.ts'
import type { IndexerBounds } from '../src/kernel/views/indexer-work.ts'
import { effort } from './effort.ts'
import { randomFrom, runSeed } from './random.ts'
import { History } from './views-history.ts'
import { modelOf, viewsIn } from './views-model.ts'
import { createWorld, ENGINES } from './world.ts'

const seed = runSeed()
console.log(`views-crash: TEST_SEED=${seed}`)

const KILLS_INDEXING = effort(1, 50)
const KILLS_BUILDING = effort(1, 20)
/** A transaction takes a few milliseconds. */
const LONGEST_LIFE_MS = 60
const SCRIPT = fileURLToPath(new URL('./views-indexer-process.ts', import.meta.url))

describe('killing the indexer', { concurrency: ENGINES.length }, () => {
  for (const engineName of ENGINES) {
    test(`killing the indexer on ${engineName} loses and repeats nothing`, async (t) => {
      const world = await createWorld({ engine: engineName })
      t.after(() => world.close())
      const random = randomFrom(seed)
      const accounts = await world.accounts([1, 2, 3, 4, 5, 6], { units: 1 })
      const history = new History(world, accounts, random)
      const { settings } = world.app.storage
      const engine = openViewEngine(settings)
      t.after(() => engine.close())
      await createViews(engine)

      /** Indexes for a moment while messages are submitted. */
      async function indexAndKill(bounds: Partial<IndexerBounds>): Promise<void> {
        const child = fork(SCRIPT, [JSON.stringify({ settings, bounds })])
        const exit = once(child, 'exit')
        t.after(() => child.kill('SIGKILL'))
        const load = submitMessages(world.app.hub, history.batch(60))
        // At least one transaction, and then any moment of one of the next.
        await once(child, 'message')
        await sleep(random.int(LONGEST_LIFE_MS))
        child.kill('SIGKILL')
        await Promise.all([exit, load])
      }

      const store = openViewStore(settings)
      t.after(() => store.close())
      const matched: number[] = []
      const indexer = new Indexer({
        storage: world.app.storage,
        views: store,
        matcher: async (events) => {
          matched.push(...events.map(({ id }) => id))
          return []
        },
        holder: 'killed one after the other',
        now: Date.now,
      })
      const checkEqual = async (what: string) => {
        const [model, views] = [await modelOf(world.app.storage), await viewsIn(engine)]
        for (const name of Object.keys(model)) {
          assert.deepEqual(views[name], model[name], `${name} ${what}, seed ${seed}`)
        }
      }
      while ((await indexer.step()).hasMore);
      const first = (await indexer.step()).cursor
      matched.length = 0

      for (let kill = 0; kill < KILLS_INDEXING; kill++) await indexAndKill({ events: 3 })
      while ((await indexer.step()).hasMore);
      const indexed = await engine.all('select event from view_delivery')
      assert.ok(indexed.length >= KILLS_INDEXING, 'each killed process applied something')
      await checkEqual('after kills while indexing')

      await indexer.rebuild()
      for (let kill = 0; kill < KILLS_BUILDING; kill++) {
        await indexAndKill({ events: 5, messages: 5, profiles: 1 })
      }
      while ((await indexer.step()).hasMore);
      await checkEqual('after kills while building')

      const rows = await engine.all('select event from view_delivery order by event')
      const all = [...rows.map(({ event }) => Number(event)), ...matched].sort((a, b) => a - b)
      const events = await world.app.storage.events.list(first + 1, 100_000)
      assert.deepEqual(
        all,
        events.map(({ id }) => id),
      )
    })
  }
})
