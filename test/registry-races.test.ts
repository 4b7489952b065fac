// Many requests at once, on both engines and with two programs on one PostgreSQL: one winner each time.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type App, startApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { createLogger } from '../src/kernel/http/logger.ts'
import { effort } from './effort.ts'
import { accepted, type Person, registryClient, type Transfer } from './registry-support.ts'
import { type Answer, createWorld, ENGINES, type World } from './world.ts'

const SETUPS = [...ENGINES, 'two programs on postgres'] as const
const CROWD = 50
/** So many register while others poll. */
const POLLED = effort(20, 200)

for (const setup of SETUPS) {
  describe(`fifty requests at once, ${setup}`, () => {
    let world: World
    let second: App | undefined
    let clients: ReturnType<typeof registryClient>[]
    let next = 1
    before(async () => {
      world = await createWorld({ engine: setup === 'sqlite' ? 'sqlite' : 'postgres' })
      if (setup.startsWith('two')) second = await startBeside(world)
      const programs = second ? [world.app, second] : [world.app]
      clients = programs.map((app) => registryClient(world, () => app.urls))
    })
    after(async () => {
      await second?.stop()
      await world.close()
    })

    const people = (count: number) => {
      const fids = Array.from({ length: count }, () => next++)
      return clients[0]!.people(fids)
    }
    const client = (i: number) => clients[i % clients.length]!
    const codes = (answers: readonly Answer[]) =>
      [...new Set(answers.map(({ body }) => body.code ?? 'accepted'))].sort()
    const rows = async (name: string) =>
      (await clients[0]!.get(`/transfers?name=${name}`)).body.transfers as Transfer[]

    test('fifty concurrent registrations of one name have one winner', async () => {
      const crowd = await people(CROWD)
      const answers = await Promise.all(crowd.map((one, i) => client(i).register(one, 'wanted')))
      assert.equal(answers.filter(({ status }) => status === 200).length, 1)
      assert.deepEqual(codes(answers), ['USERNAME_TAKEN', 'accepted'])
      assert.equal((await rows('wanted')).length, 1)
    })

    test('concurrent registrations of two names by one fid have one winner', async () => {
      const [one] = (await people(1)) as [Person]
      const answers = await Promise.all(
        Array.from({ length: CROWD }, (_, i) => client(i).register(one, `either${i % 2}`)),
      )
      const won = answers.filter(({ status }) => status === 200).map(({ body }) => body.transfer)
      assert.equal(won.length, CROWD / 2)
      assert.equal(new Set(won.map(({ id }) => id)).size, 1)
      assert.deepEqual(codes(answers), ['TOO_MANY_NAMES', 'accepted'])
      assert.equal((await rows('either0')).length + (await rows('either1')).length, 1)
    })

    test('fifty equal concurrent requests give one row and equal answers', async () => {
      const [one, two] = (await people(2)) as [Person, Person]
      const same = async (body: unknown) => {
        const all = await Promise.all(Array.from({ length: CROWD }, (_, i) => client(i).post(body)))
        const transfers = all.map(accepted)
        for (const transfer of transfers) assert.deepEqual(transfer, transfers[0])
      }
      const sign = clients[0]!.sign
      await same(await sign(one, { name: 'repeated', from: 0, to: one.fid }))
      world.clock.advance(28 * 24 * 3_600_000)
      await same(await sign(one, { name: 'repeated', from: one.fid, to: two.fid }))
      world.clock.advance(1_000)
      await same(await sign(two, { name: 'repeated', from: two.fid, to: 0 }))
      assert.equal((await rows('repeated')).length, 3)
    })

    test('concurrent exchanges leave no fid with two names and no name with two fids', async () => {
      const crowd = await people(10)
      for (const [i, one] of crowd.entries()) accepted(await client(i).register(one, `swap${i}`))
      world.clock.advance(28 * 24 * 3_600_000)
      await Promise.all(
        Array.from({ length: CROWD }, (_, i) => {
          const one = crowd[i % 10]!
          return i < 20
            ? client(i).release(one, `swap${i % 10}`)
            : client(i).move(one, `swap${i % 10}`, crowd[(i * 7) % 10]!.fid)
        }),
      )
      const holders = new Map<string, number>()
      for (const { username, to } of await clients[0]!.history()) holders.set(username, to)
      const held = [...holders.values()].filter((fid) => fid !== 0)
      assert.equal(new Set(held).size, held.length)
      for (const [name, fid] of holders) {
        if (fid === 0) continue
        const { body } = await clients[0]!.get(`/transfers/current?fid=${fid}`)
        assert.equal(body.transfer.username, name)
      }
    })

    test('a poller sees each concurrent transfer once and in order', async () => {
      const start = (await clients[0]!.history()).at(-1)!.id
      const crowd = await people(POLLED)
      let writing = true
      const pollers = [0, 1, 2, 3].map(async (i) => {
        const seen: number[] = []
        let from = start
        for (let last = false; ; ) {
          const { body } = await client(i).get(`/transfers?from_id=${from}`)
          const ids: number[] = body.transfers.map(({ id }: Transfer) => id)
          seen.push(...ids)
          from = ids.at(-1) ?? from
          if (last && ids.length === 0) return seen
          last = !writing
        }
      })
      const answers = await Promise.all(
        crowd.map((one, i) => client(i).register(one, `p${one.fid}`)),
      )
      writing = false
      const ids = answers.map((answer) => accepted(answer).id).sort((a, b) => a - b)
      for (const seen of await Promise.all(pollers)) assert.deepEqual(seen, ids)
    })
  })
}

/** Another server on the same PostgreSQL. */
function startBeside(world: World): Promise<App> {
  return startApp({
    config: readConfig(world.env, 'development'),
    clock: world.clock,
    logger: createLogger({ level: 'fatal' }),
  })
}
