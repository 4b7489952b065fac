// Lists of the app API: walks while others write, the following feed beside a naive one, and the number of statements.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { hiddenAccountRows } from '../src/features/app-api/tables/hidden-accounts.ts'
import { DEVELOPMENT_APP_UUID } from '../src/kernel/app-api/apps.ts'
import { submitMessages } from '../src/kernel/hub/submit/submit-messages.ts'
import {
  castAdd,
  castRemove,
  type DataInit,
  linkAdd,
  linkRemove,
  type Origin,
  reactionAdd,
  reactionRemove,
} from '../src/kernel/protocol/build.ts'
import { toHex } from '../src/kernel/protocol/codec/bytes.ts'
import type { SignedMessage } from '../src/kernel/protocol/message.ts'
import { networkTime } from '../src/kernel/protocol/time.ts'
import { ReactionType } from '../src/kernel/protocol/wire/message_pb.js'
import type { Writer } from '../src/kernel/storage/storage.ts'
import { createNetwork, type Json, type Network } from './app-api-support.ts'
import { effort } from './effort.ts'
import { randomFrom, runSeed } from './random.ts'
import { ENGINES, type TestAccount } from './world.ts'

const URL = 'https://example.org/lists'
const PEOPLE = effort(56, 200)
const SEED = runSeed()
console.log(`app lists: TEST_SEED=${SEED}`)

type BlockPair = { readonly blocker: number; readonly blocked: number }

type Post = {
  readonly at: number
  readonly by: number
  readonly hash: string
  readonly isRecast: boolean
}

