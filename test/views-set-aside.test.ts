// Events that cannot be folded are set aside: everything else is applied, and they are, once the defect is mended.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import { submitMessages } from '../src/kernel/hub/submit/submit-messages.ts'
import { castAdd, castRemove, linkAdd, userDataAdd } from '../src/kernel/protocol/build.ts'
import type { SignedMessage } from '../src/kernel/protocol/message.ts'
import { UserDataType } from '../src/kernel/protocol/wire/message_pb.js'
import type { Engine } from '../src/kernel/storage/engines/engine.ts'
import { openPostgres } from '../src/kernel/storage/engines/postgres.ts'
import { joinSqlite } from '../src/kernel/storage/engines/sqlite.ts'
import { StoreUnavailable } from '../src/kernel/storage/engines/unavailable.ts'
import { createViews } from '../src/kernel/storage/views/view-schema.ts'
import {
  openViewEngine,
  openViewStore,
  type ViewStore,
} from '../src/kernel/storage/views/view-store.ts'
import type { SetAside } from '../src/kernel/storage/views/views.ts'
import { Indexer } from '../src/kernel/views/indexer.ts'
import type { IndexerBounds, IndexerStep } from '../src/kernel/views/indexer-work.ts'
import type { Matcher } from '../src/kernel/views/matcher.ts'
import { refuseRows } from './view-defects.ts'
import { modelOf, viewsIn } from './views-model.ts'
import { createWorld, enginesOf, type TestAccount, type World } from './world.ts'

const POISON = 2
const OTHERS = [1, 3, 4]
/** Portions of every size: one event, some, and all at once. */
const BOUNDS: readonly Partial<IndexerBounds>[] = [
  { events: 1, messages: 1 },
  { events: 7, messages: 9, profiles: 2 },
  {},
]

