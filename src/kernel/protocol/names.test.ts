import assert from 'node:assert/strict'
import { test } from 'node:test'
import { normalize } from 'viem/ens'
import { checkEnsName, FNAME_PATTERN, usernameKind } from './names.ts'
import { Rejection } from './rejection.ts'

test('the suffix of a name determines its kind', () => {
  const kinds = {
    alice: 'fname',
    'alice.eth': 'ens',
    'alice.base.eth': 'basename',
    'base.eth': 'ens',
  }
  for (const [name, kind] of Object.entries(kinds)) assert.equal(usernameKind(name), kind)
})

// Every label of up to four characters over an alphabet that has one of each kind.
test('exactly the ENS labels that ENSIP-15 leaves unchanged are accepted', () => {
  const alphabet = ['a', '0', '-']
  let labels = ['']
  for (let length = 1; length <= 6; length++) {
    labels = labels.flatMap((label) => alphabet.map((letter) => label + letter))
    for (const label of labels.filter((label) => FNAME_PATTERN.test(label))) {
      assert.equal(takes(`${label}.eth`), isNormal(`${label}.eth`), label)
    }
  }
})

function takes(name: string): boolean {
  try {
    checkEnsName(name)
    return true
  } catch (error) {
    if (error instanceof Rejection) return false
    throw error
  }
}

function isNormal(name: string): boolean {
  try {
    return normalize(name) === name
  } catch {
    return false
  }
}
