import assert from 'node:assert/strict'
import { test } from 'node:test'
import { reservedNames } from './reserved.ts'

const isReserved = reservedNames(['admin', 'rookery', 'www', 'modern-times'])

test('a reserved name is refused in all look-alike spellings', () => {
  const alike = ['admin', 'adm1n', 'admln', 'ad-min', 'adrnin', '4dmin', 'r00kery', 'rooker-y']
  for (const name of [...alike, 'www', 'vvww', 'moderntimes', 'modem-t1mes', 'rook3ry']) {
    assert.equal(isReserved(name), true, name)
  }
})

test('security finding 19: look-alike letters and reserved parts are refused', () => {
  const alike = [
    'aclmin',
    'ac1min',
    'adnnin',
    'rookerv',
    'rookery-support',
    'my-adm1n',
    'the-ad-min',
  ]
  for (const name of [...alike, 'admin-', 'x-modern-times']) {
    assert.equal(isReserved(name), true, name)
  }
  assert.equal(reservedNames(['moderator'])('moclerator'), true)
})

test('names that are not reserved are accepted', () => {
  for (const name of [
    'rook',
    'administer',
    'admi',
    'wwww',
    'a',
    '0',
    'mail',
    'dadmin',
    'ad-x-min',
    'times-modern',
  ]) {
    assert.equal(isReserved(name), false, name)
  }
})

test('an invalid name is not reported as reserved', () => {
  for (const name of ['Admin', 'ADMIN', 'admin ', '', '-admin', 'admin\n', 'аdmin']) {
    assert.equal(isReserved(name), false, name)
  }
})
