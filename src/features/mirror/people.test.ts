// Whom rules name, what casts of these people refer to, and what only the source vouches for: names and keys.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { create } from '@bufbuild/protobuf'
import { createMemoryMirror } from '../../../test/mirror-memory.ts'
import { hashesOf } from '../../../test/mirror-support.ts'
import { until } from '../../../test/until.ts'
import {
  DEVNET,
  ENGINES,
  type TestAccount,
  testAccount,
  WORLD_START_MS,
} from '../../../test/world.ts'
import {
  buildMessage,
  castAdd,
  type DataInit,
  linkAdd,
  type Origin,
  userDataAdd,
} from '../../kernel/protocol/build.ts'
import { toHex } from '../../kernel/protocol/codec/bytes.ts'
import type { SignedMessage } from '../../kernel/protocol/message.ts'
import { networkTime } from '../../kernel/protocol/time.ts'
import {
  MessageType,
  UserDataType,
  UserNameProofSchema,
  UserNameType,
} from '../../kernel/protocol/wire/message_pb.js'
import { addPeople } from './people/scope.ts'
import { parseRule, unknownRule } from './rules.ts'
import { mirrorRows } from './tables/mirror.ts'
import { mirrorNameRows } from './tables/mirror-names.ts'

const START = networkTime(WORLD_START_MS) - 100_000
let seconds = 0
const sign = (account: TestAccount, make: (origin: Origin) => DataInit) =>
  buildMessage(
    make({ fid: account.fid, timestamp: START + seconds++, network: DEVNET }),
    account.seed,
  )
const cast = (account: TestAccount, text: string) => sign(account, (o) => castAdd(o, { text }))
const answer = (account: TestAccount, { fid, hash }: SignedMessage) =>
  sign(account, (o) =>
    castAdd(o, {
      text: 'answer',
      parent: { case: 'parentCastId', value: { fid: BigInt(fid), hash } },
    }),
  )
const hexOf = (messages: readonly SignedMessage[]) => messages.map(({ hash }) => toHex(hash))

test('rules that name nobody, or are none, are refused', () => {
  const wrong = ['followers-of:x', 'file:people', 'members-of:', 'fid:0', 'everybody', '@A']
  for (const rule of wrong) {
    assert.throws(() => parseRule(rule), { code: 'bad_request.invalid_param' }, rule)
  }
  assert.throws(
    () => parseRule('fid:2,@alice'),
    /^Rejection: @alice is not a fid: .* rule of its own$/,
  )
})

