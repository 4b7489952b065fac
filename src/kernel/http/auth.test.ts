import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkBasic, checkOperator, parseCredentials } from './auth.ts'

const basic = (pair: string) => `Basic ${Buffer.from(pair).toString('base64')}`
const credentials = parseCredentials('ann:one,ann:two, bob:with:colons,broken,:nobody,nothing:')

test('any pair of the list is accepted, one user with several passwords too', () => {
  for (const pair of ['ann:one', 'ann:two', 'bob:with:colons']) {
    checkBasic(credentials, basic(pair))
    checkBasic(credentials, basic(pair).replace('Basic', 'bAsIc'))
  }
})

test('wrong credentials are refused with one message, whichever part was wrong', () => {
  const pairs = ['ann:three', 'eve:one', 'bob:with', 'ann:', ':nobody', 'nothing:', 'broken', '']
  const headers = [...pairs.map(basic), 'Bearer ann:one', 'Basic', 'Basic ***', 'ann:one']
  for (const header of headers) {
    const refusal = { code: 'unauthenticated', message: 'invalid username or password' }
    assert.throws(() => checkBasic(credentials, header), refusal, header)
  }
})

test('a missing authorization header is refused as missing', () => {
  const refusal = { code: 'unauthenticated', message: 'Authorization header is empty' }
  assert.throws(() => checkBasic(credentials, undefined), refusal)
  assert.throws(() => checkBasic(credentials, ''), refusal)
})

test('entries without user and password are not credentials', () => {
  assert.equal(parseCredentials('').length, 0)
  assert.equal(parseCredentials('a,b:,:c,,').length, 0)
  assert.equal(credentials.length, 3)
})

test('an operator shows the secret as a token or as a password', () => {
  checkOperator('s3:cret', 'Bearer s3:cret')
  checkOperator('s3:cret', basic('anyone:s3:cret'))
  checkOperator('s3:cret', basic(':s3:cret'))
  for (const header of [undefined, '', 'Bearer s3', 'Bearer', basic('s3:cret'), 's3:cret']) {
    assert.throws(() => checkOperator('s3:cret', header), { code: 'unauthenticated' }, header)
  }
})
