import assert from 'node:assert/strict'
import { test } from 'node:test'
import { reservedNames } from './reserved.ts'

const isReserved = reservedNames(['admin', 'rookery', 'www', 'modern-times'])

test('a reserved name is refused with all that looks like it', () => {
  const alike = ['admin', 'adm1n', 'admln', 'ad-min', 'adrnin', '4dmin', 'r00kery', 'rooker-y']
  for (const name of [...alike, 'www', 'vvww', 'moderntimes', 'modem-t1mes', 'rook3ry']) {
    assert.equal(isReserved(name), true, name)
  }
})

test('other names are not', () => {
  for (const name of ['rook', 'administer', 'admi', 'wwww', 'a', '0', 'mail', 'dadmin']) {
    assert.equal(isReserved(name), false, name)
  }
})

test('what cannot be a name is somebody elses to refuse', () => {
  for (const name of ['Admin', 'ADMIN', 'admin ', '', '-admin', 'admin\n', 'аdmin']) {
    assert.equal(isReserved(name), false, name)
  }
})
