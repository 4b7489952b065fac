import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Rejection, type RejectionCode } from '../protocol/rejection.ts'
import { StoreUnavailable } from '../storage/engines/unavailable.ts'
import { ERRORS, errorBody, errorRow, rejectionOf, retryAfter } from './errors.ts'
import { missingFault } from './faults.ts'

const statuses: [RejectionCode, number][] = [
  ['unauthenticated', 401],
  ['unauthenticated.declined', 401],
  ['unauthorized', 403],
  ['bad_request', 400],
  ['bad_request.parse_failure', 400],
  ['bad_request.invalid_param', 400],
  ['bad_request.validation_failure', 400],
  ['bad_request.unknown_fid', 400],
  ['bad_request.unknown_signer', 400],
  ['bad_request.no_storage', 400],
  ['bad_request.duplicate', 400],
  ['bad_request.conflict', 400],
  ['bad_request.prunable', 400],
  ['bad_request.blocked', 400],
  ['bad_request.unsupported_media_type', 415],
  ['bad_request.too_large', 413],
  ['not_found', 404],
  ['method_not_allowed', 405],
  ['not_supported', 400],
  ['rate_limited', 429],
  ['unavailable', 503],
  ['unavailable.network_failure', 503],
  ['unavailable.overloaded', 503],
  ['internal_error', 500],
  ['InvalidSignature', 400],
  ['HasId', 409],
  ['Unauthorized', 403],
]

test('each error code has its status', () => {
  for (const [code, status] of statuses) assert.equal(ERRORS[code].status, status, code)
})

test('every bad_request has the gRPC status 3', () => {
  for (const [code, row] of Object.entries(ERRORS)) {
    if (code.startsWith('bad_request')) assert.equal(row.grpcCode, 3, code)
  }
})

const rejection = new Rejection('bad_request.invalid_param', 'hash must be hex', { field: 'hash' })

test('a hub error has every key its clients look for', () => {
  assert.deepEqual(errorBody('hub', rejection, 'r1'), {
    errCode: 'bad_request.invalid_param',
    presentable: false,
    name: 'HubError',
    code: 3,
    details: 'hash must be hex',
    metadata: { errcode: ['bad_request.invalid_param'] },
    error: 'Invalid parameter',
    errorDetail: 'hash must be hex',
    message: 'hash must be hex',
    field: 'hash',
    requestId: 'r1',
  })
})

test('the hub uses the codes deployed clients know', () => {
  const known: [RejectionCode, string, number][] = [
    ['rate_limited', 'unavailable', 14],
    ['unavailable.overloaded', 'unavailable.storage_failure', 14],
    ['bad_request.unsupported_media_type', 'bad_request.parse_failure', 3],
    ['bad_request.too_large', 'bad_request.parse_failure', 3],
    ['method_not_allowed', 'bad_request', 3],
    ['not_found', 'not_found', 5],
    ['unauthenticated', 'unauthenticated', 16],
    ['internal_error', 'unknown', 13],
  ]
  for (const [code, errCode, number] of known) {
    const body = errorBody('hub', new Rejection(code, 'm'), 'r') as Record<string, unknown>
    assert.deepEqual([body.errCode, body.code], [errCode, number], code)
  }
})

test('registry, client platform and the others each have their own body', () => {
  const extras = { field: 'hash', requestId: 'r1' }
  const code = 'bad_request.invalid_param'
  const message = 'hash must be hex'
  assert.deepEqual(errorBody('registry', rejection, 'r1'), {
    error: message,
    code,
    message,
    ...extras,
  })
  assert.deepEqual(JSON.parse(JSON.stringify(errorBody('platform', rejection, 'r1'))), {
    errors: [{ message, instancePath: '/hash' }],
    code,
    ...extras,
  })
  assert.deepEqual(errorBody('plain', rejection, 'r1'), { error: code, code, message, ...extras })
})

test('the registry reports broken name rules in the deployed wording', () => {
  const taken = new Rejection('USERNAME_TAKEN' as RejectionCode, 'alice is taken')
  assert.equal((errorBody('registry', taken, 'r') as { error: string }).error, 'Validation failure')
})

test('the client platform reports why a token was not accepted', () => {
  const body = errorBody('platform', new Rejection('unauthenticated', 'token has expired'), 'r')
  assert.equal((body as { errors: { reason: string }[] }).errors[0]?.reason, 'invalid_auth_token')
})

test('an unexpected error is an internal error without details', () => {
  const faults = [new Error('select secret'), new TypeError('x'), 'text', null, undefined, 7]
  for (const fault of faults) {
    const said = rejectionOf(fault)
    assert.equal(said.code, 'internal_error')
    assert.doesNotMatch(said.message, /secret|text/)
  }
  const disguised = Object.assign(new Error('row 7'), { statusCode: 418, code: 'SQLITE_BUSY' })
  assert.equal(rejectionOf(disguised).code, 'internal_error')
})

test('an unavailable store is a 503 with retry-after and without details', () => {
  const reasons = ['unreachable', 'read_only', 'timeout', 'overloaded', 'full', 'clock'] as const
  for (const reason of reasons) {
    const said = rejectionOf(new StoreUnavailable(reason, 'connect ECONNREFUSED 10.0.0.7:5432'))
    assert.equal(errorRow(said.code).status, 503)
    assert.equal(retryAfter(said), 1)
    assert.doesNotMatch(said.message, /10\.0/)
  }
})

test("a network error that is not the store's is an internal error", () => {
  const fault = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
  assert.equal(rejectionOf(fault).code, 'internal_error')
})

test('only errors that ask to retry have retry-after', () => {
  assert.equal(retryAfter(new Rejection('not_found', 'm')), undefined)
  assert.equal(retryAfter(new Rejection('unavailable', 'm')), 1)
  assert.equal(retryAfter(new Rejection('rate_limited', 'm', { retryAfterSeconds: 30 })), 30)
})

test('the app API names a missing, an invalid and a cursor parameter apart, with the status', () => {
  const body = (hints: ConstructorParameters<typeof Rejection>[2]) =>
    errorBody('app', new Rejection('bad_request.invalid_param', 'm', hints), 'r')
  const rest = { message: 'm', status: 400, property: 'fid', requestId: 'r' }
  const missing = { field: 'fid', fault: missingFault('fid') }
  assert.deepEqual(body(missing), { code: 'RequiredField', ...rest })
  assert.deepEqual(body({ field: 'fid' }), { code: 'InvalidField', ...rest })
  const cursor = { field: 'fid', reason: 'InvalidCursor' }
  assert.deepEqual(body(cursor), { code: 'InvalidCursor', ...rest })
  const unstored = new Rejection('bad_request.no_storage', 'm')
  const { code } = errorBody('app', unstored, 'r') as { code: string }
  assert.equal(code, 'bad_request.no_storage')
})
