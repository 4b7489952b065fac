import { metricSampleRows } from '../src/features/operations/tables/metric-samples.ts'
import { HOUR_MS } from '../src/kernel/protocol/time.ts'
import { SCHEMA } from '../src/store.ts'
// What the room of the operator asks for: people, a week of numbers, settings and jobs.

import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { reportRows, UNANSWERED } from '../src/features/moderation-records/port.ts'
import { peopleRoutes } from '../src/features/operations/people-routes.ts'
import { SAMPLED_METRICS } from '../src/features/operations/sampled-metrics.ts'
import { type PersonPlace, peopleRows } from '../src/features/operations/tables/people.ts'
import type { FindPeople } from '../src/features/search/port.ts'
import { castAdd, userDataAdd } from '../src/kernel/protocol/build.ts'
import { Rejection } from '../src/kernel/protocol/rejection.ts'
import { UserDataType } from '../src/kernel/protocol/wire/message_pb.js'
import { serve } from './http-support.ts'
import { indexed } from './indexed.ts'
import { until } from './until.ts'
import { createWorld, enginesOf, WORLD_START_MS } from './world.ts'

const TOKEN = 'operator-of-the-people'
const START = WORLD_START_MS / 1_000

for (const engine of enginesOf(import.meta.url)) {
  describe(`the lists of the operator on ${engine}`, { concurrency: 1 }, async () => {
    const world = await createWorld({
      engine,
      env: { ROOKERY_OPS_TOKEN: TOKEN, ROOKERY_VIEWS: 'on' },
    })
    after(() => world.close())
    const ask = async (path: string) => {
      const { status, body } = await world.operate(path, { token: TOKEN })
      assert.equal(status, 200, `${path}: ${JSON.stringify(body)}`)
      return body
    }
    const fidsOf = async (query: string): Promise<number[]> =>
      (await ask(`/people?${query}`)).result.people.map(({ fid }: { fid: number }) => fid)

    it('accounts are listed from the newest on, in pages that are bounded', async () => {
      const [first] = await world.accounts([1, 2, 3, 4, 5], { units: 2 })
      await world.submit(world.sign(first!, castAdd(world.origin(first!), 'seen')))
      const page = await ask('/people?limit=2')
      assert.deepEqual(
        page.result.people.map(({ fid }: { fid: number }) => fid),
        [5, 4],
      )
      assert.deepEqual(await fidsOf(`limit=2&cursor=${page.next.cursor}`), [3, 2])
      assert.deepEqual(await fidsOf('limit=100'), [5, 4, 3, 2, 1])
      assert.equal((await world.operate('/people?limit=101', { token: TOKEN })).status, 400)
      const [{ lastSeenAt, messages }] = (await ask('/people?q=1')).result.people
      assert.deepEqual([lastSeenAt, messages], [START, 1])
      const [person] = (await ask('/people?q=5')).result.people
      assert.equal(person.units, 2)
      assert.ok(person.joinedAt <= START + 60 && person.joinedAt > 0, `${person.joinedAt}`)
      assert.deepEqual(
        [person.openReports, person.isSuspended, person.isErased, 'lastSeenAt' in person],
        [0, false, false, false],
      )
    })

    it('accounts are found by fid and by custody address, and nobody by what nobody has', async () => {
      const [person] = (await ask('/people?q=3')).result.people
      assert.deepEqual(await fidsOf(`q=${person.custody}`), [3])
      assert.deepEqual(await fidsOf(`q=${person.custody.toUpperCase().replace('0X', '0x')}`), [3])
      for (const text of ['99', 'nobody', '0x1234', '%25', "'", '!0', '99999999999'])
        assert.deepEqual(await fidsOf(`q=${text}`), [], text)
    })

    it('accounts are found by words of the names that they show, and come with name and picture', async () => {
      const [first] = await world.accounts([1])
      for (const [type, value] of [
        [UserDataType.USER_DATA_TYPE_DISPLAY, 'Zoë Blackbird'],
        [UserDataType.USER_DATA_TYPE_PFP, 'https://pictures.example/zoe.png'],
      ] as const)
        await world.submit(world.sign(first!, userDataAdd(world.origin(first!), type, value)))
      await indexed(world.app)
      for (const text of ['Zoë', 'blackbird', 'black']) {
        const { people } = (await ask(`/people?q=${encodeURIComponent(text)}`)).result
        assert.deepEqual(
          people.map(({ fid, displayName, pictureUrl }: Record<string, unknown>) => [
            ...[fid, displayName, pictureUrl],
          ]),
          [[1, 'Zoë Blackbird', 'https://pictures.example/zoe.png']],
          text,
        )
      }
    })

    it('a name of the registry is found while the search of everybody has no time', async () => {
      const { storage, clock } = world.app
      const busy = new Rejection('unavailable.overloaded', 'too many searches are waiting')
      const found = async (findPeople: FindPeople) => {
        const terms = { unitSeconds: 0 } as never
        const api = serve(peopleRoutes({ ...{ storage, clock, terms }, findPeople }), {
          ...{ name: 'operations', errors: 'plain' },
        })
        return await api.inject('/people?q=1')
      }
      const answer = await found(() => Promise.reject(busy))
      assert.deepEqual(
        answer.json().result.people.map(({ fid }: { fid: number }) => fid),
        [1],
      )
      const broken = await found(() => Promise.reject(new Error('no table')))
      assert.equal(broken.statusCode, 500, 'a fault is no empty list')
    })

    it('reported and suspended accounts have their lists', async () => {
      const report = {
        reporter_fid: 1,
        cast_hash: null,
        mini_app: null,
        reason: 'spam',
        created_at: START,
      }
      await world.app.storage.write('platform', async (tx) => {
        const open = { kind: null, rule: null, ...UNANSWERED }
        await tx.of(reportRows).add({ ...report, ...open, fid: 2 })
        await tx.of(reportRows).add({ ...report, ...open, fid: 2 })
        await tx.of(reportRows).add({ ...report, ...open, fid: 4 })
      })
      assert.deepEqual(await fidsOf('list=reported'), [4, 2])
      assert.equal((await ask('/people?q=2')).result.people[0].openReports, 2)
      await world.operate('/moderation/accounts/4/suspend', {
        method: 'POST',
        body: { reason: 'spam' },
        token: TOKEN,
      })
      assert.deepEqual(await fidsOf('list=suspended'), [4])
      assert.equal((await ask('/people?q=4')).result.people[0].isSuspended, true)
      await world.operate('/moderation/accounts/3/limit', {
        method: 'POST',
        body: { reason: 'loud' },
        token: TOKEN,
      })
      assert.deepEqual(await fidsOf('list=limited'), [3])
      assert.equal((await ask('/people?q=3')).result.people[0].isLimited, true)
      const [{ custody }] = (await ask('/people?q=5')).result.people
      await world.operate('/moderation/staff/5/appoint', {
        method: 'POST',
        body: { reason: 'kind', role: 'moderator', custody },
        token: TOKEN,
      })
      assert.deepEqual(await fidsOf('list=staff'), [5])
      assert.equal((await ask('/people?q=5')).result.people[0].role, 'moderator')
    })

    it('accounts are ordered by when they were seen and by how much they are reported, in each list, page by page', async () => {
      /** Every page, one account at a time. */
      const inOrder = async (query: string) => {
        const fids: number[] = []
        for (let cursor = ''; ; ) {
          const { result, next } = await ask(`/people?limit=1&${query}&cursor=${cursor}`)
          fids.push(...result.people.map(({ fid }: { fid: number }) => fid))
          if (!next) return fids
          cursor = next.cursor
        }
      }
      assert.deepEqual(await inOrder('order=reports'), [2, 4, 5, 3, 1], 'the others come last')
      assert.deepEqual(await inOrder('order=reports&list=suspended'), [4])
      assert.deepEqual(await inOrder('order=newest&list=reported'), [4, 2])
      world.clock.advance(2 * HOUR_MS)
      const [, second, third] = await world.accounts([1, 2, 3])
      await world.submit(world.sign(second!, castAdd(world.origin(second!), 'late')))
      assert.deepEqual(await inOrder('order=seen'), [2, 1, 5, 4, 3], 'the others never wrote')
      world.clock.advance(2 * HOUR_MS)
      await world.submit(world.sign(third!, castAdd(world.origin(third!), 'later')))
      assert.deepEqual(await inOrder('order=seen'), [3, 2, 1, 5, 4])
      assert.deepEqual(await inOrder('order=seen&list=reported'), [2, 4])
      // Where nearly all have written, a page looks through so many for the others.
      const few = async (after: PersonPlace | undefined) =>
        world.app.storage
          .of(peopleRows)
          .page({ list: 'all', order: 'seen', after, without: undefined }, 5, 1)
      const never = [{ fid: 5, place: 0 }]
      const { places, on } = await few(undefined)
      assert.deepEqual([places.map(({ fid }) => fid), on], [[3, 2, 1, 5], never[0]])
      assert.deepEqual(await few({ fid: 6, place: 0 }), { places: never, on: never[0] })
      assert.deepEqual(await few({ fid: 4, place: 0 }), { places: [], on: { fid: 3, place: 0 } })
      assert.deepEqual(await few({ fid: 1, place: 0 }), { places: [] })
      assert.deepEqual(await inOrder('order=newest'), [5, 4, 3, 2, 1])
      assert.equal((await world.operate('/people?order=name', { token: TOKEN })).status, 400)
    })

    it('numbers are sampled every ten minutes, thinned to hours, and kept for a week', async () => {
      for (let i = 0; i < 3; i++) {
        await world.app.jobs.run('sample metrics')
        await world.app.jobs.run('sample metrics')
        world.clock.advance(HOUR_MS / 6)
      }
      const young = await ask('/samples')
      assert.equal(young.at.length, 4, 'the last point is of now')
      assert.deepEqual(young.series.rookery_accounts, [5, 5, 5, 5])
      for (const name of Object.keys(young.series))
        assert.ok(SAMPLED_METRICS.includes(name as never))
      const from = Math.floor(world.clock.now() / 1_000)
      const old = Array.from({ length: 1_200 }, (_, i) => ({
        at: from - i * 600,
        numbers: '{"rookery_casts":1}',
      }))
      await world.app.storage.write('all/samples', async (tx) => {
        for (const sample of old) await tx.of(metricSampleRows).put(sample)
      })
      await world.app.jobs.run('sample metrics')
      const { at } = await ask('/samples')
      assert.ok(at.length >= 169 && at.length <= 171, `${at.length} points`)
      assert.ok(at[0] >= from - 7 * 86_400)
      const kept = await world.app.storage.of(metricSampleRows).between(0, from + 600, 2_000)
      assert.ok(kept.length <= 1_010, `${kept.length} rows`)
    })

    it('settings are shown with where they come from, and secrets never', async () => {
      const server = await ask('/server')
      assert.deepEqual(
        [server.schema, server.mode, server.engine],
        [SCHEMA.newest, 'development', engine],
      )
      const byName = new Map<string, { source: string; value?: string; isSecret: boolean }>(
        server.settings.map((one: { variable: string }) => [one.variable, one]),
      )
      const token = byName.get('ROOKERY_OPS_TOKEN')!
      assert.deepEqual(
        [token.source, token.isSecret, 'value' in token],
        ['environment', true, false],
      )
      assert.equal(byName.get('ROOKERY_HUB_PORT')!.source, 'environment')
      assert.equal(byName.get('ROOKERY_HOST')!.source, 'default')
      const text = JSON.stringify(server)
      assert.ok(!text.includes(TOKEN) && !text.includes(world.env.DATABASE_URL ?? TOKEN))
    })

    it('jobs are listed with their last run, and all of it asks for the token', async () => {
      // A process that could not renew its lease in time leads again a moment later.
      const { jobs } = await until(async () => {
        const answer = await ask('/jobs')
        return answer.isLeader ? answer : undefined
      }, 'the only process leads')
      const sampler = jobs.find(({ name }: { name: string }) => name === 'sample metrics')
      assert.deepEqual([sampler.scope, sampler.lastOutcome], ['leader', 'succeeded'])
      for (const path of ['/people', '/samples', '/server', '/jobs'])
        assert.equal((await world.operate(path)).status, 401, path)
    })
  })
}
