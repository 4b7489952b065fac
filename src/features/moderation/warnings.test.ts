import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openStore } from '../../../test/storage-support.ts'
import { ENGINES } from '../../../test/world.ts'
import type { Said } from '../../kernel/http/translator.ts'
import { equalBytes } from '../../kernel/protocol/codec/bytes.ts'
import type { Mails } from '../mail/port.ts'
import { moderationLogRows } from '../moderation-records/port.ts'
import { Appeals } from './appeals.ts'
import { MemberMails } from './mails.ts'
import { Moderation, type ModerationOptions } from './moderation.ts'

const FID = 7
const NOW_MS = 1_767_225_600_000
const BACK = { actor: 'fid 3 (moderator)', reason: 'It was about boats' }

for (const engine of ENGINES) {
  test(`a warning is taken back once by its id, with an appeal or without one, and nothing else is, on ${engine}`, async (t) => {
    const storage = await openStore(t, engine)
    const told: string[] = []
    const mails: Pick<Mails, 'tellAll' | 'publicUrl'> = {
      publicUrl: 'https://club.example',
      tellAll: async (_, { content }) => {
        const say = ((text: string) => text as Said) as Parameters<typeof content>[0]
        told.push(content(say).subject)
      },
    }
    const moderation = new Moderation({
      ...{ storage, clock: { now: () => NOW_MS }, metrics: { acted() {} } },
      mails: new MemberMails(
        () => mails,
        () => NOW_MS,
      ),
      runJob: async () => {},
    } as Partial<ModerationOptions> as ModerationOptions)
    const appeals = new Appeals(storage, moderation, () => NOW_MS / 1_000)
    const decide = (action: 'warn' | 'hide') =>
      storage.write('hub', (tx) =>
        tx.of(moderationLogRows).add({
          ...{ at: 1, actor: 'operator', action, fid: FID, reason: 'boats' },
          ...{ cast_hash: new Uint8Array(20).fill(1), name: null },
        }),
      )
    const [first, second] = [await decide('warn'), await decide('warn')]
    const hidden = await decide('hide')
    /** The ids of the warnings that were taken back, the newest first. */
    const takenBack = async () => {
      const filter = { fid: FID, actions: ['unwarn'] as const }
      const all = await storage.of(moderationLogRows).list(filter, Number.MAX_SAFE_INTEGER, 10)
      for (const { actor, reason, cast_hash } of all) {
        assert.deepEqual({ actor, reason }, BACK)
        assert.ok(equalBytes(cast_hash!, first.cast_hash!))
      }
      return all.map(({ name }) => Number(name))
    }
    for (let i = 0; i < 2; i++) await moderation.unwarn(first.id, BACK)
    assert.deepEqual(await takenBack(), [first.id])
    assert.deepEqual(told.splice(0), ['A warning of yours was taken back'])
    await assert.rejects(appeals.add(FID, first.id, 'why?'), { code: 'changed_meanwhile' })
    for (const id of [hidden.id, 1_000_000]) {
      await assert.rejects(moderation.unwarn(id, BACK), { code: 'not_found', field: 'id' })
    }
    // One that waits for an answer is taken back meanwhile: the answer does it no second time.
    const appeal = await appeals.add(FID, second.id, 'why?')
    await moderation.unwarn(second.id, BACK)
    assert.deepEqual(told.splice(0), ['A warning of yours was taken back'])
    assert.equal((await appeals.answer(appeal.id, 'reversed', BACK)).outcome, 'reversed')
    assert.deepEqual(await takenBack(), [second.id, first.id])
    assert.deepEqual(told, ['Your appeal was answered'])
  })
}
