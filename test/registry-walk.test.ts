import { nameTransferRows } from '../src/features/registry/tables/name-transfers.ts'
// A random walk of requests through the registry and the hub, beside a model that is slow and obvious.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { effort } from './effort.ts'
import { type Random, randomFrom, runSeed } from './random.ts'
import {
  type Person,
  type RegistryClient,
  registryClient,
  type Transfer,
} from './registry-support.ts'
import { createWorld, enginesOf, type World } from './world.ts'

const STEPS = effort(280, 2_000)
const FIDS = [1, 2, 3, 4, 5, 6]
const NAMES = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
const INTERVAL = 28 * 24 * 3_600
const SEED = runSeed()

type Asked = { name: string; from: number; to: number; by: number; timestamp: number }

/** Nothing but the log, read from its beginning for every question. */
class Model {
  readonly rows: Asked[] = []

  latest(name: string): Asked | undefined {
    return this.rows.filter((row) => row.name === name).at(-1)
  }

  holder(name: string): number {
    return this.latest(name)?.to ?? 0
  }

  names(fid: number): string[] {
    return NAMES.filter((name) => this.holder(name) === fid)
  }

  /** The deployed rules in the words of their specification, one after the other. */
  answer(asked: Asked, now: number): string {
    const { name, from, to, by, timestamp } = asked
    if (from === to) return 'UNAUTHORIZED'
    if (by !== (from === 0 ? to : from)) return 'INVALID_FID_OWNER'
    const latest = this.latest(name)
    const isRepeat =
      latest?.timestamp === timestamp &&
      latest.from === from &&
      latest.to === to &&
      latest.by === by
    if (isRepeat) return 'repeat'
    const [own] = to === 0 ? [] : this.names(to)
    if (own === name && latest?.by === by) return 'repeat'
    if (own !== undefined) return 'TOO_MANY_NAMES'
    if (timestamp > now + 600 || timestamp < now - 600) return 'INVALID_TIMESTAMP'
    if (latest && latest.to !== 0 && latest.to !== from) return 'USERNAME_TAKEN'
    if (from !== 0 && latest?.to !== from) return 'USERNAME_NOT_FOUND'
    if (latest && timestamp <= latest.timestamp) return 'INVALID_TIMESTAMP'
    const wasGift = latest !== undefined && latest.from !== 0 && latest.to !== 0
    if (latest && timestamp < latest.timestamp + INTERVAL && !(to === 0 && wasGift)) {
      return 'THROTTLED'
    }
    this.rows.push(asked)
    return 'transfer'
  }
}

for (const engine of enginesOf(import.meta.url)) {
  describe(`on ${engine}`, () => {
    test(`a random walk keeps names and fids inverse at every step (seed ${SEED})`, async () => {
      // The model has the rules of the deployed registry, which has no undo.
      const world = await createWorld({ engine, config: { nameUndoSeconds: 0 } })
      try {
        await walk(world, registryClient(world), STEPS, randomFrom(SEED))
      } finally {
        await world.close()
      }
    })

    test('a published row sent again as a request changes nothing, for any fids', async () => {
      const world = await createWorld({ engine })
      try {
        await replay(world, registryClient(world))
      } finally {
        await world.close()
      }
    })
  })
}

async function walk(world: World, registry: RegistryClient, steps: number, random: Random) {
  const people = new Map((await registry.people(FIDS)).map((one) => [one.fid, one]))
  const model = new Model()
  const told = new Map<string, number>()
  for (let step = 0; step < steps; step++) {
    // Mostly moments, now and then most of the 28 days.
    world.clock.advance(random.int(4) === 0 ? random.int(INTERVAL) * 500 : random.int(120) * 1_000)
    const asked = ask(random, model, registry.now())
    const { by, ...change } = asked
    const answer = await registry.change(people.get(by)!, { ...change, fid: 0 })
    const before = model.rows.length
    const expected = model.answer(asked, registry.now())
    const got =
      answer.status !== 200 ? answer.body.code : before < model.rows.length ? 'transfer' : 'repeat'
    assert.equal(
      got,
      expected,
      `step ${step}: ${JSON.stringify(asked)} ${JSON.stringify(answer.body)}`,
    )
    told.set(expected, (told.get(expected) ?? 0) + 1)
    if (expected === 'transfer') await compare(world, model, step)
  }
  const [log, rows] = [await registry.history(), model.rows]
  assert.deepEqual(log.map(shortOf), rows.map(shortOfAsked))
  // A walk that never comes to some rule would not test it.
  assert.equal(told.size, 9, JSON.stringify([...told]))
}

function ask(random: Random, model: Model, now: number): Asked {
  const name = random.pick(NAMES)
  const holder = model.holder(name)
  // Half of the requests could well succeed, the others ask for anything.
  const sensible = random.int(2) === 0
  const from = sensible ? holder : random.pick([0, ...FIDS])
  const to = sensible && holder !== 0 && random.int(2) === 0 ? 0 : random.pick([0, ...FIDS])
  const acting = from === 0 ? to : from
  const by = random.int(10) === 0 || acting === 0 ? random.pick(FIDS) : acting
  const last = model.latest(name)?.timestamp ?? now
  const odd = random.pick([last, last + 1, now - 601, now + 601, now - 600, now + 600])
  return { name, from, to, by, timestamp: random.int(5) === 0 ? odd : now }
}

const shortOf = ({ username, from, to, timestamp }: Transfer) =>
  [username, from, to, timestamp].join()
const shortOfAsked = ({ name, from, to, timestamp }: Asked) => [name, from, to, timestamp].join()

/** Both ways, in the registry and in the hub. */
async function compare({ app }: World, model: Model, step: number) {
  await app.hub.catchUpNames()
  const { nameProofs } = app.storage
  const nameTransfers = app.storage.of(nameTransferRows)
  for (const name of NAMES) {
    const holder = model.holder(name)
    const latest = await nameTransfers.latestOf(name)
    assert.equal(latest?.to_fid ?? 0, holder, `step ${step}: who has ${name}`)
    const proof = await nameProofs.byName(Buffer.from(name))
    assert.equal(proof?.fid ?? 0, holder, `step ${step}: who has ${name} in the hub`)
  }
  for (const fid of FIDS) {
    const names = model.names(fid)
    assert.ok(names.length <= 1, `step ${step}`)
    const held = await nameTransfers.heldBy(fid)
    assert.equal(held?.username, names[0], `step ${step}: what ${fid} has`)
    const proofs = await nameProofs.byFid(fid)
    const proven = proofs.map((proof) => Buffer.from(proof.name).toString())
    assert.deepEqual(proven, names, `step ${step}: what ${fid} has in the hub`)
  }
}

async function replay(world: World, registry: RegistryClient) {
  const [a, b, c] = (await registry.people([1, 2, 3])) as [Person, Person, Person]
  const step = () => world.clock.advance(28 * 24 * 3_600_000)
  await registry.register(a, 'x')
  await registry.register(b, 'y')
  step()
  await registry.move(a, 'x', 3)
  await registry.release(b, 'y')
  step()
  await registry.release(c, 'x')
  step()
  await registry.register(b, 'x')
  await registry.register(a, 'y')
  const rows = await registry.history()
  assert.equal(rows.length, 7)
  const fids = [0, 1, 2, 3, 4]
  for (const { username: name, timestamp, owner, user_signature: signature } of rows) {
    for (const from of fids) {
      for (const to of fids) {
        for (const fid of [undefined, 1, 2, 3, 14_045]) {
          await registry.post({ name, timestamp, owner, signature, from, to, fid })
        }
      }
    }
  }
  assert.deepEqual(await registry.history(), rows)
}
