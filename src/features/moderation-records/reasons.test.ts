import assert from 'node:assert/strict'
import { test } from 'node:test'
import { allReasons, REASONS, reasonsIn, reasonTold, withRule } from './reasons.ts'

/** Another language: each message with its values, in capitals. */
const loud = (message: string, values: object = {}) =>
  `${message.replace(/\{\w+\}/g, '').toUpperCase()}${Object.values(values).join('|')}`

test('a recorded reason that nobody wrote by hand is told in the language of its reader', () => {
  const all = allReasons(REASONS)
  assert.deepEqual(
    all.map((reason) => reasonTold(reason, loud)),
    allReasons(reasonsIn(loud)),
  )
  assert.equal(new Set(all).size, all.length)
  const suspended = 'This breaks our rules. The account is suspended for a week.'
  assert.ok(all.includes(suspended))
  assert.equal(
    reasonTold(suspended, loud),
    'THIS BREAKS OUR RULES. THE ACCOUNT IS SUSPENDED FOR A WEEK.',
  )
})

test('a rule before a reason stays as it was written, and so do the words of a moderator', () => {
  const said = reasonTold(withRule('Be kind', REASONS.hide[1]!), loud)
  assert.match(said, /^RULE “”: Be kind\|THIS IS ADVERTISING/)
  assert.equal(
    reasonTold(withRule('Say “hello”: always', 'Be\nquick'), loud),
    'RULE “”: Say “hello|always”: Be\nquick',
  )
  assert.equal(
    reasonTold(withRule('Say “hello”: always', REASONS.hide[1]!), loud),
    `RULE “”: Say “hello”: always|${REASONS.hide[1]!.toUpperCase()}`,
  )
  const own = 'You wrote {end} “twice”: please stop'
  assert.equal(reasonTold(own, loud), own)
  // Only a whole text is one of them.
  assert.equal(reasonTold(`${REASONS.warn[0]} Really.`, loud), `${REASONS.warn[0]} Really.`)
})