for (const engine of ENGINES) {
  describe(`people of a mirror over a source in memory on ${engine}`, () => {
    let world: Awaited<ReturnType<typeof createMemoryMirror>>
    const dir = mkdtempSync(join(tmpdir(), 'rookery-people-'))
    before(async () => {
      world = await createMemoryMirror(engine)
    })
    after(async () => {
      await world.close()
      rmSync(dir, { recursive: true })
    })

    const stateOf = async (fid: number) => (await world.mirror.fids([fid]))[0]?.state
    const castsOf = async (fid: number) =>
      (await hashesOf(world.storage, [fid]))[`${fid} casts`] ?? []
    const reasonsOf = async (fid: number) =>
      (await world.mirror.quarantineOf(fid, 10)).map(({ reason }) => reason)

    test('a rule that names more people than it may adds nobody, and with a higher cap adds them at once', async () => {
      const fans = [world.source.add(2), world.source.add(3)]
      world.source.links.set(
        1,
        fans.map((one) => sign(one, (o) => linkAdd(o, 'follow', 1))),
      )
      assert.match((await world.follow('followers-of:1', 1))!.error!, /more than 1 people/)
      assert.deepEqual([await stateOf(2), await stateOf(3)], [undefined, undefined])
      const again = await world.follow('followers-of:1', 5)
      assert.deepEqual([again!.error, again!.people], [null, 2])
      assert.deepEqual([await stateOf(2), await stateOf(3)], ['waiting', 'waiting'])
    })

    test('a rule that is removed meanwhile adds nobody of those whom it names', async () => {
      const rule = await world.follow('fid:81')
      await world.storage.write('hub', async (tx) => {
        await tx.of(mirrorRows).removeRule(rule!.id)
        await tx.of(mirrorRows).removeFid(81)
      })
      await addPeople(world.context, [81], rule)
      assert.equal(await stateOf(81), undefined)
    })

    test('a file that is not there is said, and is read at once when its rule is added again', async () => {
      const path = join(dir, 'people')
      assert.match((await world.follow(`file:${path}`))!.error!, /ENOENT/)
      writeFileSync(path, '# waders\n6 # by number\n\n')
      assert.equal((await world.follow(`file:${path}`))!.error, null)
      assert.equal(await stateOf(6), 'waiting')
    })

    test('of one person of a rule of several it is said which rule names the person', async () => {
      await world.follow('fid:71,72')
      const said = await world.storage.write('hub', (tx) => unknownRule(tx, parseRule('fid:71')))
      assert.equal(said.code, 'not_found')
      assert.match(said.message, /there is no rule fid:71; fid 71 is named by fid:71,72: /)
    })

    test('casts that are answered are read of people who are context, but none that is not as it was signed', async () => {
      const [author, parent, liar] = [11, 12, 13].map((fid) => world.source.add(fid))
      const [answered, lied] = [cast(parent!, 'answered'), cast(liar!, 'lie')]
      world.source.list(12, answered, cast(parent!, 'besides'))
      world.source.list(13, { ...lied, signature: new Uint8Array(64) })
      world.source.list(11, answer(author!, answered), answer(author!, lied))
      world.followContext()
      await world.read(11)
      await until(async () => (await stateOf(13)) === 'context')
      await world.compareDue()
      assert.deepEqual(await castsOf(12), hexOf([answered]))
      assert.deepEqual([await castsOf(13), await reasonsOf(13)], [[], ['invalid_signature']])
      await world.follow('fid:12')
      await world.compareDue()
      assert.equal(await stateOf(12), 'live')
      assert.equal((await castsOf(12)).length, 2)
    })

    test('names without their messages are noted, usernames may refer to them, and they go with the next comparison', async () => {
      const author = world.source.add(21)
      const nameOf = (name: string, type = UserNameType.USERNAME_TYPE_ENS_L1) =>
        create(UserNameProofSchema, {
          ...{ fid: 21n, type, name: Buffer.from(name), timestamp: 1n },
          owner: new Uint8Array(20).fill(7),
          signature: new Uint8Array(65).fill(1),
        })
      const names = async () =>
        (await world.storage.of(mirrorNameRows).byFid(21)).map(({ name }) =>
          Buffer.from(name).toString(),
        )
      const based = nameOf('rook.base.eth', UserNameType.USERNAME_TYPE_BASENAME)
      world.source.names.set(21, [nameOf('rook.eth'), based])
      const username = (name: string) =>
        sign(author, (o) => userDataAdd(o, UserDataType.USER_DATA_TYPE_USERNAME, name))
      const claimed = username('rook.eth')
      world.source.list(21, claimed)
      await world.read(21)
      assert.deepEqual((await names()).sort(), ['rook.base.eth', 'rook.eth'])
      const { '21 userData': stored } = await hashesOf(world.storage, [21])
      assert.deepEqual(stored, hexOf([claimed]))
      world.source.names.set(21, [nameOf('rook.eth')])
      await world.read(21)
      assert.deepEqual(await names(), ['rook.eth'])
    })

    test('messages by keys that the source says the person has are stored, and by others wait', async () => {
      world.source.add(31)
      const [known, unknown] = [901, 902].map((seed) => ({ ...testAccount(seed), fid: 31 }))
      const [by, other] = [cast(known!, 'by its key'), cast(unknown!, 'by another')]
      world.source.keys.set(31, [{ key: known!.key, scopes: [MessageType.CAST_ADD] }])
      world.source.list(31, by, other)
      await world.read(31)
      assert.deepEqual(await castsOf(31), hexOf([by]))
      assert.deepEqual(await reasonsOf(31), ['waiting'])
    })
  })
}
