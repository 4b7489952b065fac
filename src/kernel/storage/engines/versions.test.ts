import assert from 'node:assert/strict'
import { test } from 'node:test'
import { messageRows } from '../../../../test/storage-suite.ts'
import { sqlitePlace } from '../../../../test/storage-support.ts'
import {
  castsByParentKey,
  castTargetKey,
  linksByTargetKey,
  linksByTargetPrefix,
  MESSAGE_SETS,
} from '../../protocol/slots.ts'
import type { Writer } from '../storage.ts'

const FID = 5
const OTHER_FID = 6
const MENTIONED = 7

test('every write that changes what a list shows changes the version of that list', async (t) => {
  const place = await sqlitePlace()
  const storage = await place.open()
  t.after(async () => {
    await storage.close()
    await place.drop()
  })
  const versions = storage.versions!
  const hash = Buffer.alloc(20, 7)
  const target = castsByParentKey(castTargetKey(OTHER_FID, hash))
  const [row] = messageRows(1, () => ({ fid: FID, target, mentions: [MENTIONED] }))
  const [link] = messageRows(1, () => ({
    ...{ fid: FID, store: MESSAGE_SETS.links },
    target: linksByTargetKey(OTHER_FID, 'follow'),
  }))
  const account = {
    fid: FID,
    suspended: 1,
    erasing: 0,
    hidden: 1,
    erased_before: 0,
    erase_deadline: 0,
    changed_at: 1,
  } as const
  const lists = {
    author: () => versions.ofAuthor(FID),
    mentioned: () => versions.ofMentioned(MENTIONED),
    replies: () => versions.ofTargets([target]),
    linked: () => versions.ofTargets([linksByTargetPrefix(OTHER_FID)]),
    otherAuthor: () => versions.ofAuthor(OTHER_FID),
    otherMentioned: () => versions.ofMentioned(OTHER_FID),
    otherReplies: () => versions.ofTargets([castsByParentKey(castTargetKey(FID, hash))]),
  }
  const OF_CAST = ['author', 'mentioned', 'replies']
  const OF_LINK = ['author', 'linked']
  const ALL = Object.keys(lists)

  /** The lists whose versions a write has changed. */
  const changedBy = async (write: (tx: Writer) => Promise<unknown>) => {
    const read = () => Object.values(lists).map((version) => version())
    const [store, before] = [versions.ofStore(), read()]
    await storage.write('hub', write).catch(() => {})
    assert.notEqual(versions.ofStore(), store, 'every commit counts')
    const after = read()
    return ALL.filter((_, i) => after[i] !== before[i])
  }

  assert.deepEqual(await changedBy((tx) => tx.messages.insert([row!])), OF_CAST)
  assert.deepEqual(await changedBy((tx) => tx.messages.remove([row!])), OF_CAST)
  assert.deepEqual(await changedBy((tx) => tx.messages.insert([link!])), OF_LINK)
  assert.deepEqual(await changedBy((tx) => tx.messages.remove([link!])), OF_LINK)
  assert.deepEqual(await changedBy((tx) => tx.messages.remove([])), [])
  assert.deepEqual(await changedBy((tx) => tx.cursors.put('position', '1')), [])
  assert.deepEqual(await changedBy((tx) => tx.moderation.putAccount(account)), ALL)
  const hidden = { hash, fid: FID, hidden_at: 1 }
  assert.deepEqual(await changedBy((tx) => tx.moderation.hideCast(hidden)), ALL)
  assert.deepEqual(await changedBy((tx) => tx.moderation.unhideCast(hash)), ALL)

  const before = versions.ofAuthor(FID)
  await storage.writeShared('hub', (tx) => tx.messages.insert([row!]))
  const inserted = versions.ofAuthor(FID)
  assert.notEqual(inserted, before, 'shared transactions are counted, too')
  await storage.reset()
  assert.notEqual(versions.ofAuthor(FID), inserted)
})
