import assert from 'node:assert/strict'
import { test } from 'node:test'
import { costBudget } from '../../../test/http-support.ts'

test('a client spends what it saved, is refused, and may come again when it earned the rest', () => {
  const { costs, advance } = costBudget()
  assert.equal(costs.tryConsume('192.0.2.1', 900), undefined)
  assert.equal(costs.tryConsume('192.0.2.1', 100), undefined)
  assert.deepEqual(costs.tryConsume('192.0.2.1', 50), { by: 'client', retryAfterMs: 500 })
  assert.equal(costs.tryConsume('192.0.2.2', 50), undefined, 'another client is not affected')
  advance(499)
  assert.ok(costs.tryConsume('192.0.2.1', 50))
  advance(1)
  assert.equal(costs.tryConsume('192.0.2.1', 50), undefined)
  advance(3_600_000)
  assert.equal(costs.tryConsume('192.0.2.1', 1_000), undefined)
  assert.ok(costs.tryConsume('192.0.2.1', 1), 'no client saves for longer than the burst')
})

test('addresses of one IPv6 /64 share one budget, and so do both spellings of an IPv4 address', () => {
  const { costs } = costBudget()
  assert.equal(costs.tryConsume('2001:db8:1:2::1', 1_000), undefined)
  assert.ok(costs.tryConsume('2001:db8:1:2:ffff::9', 1))
  assert.equal(costs.tryConsume('2001:db8:1:3::1', 1), undefined)
  assert.equal(costs.tryConsume('192.0.2.1', 1_000), undefined)
  assert.ok(costs.tryConsume('::ffff:192.0.2.1', 1))
})

test('all clients together have a budget, and a client that it refuses has paid nothing', () => {
  const { costs, advance } = costBudget()
  assert.equal(costs.tryConsume('192.0.2.1', 1_000), undefined)
  assert.equal(costs.tryConsume('192.0.2.2', 700), undefined)
  assert.deepEqual(costs.tryConsume('192.0.2.3', 1_000), { by: 'all', retryAfterMs: 800 })
  advance(800)
  assert.equal(costs.tryConsume('192.0.2.3', 1_000), undefined)
})

test('security finding 15: a client that spent little is served while others have used up the budget of all', () => {
  const { costs } = costBudget({ unitsPerSecond: 1_000 })
  const greedy = ['192.0.2.1', '192.0.2.2', '192.0.2.3']
  for (let turn = 0; turn < 1_000; turn++) costs.tryConsume(greedy[turn % greedy.length]!, 10)
  for (const one of greedy) assert.equal(costs.tryConsume(one, 10)?.by, 'all')
  for (let n = 0; n < 10; n++) assert.equal(costs.tryConsume('192.0.2.4', 10), undefined)
})

test('security finding 18: the addresses of one IPv6 /48 share what one gets when the budget of all is short', () => {
  const { costs } = costBudget()
  let served = 0
  for (let n = 0; n < 5_000; n++) {
    if (costs.tryConsume(`2001:db8:1:${n.toString(16)}::1`, 1) === undefined) served++
  }
  assert.equal(served, 1_250, 'half of the budget of all, although each /64 is a client of its own')
  assert.equal(costs.tryConsume('2001:db8:2::1', 600), undefined)
})

test('a stream waits while its client has spent more than what is left for all', () => {
  const { costs, advance } = costBudget({ unitsPerSecond: 1_000 })
  costs.tryConsume('192.0.2.1', 1_000)
  assert.equal(costs.debtMs('192.0.2.1'), 0)
  costs.consume('192.0.2.1', 1_000)
  assert.ok(costs.debtMs('192.0.2.1') > 0)
  advance(6_000)
  assert.equal(costs.debtMs('192.0.2.1'), 0)
})

test('a request that costs more than a client can save is allowed when it saved everything', () => {
  const { costs, advance } = costBudget()
  assert.equal(costs.tryConsume('192.0.2.1', 2_000), undefined)
  assert.ok(costs.tryConsume('192.0.2.1', 1))
  advance(10_000)
  assert.ok(costs.tryConsume('192.0.2.1', 1), 'it is in debt for what it took')
  advance(10_100)
  assert.equal(costs.tryConsume('192.0.2.1', 1), undefined)
})

test('loopback pays nothing in development, and what is given back can be spent', () => {
  const { costs } = costBudget({ exemptLoopback: true })
  for (let i = 0; i < 100; i++) assert.equal(costs.tryConsume('127.0.0.1', 1_000), undefined)
  assert.equal(costs.tryConsume('192.0.2.1', 1_000), undefined)
  costs.consume('192.0.2.1', -400)
  assert.ok(costs.tryConsume('192.0.2.1', 401))
  assert.equal(costs.tryConsume('192.0.2.1', 400), undefined)
})

test('security finding 15: an account with many addresses has one budget besides those of its addresses', () => {
  const { costs, advance } = costBudget()
  for (const address of ['192.0.2.1', '192.0.2.2']) {
    assert.equal(costs.tryConsume(address, 250), undefined)
    assert.equal(costs.tryConsumeOf('fid:1', address, 250), undefined)
  }
  const overspent = { by: 'principal', retryAfterMs: 1_000 } as const
  assert.deepEqual(costs.tryConsumeOf('fid:1', '192.0.2.3', 50), overspent)
  assert.equal(costs.tryConsumeOf('fid:2', '192.0.2.3', 50), undefined)
  advance(1_000)
  assert.equal(costs.tryConsumeOf('fid:1', '192.0.2.3', 50), undefined)
  costs.consume('192.0.2.3', -20, 'fid:1')
  assert.ok(costs.tryConsumeOf('fid:1', '192.0.2.3', 21))
  assert.equal(costs.tryConsumeOf('fid:1', '192.0.2.3', 20), undefined)
})

test('a stream pays for what it sent, and is told how long to wait when its client is in debt', () => {
  const { costs, advance } = costBudget()
  costs.tryConsume('192.0.2.1', 1_000)
  assert.equal(costs.debtMs('192.0.2.1'), 0)
  costs.consume('192.0.2.1', 100)
  assert.equal(costs.debtMs('192.0.2.1'), 1_000)
  assert.ok(costs.tryConsume('192.0.2.1', 1), 'the debt is one of the client, not of the stream')
  advance(1_000)
  assert.equal(costs.tryConsume('192.0.2.1', 0), undefined)
  costs.consume('192.0.2.1', 50)
  assert.equal(costs.debtMs('192.0.2.1'), 500)
  assert.equal(costBudget({ exemptLoopback: true }).costs.debtMs('127.0.0.1'), 0)
})

test('security finding 15: the refusals of a client that repeats its requests without a pause are held back', () => {
  const { costs, advance } = costBudget()
  const delays = () => Array.from({ length: 50 }, () => costs.refusalDelayMs('192.0.2.1'))
  const late = (ms: number) => [...Array(40).fill(0), ...Array(10).fill(ms)]
  assert.deepEqual(delays(), late(2_000))
  assert.equal(costs.refusalDelayMs('192.0.2.2'), 0, 'another client is not affected')
  advance(1_500)
  assert.equal(costs.refusalDelayMs('192.0.2.1'), 500)
  advance(500)
  assert.deepEqual(delays(), late(2_000))
})

test('a budget remembers a bounded number of clients', () => {
  const { costs } = costBudget({ totalUnitsPerSecond: 1e9 })
  for (let i = 0; i < 25_000; i++) costs.tryConsume(`10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`, 1)
  assert.equal(costs.size, 20_000)
})
