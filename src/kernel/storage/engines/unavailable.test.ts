import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StoreUnavailable, unavailableReason } from './unavailable.ts'

const REASONS = {
  ECONNREFUSED: 'unreachable',
  ECONNRESET: 'unreachable',
  EPIPE: 'unreachable',
  ETIMEDOUT: 'unreachable',
  EHOSTUNREACH: 'unreachable',
  ENOTFOUND: 'unreachable',
  EAI_AGAIN: 'unreachable',
  '08006': 'unreachable',
  '08P01': 'unreachable',
  '25006': 'read_only',
  '25P03': 'timeout',
  '40001': 'overloaded',
  '40P01': 'overloaded',
  '53100': 'full',
  '53300': 'overloaded',
  '55P03': 'timeout',
  '57014': 'timeout',
  '57P01': 'unreachable',
  '57P02': 'unreachable',
  '57P03': 'unreachable',
  '58030': 'unreachable',
} as const

for (const [code, reason] of Object.entries(REASONS)) {
  test(`the error code ${code} makes the store unavailable: ${reason}`, () => {
    assert.equal(unavailableReason(Object.assign(new Error('x'), { code })), reason)
  })
}

test('an error about a statement or a row does not make the store unavailable', () => {
  for (const code of ['23505', '42P01', '25P02', '22P02', 'ERR_ASSERTION', 'ENOSPC', 57014]) {
    assert.equal(unavailableReason(Object.assign(new Error('x'), { code })), undefined)
  }
  for (const error of [new Error('x'), null, undefined, 'text', 7]) {
    assert.equal(unavailableReason(error), undefined)
  }
})

test('an unavailable store keeps its reason', () => {
  assert.equal(unavailableReason(new StoreUnavailable('clock', 'x')), 'clock')
})
