import assert from 'node:assert/strict'
import { it } from 'node:test'
import { MODERATION_ACTIONS, REASONS } from '../src/features/moderation-records/port.ts'
import { REASONS as TOLD } from '../web/shared/generated/reasons.ts'
import { actText, whyText } from '../web/shared/log-words.ts'

/** Values are set apart for right to left. */
const plain = (text: string) => text.replace(/[\u2066-\u2069]/g, '')
const entry = (action: string, name: string, reason: string) => ({ action, name, reason })

it('each kind of entry in the log of moderation is told in words, and so is each reason of a move of a lost account', () => {
  for (const action of MODERATION_ACTIONS) {
    assert.notEqual(actText(entry(action, 'boats', 'spam'), '@kim'), action)
  }
  for (const reason of Object.values(REASONS.recovery)) assert.ok(Object.hasOwn(TOLD, reason))
})

it('the log says whether a mail server or a translator was set up or removed, and why if somebody said so', () => {
  const told = [
    ['mail server', 'set up', 'set up “Mail server”', ''],
    ['mail server', 'changed: moved', 'changed “Mail server”', 'moved'],
    ['mail server', 'removed: too many: come back', 'removed “Mail server”', 'too many: come back'],
    ['translator', 'none: costs', 'removed “Translator”', 'costs'],
    [
      'translator',
      'DeepL at https://api.example, 500 characters in 30 days: asked for',
      'changed “Translator”',
      'asked for',
    ],
    ['translator', 'DeepL at https://api.example, 500 characters in 30 days', '', ''],
  ] as const
  for (const [name, reason, done, why] of told) {
    const one = entry('set', name, reason)
    assert.deepEqual([plain(actText(one, '')), whyText(one)], [done || 'changed “Translator”', why])
  }
})

it('where nobody gave a reason the log shows none, and a term without the kind that it has in the log', () => {
  for (const [action, reason] of [
    ['describe', 'edited'],
    ['describe', 'uploaded a picture'],
    ['list-term', 'edited'],
    ['limit-newcomers', 'edited'],
    ['approve-join', '-'],
    ['export', 'export'],
  ] as const) {
    assert.equal(whyText(entry(action, 'name', reason)), '', action)
    assert.equal(whyText(entry(action, 'name', 'asked for')), 'asked for')
  }
  // Who decides about people is quoted.
  assert.equal(whyText(entry('suspend', '', 'edited')), 'edited')
  const listed = actText(entry('list-term', 'domain “boats.example”', 'edited'), '')
  assert.equal(plain(listed), 'has posts with “boats.example” held for review')
})
