import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Rejection } from '../../protocol/rejection.ts'
import { pageSizeParam, pageTokenParam } from './paging.ts'
import {
  boolParam,
  enumParam,
  fidParam,
  hexParam,
  intParam,
  type Param,
  required,
  textParam,
} from './params.ts'

const FAILURE = 'bad_request.validation_failure'
const INVALID = 'bad_request.invalid_param'

/** Texts a parameter takes, with their values. */
function takes<T>(param: Param<T>, cases: [text: string, value: unknown][]): void {
  for (const [text, value] of cases) assert.deepEqual(param.parse(text, 'x'), value, text)
}

/** Texts a parameter refuses, with the code and the message. */
function refuses<T>(param: Param<T>, cases: [text: string, code: string, message: RegExp][]): void {
  for (const [text, code, message] of cases) {
    const isRefusal = (error: unknown) =>
      error instanceof Rejection &&
      error.code === code &&
      error.field === 'x' &&
      message.test(error.message)
    assert.throws(() => param.parse(text, 'x'), isRefusal, `${text} -> ${code} ${message}`)
  }
}

test('a fid parameter is a decimal number of 32 bits that is not 0', () => {
  takes(fidParam, [
    ['1', 1],
    ['255', 255],
    ['4294967295', 4294967295],
    ['007', 7],
  ])
  refuses(fidParam, [
    ['0', FAILURE, /^x is missing$/],
    ['-0', FAILURE, /^x is missing$/],
    ['-1', FAILURE, /^x must be positive$/],
    ['4294967296', FAILURE, /at most 4294967295/],
    ['99999999999999999999', FAILURE, /at most/],
    ...['12abc', 'NaN', '1.5', '1e3', '0x10', ' 1', '+1', '१', '1'.repeat(30)].map(
      (text): [string, string, RegExp] => [text, FAILURE, /^x must be an integer$/],
    ),
  ])
  assert.equal(fidParam.missing?.('fid'), 'fid must be an integer')
})

test('hex is accepted without 0x and in any case', () => {
  const bytes = Buffer.from('abcdef', 'hex')
  takes(hexParam(), [
    ['0xabcdef', bytes],
    ['abcdef', bytes],
    ['0XABCDEF', bytes],
    ['0x', Buffer.alloc(0)],
  ])
  refuses(hexParam(), [
    ['0xabc', INVALID, /x must be hex/],
    ['0xzz', INVALID, /x must be hex/],
    ['0x0x00', INVALID, /x must be hex/],
    ['00 ', INVALID, /x must be hex/],
  ])
})

test('hex of a fixed length is refused one byte short and one byte long, with the declared text', () => {
  const hash = hexParam({ bytes: 20, label: 'hash' })
  takes(hash, [[`0x${'00'.repeat(20)}`, Buffer.alloc(20)]])
  refuses(hash, [
    ['00'.repeat(19), FAILURE, /^hash must be 20 bytes$/],
    ['00'.repeat(21), FAILURE, /^hash must be 20 bytes$/],
    ['0x', FAILURE, /^hash must be 20 bytes$/],
    ['zz', INVALID, /must be hex/],
  ])
  assert.equal(hash.missing?.('target_hash'), 'hash is missing')
})

test('text is bounded in UTF-8 bytes', () => {
  const text = textParam({ maxBytes: 4 })
  takes(text, [
    ['abcd', 'abcd'],
    ['🐦', '🐦'],
    [' a ', ' a '],
  ])
  refuses(text, [
    ['abcde', INVALID, /at most 4 bytes/],
    ['🐦a', INVALID, /at most 4 bytes/],
  ])
})

test('an integer accepts its bounds and nothing outside them', () => {
  const int = intParam({ min: -2, max: 3 })
  takes(int, [
    ['-2', -2],
    ['0', 0],
    ['3', 3],
  ])
  refuses(int, [
    ['-3', INVALID, /at least -2/],
    ['4', INVALID, /at most 3/],
    ['1.0', INVALID, /integer/],
    ['one', INVALID, /integer/],
  ])
})

test('a boolean is true or 1, false or 0, and nothing else', () => {
  takes(boolParam, [
    ['true', true],
    ['1', true],
    ['false', false],
    ['0', false],
  ])
  assert.equal(boolParam.absent?.(), false)
  refuses(boolParam, [
    ['yes', INVALID, /true or false/],
    ['TRUE', INVALID, /true or false/],
    ['2', INVALID, /true or false/],
  ])
})

test('a page size is 1 to 1000, a larger one is 1000, and 0 is that of a request without one', () => {
  takes(pageSizeParam, [
    ['0', 1000],
    ['1', 1],
    ['999', 999],
    ['1000', 1000],
    ['1001', 1000],
    ['99999999999999999999', 1000],
  ])
  assert.equal(pageSizeParam.absent?.(), 1000)
  refuses(pageSizeParam, [
    ['-1', INVALID, /at least 0/],
    ['ten', INVALID, /integer/],
  ])
})

test('a page token is base64 of either alphabet, padded or not, with plus signs as spaces', () => {
  const bytes = Buffer.from([0xfb, 0xff, 0xfe, 0xfb])
  takes(pageTokenParam, [
    ['+//++w==', bytes],
    ['-__--w', bytes],
    [' //  w==', bytes],
    ['undefined', undefined],
    ['null', undefined],
    ['AAAnEA==', Buffer.from([0, 0, 0x27, 0x10])],
  ])
  refuses(pageTokenParam, [
    ['*', INVALID, /base64/],
    ['AAAAA', INVALID, /base64/],
    ['AA=A', INVALID, /base64/],
    ['{"page":1}', INVALID, /base64/],
    ['A'.repeat(700), INVALID, /too long/],
  ])
})

test('an enum is accepted as number, full name or short name in any case', () => {
  const full = { REACTION_TYPE_LIKE: 1, REACTION_TYPE_RECAST: 2 }
  const short = { Like: 1, Recast: 2 }
  for (const values of [full, short]) {
    const param = enumParam(values, { prefix: 'REACTION_TYPE_' })
    takes(param, [
      ['1', 1],
      ['2', 2],
      ['REACTION_TYPE_LIKE', 1],
      ['reaction_type_recast', 2],
      ['Like', 1],
      ['like', 1],
      ['RECAST', 2],
    ])
    refuses(param, [
      ['3', INVALID, /x must be one of like, recast/i],
      ['01', INVALID, /one of/],
      ['constructor', INVALID, /one of/],
      ['REACTION_TYPE_', INVALID, /one of/],
    ])
  }
})

test('the reverse keys of a TypeScript enum are not choices', () => {
  const param = enumParam({ LIKE: 1, 1: 'LIKE' })
  takes(param, [
    ['like', 1],
    ['1', 1],
  ])
})

test('a missing required parameter is refused with the declared text', () => {
  assert.equal(required(boolParam).absent, undefined)
  assert.equal(required(fidParam, 'no type').missing?.('x'), 'no type')
})
