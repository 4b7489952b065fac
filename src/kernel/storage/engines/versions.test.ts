import assert from 'node:assert/strict'
import { test } from 'node:test'
import { messageRows } from '../../../../test/storage-suite.ts'
import { sqlitePlace } from '../../../../test/storage-support.ts'
import type { Writer } from '../storage.ts'

const FID = 5
const OTHER_FID = 6

test('every write that changes what reads of an author show changes the version of that author', async (t) => {
  const place = await sqlitePlace()
  const storage = await place.open()
  t.after(async () => {
    await storage.close()
    await place.drop()
  })
  const versions = storage.versions!
  const hash = Buffer.alloc(20, 7)
  const [row] = messageRows(1, () => ({ fid: FID }))
  const account = {
    fid: FID,
    suspended: 1,
    erasing: 0,
    hidden: 1,
    erased_before: 0,
    erase_deadline: 0,
    changed_at: 1,
  } as const

  /** Whose versions a write has changed. */
  const changedBy = async (write: (tx: Writer) => Promise<unknown>) => {
    const read = () => [versions.ofStore(), versions.ofAuthor(FID), versions.ofAuthor(OTHER_FID)]
    const before = read()
    await storage.write('hub', write).catch(() => {})
    const [all, own, other] = read().map((version, i) => version !== before[i])
    assert.ok(all, 'every commit counts')
    return own && other ? 'everybody' : own ? 'author' : 'nobody'
  }

  assert.equal(await changedBy((tx) => tx.messages.insert([row!])), 'author')
  assert.equal(await changedBy((tx) => tx.messages.remove([row!])), 'author')
  assert.equal(await changedBy((tx) => tx.messages.remove([])), 'nobody')
  assert.equal(await changedBy((tx) => tx.cursors.put('position', '1')), 'nobody')
  assert.equal(await changedBy((tx) => tx.moderation.putAccount(account)), 'everybody')
  const hidden = { hash, fid: FID, hidden_at: 1 }
  assert.equal(await changedBy((tx) => tx.moderation.hideCast(hidden)), 'everybody')
  assert.equal(await changedBy((tx) => tx.moderation.unhideCast(hash)), 'everybody')

  const before = versions.ofAuthor(FID)
  await storage.writeShared('hub', (tx) => tx.messages.insert([row!]))
  const inserted = versions.ofAuthor(FID)
  assert.notEqual(inserted, before, 'shared transactions are counted, too')
  await storage.reset()
  assert.notEqual(versions.ofAuthor(FID), inserted)
})
