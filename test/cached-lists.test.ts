// Lists by target are cached, and never stale: whatever happens, they are what a reader without a cache finds.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  create,
  type DescMessage,
  fromBinary,
  type MessageInitShape,
  toBinary,
} from '@bufbuild/protobuf'
import { removeMessages, revokeMessages } from '../src/kernel/hub/removal.ts'
import {
  castAdd,
  castRemove,
  type DataInit,
  linkAdd,
  linkRemove,
  type Origin,
  type ReactionTarget,
  reactionAdd,
  reactionRemove,
} from '../src/kernel/protocol/build.ts'
import {
  castsByParentKey,
  castTargetKey,
  linksByTargetKey,
  reactionsByTargetKey,
  urlTargetKey,
} from '../src/kernel/protocol/slots.ts'
import { ReactionType } from '../src/kernel/protocol/wire/message_pb.js'
import {
  CastsByParentRequestSchema,
  FidRequestSchema,
  LinksByTargetRequestSchema,
  MessagesResponseSchema,
  ReactionsByTargetRequestSchema,
} from '../src/kernel/protocol/wire/rpc_pb.js'
import { EventLog } from '../src/kernel/storage/messages/event-log.ts'
import type { StoredMessage } from '../src/kernel/storage/messages/messages.ts'
import { effort } from './effort.ts'
import { type RawClient, rawClient } from './grpc-support.ts'
import { accepted, hashesOf, hex } from './hub-support.ts'
import { randomFrom, runSeed } from './random.ts'
import { createWorld, ENGINES, type TestAccount, type World } from './world.ts'

const SEED = runSeed()
const URL = 'https://example.org/looked-at'
const AUTHORS = [21, 22, 23]
/** Whom casts mention and links point at. */
const READ = [31, 32]
const TYPES = [ReactionType.LIKE, ReactionType.RECAST]
const LINK_TYPES = ['follow', 'friend']
const STEPS = effort(70, 1_500)
const PAGE = { size: 1_000 }

/** A list as it is asked for over both transports, and as the store has it. */
type List = {
  readonly path: string
  readonly params: Readonly<Record<string, string | number>>
  readonly call: () => Promise<string[]>
  readonly stored: () => Promise<{ readonly items: readonly Pick<StoredMessage, 'hash'>[] }>
}

/** A message that can be undone. */
type Added = { readonly author: TestAccount; readonly undo: (origin: Origin) => DataInit }

console.log(`cached lists: TEST_SEED=${SEED}`)
for (const engine of ENGINES) {
  describe(`lists by target on ${engine}`, () => {
    test('a cached list is what is stored after any message, removal, pruning, revocation, decision and erasure', async (t) => {
      const world = await createWorld({ engine })
      const grpc = rawClient(world.app.urls.grpc)
      t.after(() => world.close())
      t.after(() => grpc.close())
      const random = randomFrom(SEED)
      const authors = await world.accounts(AUTHORS)
      const [owner] = await world.accounts([20, ...READ])
      const first = world.origin(owner!).timestamp - 10 * STEPS
      const looked = world.sign(owner!, castAdd(world.origin(owner!, first), 'looked at'))
      accepted(await world.submit(looked))
      const cast = { fid: owner!.fid, hash: looked.hash }
      const lists = listsOf(world, grpc, cast)
      const added: Added[] = []
      const casts: Uint8Array[] = []
      let at = first

      const send = async (author: TestAccount, init: DataInit) => {
        const message = world.sign(author, init)
        const { status } = await world.submit(message)
        return status === 200 ? message : undefined
      }
      const origin = (author: TestAccount) => world.origin(author, ++at)
      const operate = (path: string) => world.operate(path, { body: { reason: 'test' } })
      const remove = (reason: 'prune' | 'revoke', count: number) =>
        world.app.storage.write('hub', async (tx) => {
          const log = new EventLog(tx, world.clock.now())
          const found = await tx.messages.castsByHashes(random.shuffled(casts).slice(0, count))
          await removeMessages(tx, log, found, reason)
          await log.flush()
        })
      const acts: (() => Promise<unknown>)[] = [
        async () => {
          const author = random.pick(authors)
          const parent = random.pick([
            { case: 'parentUrl', value: URL } as const,
            { case: 'parentCastId', value: { fid: BigInt(cast.fid), hash: cast.hash } } as const,
          ])
          const mentions = random.int(2) === 0 ? [] : [BigInt(random.pick(READ))]
          const init = { text: `${at}`, parent, mentions, mentionsPositions: mentions.map(() => 0) }
          const reply = await send(author, castAdd(origin(author), init))
          if (!reply) return
          casts.push(reply.hash)
          added.push({ author, undo: (by) => castRemove(by, reply.hash) })
        },
        async () => {
          const author = random.pick(authors)
          const type = random.pick(TYPES)
          const target: ReactionTarget = random.pick([{ url: URL }, cast])
          if (await send(author, reactionAdd(origin(author), type, target)))
            added.push({ author, undo: (by) => reactionRemove(by, type, target) })
        },
        async () => {
          const author = random.pick(authors)
          const [type, fid] = [random.pick(LINK_TYPES), random.pick(READ)]
          if (await send(author, linkAdd(origin(author), type, fid)))
            added.push({ author, undo: (by) => linkRemove(by, type, fid) })
        },
        async () => {
          const [one] = added.splice(random.int(added.length), 1)
          if (one) await send(one.author, one.undo(origin(one.author)))
        },
        async () => {
          if (casts.length > 0)
            await operate(
              `/moderation/casts/${hex(random.pick(casts))}/${random.pick(['hide', 'unhide'])}`,
            )
        },
        () =>
          operate(
            `/moderation/accounts/${random.pick(AUTHORS)}/${random.pick(['suspend', 'restore', 'restore'])}`,
          ),
        () => remove(random.pick(['prune', 'revoke']), 2),
        () =>
          world.app.storage.write('hub', async (tx) => {
            if (random.int(4) > 0) return
            const log = new EventLog(tx, world.clock.now())
            await revokeMessages(tx, log, { fid: random.pick(AUTHORS) })
            await log.flush()
          }),
      ]

      for (let step = 0; step < STEPS; step++) {
        // Messages are more frequent than what removes them, or lists would be empty.
        await (random.int(3) > 0 ? acts[random.int(3)]! : random.pick(acts))()
        await check(world, lists, `step ${step}`)
      }
      await operate(`/moderation/accounts/${AUTHORS[0]}/restore`)
      await operate(`/moderation/accounts/${AUTHORS[0]}/erase`)
      await check(world, lists, 'the beginning of an erasure')
      while (await world.app.storage.moderation.nextTask()) {
        await world.app.jobs.run('moderation')
        await check(world, lists, 'a step of an erasure')
      }
    })
  })
}

