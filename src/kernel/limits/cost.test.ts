import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Cost, mayWrite, type UsualCost } from './cost.ts'

const isWrite = (method: string, cost: Cost | UsualCost): boolean =>
  mayWrite({ method, cost, errors: [] })

test('a GET whose price names rows that it writes is no read, and one without is one whatever it costs', () => {
  for (const cost of ['write', { writes: 1 }, { cpu: 'small', writes: 0.5 }] as const) {
    assert.equal(isWrite('GET', cost), true, JSON.stringify(cost))
  }
  for (const cost of ['lookup', 'list', {}, { writes: 0 }, { cpu: 'large', rows: 1e6 }] as const) {
    assert.equal(isWrite('GET', cost), false, JSON.stringify(cost))
  }
})

test('every method but GET may write, whatever its price says', () => {
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
    for (const cost of ['lookup', 'list', 'write', {}] as const) {
      assert.equal(isWrite(method, cost), true, `${method} ${JSON.stringify(cost)}`)
    }
  }
})
