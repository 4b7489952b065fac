import assert from 'node:assert/strict'
import { test } from 'node:test'
import { programStart } from './runtime.ts'

/** What happens where `process.versions` has these, too. */
function within<T>(more: Readonly<Record<string, string>>, act: () => T): T {
  const versions = Object.getOwnPropertyDescriptor(process, 'versions')!
  const value = { ...process.versions, ...more }
  Object.defineProperty(process, 'versions', { ...versions, value })
  try {
    return act()
  } finally {
    Object.defineProperty(process, 'versions', versions)
  }
}

const commandOf = () => {
  try {
    return programStart([]).command
  } catch (error) {
    return (error as Error).message
  }
}

test('the program runs on the Node that runs it, when that is new enough', () => {
  assert.equal(commandOf(), process.execPath)
})

for (const [name, versions] of [
  ['Bun 1.4.5', { bun: '1.4.5' }],
  ['Deno 2.9.6', { deno: '2.9.6' }],
  ['Node 20.20.0', { node: '20.20.0' }],
] as const) {
  test(`started by ${name} the program runs on the Node that is installed beside it`, () => {
    const found = within(versions, commandOf)
    assert.notEqual(found, process.execPath)
    // A clone installs another package with Node than a project does.
    assert.match(found, new RegExp(`node-\\w+-\\w+[/\\\\]bin|This is ${name}\\. Install Node 26`))
  })
}