/** Reads each list as it is stored and, twice, over both transports. */
async function check(world: World, lists: readonly List[], after: string): Promise<void> {
  for (const { path, params, call, stored } of lists) {
    const expected = (await stored()).items.map(({ hash }) => hex(hash))
    for (const time of ['first', 'second']) {
      const what = `${path}, ${JSON.stringify(params)}, ${time} time after ${after}`
      assert.deepEqual(await hashesOf(world, path, params), expected, what)
      assert.deepEqual(await call(), expected, `gRPC, ${what}`)
    }
  }
}

function listsOf({ app }: World, grpc: RawClient, cast: { fid: number; hash: Uint8Array }): List[] {
  const { messages } = app.storage.published
  const call =
    <S extends DescMessage>(method: string, schema: S, init: MessageInitShape<S>) =>
    async () => {
      const { bytes, details } = await grpc.call(method, toBinary(schema, create(schema, init)))
      assert.ok(bytes, details)
      return fromBinary(MessagesResponseSchema, bytes).messages.map(({ hash }) => hex(hash))
    }
  const castId = { fid: BigInt(cast.fid), hash: cast.hash }
  const byTargets = (targets: readonly Uint8Array[]) => () => messages.listByTargets(targets, PAGE)
  const castKey = castTargetKey(cast.fid, cast.hash)
  const types = [undefined, ReactionType.LIKE]
  const reactions = (target: Uint8Array, type: ReactionType | undefined) =>
    byTargets((type ? [type] : TYPES).map((one) => reactionsByTargetKey(one, target)))
  return [
    {
      path: '/v1/castsByParent',
      params: { fid: cast.fid, hash: hex(cast.hash) },
      call: call('GetCastsByParent', CastsByParentRequestSchema, {
        parent: { case: 'parentCastId', value: castId },
      }),
      stored: byTargets([castsByParentKey(castKey)]),
    },
    {
      path: '/v1/castsByParent',
      params: { url: URL },
      call: call('GetCastsByParent', CastsByParentRequestSchema, {
        parent: { case: 'parentUrl', value: URL },
      }),
      stored: byTargets([castsByParentKey(urlTargetKey(URL))]),
    },
    ...READ.map((fid) => ({
      path: '/v1/castsByMention',
      params: { fid },
      call: call('GetCastsByMention', FidRequestSchema, { fid: BigInt(fid) }),
      stored: () => messages.listByMention(fid, PAGE),
    })),
    ...types.flatMap((type) => [
      {
        path: '/v1/reactionsByCast',
        params: {
          target_fid: cast.fid,
          target_hash: hex(cast.hash),
          ...(type && { reaction_type: type }),
        },
        call: call('GetReactionsByCast', ReactionsByTargetRequestSchema, {
          target: { case: 'targetCastId', value: castId },
          ...(type && { reactionType: type }),
        }),
        stored: reactions(castKey, type),
      },
      {
        path: '/v1/reactionsByTarget',
        params: { url: URL, ...(type && { reaction_type: type }) },
        call: call('GetReactionsByTarget', ReactionsByTargetRequestSchema, {
          target: { case: 'targetUrl', value: URL },
          ...(type && { reactionType: type }),
        }),
        stored: reactions(urlTargetKey(URL), type),
      },
    ]),
    ...[undefined, 'follow'].map((type) => ({
      path: '/v1/linksByTargetFid',
      params: { target_fid: READ[0]!, ...(type && { link_type: type }) },
      call: call('GetLinksByTarget', LinksByTargetRequestSchema, {
        target: { case: 'targetFid', value: BigInt(READ[0]!) },
        ...(type && { linkType: type }),
      }),
      stored: byTargets((type ? [type] : LINK_TYPES).map((one) => linksByTargetKey(READ[0]!, one))),
    })),
  ]
}
