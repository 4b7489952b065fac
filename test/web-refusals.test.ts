// The sentences that people read of refusals, against the codes that the interfaces declare.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { appCodesOf, ERRORS, errorBody } from '../src/kernel/http/errors.ts'
import { Rejection, type RejectionCode } from '../src/kernel/protocol/rejection.ts'
import { BY_CODE, sentenceOf } from '../web/shared/refusals.ts'
import { inLanguage, Refusal, refusalOf } from '../web/shared/request.ts'

const CODES = Object.keys(ERRORS) as RejectionCode[]

/** What only programs meet: no page sends what they are about, or pages say it in their own words. */
const OF_PROGRAMS = [
  'bad_request.mirror_loop',
  'bad_request.future_event',
  'method_not_allowed',
  'MethodNotAllowed',
  'unreadable_secret',
  'ValidatorNotFound',
  'InvalidMetadata',
  'InvalidAmount',
  'InvalidBatchInput',
]

test('each code that an interface may answer has a sentence for people, or only programs meet it', () => {
  const codes = new Set(CODES.flatMap((code) => [code, ...appCodesOf(code)]))
  const told = [...Object.keys(BY_CODE), ...OF_PROGRAMS].sort()
  assert.deepEqual(told, [...codes].sort())
})

test('a refusal of any interface is told by its code, of a field by what it is about', () => {
  const sentenceFor = (rejection: Rejection, shape: 'app' | 'plain' | 'platform') => {
    const answer = JSON.parse(JSON.stringify(errorBody(shape, rejection, 'r1')))
    const { status } = ERRORS[rejection.code]
    return sentenceOf(refusalOf({ status, requestId: 'r1' }, answer))
  }
  const full = new Rejection('bad_request.conflict', 'you keep 2000 casts already')
  const word = new Rejection('bad_request.validation_failure', 'word is too long', {
    field: 'word',
  })
  for (const shape of ['app', 'plain', 'platform'] as const) {
    assert.match(sentenceFor(full, shape)!, /^This does not go with what is here already/, shape)
    assert.match(sentenceFor(word, shape)!, /^This text is not accepted/, shape)
  }
  const forbidden = new Rejection('Unauthorized', 'not the owner')
  assert.match(sentenceFor(forbidden, 'plain')!, /^You may not do this/)
  assert.equal(sentenceOf({ status: 400, reason: 'constructor', field: 'toString' }), undefined)
})

test('a page in another language tells the sentence, and English with the code where there is none', async () => {
  const details = { reason: 'bad_request.conflict', field: 'id', requestId: 'r1' }
  const lists = new Refusal(400, 'you have 20 lists already', details)
  const told = await inLanguage(lists, 'de')
  assert.equal(await inLanguage(lists, 'en'), lists)
  assert.match(told.message, /^This does not go with what is here already/)
  assert.deepEqual({ ...told, name: '' }, { ...new Refusal(400, '', details), name: '' })
  const unknown = new Refusal(418, 'short and stout', { reason: 'teapot' })
  assert.equal((await inLanguage(unknown, 'de')).message, 'short and stout (teapot)')
  const gone = new Refusal(400, 'unknown signer', { reason: 'bad_request.unknown_signer' })
  assert.equal(await inLanguage(gone, 'de'), gone)
})
