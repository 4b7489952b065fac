import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { accountKey, keysOf } from '../web/client/session/account-storage.ts'

test('all that a browser keeps of an account leaves with it, but whether its words are saved', () => {
  const mine = ['mail', 'decisions', 'snaps', 'miniapps.wallet'].map((name) => accountKey(name, 7))
  const others = [accountKey('words', 7), accountKey('mail', 17), 'rookery.theme', 'other.7']
  assert.deepEqual(keysOf(7, [...mine, ...others]), mine)
})

test('every key of an account is made in one place', () => {
  const files = globSync('web/client/**/*.{ts,tsx}').filter(
    (file) =>
      !file.endsWith('account-storage.ts') &&
      /`rookery\.[^`]*\$\{/.test(readFileSync(file, 'utf8')),
  )
  assert.deepEqual(files, [])
})