for (const engineName of enginesOf(import.meta.url)) {
  describe(`events that cannot be folded, on ${engineName}`, () => {
    let world: World
    let accounts: TestAccount[]
    let poisonous: TestAccount
    let engine: Engine
    let store: ViewStore
    let mend: (() => Promise<void>) | undefined

    before(async () => {
      world = await createWorld({ engine: engineName })
      accounts = await world.accounts(OTHERS, { units: 1 })
      poisonous = await world.account(POISON, { units: 1 })
      engine = openViewEngine(world.app.storage.settings)
      await createViews(engine)
      store = openViewStore(world.app.storage.settings)
    })
    after(async () => {
      await store.close()
      await engine.close()
      await world.close()
    })
    beforeEach(async () => {
      await indexer().rebuild()
      await catchUp()
    })
    afterEach(async () => {
      await mend?.()
      mend = undefined
    })

    const indexer = (
      options: { bounds?: Partial<IndexerBounds>; version?: string; matcher?: Matcher } = {},
    ) =>
      new Indexer({
        storage: world.app.storage,
        views: store,
        matcher: async () => [],
        holder: 'test',
        now: Date.now,
        version: 'this one',
        ...options,
      })

    async function catchUp(options: Parameters<typeof indexer>[0] = {}): Promise<IndexerStep> {
      const one = indexer(options)
      for (;;) {
        const step = await one.step()
        if (!step.hasMore) return step
      }
    }

    const setAside = async (): Promise<SetAside[]> =>
      (await engine.all(
        'select part, id, reason, version, at from view_aside order by part, id',
      )) as SetAside[]

    async function submit(messages: readonly SignedMessage[]): Promise<number[]> {
      const outcomes = await submitMessages(world.app.hub, messages)
      for (const outcome of outcomes) assert.equal(typeof outcome, 'number', String(outcome))
      return outcomes as number[]
    }
    let texts = 0
    const castOf = (account: TestAccount) => {
      world.clock.advance(1_000)
      return world.sign(account, castAdd(world.origin(account), `text ${++texts}`))
    }
    const castsOfOthers = (count: number) =>
      Array.from({ length: count }, (_, i) => castOf(accounts[i % accounts.length]!))

    /** Fails unless the views are those of the stored messages without what is set aside. */
    async function checkEqual(what: string): Promise<void> {
      const [model, views] = [await modelOf(world.app.storage), await viewsIn(engine)]
      for (const name of Object.keys(model))
        assert.deepEqual(views[name], model[name], `${name} ${what}`)
      assert.deepEqual(await setAside(), [])
    }
    const postsOf = async (fid: number) =>
      (await engine.all('select id from view_post where fid = ? order by id', [fid])).map(
        ({ id }) => id,
      )

    for (const [i, bounds] of BOUNDS.entries()) {
      test(`a cast that cannot be folded is set aside and applied by a newer version, in portions of kind ${i}`, async () => {
        const earlier = await postsOf(POISON)
        mend = await refuseRows(engine, 'view_post', `new.fid = ${POISON}`)
        const before = await submit(castsOfOthers(20))
        const [id] = await submit([castOf(poisonous)])
        const later = await submit(castsOfOthers(30))
        const end = await catchUp({ bounds })
        assert.equal(end.cursor, later.at(-1))
        assert.equal(end.setAside, 1)
        const [first] = await setAside()
        assert.deepEqual([first?.part, first?.id, first?.version], ['added', id, 'this one'])
        assert.match(first!.reason, /defect/)
        assert.deepEqual(await postsOf(POISON), earlier)
        const applied = (await Promise.all(OTHERS.map(postsOf))).flat()
        for (const one of [...before, ...later]) assert.ok(applied.includes(one))

        // While the defect is there, a newer version sets it aside again, and the same version does not try.
        assert.equal((await catchUp({ bounds, version: 'the next one' })).setAside, 1)
        assert.deepEqual(
          (await setAside()).map(({ id, version }) => [id, version]),
          [[id, 'the next one']],
        )
        await mend!()
        mend = undefined
        assert.equal((await catchUp({ bounds, version: 'the next one' })).setAside, 1)
        assert.equal((await catchUp({ bounds, version: 'a third one' })).setAside, 0)
        await checkEqual('with the newer version')
      })

      test(`a rebuild sets a cast aside that cannot be folded, and applies it once it can be, in portions of kind ${i}`, async () => {
        const [, id] = await submit([castOf(accounts[0]!), castOf(poisonous), ...castsOfOthers(9)])
        await catchUp({ bounds })
        await checkEqual('before the defect')
        mend = await refuseRows(engine, 'view_post', `new.id = ${id}`)
        await indexer().rebuild()
        const end = await catchUp({ bounds })
        assert.equal(end.setAside, 1)
        assert.deepEqual(
          (await setAside()).map(({ part, id }) => [part, id]),
          [['added', id]],
        )
        const applied = (await Promise.all(OTHERS.map(postsOf))).flat()
        assert.ok(applied.length >= 10)
        await mend!()
        mend = undefined
        await indexer().rebuild()
        assert.equal((await catchUp({ bounds })).setAside, 0)
        await checkEqual('after the second rebuild')
      })
    }

    test('events during a rebuild that cannot be folded are set aside one by one', async () => {
      await submit(castsOfOthers(6))
      await indexer().rebuild()
      const slow = indexer({ bounds: { events: 3, messages: 2, profiles: 2 } })
      await slow.step()
      mend = await refuseRows(engine, 'view_post', `new.fid = ${POISON}`)
      const ids = await submit([castOf(poisonous), ...castsOfOthers(4), castOf(poisonous)])
      let end = await slow.step()
      while (end.hasMore) end = await slow.step()
      const setAsideIds = (await setAside()).map(({ id }) => id)
      assert.ok(setAsideIds.includes(ids[0]!) && setAsideIds.includes(ids.at(-1)!))
      await mend!()
      mend = undefined
      await catchUp({ version: 'the next one' })
      await checkEqual('after a build with a defect')
    })

    test('a cast that is removed while it is set aside is forgotten', async () => {
      mend = await refuseRows(engine, 'view_post', `new.fid = ${POISON}`)
      const cast = castOf(poisonous)
      await submit([cast])
      assert.equal((await catchUp()).setAside, 1)
      world.clock.advance(1_000)
      await submit([world.sign(poisonous, castRemove(world.origin(poisonous), cast.hash))])
      assert.equal((await catchUp()).setAside, 0)
      await mend!()
      mend = undefined
      await checkEqual('after the removal')
    })

    test('a profile that cannot be written is set aside, and those of others are rendered', async () => {
      mend = await refuseRows(engine, 'view_user', "new.card like '%poison%'")
      const named = (account: TestAccount, name: string) => {
        world.clock.advance(1_000)
        return world.sign(
          account,
          userDataAdd(world.origin(account), UserDataType.USER_DATA_TYPE_DISPLAY, name),
        )
      }
      const follow = world.sign(poisonous, linkAdd(world.origin(poisonous), 'follow', 1))
      await submit([named(poisonous, 'poison'), named(accounts[0]!, 'fine'), follow])
      assert.equal((await catchUp()).setAside, 1)
      assert.deepEqual(
        (await setAside()).map(({ part, id }) => [part, id]),
        [['profile', POISON]],
      )
      const [user] = await engine.all('select card from view_user where fid = 1')
      assert.match(String(user?.card), /fine/)
      await indexer().rebuild()
      assert.equal((await catchUp()).setAside, 1)
      await mend!()
      mend = undefined
      assert.equal((await catchUp({ version: 'the next one' })).setAside, 0)
      await checkEqual('with the profile')
    })

    test('an event that webhooks cannot be told of is in the views all the same, and they are told by a newer version', async () => {
      const cast = castOf(accounts[0]!)
      const [id] = await submit([cast, ...castsOfOthers(3)])
      const told: number[] = []
      const matcher: (isBroken: boolean) => Matcher = (isBroken) => async (events) => {
        if (isBroken && events.some((one) => one.id === id)) throw new TypeError('no such filter')
        told.push(...events.map((one) => one.id))
        return []
      }
      assert.equal((await catchUp({ matcher: matcher(true) })).setAside, 1)
      assert.ok(!told.includes(id!))
      const [first] = await setAside()
      assert.deepEqual([first?.part, first?.reason], ['webhooks', 'no such filter'])
      assert.equal(
        (await catchUp({ matcher: matcher(false), version: 'the next one' })).setAside,
        0,
      )
      assert.ok(told.includes(id!))
      await checkEqual('after webhooks were told')
    })

    test('a removal that the views cannot do is set aside until a rebuild', async () => {
      const cast = castOf(accounts[0]!)
      const [id] = await submit([cast])
      await catchUp()
      await engine.transaction((sql) => sql.all('delete from view_post where id = ?', [id!]))
      world.clock.advance(1_000)
      const remove = world.sign(accounts[0]!, castRemove(world.origin(accounts[0]!), cast.hash))
      const [removeId] = await submit([remove])
      const [next] = await submit(castsOfOthers(1))
      const end = await catchUp()
      assert.deepEqual([end.setAside, end.cursor], [1, next])
      assert.deepEqual(
        (await setAside()).map(({ part, id }) => [part, id]),
        [['removed', removeId]],
      )
      assert.equal((await catchUp({ version: 'the next one' })).setAside, 1)
      await indexer().rebuild()
      await catchUp()
      await checkEqual('after the rebuild')
    })

    test('an event that cannot be read is set aside, and the next one is applied', async () => {
      const { storage } = world.app
      const newest = await storage.events.newestId()
      const account = await world.account(50)
      const [broken] = await storage.events.list(newest + 1, 1, 1)
      const main =
        engineName === 'postgres'
          ? openPostgres(storage.settings.databaseUrl!)
          : joinSqlite(join(storage.settings.dataDir, 'rookery.sqlite'))
      const noEvent = Buffer.from('no event')
      await main.transaction((sql) =>
        sql.all('update event set body = ? where id = ?', [noEvent, broken!.id]),
      )
      await main.close()
      const [id] = await submit([castOf(account)])
      const end = await catchUp()
      assert.deepEqual([end.cursor, end.setAside], [id, 1])
      assert.deepEqual(
        (await setAside()).map(({ part, id }) => [part, id]),
        [['event', broken!.id]],
      )
      await indexer().rebuild()
      await catchUp()
      await checkEqual('after the rebuild')
    })

    test('nothing is set aside while the store itself fails', async () => {
      const [id] = await submit([castOf(accounts[0]!)])
      const failing = new Indexer({
        storage: world.app.storage,
        views: {
          ...store,
          write: async () => Promise.reject(new StoreUnavailable('full', 'the disk is full')),
        },
        matcher: async () => [],
        holder: 'test',
        now: Date.now,
      })
      await assert.rejects(failing.step(), StoreUnavailable)
      await engine.transaction((sql) => sql.all('alter table view_post rename to view_gone'))
      await assert.rejects(indexer().step())
      await engine.transaction((sql) => sql.all('alter table view_gone rename to view_post'))
      const end = await catchUp()
      assert.deepEqual([end.cursor, end.setAside], [id, 0])
      await checkEqual('after the failures')
    })
  })
}