for (const engine of ENGINES) {
  describe(`lists of the app API on ${engine}`, () => {
    const random = randomFrom(SEED)
    let net: Network
    let people: readonly TestAccount[]
    let root: SignedMessage
    /** Top-level casts and recasts, in the order of time. */
    const posts: Post[] = []
    const castOf = new Map<string, { fid: number; hash: Uint8Array }>()
    let now = 0

    const sign = (account: TestAccount, make: (origin: Origin) => DataInit, at = ++now) =>
      net.world.sign(account, make({ ...net.world.origin(account), timestamp: at }))
    const submit = async (messages: readonly SignedMessage[]) => {
      for (const result of await submitMessages(net.world.app.hub, [...messages])) {
        if (result instanceof Error) throw result
      }
    }

    before(async () => {
      net = await createNetwork(engine, [1])
      people = [
        net.accounts[0]!,
        ...(await net.world.accounts(
          Array.from({ length: PEOPLE - 1 }, (_, i) => i + 2),
          { units: 1 },
        )),
      ]
      now = networkTime(net.world.clock.now()) - 3_000
      const first = sign(people[1]!, (origin) => castAdd(origin, { text: 'root of many' }))
      root = first
      const messages = [first]
      posts.push({ at: now, by: 2, hash: toHex(first.hash), isRecast: false })
      castOf.set(toHex(first.hash), { fid: 2, hash: first.hash })
      for (let i = 0; i < PEOPLE * 3; i++) {
        const account = random.pick(people.slice(1))
        const target = castOf.get(random.pick([...castOf.keys()]))!
        const isRecast = random.int(3) === 0
        const message = sign(account, (origin) =>
          isRecast
            ? reactionAdd(origin, ReactionType.RECAST, target)
            : castAdd(origin, {
                text: `post ${i}`,
                parent: { case: 'parentUrl', value: URL },
              }),
        )
        const hash = toHex(isRecast ? target.hash : message.hash)
        const known =
          isRecast &&
          posts.some((one) => one.isRecast && one.by === account.fid && one.hash === hash)
        if (known) continue
        posts.push({ at: now, by: account.fid, hash, isRecast })
        if (!isRecast) castOf.set(hash, { fid: account.fid, hash: message.hash })
        messages.push(message)
      }
      await submit(messages)
      await net.indexed()
    })
    after(() => net.world.close())

    const walk = async (
      path: string,
      query: Record<string, string>,
      namesOf: (body: Json) => string[],
      between: () => Promise<unknown> = async () => {},
    ): Promise<string[]> => {
      const found: string[] = []
      for (let cursor: string | undefined = ''; cursor !== undefined; ) {
        const { status, body } = await net.get(path, { ...query, ...(cursor && { cursor }) })
        assert.equal(status, 200, JSON.stringify(body))
        found.push(...namesOf(body))
        cursor = (body.next ?? body.result.next).cursor ?? undefined
        if (cursor !== undefined) await between()
      }
      return found
    }
    const hashesOf = ({ casts, result }: Json): string[] =>
      (casts ?? result.casts).map(({ hash }: Json) => hash)

    /** What the specification says, read by eye: each cast once, at the first place that it has in the feed. */
    function naiveFeed(followed: ReadonlySet<number>): string[] {
      const seen = new Set<string>()
      const places: string[] = []
      for (const { by, hash, isRecast } of posts) {
        if (!followed.has(by) || seen.has(hash)) continue
        if (isRecast && followed.has(castOf.get(hash)!.fid)) continue
        seen.add(hash)
        places.push(hash)
      }
      return places.reverse()
    }

    for (const count of [0, 1, 50, 51]) {
      it(`the following feed of a user who follows ${count} equals a naive one, however it is read`, async () => {
        const reader = people[0]!
        const followed = new Set(
          random
            .shuffled(people.slice(1))
            .slice(0, count)
            .map(({ fid }) => fid),
        )
        const links = people
          .slice(1)
          .map(({ fid }) =>
            sign(reader, (origin) =>
              followed.has(fid)
                ? linkAdd(origin, 'follow', fid)
                : linkRemove(origin, 'follow', fid),
            ),
          )
        await submit(links)
        await net.indexed()
        const expected = naiveFeed(followed)
        const query = { fid: '1', limit: '7' }
        assert.deepEqual(await walk('/feed/following', query, hashesOf), expected)
        const { appViews } = net.world.app.storage
        const asked = {
          ...{ fid: 1, withRecasts: true, before: Number.MAX_SAFE_INTEGER, limit: 1_000 },
          viewer: { app: '', viewer: undefined },
        }
        const [scan, seek] = [
          await appViews.following(asked, 'scan'),
          await appViews.following(asked, 'seek'),
        ]
        assert.deepEqual(scan, seek)
      })
    }

    it('a walk sees everything that stays exactly once while others add, remove and back-date', async () => {
      const writers = people.slice(2, 6)
      const target = { fid: 2, hash: root.hash }
      const parent = { case: 'parentCastId', value: { fid: 2n, hash: root.hash } } as const
      const quote = { embed: { case: 'castId', value: { fid: 2n, hash: root.hash } } } as const
      const some = people.slice(6, 30)
      await submit(
        some.flatMap((account) => [
          sign(account, (origin) =>
            castAdd(origin, { text: `kept word ${account.fid}`, parent, embeds: [quote] }),
          ),
          sign(account, (origin) => reactionAdd(origin, ReactionType.LIKE, target)),
          sign(account, (origin) => linkAdd(origin, 'follow', 2)),
          sign(people[1]!, (origin) => linkAdd(origin, 'follow', account.fid)),
        ]),
      )
      await net.indexed()
      let own: { account: TestAccount; message: SignedMessage }[] = []
      /** Adds with old and new times, and takes back what was added before. */
      const disturb = async () => {
        const messages = writers.flatMap((account) => {
          const at = now - random.int(2_000)
          const removed = own.filter((one) => one.account === account && random.int(2) === 0)
          own = own.filter((one) => !removed.includes(one))
          const added = sign(
            account,
            (origin) =>
              castAdd(origin, { text: `kept word of ${random.int(1e9)}`, parent, embeds: [quote] }),
            at,
          )
          own.push({ account, message: added })
          const isLiking = random.int(2) === 0
          return [
            added,
            ...removed.map(({ message }) =>
              sign(account, (origin) => castRemove(origin, message.hash)),
            ),
            sign(account, (origin) =>
              (isLiking ? reactionAdd : reactionRemove)(origin, ReactionType.LIKE, target),
            ),
            sign(account, (origin) => (isLiking ? linkAdd : linkRemove)(origin, 'follow', 2)),
            sign(people[1]!, (origin) =>
              (isLiking ? linkAdd : linkRemove)(origin, 'follow', account.fid),
            ),
          ]
        })
        await submitMessages(net.world.app.hub, messages)
        await net.indexed()
      }
      const volatile = new Set(writers.map(({ fid }) => String(fid)))
      const fids = (list: string) => (body: Json) =>
        body[list].map((one: Json) => String((one.user ?? one.author).fid))
      const hash = toHex(root.hash)
      const lists: [
        path: string,
        query: Record<string, string>,
        names: (body: Json) => string[],
      ][] = [
        ['/reactions/cast', { hash, types: 'likes', limit: '5' }, fids('reactions')],
        ['/followers', { fid: '2', limit: '5' }, fids('users')],
        ['/following', { fid: '2', limit: '5' }, fids('users')],
        ['/cast/quotes', { identifier: hash, type: 'hash', limit: '5' }, fids('casts')],
        [
          '/cast/conversation',
          { identifier: hash, type: 'hash', limit: '5', reply_depth: '1' },
          ({ conversation }) =>
            conversation.cast.direct_replies.map(({ author }: Json) => String(author.fid)),
        ],
        [
          '/cast/search',
          { q: 'kept word', limit: '5' },
          ({ result }) => result.casts.map(({ author }: Json) => String(author.fid)),
        ],
        ['/feed/parent_urls', { parent_urls: URL, limit: '20' }, hashesOf],
        ['/followers/reciprocal', { fid: '2', limit: '5' }, fids('users')],
        [
          '/notifications',
          { fid: '2', limit: '5' },
          ({ notifications }) =>
            notifications.flatMap(({ type, cast }: Json) =>
              type === 'reply' || type === 'quote' ? [String(cast.author.fid)] : [],
            ),
        ],
      ]
      for (const [path, query, names] of lists) {
        const most = path === '/notifications' ? '25' : '50'
        const before = (await walk(path, { ...query, limit: most }, names)).filter(
          (name) => !volatile.has(name),
        )
        const walked = (await walk(path, query, names, disturb)).filter(
          (name) => !volatile.has(name),
        )
        assert.ok(before.length >= some.length, path)
        assert.deepEqual(walked, before, `${path}, seed ${SEED}`)
      }
    })

    it('walks of blocks, mutes and bans see what stays exactly once while rows come, go and are back-dated', async () => {
      const { storage } = net.world.app
      const app = DEVELOPMENT_APP_UUID
      const kept = people.slice(6, 30).map(({ fid }) => fid)
      const volatile = people.slice(30, 46).map(({ fid }) => fid)
      const blockList = (name: 'blocked' | 'blocker', pair: (fid: number) => BlockPair) => ({
        path: '/block/list',
        query: { [name === 'blocked' ? 'blocker_fid' : 'blocked_fid']: '1' },
        names: ({ blocks }: Json) => blocks.map((row: Json) => row[name].fid),
        add: (tx: Writer, fid: number, at: number) =>
          tx.blocks.insert([{ ...pair(fid), created_at: at }]),
        remove: (tx: Writer, fid: number) => tx.blocks.remove(pair(fid)),
      })
      const lists = [
        blockList('blocked', (fid) => ({ blocker: 1, blocked: fid })),
        blockList('blocker', (fid) => ({ blocker: fid, blocked: 1 })),
        {
          path: '/mute/list',
          query: { fid: '1' } as Record<string, string>,
          names: ({ mutes }: Json) => mutes.map(({ muted }: Json) => muted.fid),
          add: (tx: Writer, fid: number, at: number) =>
            tx.of(hiddenAccountRows).addMutes([{ app, fid: 1, muted_fid: fid, muted_at: at }]),
          remove: (tx: Writer, fid: number) =>
            tx.of(hiddenAccountRows).removeMutes([{ app, fid: 1, muted_fid: fid }]),
        },
        {
          path: '/ban/list',
          query: {} as Record<string, string>,
          names: ({ bans }: Json) => bans.map(({ banned }: Json) => banned.fid),
          add: (tx: Writer, fid: number, at: number) =>
            tx.of(hiddenAccountRows).addBans([{ app, fid, banned_at: at }]),
          remove: (tx: Writer, fid: number) => tx.of(hiddenAccountRows).removeBans([{ app, fid }]),
        },
      ]
      for (const { path, query, names, add, remove } of lists) {
        // Three rows of each second: pages end between rows of the same time.
        const timeOf = (i: number) => 1_000_000 - 10 * Math.floor(i / 3)
        const disturb = () =>
          storage.write('platform', async (tx) => {
            const some = random.shuffled(volatile)
            for (const fid of some.slice(0, 8)) await remove(tx, fid)
            for (const fid of some.slice(4, 12)) await add(tx, fid, timeOf(random.int(kept.length)))
          })
        await storage.write('platform', async (tx) => {
          for (const [i, fid] of kept.entries()) await add(tx, fid, timeOf(i))
        })
        await disturb()
        const walked = await walk(path, { ...query, limit: '5' }, names, disturb)
        const stayed = walked.map(Number).filter((fid) => !volatile.includes(fid))
        assert.deepEqual(stayed, kept, `${path}, seed ${SEED}`)
        await storage.write('platform', async (tx) => {
          for (const fid of [...kept, ...volatile]) await remove(tx, fid)
        })
      }
    })

    it('a cursor of another list, a cut one and a random one are refused', async () => {
      const { body } = await net.get('/feed/following', { fid: '1', limit: '1' })
      const { cursor } = body.next
      const wrong = [cursor.slice(0, -2), `${cursor}AA`, 'AAAA', '%00', 'x'.repeat(300)]
      for (const one of wrong) {
        const refused = await net.get('/feed/following', { fid: '1', cursor: one })
        assert.deepEqual([refused.status, refused.body.code], [400, 'InvalidCursor'], one)
      }
      for (const path of ['/followers', '/notifications', '/reactions/user', '/user/channels']) {
        const refused = await net.get(path, {
          fid: '1',
          cursor,
          ...(path === '/reactions/user' && { type: 'all' }),
        })
        assert.deepEqual([refused.status, refused.body.code], [400, 'InvalidCursor'], path)
      }
    })

    if (engine === 'postgres') {
      it('the number of statements of a page does not grow with its rows', async (t) => {
        let statements = 0
        const { query } = pg.Client.prototype
        t.after(() => {
          pg.Client.prototype.query = query
        })
        pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
          const text = (args[0] as { text?: string })?.text ?? ''
          if (/^\s*(?:with|select)\b/i.test(text) && /view_(?!delivery)|message/.test(text))
            statements++
          return Reflect.apply(query, this, args)
        } as typeof query
        const hash = toHex(root.hash)
        const lists: [string, Record<string, string>][] = [
          ['/feed/following', { fid: '1', viewer_fid: '1' }],
          ['/feed/user/casts', { fid: '2', viewer_fid: '1' }],
          ['/feed/parent_urls', { parent_urls: URL, viewer_fid: '1' }],
          ['/reactions/cast', { hash, types: 'all', viewer_fid: '1' }],
          ['/followers', { fid: '2', viewer_fid: '1' }],
          ['/following', { fid: '2', viewer_fid: '1' }],
          ['/cast/quotes', { identifier: hash, type: 'hash', viewer_fid: '1' }],
          ['/cast/search', { q: 'word', viewer_fid: '1' }],
          ['/cast/conversation', { identifier: hash, type: 'hash', viewer_fid: '1' }],
          ['/feed', { feed_type: 'filter', filter_type: 'fids', fids: '2,3,4' }],
          ['/feed/newest', { viewer_fid: '1' }],
          ['/feed/user/replies_and_recasts', { fid: '2', viewer_fid: '1' }],
          ['/reactions/user', { fid: '2', type: 'all', viewer_fid: '1' }],
          ['/followers/reciprocal', { fid: '2', viewer_fid: '1' }],
        ]
        for (const [path, asked] of lists) {
          const cost = async (limit: number) => {
            statements = 0
            const { status } = await net.get(path, { ...asked, limit: String(limit) })
            assert.equal(status, 200)
            return statements
          }
          // What webhooks and the views read meanwhile is counted, too, so that the least is the page's own.
          const least = async (limit: number) => Math.min(await cost(limit), await cost(limit))
          await cost(50)
          const [ten, fifty] = [await least(10), await least(50)]
          // A feed that leaves recasts out is read on at most twice, with two statements each.
          assert.ok(fifty <= ten + 4, `${path}: ${ten} for ten, ${fifty} for fifty`)
          assert.ok(fifty <= 16, `${path}: ${fifty}`)
        }
      })
    }
  })
}
