// The views of a running server: what its parts may rely on.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { verifyStore } from '../src/kernel/hub/jobs/integrity-check.ts'
import { castAdd, linkAdd, reactionAdd } from '../src/kernel/protocol/build.ts'
import { DAY_MS, networkTime } from '../src/kernel/protocol/time.ts'
import { openViewEngine } from '../src/kernel/storage/views/view-store.ts'
import { castKey } from '../src/kernel/views/message-fields.ts'
import { onEngines, stored } from './hub-support.ts'
import { PATIENCE_MS } from './patience.ts'
import { until } from './until.ts'
import { refuseRows } from './view-defects.ts'
import { DEVNET, type TestAccount, type World } from './world.ts'

const metrics = async (world: World) => (await fetch(`${world.app.urls.operations}/metrics`)).text()

onEngines(
  'the views of a server',
  (world) => {
    const views = () => world().app.views!
    const submit = async (account: TestAccount, text: string) => {
      const message = world().sign(account, castAdd(world().origin(account), text))
      return { message, id: await stored(world().app.hub, message) }
    }

    test('what was submitted is in the views once they have passed its event', async () => {
      const account = await world().account(1)
      const { message, id } = await submit(account, 'indexed')
      assert.equal(await views().passed(id, PATIENCE_MS), true)
      const key = castKey(1, message.hash)
      const { storage, hub } = world().app
      assert.deepEqual(
        (await storage.views.postsByKeys([key])).map((post) => [post.id, post.fid, post.kind]),
        [[id, 1, 1]],
      )
      const target = { fid: 1, hash: message.hash }
      const like = world().sign(account, reactionAdd(world().origin(account), 1, target))
      assert.equal(await views().passed(await stored(hub, like), PATIENCE_MS), true)
      assert.equal((await storage.views.counts([key]))[0]?.likes, 1)
      const [user] = await storage.views.users([1])
      assert.match(
        `{${user?.card},${user?.profile}}`,
        /^\{"username":"!1",.*"verified_accounts":\[\]\}$/,
      )
      assert.deepEqual(views().state(), {
        status: 'ready',
        cursor: (views().state() as { cursor: number }).cursor,
        earlierBuilds: 0,
      })
    })

    test('held views do not pass an event, and pass it once they are released', async () => {
      const account = await world().account(2)
      const release = await views().hold()
      const { id } = await submit(account, 'held')
      assert.equal(await views().passed(id, 50), false)
      release()
      assert.equal(await views().passed(id, PATIENCE_MS), true)
    })

    test('a rebuild on a running server ends with the same views', async () => {
      const account = await world().account(3)
      const { message } = await submit(account, 'rebuilt')
      const key = castKey(3, message.hash)
      await views().rebuild()
      assert.equal(views().state().status, 'building')
      const { id } = await submit(account, 'after the rebuild')
      assert.equal(await views().passed(id, PATIENCE_MS), true)
      assert.equal((await world().app.storage.views.postsByKeys([key])).length, 1)
      assert.equal(views().state().status, 'ready')
    })

    test('the operator sees how far the views are and has them rebuilt', async () => {
      const status = await world().operate('/views')
      assert.equal(status.body.status, 'ready')
      assert.ok(status.body.cursor > 0)
      assert.equal((await world().operate('/views/rebuild', { method: 'POST' })).status, 200)
      const account = await world().account(9)
      const { id } = await submit(account, 'after the rebuild of the operator')
      assert.equal(await views().passed(id, PATIENCE_MS), true)
    })

    test('an event that the views cannot apply is shown to the operator, and a rebuild tries it again', async (t) => {
      const account = await world().account(21)
      const other = await world().account(22)
      const engine = openViewEngine(world().app.storage.settings)
      t.after(async () => {
        await mend()
        await engine.close()
      })
      const mend = await refuseRows(engine, 'view_post', 'new.fid = 21')
      const { message, id } = await submit(account, 'refused')
      const next = await submit(other, 'taken')
      assert.equal(await views().passed(next.id, PATIENCE_MS), true)
      const { storage } = world().app
      const keys = [castKey(21, message.hash), castKey(22, next.message.hash)]
      assert.deepEqual(
        (await storage.views.postsByKeys(keys)).map(({ fid }) => fid),
        [22],
      )
      assert.equal((await world().operate('/views')).body.setAside, 1)
      const { setAside } = (await world().operate('/views/set-aside')).body
      assert.deepEqual([setAside[0].part, setAside[0].id, setAside.length], ['added', id, 1])
      assert.match(setAside[0].reason, /a defect/)
      assert.match(await metrics(world()), /^rookery_views_set_aside 1$/m)
      const { errors } = (await world().operate('/errors')).body
      assert.ok(errors.some((one: { message: string }) => one.message.includes(`added ${id}`)))

      await mend()
      await views().rebuild()
      assert.equal(await views().passed(next.id, PATIENCE_MS), true)
      assert.equal((await storage.views.postsByKeys(keys)).length, 2)
      assert.equal((await world().operate('/views')).body.setAside, 0)
    })

    test('a process is not ready while a large share of the messages is missing from its views', async (t) => {
      const engine = openViewEngine(world().app.storage.settings)
      t.after(async () => {
        await mend()
        await engine.close()
      })
      const mend = await refuseRows(engine, 'view_post', 'new.fid = 24')
      const account = await world().account(24)
      const ready = async () => {
        const response = await fetch(`${world().app.urls.operations}/health/ready`)
        const { checks } = (await response.json()) as { checks: Record<string, string> }
        return [response.status, checks.views]
      }
      const ids: number[] = []
      for (let i = 0; i < 9; i++) ids.push((await submit(account, `refused ${i}`)).id)
      assert.equal(await views().passed(ids.at(-1)!, PATIENCE_MS), true)
      assert.deepEqual(await ready(), [200, 'ok'])
      const { id } = await submit(account, 'one too many')
      assert.equal(await views().passed(id, PATIENCE_MS), true)
      assert.deepEqual(await ready(), [503, 'failed'])
      const shown = /^rookery_views_set_aside_ratio (\S+)$/m.exec(await metrics(world()))
      const ratio = Number(shown?.[1])
      assert.ok(ratio > 0.2 && ratio < 1, String(ratio))

      await mend()
      await views().rebuild()
      assert.equal(await views().passed(id, PATIENCE_MS), true)
      assert.deepEqual(await ready(), [200, 'ok'])
    })

    test('while the store of the views fails, the lag grows and the operator sees why, and they go on by themselves', async (t) => {
      const account = await world().account(23)
      const engine = openViewEngine(world().app.storage.settings)
      const rename = (from: string, to: string) =>
        engine.transaction((sql) => sql.all(`alter table ${from} rename to ${to}`))
      t.after(async () => {
        await rename('view_gone', 'view_post').catch(() => {})
        await engine.close()
      })
      await rename('view_post', 'view_gone')
      const { id } = await submit(account, 'waits')
      world().clock.advance(90_000)
      const status = async () => (await world().operate('/views')).body
      await until(async () => (await status()).failure !== undefined, 'a failure is shown')
      const { lagSeconds, failure } = await status()
      assert.ok(lagSeconds >= 90, `${lagSeconds} s`)
      assert.match(failure, /view_post/)
      const [, lag] = /^rookery_views_lag_seconds ([\d.]+)$/m.exec(await metrics(world())) ?? []
      assert.ok(Number(lag) >= 90, `${lag} s`)
      // The hub works all the same.
      const ready = await world().operate('/health/ready')
      assert.equal(ready.status, 200)
      assert.ok(ready.body.details.views.lagSeconds >= 90)
      assert.match(ready.body.details.views.failure, /view_post/)

      await rename('view_gone', 'view_post')
      assert.equal(await views().passed(id, PATIENCE_MS), true)
      const after = await status()
      assert.deepEqual([after.lagSeconds, after.failure, after.setAside], [0, undefined, 0])
    })

    test('ranked lists and the activity of places are written by jobs', async () => {
      const account = await world().account(10)
      const { hub, storage, jobs } = world().app
      const origin = world().origin(account)
      const parent = { case: 'parentUrl', value: 'https://example.org/ranked' } as const
      const cast = world().sign(account, castAdd(origin, { text: 'ranked', parent }))
      await stored(hub, cast)
      const target = { fid: 10, hash: cast.hash }
      const id = await stored(hub, world().sign(account, reactionAdd(origin, 1, target)))
      assert.equal(await views().passed(id, PATIENCE_MS), true)
      for (let run = 0; run < 4; run++) await jobs.run('rank casts')
      const generation = await storage.views.trendGeneration()
      const [post] = await storage.views.postsByKeys([castKey(10, cast.hash)])
      const list = await storage.views.trend(generation, '24h', 0, 100)
      assert.ok(list.some(({ doc, score }) => doc === post!.doc && score > 0))
      assert.deepEqual(await storage.views.trend(generation - 3, '24h', 0, 100), [])
      await jobs.run('count channel activity')
      assert.deepEqual(
        (await storage.views.activity([post!.place!])).map((row) => [row.casts_1d, row.casts_30d]),
        [[1, 1]],
      )
    })

    test('a restarted server goes on where its views were', async () => {
      const account = await world().account(4)
      const { message, id } = await submit(account, 'before the restart')
      assert.equal(await views().passed(id, PATIENCE_MS), true)
      await world().restart()
      const next = await submit(account, 'after the restart')
      assert.equal(await views().passed(next.id, PATIENCE_MS), true)
      const keys = [castKey(4, message.hash), castKey(4, next.message.hash)]
      assert.equal((await world().app.storage.views.postsByKeys(keys)).length, 2)
    })

    test('events that the views have not read are not pruned for two weeks', async () => {
      const account = await world().account(5)
      const { storage, jobs } = world().app
      const release = await views().hold()
      const { id } = await submit(account, 'unread')
      world().clock.advance(5 * DAY_MS)
      await jobs.run('prune events')
      assert.ok(await storage.events.byId(id))
      world().clock.advance(10 * DAY_MS)
      await jobs.run('prune events')
      assert.equal(await storage.events.byId(id), undefined)
      release()
      const next = await submit(account, 'after a rebuild')
      assert.equal(await views().passed(next.id, PATIENCE_MS), true)
      assert.equal((await storage.views.posts([])).length, 0)
    })

    test('notices are deleted when they are older than sixty days', async () => {
      const [one, other] = await world().accounts([6, 7])
      const { hub, storage, jobs } = world().app
      const now = networkTime(world().clock.now())
      const at = (days: number) => world().origin(one!, now - days * 86_400)
      await stored(hub, world().sign(one!, linkAdd(at(61), 'follow', other!.fid)))
      const parent = await submit(other!, 'liked')
      const target = { fid: 7, hash: parent.message.hash }
      const id = await stored(hub, world().sign(one!, reactionAdd(at(1), 1, target)))
      assert.equal(await views().passed(id, PATIENCE_MS), true)
      assert.equal((await storage.views.notices(7, 10)).length, 2)
      await jobs.run('prune notices')
      assert.deepEqual(
        (await storage.views.notices(7, 10)).map((notice) => notice.id),
        [id],
      )
    })

    test('verify counts the views again, and leaves those alone that have not read everything', async () => {
      const { storage } = world().app
      const verify = () => verifyStore(storage, { network: DEVNET })
      const account = await world().account(11)
      const { id } = await submit(account, 'verified')
      assert.equal(await views().passed(id, PATIENCE_MS), true)
      const { views: state, kinds } = await verify()
      assert.deepEqual([state, kinds.views], ['counted', undefined])
      const release = await views().hold()
      await submit(account, 'not read yet')
      assert.equal((await verify()).views, 'behind')
      release()
    })

    test('a reset empties the views', async () => {
      const account = await world().account(8)
      const { message, id } = await submit(account, 'deleted')
      assert.equal(await views().passed(id, PATIENCE_MS), true)
      await world().app.storage.reset()
      const again = await world().account(8)
      const next = await submit(again, 'new data')
      assert.equal(await views().passed(next.id, PATIENCE_MS), true)
      const keys = [castKey(8, message.hash), castKey(8, next.message.hash)]
      assert.equal((await world().app.storage.views.postsByKeys(keys)).length, 1)
    })

    test('metrics and health tell how far the views are', async () => {
      const { app } = world()
      const metrics = await (await fetch(`${app.urls.operations}/metrics`)).text()
      assert.match(metrics, /^rookery_views_events_total [1-9]/m)
      assert.match(metrics, /^rookery_views_build_ratio 1$/m)
      assert.match(metrics, /^rookery_views_lag_seconds \d/m)
      const health = await world().operate('/health/ready')
      assert.equal(health.body.details.views.status, 'ready')
    })
  },
  () => ({ env: { ROOKERY_VIEWS: 'on' } }),
)
