import assert from 'node:assert/strict'
import { test } from 'node:test'
import { reminderOf } from '../web/client/custody/reminder-rule.ts'

const NOW = 1_800_000_000_000

test('words that are not saved are a line, nothing once it is put off, and a mark after that', () => {
  assert.equal(reminderOf('unsaved', NOW), 'line')
  assert.equal(reminderOf(String(NOW + 1), NOW), 'quiet')
  assert.equal(reminderOf(String(NOW), NOW), 'mark')
  assert.equal(reminderOf(String(NOW - 1), NOW), 'mark')
})

test('who has saved the words, or has none in this browser, is not reminded', () => {
  assert.equal(reminderOf('saved', NOW), undefined)
  assert.equal(reminderOf(null, NOW), undefined)
})
