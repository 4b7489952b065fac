// What the web client tells people of a refusal, against the words that the server really has.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { errorBody } from '../src/kernel/http/errors.ts'
import { checkDisk, fullAccount } from '../src/kernel/hub/submit/grow.ts'
import { Rejection } from '../src/kernel/protocol/rejection.ts'
import { refusedWords } from '../web/client/act/refused-words.ts'

function wordsFor(rejection: Rejection): string | undefined {
  const { error, details } = errorBody('hub', rejection, 'r1') as Record<string, unknown>
  return refusedWords(error, details)
}

function thrownBy(work: () => void): Rejection {
  try {
    work()
  } catch (error) {
    if (error instanceof Rejection) return error
  }
  return assert.fail('nothing was refused')
}

test('a full disk, an overloaded server and one that cannot store are told apart in sentences for people', () => {
  const growth = { isFull: true } as Parameters<typeof checkDisk>[0]
  assert.match(wordsFor(thrownBy(() => checkDisk(growth)))!, /^This server is full\./)
  const busy = new Rejection('unavailable.overloaded', 'too many messages are waiting')
  assert.match(wordsFor(busy)!, /^This server has too much to do/)
  assert.match(wordsFor(new Rejection('unavailable', 'x'))!, /^This server has trouble storing/)
})

test('a refusal that names accounts by number is told without it, and any other as the server says it', () => {
  const numbered = [
    fullAccount(7),
    new Rejection('rate_limited', 'rate limit exceeded for FID 7'),
    new Rejection('bad_request.blocked', 'fid 8 blocks fid 7, who cannot reply'),
    new Rejection('bad_request.erased', 'the messages of fid 7 are being erased'),
    new Rejection('bad_request.unknown_fid', 'unknown fid: 7'),
    new Rejection('unauthorized.suspended', 'the operator of this server has suspended fid 7'),
  ]
  for (const rejection of numbered) {
    const said = wordsFor(rejection)!
    assert.notEqual(said, rejection.message)
    assert.doesNotMatch(said, /\d|fid/i)
  }
  const newcomer = 'this account is new on this server: until noon it may write posts'
  assert.equal(wordsFor(new Rejection('unauthorized.new_account', newcomer)), newcomer)
  assert.equal(wordsFor(new Rejection('rate_limited', newcomer)), newcomer)
  assert.equal(refusedWords(undefined, undefined), undefined)
})
