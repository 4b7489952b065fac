import assert from 'node:assert/strict'
import { test } from 'node:test'
import { randomFrom, runSeed } from '../../../test/random.ts'
import { SharedBucket } from './bucket.ts'

const RATE = { perSecond: 1_000, burstSeconds: 5 }
const TICK_MS = 10

type Demand = { readonly perSecond: number; readonly unitsEach: number }
type Served = { asked: number; units: number; refused: number }

/** Clients that ask for what they want, for so many seconds of a clock of their own. */
function serve(demands: readonly Demand[], { from, to }: { from: number; to: number }) {
  const bucket = new SharedBucket(RATE, 10_000, 0)
  const clients = demands.map((demand, i) => ({
    ...demand,
    name: `${i}`,
    // They do not all begin at once.
    due: ((i % 7) / 7) * demand.unitsEach,
    served: { asked: 0, units: 0, refused: 0 } as Served,
  }))
  for (let now = 0; now < to * 1_000; now += TICK_MS) {
    for (const client of clients) {
      client.due += (client.perSecond * TICK_MS) / 1_000
      for (; client.due >= client.unitsEach; client.due -= client.unitsEach) {
        const isRefused = bucket.deficit(client.name, client.unitsEach, now) > 0
        if (!isRefused) bucket.consume(client.name, client.unitsEach, now)
        if (now < from * 1_000) continue
        client.served.asked++
        if (isRefused) client.served.refused++
        else client.served.units += client.unitsEach
      }
    }
  }
  return clients.map(({ served }) => served)
}

/** What each gets when what is not used by those who want little is divided among the others. */
function fairShares(demands: readonly number[], capacity: number): number[] {
  const shares = demands.map(() => 0)
  let left = capacity
  const order = demands.map((_, i) => i).sort((a, b) => demands[a]! - demands[b]!)
  for (const [done, i] of order.entries()) {
    shares[i] = Math.min(demands[i]!, left / (demands.length - done))
    left -= shares[i]!
  }
  return shares
}

test('the common budget gives every client its max-min fair share, whatever the others ask for', () => {
  const seed = runSeed()
  const random = randomFrom(seed)
  for (let round = 0; round < 30; round++) {
    const demands = Array.from({ length: 2 + random.int(20) }, () => ({
      perSecond: random.int(3) === 0 ? 400 + random.int(4_000) : 5 + random.int(60),
      unitsEach: 1 + random.int(5),
    }))
    const seconds = { from: 20, to: 60 }
    const rates = demands.map(({ perSecond }) => perSecond)
    const shares = fairShares(rates, RATE.perSecond)
    for (const [i, served] of serve(demands, seconds).entries()) {
      const got = served.units / (seconds.to - seconds.from)
      const what = `seed ${seed}, round ${round}, client ${i} of ${rates}: ${got} of ${shares[i]} units a second`
      if (rates[i]! < 0.7 * Math.max(...shares)) assert.equal(served.refused, 0, what)
      assert.ok(Math.abs(got - shares[i]!) < 0.15 * shares[i]! + 2, what)
    }
  }
})

test('a client that asks for less than its share is not refused when hundreds of new clients come at once', () => {
  const newcomers = Array.from({ length: 300 }, () => ({ perSecond: 500, unitsEach: 2 }))
  const [ordinary] = serve([{ perSecond: 2.5, unitsEach: 2 }, ...newcomers], { from: 0, to: 30 })
  assert.ok(ordinary!.asked > 30)
  assert.equal(ordinary!.refused, 0)
})

test('no clients together get more than what is saved and earned, and what is refunded can be consumed again', () => {
  const seed = runSeed()
  const random = randomFrom(seed)
  const bucket = new SharedBucket(RATE, 10_000, 0)
  let taken = 0
  for (let now = 0; now < 20_000; now += random.int(20)) {
    const name = `${random.int(100)}`
    const units = 1 + random.int(200)
    if (bucket.deficit(name, units, now) > 0) continue
    bucket.consume(name, units, now)
    const unused = random.int(units)
    bucket.refund(name, unused)
    taken += units - unused
    assert.ok(taken <= 5_000 + now + 1e-6, `${taken} units after ${now} ms, seed ${seed}`)
  }
  assert.ok(taken > 0.9 * 20_000, `${taken} units`)
})
