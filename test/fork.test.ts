// A fork of another hub: its accounts are read when they are asked for, everything written stays here.

import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  request,
  type Server,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it, type TestContext, test } from 'node:test'
import { create, toBinary } from '@bufbuild/protobuf'
import { FidRequest, getInsecureHubRpcClient } from '@farcaster/hub-nodejs'
import { getAddress } from 'viem/utils'
import type { App } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { startDevNetwork } from '../src/dev/network.ts'
import {
  type RecordedAccount,
  readForkFile,
  writeForkFile,
} from '../src/features/fork/fork-file.ts'
import { PastSource } from '../src/features/fork/past-source.ts'
import { RecordedSource } from '../src/features/fork/recorded-source.ts'
import { type ForkSource, HubSource, READS, SourceError } from '../src/features/fork/source.ts'
import { subjectsOfCall } from '../src/features/fork/subjects.ts'
import { forkAccountRows } from '../src/features/fork/tables/fork-accounts.ts'
import { forkTerms } from '../src/features/fork/terms.ts'
import { FORKED_FID } from '../src/kernel/accounts/fid-floor.ts'
import { MAX_IMPORT_BLOCK } from '../src/kernel/accounts/import.ts'
import { createLogger } from '../src/kernel/http/logger.ts'
import type { NameFeed } from '../src/kernel/hub/names.ts'
import {
  buildMessage,
  castAdd,
  castRemove,
  linkAdd,
  userDataAdd,
  verificationAddEth,
} from '../src/kernel/protocol/build.ts'
import { fromHex, toHex } from '../src/kernel/protocol/codec/bytes.ts'
import { encodeEnvelope } from '../src/kernel/protocol/codec/envelope.ts'
import { signEthClaim } from '../src/kernel/protocol/crypto/eip712.ts'
import { addressOfPrivateKey } from '../src/kernel/protocol/crypto/secp256k1.ts'
import { networkTime } from '../src/kernel/protocol/time.ts'
import { UserDataType } from '../src/kernel/protocol/wire/message_pb.js'
import { ReactionRequestSchema } from '../src/kernel/protocol/wire/rpc_pb.js'
import { startNetwork } from '../src/testing/network.ts'
import { accepted } from './hub-support.ts'
import { createPlace, type Program, ROOT, rookery, startProgram } from './program.ts'
import { until } from './until.ts'
import {
  createWorld,
  DEVNET,
  enginesOf,
  type TestAccount,
  testAccount,
  WORLD_START_MS,
  type World,
} from './world.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into JSON as they find it
type Json = any

const JSON_TYPE = { 'content-type': 'application/json' }

/** The registry of the source: fid 30 is called erin. */
const NAMES: NameFeed = {
  transfersAfter: async (id) =>
    id > 0
      ? []
      : [
          {
            ...{ id: 1, timestamp: WORLD_START_MS / 1_000, username: 'erin', from: 0, to: 30 },
            owner: testAccount(30).custody,
            serverSignature: new Uint8Array(65),
          },
        ],
}

/** Stands before a source, notes each request, and can be taken away. */
class Watched {
  readonly requests: { method: string; path: string; url: string }[] = []
  isDown = false
  /** Changes the body of each answer of the source. */
  change = (body: string): string => body
  /** The answer to a path in place of the source's own; undefined for the source's own. */
  instead = (_path: string, _url: string): string | undefined => undefined
  /** Answers are sent when it resolves: all of them, or those that `holds` names by path and query. */
  held: Promise<void> | undefined
  holds = (_url: string): boolean => true
  readonly #server: Server

  constructor(hub: () => string) {
    this.#server = createServer(async (asked, answer) => {
      const { pathname } = new URL(asked.url!, 'http://source')
      this.requests.push({ method: asked.method!, path: pathname, url: asked.url! })
      if (this.isDown) return void asked.socket.destroy()
      if (this.holds(asked.url!)) await this.held
      const instead = this.instead(pathname, asked.url!)
      if (instead !== undefined) return void answer.end(instead)
      const sent = request(
        hub() + asked.url!,
        { method: asked.method! },
        async (from: IncomingMessage) => {
          const body = Buffer.concat(await from.toArray()).toString()
          answer.writeHead(from.statusCode!, { 'content-type': 'application/json' })
          answer.end(this.change(body))
        },
      )
      asked.pipe(sent)
    })
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  count(path: string): number {
    return this.requests.filter((one) => one.path === path).length
  }

  close(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }
}

for (const engine of enginesOf(import.meta.url)) {
  describe(`a fork on ${engine}`, { concurrency: 1 }, () => {
    let source: World
    let watched: Watched
    let place: Awaited<ReturnType<typeof createPlace>>
    let app: App
    let alice: TestAccount
    let bob: TestAccount
    /** The hash of a cast with replies. */
    let question: string
    const clock = { now: () => source.clock.now() + ahead }
    let ahead = 0
    const logLines: string[] = []

    const hubSource = () => new HubSource(watched.url, { warn() {} })
    const start = (
      env = place.env,
      fork = { of: watched.url, source: hubSource() as ForkSource },
    ) =>
      startDevNetwork({
        config: readConfig(
          {
            ...env,
            ROOKERY_VIEWS: 'on',
            ROOKERY_DATABASE_FLUSH: 'off',
          },
          'development',
        ),
        logger: createLogger({
          level: 'warn',
          destination: { write: (line) => void logLines.push(line) },
        }),
        clock,
        fork,
      })
    const hub = async (path: string): Promise<Json> => {
      const response = await fetch(app.urls.hub + path)
      return { status: response.status, ...((await response.json()) as object) }
    }
    const appApi = async (path: string): Promise<Json> => {
      const headers = { 'x-api-key': 'development' }
      return (await fetch(app.urls.app + path, { headers })).json()
    }
    const actAs = async (account: string): Promise<Json> => {
      const response = await fetch(`${app.urls.operations}/dev/act-as`, {
        ...{ method: 'POST', headers: JSON_TYPE },
        body: JSON.stringify({ account }),
      })
      return { status: response.status, ...((await response.json()) as object) }
    }
    const texts = ({ messages }: Json): string[] =>
      messages.map(({ data }: Json) => data.castAddBody.text)
    const say = async (account: TestAccount, text: string, on = source) => {
      const message = on.sign(account, castAdd(on.origin(account), text))
      accepted(await on.submit(message))
      return message
    }

    before(async () => {
      source = await createWorld({ names: NAMES })
      ;[alice, bob] = (await source.accounts([2, 9, 12])) as [TestAccount, TestAccount]
      watched = new Watched(() => source.app.urls.hub)
      await watched.listen()
      accepted(
        await source.submit(source.sign(alice, userDataAdd(source.origin(alice), 2, 'Alice'))),
      )
      await say(alice, 'one')
      await say(alice, 'two')
      accepted(
        await source.submit(source.sign(alice, linkAdd(source.origin(alice), 'follow', bob.fid))),
      )
      await say(bob, 'by bob')
      place = await createPlace(engine)
      app = await start()
    })
    after(async () => {
      await app?.stop()
      watched.close()
      await source.close()
      await place.remove()
    })

    it('a fork reads an account of the source when it is asked for, as the source has it', async () => {
      assert.equal(watched.requests.length, 0, 'nothing is read before')
      for (const path of [
        '/v1/castsByFid?fid=2',
        '/v1/userDataByFid?fid=2',
        '/v1/linksByFid?fid=2',
        '/v1/onChainEventsByFid?fid=2&event_type=EVENT_TYPE_SIGNER',
      ]) {
        const { body } = await source.get(path)
        const { status, ...own } = await hub(path)
        assert.equal(status, 200)
        assert.deepEqual(own, body)
      }
      assert.deepEqual(texts(await hub('/v1/castsByFid?fid=2')).sort(), ['one', 'two'])
    })

    it('a fork asks the source once for what it keeps', async () => {
      const before = watched.requests.length
      await hub('/v1/castsByFid?fid=2')
      assert.equal(watched.requests.length, before)
    })

    it('casts stay while the storage of their author is not read, which no request that waits holds up', async () => {
      await fetch(`${app.urls.operations}/dev/fork`)
      const [asker, author] = (await source.accounts([40, 41, 42])) as [TestAccount, TestAccount]
      const { hash } = await say(asker, 'who is there?')
      const parent = { case: 'parentCastId' as const, value: { fid: 40n, hash } }
      const answer = castAdd(source.origin(author), { text: 'me', parent })
      accepted(await source.submit(source.sign(author, answer)))
      await hub('/v1/castsByFid?fid=40')
      const held = Promise.withResolvers<void>()
      const ofStorage = 'event_type=EVENT_TYPE_STORAGE_RENT'
      watched.held = held.promise
      watched.holds = (url) => url.includes(ofStorage)
      let isAnswered = false
      const waiting = hub('/v1/castsByFid?fid=42').finally(() => {
        isAnswered = true
      })
      const replies = `/v1/castsByParent?fid=40&hash=${toHex(hash)}`
      assert.deepEqual(texts(await hub(replies)), ['me'])
      await app.jobs.run('prune messages')
      assert.deepEqual(texts(await hub(replies)), ['me'])
      const isAsked = ({ url }: { url: string }) => url.includes(ofStorage) && /fid=41&/.test(url)
      await until(() => watched.requests.some(isAsked), 'the storage was asked for')
      assert.equal(isAnswered, false)
      held.resolve()
      assert.equal((await waiting).status, 200)
      watched.held = undefined
    })

    it('a fork serves accounts over the app API, with the casts of people whom somebody follows', async () => {
      const { user } = await appApi('/v2/farcaster/screen/person?username=!2&list=casts')
      assert.equal(user.display_name, 'Alice')
      const { casts } = await appApi('/v2/farcaster/feed/following?fid=2')
      assert.deepEqual(
        casts.map(({ text }: Json) => text),
        ['by bob'],
      )
    })

    it('a fork finds people of the source by their names', async () => {
      const [erin] = (await source.accounts([30])) as [TestAccount]
      const isNamed = async () =>
        (await source.get('/v1/userNameProofByName?name=erin')).status === 200
      await until(isNamed, 'the source has the name')
      accepted(await source.submit(source.sign(erin, userDataAdd(source.origin(erin), 6, 'erin'))))
      const { user } = await appApi('/v2/farcaster/user/by_username?username=erin')
      assert.deepEqual([user.fid, user.username], [30, 'erin'])
      assert.equal((await hub('/v1/userNameProofByName?name=erin')).fid, 30)
      assert.equal((await hub('/v1/userNameProofByName?name=nobody')).status, 404)
    })

    it('a fork makes its own accounts above the fids of the source', async () => {
      const { accounts } = (await (
        await fetch(`${app.urls.operations}/dev/accounts`)
      ).json()) as Json
      assert.equal(accounts.length, 10)
      assert.deepEqual(
        accounts.map(({ fid }: Json) => fid),
        accounts.map((_: Json, i: number) => FORKED_FID + 1 + i),
      )
      const [first] = accounts
      const origin = { fid: first.fid, timestamp: networkTime(clock.now()), network: DEVNET }
      const cast = buildMessage(castAdd(origin, 'only here'), fromHex(first.appPrivateKey)!)
      const response = await fetch(`${app.urls.hub}/v1/submitMessage`, {
        method: 'POST',
        headers: { 'content-type': 'application/octet-stream' },
        body: encodeEnvelope(cast) as Uint8Array<ArrayBuffer>,
      })
      assert.equal(response.status, 200)
      assert.deepEqual(texts(await hub(`/v1/castsByFid?fid=${first.fid}`)), ['only here'])
      const more = (await (
        await fetch(`${app.urls.operations}/dev/accounts`, { method: 'POST', headers: JSON_TYPE })
      ).json()) as Json
      assert.equal(more.accounts[0].fid, FORKED_FID + 11)
      assert.equal((await source.get(`/v1/castsByFid?fid=${first.fid}`)).body.messages.length, 0)
    })

    it('a fork leaves out a message whose words the source has changed', async () => {
      const [carol] = (await source.accounts([5])) as [TestAccount]
      await say(carol, 'as written')
      await say(carol, 'as signed')
      watched.change = (body) =>
        body.replace('as signed', 'as forged').replace(/,"dataBytes":"[^"]*"/g, '')
      assert.deepEqual(texts(await hub('/v1/castsByFid?fid=5')), ['as written'])
      watched.change = (body) => body
    })

    it('a fork finds out later what the source has added and removed', async () => {
      const three = await say(bob, 'three')
      const four = await say(bob, 'four')
      ahead += 11 * 60_000
      await hub('/v1/castsByFid?fid=9')
      await until(async () => texts(await hub('/v1/castsByFid?fid=9')).includes('four'))
      accepted(await source.submit(source.sign(bob, castRemove(source.origin(bob), four.hash))))
      ahead += 11 * 60_000
      await until(async () => !texts(await hub('/v1/castsByFid?fid=9')).includes('four'))
      assert.ok(texts(await hub('/v1/castsByFid?fid=9')).includes('three'), toHex(three.hash))
    })

    it('a feed of people of whom a fork keeps old casts has none that the source has no more', async () => {
      const [author, reader] = (await source.accounts([43, 44])) as [TestAccount, TestAccount]
      const first = await say(bob, 'a question of bob')
      const value = { fid: 9n, hash: first.hash }
      const parent = { case: 'parentCastId' as const, value }
      const answer = source.sign(author, castAdd(source.origin(author), { text: 'gone', parent }))
      accepted(await source.submit(answer))
      const replies = `/v1/castsByParent?fid=9&hash=${toHex(first.hash)}`
      assert.deepEqual(texts(await hub(replies)), ['gone'])
      await say(author, 'stays')
      accepted(
        await source.submit(source.sign(author, castRemove(source.origin(author), answer.hash))),
      )
      const follow = linkAdd(source.origin(reader), 'follow', author.fid)
      accepted(await source.submit(source.sign(reader, follow)))
      ahead += 11 * 60_000
      await appApi('/v2/farcaster/feed/following?fid=44')
      await until(async () => texts(await hub(replies)).length === 0, 'the cast went')
    })

    it('a fork reads a whole thread: the casts above, and all replies with their authors', async () => {
      const people = await source.accounts(Array.from({ length: 20 }, (_, i) => 100 + i))
      const answer = (by: TestAccount, text: string, to: { fid: number; hash: Uint8Array }) => {
        const value = { fid: BigInt(to.fid), hash: to.hash }
        const parent = { case: 'parentCastId' as const, value }
        return source.sign(by, castAdd(source.origin(by), { text, parent }))
      }
      const [first, ...others] = people as [TestAccount, ...TestAccount[]]
      const root = await say(first, 'a question')
      question = toHex(root.hash)
      const replies = Array.from({ length: 30 }, (_, i) =>
        answer(others[i % others.length]!, `answer ${i}`, root),
      )
      for (const reply of replies) accepted(await source.submit(reply))
      const below = answer(first, 'thanks', replies[7]!)
      accepted(await source.submit(below))

      const above = await hub(`/v1/castById?fid=${below.fid}&hash=${toHex(below.hash)}`)
      assert.equal(above.data.castAddBody.text, 'thanks')
      const { conversation } = await appApi(
        `/v2/farcaster/cast/conversation?identifier=${toHex(root.hash)}&type=hash&reply_depth=3&limit=50`,
      )
      const direct: Json[] = conversation.cast.direct_replies
      assert.equal(direct.length, 30)
      assert.deepEqual(
        direct.flatMap((one) => one.direct_replies.map(({ text }: Json) => text)),
        ['thanks'],
      )
    })

    it('a thread is read again soon where the source did not answer for an author, and without what was deleted since', async () => {
      const [asker, author] = (await source.accounts([46, 47])) as [TestAccount, TestAccount]
      const above = await say(bob, 'a beginning')
      const answer = (by: TestAccount, text: string, to: { fid: number; hash: Uint8Array }) => {
        const value = { fid: BigInt(to.fid), hash: to.hash }
        const parent = { case: 'parentCastId' as const, value }
        return source.sign(by, castAdd(source.origin(by), { text, parent }))
      }
      const root = answer(asker, 'a question', above)
      const kept = answer(author, 'kept', root)
      const deleted = answer(author, 'deleted', root)
      for (const message of [root, kept, deleted]) accepted(await source.submit(message))
      const replies = async () =>
        texts(await hub(`/v1/castsByParent?fid=46&hash=${toHex(root.hash)}`)).sort()
      watched.instead = (_, url) => (/fid=47&/.test(url) ? 'no JSON' : undefined)
      assert.deepEqual(await replies(), [])
      watched.instead = () => undefined
      ahead += 11_000
      assert.deepEqual(await replies(), ['deleted', 'kept'])

      const { appPrivateKey } = await actAs('47')
      const value = { fid: 46n, hash: root.hash }
      const parent = { case: 'parentCastId' as const, value }
      const origin = { fid: 47, timestamp: networkTime(clock.now()), network: DEVNET }
      const local = buildMessage(
        castAdd(origin, { text: 'only here', parent }),
        fromHex(appPrivateKey)!,
      )
      const response = await fetch(`${app.urls.hub}/v1/submitMessage`, {
        method: 'POST',
        headers: { 'content-type': 'application/octet-stream' },
        body: encodeEnvelope(local) as Uint8Array<ArrayBuffer>,
      })
      assert.equal(response.status, 200)
      for (const { by, hash } of [
        { by: author, hash: deleted.hash },
        { by: bob, hash: above.hash },
      ]) {
        accepted(await source.submit(source.sign(by, castRemove(source.origin(by), hash))))
      }
      ahead += 61_000
      assert.deepEqual(await replies(), ['kept', 'only here'])
      const statusOf = async ({ fid, hash }: { fid: number; hash: Uint8Array }) =>
        (await hub(`/v1/castById?fid=${fid}&hash=${toHex(hash)}`)).status
      assert.deepEqual([await statusOf(above), await statusOf(root)], [404, 200])
    })

    it('a fork reads accounts for calls over gRPC, too', async () => {
      const [dora] = (await source.accounts([50])) as [TestAccount]
      await say(dora, 'over gRPC')
      const client = getInsecureHubRpcClient(app.urls.grpc)
      try {
        const casts = await client.getCastsByFid(FidRequest.create({ fid: dora.fid }))
        assert.deepEqual(
          casts._unsafeUnwrap().messages.map(({ data }) => data!.castAddBody!.text),
          ['over gRPC'],
        )
      } finally {
        client.close()
      }
    })

    it('a fork writes for an account of the source with a key that is valid in it alone', async () => {
      const key = await actAs('9')
      assert.equal((await actAs('9')).appPrivateKey, key.appPrivateKey)
      assert.match((await actAs('999')).message, /the forked network has no account 999/)
      const origin = { fid: key.fid, timestamp: networkTime(clock.now()), network: DEVNET }
      const cast = buildMessage(castAdd(origin, 'not by bob'), fromHex(key.appPrivateKey)!)
      const submitTo = (url: string) =>
        fetch(`${url}/v1/submitMessage`, {
          method: 'POST',
          headers: { 'content-type': 'application/octet-stream' },
          body: encodeEnvelope(cast) as Uint8Array<ArrayBuffer>,
        })
      assert.equal((await submitTo(app.urls.hub)).status, 200)
      assert.equal((await submitTo(source.app.urls.hub)).status, 400)
      const own = async () => texts(await hub('/v1/castsByFid?fid=9'))
      assert.ok((await own()).includes('not by bob'))
      // What is compared with the source leaves it where it is.
      await say(bob, 'by bob again')
      ahead += 11 * 60_000
      await until(async () => (await own()).includes('by bob again'), 'bob was compared')
      assert.ok((await own()).includes('not by bob'))
      const { events } = await hub('/v1/onChainEventsByFid?fid=9&event_type=EVENT_TYPE_SIGNER')
      assert.deepEqual(
        events.map(({ chainId }: Json) => chainId),
        [10, 0x666f726b],
      )
      assert.ok(events[1].blockNumber > MAX_IMPORT_BLOCK, 'no event of the source has its place')
    })

    it('a fork reads a thread once for all who ask for it, and no more replies than it keeps', async () => {
      let made = 0
      const reply = () => ({
        data: { type: 'MESSAGE_TYPE_CAST_ADD', fid: 9 },
        hash: `0x${(++made).toString(16).padStart(40, '0')}`,
      })
      watched.instead = (path) =>
        path === READS.replies
          ? JSON.stringify({ messages: Array.from({ length: 300 }, reply) })
          : undefined
      const before = watched.count(READS.replies)
      const thread = `/v1/castsByParent?fid=9&hash=0x${'ab'.repeat(20)}`
      await Promise.all([hub(thread), hub(thread), hub(thread)])
      watched.instead = () => undefined
      // Those to the cast, and those to the first 50 of its replies, which are asked for at a time.
      assert.equal(watched.count(READS.replies) - before, 51)
    })

    it('a fork asks again after a while for an account that the source does not answer with JSON objects', async () => {
      await source.accounts([60])
      const before = watched.count(READS.names)
      watched.instead = () => '1'
      assert.equal((await hub('/v1/castsByFid?fid=60')).messages.length, 0)
      await until(() => watched.count(READS.names) > before, 'the account was asked for')
      assert.equal((await hub('/v1/castsByFid?fid=60')).messages.length, 0)
      const { status, message } = await actAs('60')
      assert.equal(status, 503)
      assert.match(message, /60 cannot be read: the source does not answer as hubs do/)
      assert.equal(watched.count(READS.names), before + 1)
      assert.equal((await actAs('nobody.at.all')).status, 503)
      assert.equal((await actAs('no name')).status, 404)
      watched.instead = () => undefined
    })

    it('a fork that is full asks for nobody else and says so once', async () => {
      await app.storage.writeShared('hub', async (tx) => {
        for (let fid = 1_000_000; fid < 1_020_000; fid++) {
          await tx.of(forkAccountRows).put({ fid, level: 0, read_at: 0 })
        }
      })
      await source.accounts([80, 81])
      const before = watched.requests.length
      for (const fid of [80, 81]) {
        assert.equal((await hub(`/v1/castsByFid?fid=${fid}`)).messages.length, 0)
      }
      assert.match((await actAs('80')).message, /or this fork keeps no more accounts/)
      assert.equal(watched.requests.length, before)
      assert.equal(logLines.filter((line) => line.includes('keeps no more accounts')).length, 1)
      await fetch(`${app.urls.operations}/dev/reset`, { method: 'POST' })
    })

    it('a fork begins anew while it reads an account, and forgets what the source did not have', async () => {
      assert.equal((await actAs('70')).status, 404)
      const [gwen] = (await source.accounts([71, 70])) as [TestAccount]
      await say(gwen, 'read during a reset')
      const held = Promise.withResolvers<void>()
      watched.held = held.promise
      const before = watched.requests.length
      const reading = hub('/v1/castsByFid?fid=71')
      await until(() => watched.requests.length > before, 'the account is being read')
      const reset = await fetch(`${app.urls.operations}/dev/reset`, { method: 'POST' })
      assert.equal(reset.status, 200)
      const { accounts } = (await reset.json()) as Json
      assert.equal(accounts[0].fid, FORKED_FID + 1)
      watched.held = undefined
      held.resolve()
      await reading
      assert.deepEqual(texts(await hub('/v1/castsByFid?fid=71')), ['read during a reset'])
      assert.equal((await actAs('70')).status, 200)
      await hub('/v1/castsByFid?fid=2')
      const feed = () => appApi('/v2/farcaster/feed/following?fid=2')
      await until(async () => (await feed()).casts?.length > 0, 'the account was read again')
    })

    it('a fork goes on with what it keeps when it is started without the source', async () => {
      await app.stop()
      watched.isDown = true
      app = await start()
      assert.deepEqual(texts(await hub('/v1/castsByFid?fid=2')).sort(), ['one', 'two'])
      assert.equal((await hub('/v1/castsByFid?fid=12')).messages.length, 0)
      const feed = () => appApi('/v2/farcaster/feed/following?fid=2')
      await until(async () => (await feed()).casts?.length > 0, 'the views were opened')
      watched.isDown = false
    })

    it('a recorded fork is a file with which another network has the same accounts without the source', async (t) => {
      // A fork leaves a source alone that was silent, and reads a thread that it could not read a minute later.
      await app.stop()
      app = await start()
      const path = `/v2/farcaster/cast/conversation?identifier=${question}&type=hash&reply_depth=3&limit=50`
      const replies = async () => (await appApi(path)).conversation?.cast.direct_replies.length
      // A cast is found by its hash when its author was read.
      const isWhole = () =>
        until(async () => {
          await hub(`/v1/castById?fid=100&hash=${question}`)
          return (await replies()) === 30
        }, 'the thread is there')
      await isWhole()
      for (const path of [
        'castsByFid?fid=2',
        'linksByFid?fid=9',
        'userNameProofByName?name=erin',
      ]) {
        await hub(`/v1/${path}`)
      }
      const key = await actAs('9')
      const origin = { fid: 9, timestamp: networkTime(clock.now()), network: DEVNET }
      const own = buildMessage(castAdd(origin, 'written here'), fromHex(key.appPrivateKey)!)
      const body = encodeEnvelope(own) as Uint8Array<ArrayBuffer>
      const headers = { 'content-type': 'application/octet-stream' }
      const sent = await fetch(`${app.urls.hub}/v1/submitMessage`, {
        method: 'POST',
        headers,
        body,
      })
      assert.equal(sent.status, 200)
      watched.isDown = true
      const dir = mkdtempSync(join(tmpdir(), 'rookery-recorded-'))
      const other = await createPlace(engine)
      const file = join(dir, 'people.fork')
      const record = (name: string) =>
        writeForkFile(name, async (after) => {
          const response = await fetch(`${app.urls.operations}/dev/fork?after=${after}`)
          return (await response.json()) as RecordedAccount
        })
      const written = await record(file)
      await record(`${file}.again`)
      const text = readFileSync(file, 'utf8')
      assert.equal(readFileSync(`${file}.again`, 'utf8'), text)
      assert.equal(text.split('\n').length, written.items + 2)
      // What was written here is not what the source has.
      assert.ok(!text.includes('written here') && !text.includes(key.appPublicKey))

      const { items, network } = await readForkFile(file)
      assert.equal(network, 'devnet')
      const first = app
      app = await start(other.env, { of: file, source: new RecordedSource(items) })
      t.after(async () => {
        await app.stop()
        app = first
        await other.remove()
        rmSync(dir, { recursive: true })
      })
      assert.deepEqual(texts(await hub('/v1/castsByFid?fid=2')).sort(), ['one', 'two'])
      assert.equal((await hub('/v1/userNameProofByName?name=erin')).fid, 30)
      assert.equal((await hub('/v1/linksByFid?fid=2')).messages.length, 1)
      // A file knows the author of a cast by its hash.
      await until(async () => (await replies()) === 30, 'the thread is there')
      assert.ok(!texts(await hub('/v1/castsByFid?fid=9')).includes('written here'))
      assert.equal((await actAs('30')).name, 'erin')
      assert.equal((await actAs('999')).status, 404)
      watched.isDown = false
    })

    it('a fork asks the source by GET alone, and only by the paths of one list', () => {
      const known: ReadonlySet<string> = new Set(Object.values(READS))
      assert.ok(watched.requests.length > 10)
      assert.deepEqual(
        watched.requests.filter(({ method, path }) => method !== 'GET' || !known.has(path)),
        [],
      )
    })
  })
}

/** What a cast needs to be shown: the account, its keys, names and profile. */
const OF_AN_AUTHOR = 4
/** What its page has beside: storage and verified addresses. */
const HELD = /event_type=EVENT_TYPE_STORAGE_RENT|\/verificationsByFid\?fid=(?!101&)/

test('a first screen and a thread of a fork wait for few requests of the source, and the rest is read when nobody waits', async (t) => {
  const source = await createWorld()
  t.after(() => source.close())
  const watched = new Watched(() => source.app.urls.hub)
  await watched.listen()
  t.after(() => watched.close())
  const people = await source.accounts(Array.from({ length: 25 }, (_, i) => 2 + i))
  const send = async (by: TestAccount, text: string, to?: { fid: number; hash: Uint8Array }) => {
    const value = to && { fid: BigInt(to.fid), hash: to.hash }
    const parent = value ? { case: 'parentCastId' as const, value } : { case: undefined }
    const message = source.sign(by, castAdd(source.origin(by), { text, parent }))
    accepted(await source.submit(message))
    source.clock.advance(1_000)
    return message
  }
  for (const one of people) await send(one, 'an old one')
  const [alice, bob] = people as [TestAccount, TestAccount]
  // By the first profiles a fork knows the network.
  accepted(await source.submit(source.sign(alice, userDataAdd(source.origin(alice), 2, 'Alice'))))
  for (let n = 0; n < 13; n++) for (const one of [alice, bob]) await send(one, `${n}`)
  const strangers = await source.accounts(Array.from({ length: 20 }, (_, i) => 100 + i))
  const root = await send(alice, 'a question')
  for (const one of strangers) await send(one, 'an answer', root)
  // A profile that names a primary address holds with the verification of it alone.
  const [first, second] = strangers as [TestAccount, TestAccount]
  const origin = source.origin(second)
  const key = new Uint8Array(32).fill(5)
  const claim = { address: addressOfPrivateKey(key), blockHash: new Uint8Array(32).fill(2) }
  const claimSignature = signEthClaim(origin, claim, key)
  const address = getAddress(toHex(claim.address) as `0x${string}`)
  for (const made of [
    verificationAddEth(origin, { ...claim, claimSignature }),
    userDataAdd(origin, UserDataType.USER_DATA_PRIMARY_ADDRESS_ETHEREUM, address),
  ]) {
    accepted(await source.submit(source.sign(second, made)))
  }

  const network = await startNetwork({ fork: watched.url, env: { ROOKERY_LOG_LEVEL: 'fatal' } })
  t.after(() => network.stop())
  const get = async (path: string): Promise<Json> => {
    const headers = { 'x-api-key': 'development' }
    return (await fetch(`${network.urls.app}/v2/farcaster/${path}`, { headers })).json()
  }
  /**
   * Asks until the answer is whole. Meanwhile what nobody waits for gets no answer, and of it one account is read at a time.
   * Returns how many others were asked for.
   */
  const during = async (path: string, isWhole: (answer: Json) => boolean): Promise<number> => {
    const held = Promise.withResolvers<void>()
    watched.held = held.promise
    watched.holds = (url) => HELD.test(url)
    watched.requests.length = 0
    await until(async () => isWhole(await get(path)), `${path} is whole`)
    const urls = new Set(watched.requests.map(({ url }) => url).filter((url) => !HELD.test(url)))
    held.resolve()
    return urls.size
  }
  const isQuiet = async () => {
    const before = watched.requests.length
    await fetch(`${network.urls.operations}/dev/fork`)
    return watched.requests.length === before
  }

  const feedHas = (count: number) => (answer: Json) => answer.casts?.length === count
  // The newest 25 casts are of two people of the 25.
  const ofFeed = await during('feed/newest?limit=25', feedHas(25))
  const awaited = 1 + people.length + 2 * OF_AN_AUTHOR
  assert.ok(ofFeed <= awaited + OF_AN_AUTHOR, `a first screen waited for ${ofFeed} requests`)
  await until(isQuiet, 'the rest was read')
  assert.equal(await during('feed/newest?limit=100', feedHas(people.length + 2 * 13 + 1)), 0)

  // The cast is kept: who has answered it is asked for, and who has answered these.
  const path = `cast/conversation?identifier=${toHex(root.hash)}&type=hash&limit=50`
  const isWhole = ({ conversation }: Json) =>
    conversation?.cast.direct_replies.length === strangers.length
  const ofThread = 1 + strangers.length * (1 + OF_AN_AUTHOR) + 1
  assert.equal(await during(path, isWhole), ofThread)
  await until(isQuiet, 'the rest was read')

  // Of somebody whose profile is kept only what is missing is asked for.
  watched.requests.length = 0
  const { users } = await get(`user/bulk?fids=${first.fid},${second.fid}`)
  assert.equal(watched.requests.length, 0)
  assert.deepEqual(users[1].verified_addresses.primary.eth_address, address.toLowerCase())
  await get(`screen/person?username=!${first.fid}&list=casts`)
  assert.deepEqual(watched.requests.map((one) => one.path).sort(), [
    READS.casts,
    READS.links,
    READS.reactions,
    READS.reactions,
  ])
})

/** A source that answers as a test says. */
async function sourceOf(t: TestContext, answer: RequestListener): Promise<ForkSource> {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const source = new HubSource(`http://127.0.0.1:${port}`, { warn() {} })
  t.after(() => {
    source.close()
    server.close()
    server.closeAllConnections()
  })
  return source
}

test('a fork takes no answer that is not a JSON object', async (t) => {
  const bodies = ['1', 'null', '[]', '"text"', 'no JSON']
  let asked = 0
  const source = await sourceOf(t, (_, answer) => void answer.end(bodies[asked++]))
  for (const _ of bodies) await assert.rejects(source.get('fids'), SourceError)
  assert.equal(asked, bodies.length)
})

test('a list of a source that sends more than was asked for ends where the pages would', async (t) => {
  const source = await sourceOf(t, (_, answer) => {
    answer.end(JSON.stringify({ messages: Array(300_000).fill(1), nextPageToken: 'more' }))
  })
  const { items, isCut } = await source.list('casts', { fid: 1 }, { pageSize: 25, pages: 2 })
  assert.deepEqual([items.length, isCut], [50, true])
})

test('requests that wait are not sent to a source that has fallen silent', async (t) => {
  const asked: IncomingMessage[] = []
  const source = await sourceOf(t, (request) => void asked.push(request))
  const gets = Array.from({ length: 30 }, () => assert.rejects(source.get('fids'), SourceError))
  await until(() => asked.length === 8, 'eight are sent at a time')
  for (const { socket } of asked) socket.destroy()
  await Promise.all(gets)
  assert.equal(asked.length, 8)
})

test('a source that asks for a pause gets no request meanwhile', async (t) => {
  const times: number[] = []
  const source = await sourceOf(t, (_, answer) => {
    times.push(performance.now())
    // The first eight are sent together.
    if (times.length <= 8) answer.writeHead(429, { 'retry-after': '0.3' })
    answer.end('{}')
  })
  await Promise.all(Array.from({ length: 12 }, () => source.get('fids')))
  assert.ok(times[8]! - times[0]! > 250, `the ninth came after ${times[8]! - times[0]!} ms`)
})

test('a source that refuses everything is left alone after three attempts', async (t) => {
  let asked = 0
  const source = await sourceOf(t, (_, answer) => {
    asked++
    answer.writeHead(429, { 'retry-after': '0.01' }).end()
  })
  await assert.rejects(source.get('fids'), /it answers 429/)
  await assert.rejects(source.get('fids'), /does not answer/)
  assert.equal(asked, 3)
})

test('calls are about what their fields name: of a reaction the fid and the target', () => {
  const hash = new Uint8Array(20).fill(0xab)
  const target = { case: 'targetCastId' as const, value: { fid: 5n, hash } }
  const request = toBinary(
    ReactionRequestSchema,
    create(ReactionRequestSchema, { fid: 3n, reactionType: 1, target }),
  )
  const { fids, casts } = subjectsOfCall('/HubService/GetReaction', request)
  assert.deepEqual([...fids.keys()], [3, 5])
  assert.deepEqual(casts, [{ fid: 5, hash: toHex(hash), hasReplies: false }])
  assert.equal(subjectsOfCall('/HubService/GetReaction', new Uint8Array([0xff])).fids.size, 0)
})

test('rookery start --fork learns the network of the hub, and starts again without it after a crash', async (t) => {
  const source = await createWorld()
  t.after(() => source.close())
  const watched = new Watched(() => source.app.urls.hub)
  await watched.listen()
  t.after(() => watched.close())
  const place = await createPlace('sqlite')
  t.after(() => place.remove())
  const account = await source.account(3)
  const name = source.sign(account, userDataAdd(source.origin(account), 2, 'Carol'))
  accepted(await source.submit(name))
  const casts = async (hub: string) => (await fetch(`${hub}/v1/userDataByFid?fid=3`)).json()

  const typo = { ...place.env, ROOKERY_NETWORK: 'mainent' }
  const refused = await rookery(typo, 'start', '--fork', watched.url)
  assert.equal(refused.code, 1)
  assert.match(refused.stderr, /ROOKERY_NETWORK/)

  const first = await startProgram('start', place.env, ['--fork', watched.url])
  await until(async () => ((await casts(first.hub)) as Json).messages.length === 1)
  await first.stop('SIGKILL')
  const network = await startNetwork({ fork: watched.url, env: { ROOKERY_LOG_LEVEL: 'fatal' } })
  try {
    // A busy machine answers with what it has, and reads the rest when nobody waits.
    await until(async () => ((await casts(network.urls.hub)) as Json).messages.length === 1)
    assert.equal(network.accounts[0]!.fid, FORKED_FID + 1)
    assert.equal((await network.actAs(3)).fid, 3)
    const client = { ROOKERY_OPS_URL: network.urls.operations }
    const { stdout } = await rookery({ ...place.env, ...client }, ...'dev act-as'.split(' '), '3')
    assert.match(stdout, /^3 {2}!3 {2}app key 0x/)
  } finally {
    await network.stop()
  }
  watched.isDown = true
  const second = await startProgram('start', place.env, ['--fork', `${watched.url}/`])
  assert.equal(((await casts(second.hub)) as Json).messages.length, 1)
  assert.match(second.output.stdout, /Fork of http:/)
  assert.match(second.output.stdout, /--fid 1000000001 /)
  await second.stop()

  const refusals: [string[], RegExp][] = [
    [['start'], /these data are those of a fork: start it with --fork/],
    [['start', '--fork', 'http://127.0.0.1:9'], /are those of a fork of http:.*--name of its own/],
    [['start', '--fork', 'grpc://127.0.0.1:9'], /--fork must be the HTTP address of a hub/],
    [['start', '--fork', watched.url, '--name', 'other'], /is not read as a hub .*\/v1\/info/],
  ]
  for (const [args, says] of refusals) {
    const { code, stderr } = await rookery(place.env, ...args)
    assert.equal(code, 1)
    assert.match(stderr, says)
  }
})

test('the examples of docs/fork.md run as they stand', async (t) => {
  const source = await createWorld({ names: NAMES })
  t.after(() => source.close())
  const [erin] = (await source.accounts([30])) as [TestAccount]
  await until(async () => (await source.get('/v1/userNameProofByName?name=erin')).status === 200)
  accepted(await source.submit(source.sign(erin, userDataAdd(source.origin(erin), 6, 'erin'))))
  source.clock.advance(1_000)
  const place = await createPlace('sqlite')
  t.after(() => place.remove())
  mkdirSync(place.env.ROOKERY_DATA_DIR!)
  const file = join(place.env.ROOKERY_DATA_DIR!, 'people.fork')
  const page = readFileSync(join(ROOT, 'docs', 'fork.md'), 'utf8')
    .replaceAll(/http:\/\/127\.0\.0\.1:3381|https:\/\/hub\.example/g, source.app.urls.hub)
    .replaceAll('people.fork', file)
    .replaceAll('@alice', '@erin')
  let program: Program | undefined
  t.after(() => program?.stop())
  const lines = [...page.matchAll(/^\$ (?:FORK_HEADER='(.*?)' )?rookery (.*?)(?: +#.*)?$/gm)]
  assert.equal(lines.length, 6)
  for (const [line, header, words] of lines) {
    const [command, ...args] = words!.split(' ')
    if (command === 'start') {
      const env = { ...place.env, ...(header && { FORK_HEADER: header }) }
      // What is recorded is the fork of today.
      const isOfToday = !args.includes('--at')
      if (isOfToday) await program?.stop()
      const started = await startProgram('start', env, args)
      assert.match(started.output.stdout, /Fork of /, line)
      if (isOfToday) program = started
      else await started.stop()
    } else {
      const env = { ...place.env, ROOKERY_OPS_URL: program!.operations }
      const { code, stderr } = await rookery(env, command!, ...args)
      assert.equal(code, 0, `${line}: ${stderr}`)
    }
  }
  // The last one is the recorded fork.
  const found = await fetch(`${program!.hub}/v1/userNameProofByName?name=erin`)
  assert.equal(found.status, 200)

  const [, script] = /```ts\nimport .*?\n(.*?)```/s.exec(page)!
  const networks: { stop(): Promise<void> }[] = []
  t.after(() => Promise.all(networks.map((one) => one.stop())))
  const start = async (options: Json) => {
    const network = await startNetwork(options)
    networks.push(network)
    return network
  }
  const run = Object.getPrototypeOf(start).constructor('startNetwork', `${script}; return alice`)
  assert.equal((await run(start)).fid, 30)
  assert.equal(networks.length, 2)
})

test('a fork as of a time has what was there then, and no later accounts', async (t) => {
  const source = await createWorld({ names: NAMES })
  t.after(() => source.close())
  const [alice] = (await source.accounts([2])) as [TestAccount]
  const say = async (text: string) => {
    const message = source.sign(alice, castAdd(source.origin(alice), text))
    accepted(await source.submit(message))
    return message
  }
  await say('then')
  const atSeconds = Math.floor(source.clock.now() / 1_000) + 60
  source.clock.advance(3_600_000)
  const later = await say('now')
  accepted(await source.submit(source.sign(alice, userDataAdd(source.origin(alice), 2, 'Now'))))
  await source.account(9)

  const past = new PastSource(new HubSource(source.app.urls.hub, { warn() {} }), atSeconds)
  const texts = async () => {
    const { items } = await past.list('casts', { fid: 2, reverse: true }, { pageSize: 1, pages: 5 })
    return items.map((one: Json) => one.data.castAddBody.text)
  }
  assert.deepEqual(await texts(), ['then'])
  assert.equal(await past.get('cast', { fid: 2, hash: toHex(later.hash) }), undefined)
  assert.deepEqual((await past.get('userData', { fid: 2 }))!.messages, [])
  const events = { event_type: 'EVENT_TYPE_ID_REGISTER' }
  assert.equal(((await past.get('chainEvents', { fid: 2, ...events })) as Json).events.length, 1)
  assert.deepEqual((await past.get('chainEvents', { fid: 9, ...events }))!.events, [])

  const place = await createPlace('sqlite')
  t.after(() => place.remove())
  const start = (of: string, at: string) => rookery(place.env, 'start', '--fork', of, '--at', at)
  assert.match((await start(source.app.urls.hub, '2026-01-31')).stderr, /a past time with its zone/)
  assert.match((await start(source.app.urls.hub, '2999-01-31T12:00:00Z')).stderr, /a past time/)
  const alone = await rookery(place.env, 'start', '--at', '2026-01-31T12:00:00Z')
  assert.match(alone.stderr, /--at and --fork-header need --fork/)
  const terms = { source: source.app.urls.hub, network: 'devnet', at: atSeconds }
  mkdirSync(place.env.ROOKERY_DATA_DIR!)
  writeFileSync(join(place.env.ROOKERY_DATA_DIR!, 'fork.json'), JSON.stringify(terms))
  const other = await start(source.app.urls.hub, '2020-01-31T12:00:00Z')
  assert.match(other.stderr, /are those of a fork of http:\S+ with --at 20\S+Z: start it so/)

  const at = new Date(atSeconds * 1_000)
  const network = await startNetwork({ fork: { of: source.app.urls.hub, at } })
  try {
    const response = await fetch(`${network.urls.hub}/v1/castsByFid?fid=2`)
    const { messages } = (await response.json()) as Json
    assert.deepEqual(
      messages.map(({ data }: Json) => data.castAddBody.text),
      ['then'],
    )
  } finally {
    await network.stop()
  }
})

test('a hub that asks for a key gets it, and the key is in no log and no file', async (t) => {
  const KEY = 'key-of-a-hosted-hub'
  const source = await createWorld()
  t.after(() => source.close())
  const account = await source.account(3)
  const name = source.sign(account, userDataAdd(source.origin(account), 2, 'Carol'))
  accepted(await source.submit(name))
  const door = createServer(async (asked, answer) => {
    if (asked.headers['x-api-key'] !== KEY) return void answer.writeHead(401).end('{}')
    const from = await fetch(source.app.urls.hub + asked.url)
    answer.writeHead(from.status, JSON_TYPE).end(await from.text())
  })
  await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve))
  t.after(() => door.closeAllConnections())
  t.after(() => door.close())
  const of = `http://127.0.0.1:${(door.address() as AddressInfo).port}`
  const dir = mkdtempSync(join(tmpdir(), 'rookery-key-'))
  t.after(() => rmSync(dir, { recursive: true }))
  const profile = async (hub: string) => (await fetch(`${hub}/v1/userDataByFid?fid=3`)).json()

  const place = await createPlace('sqlite')
  t.after(() => place.remove())
  const without = await rookery(place.env, 'start', '--fork', of)
  assert.match(without.stderr, /is not read as a hub .*answered with 401.*--fork-header/)
  for (const header of [KEY, `x-api-key ${KEY}`, `x-api-key: ${KEY}\nx: y`]) {
    const { code, stderr } = await rookery(
      place.env,
      'start',
      '--fork',
      of,
      '--fork-header',
      header,
    )
    assert.equal(code, 1)
    assert.match(stderr, /must be a name, a colon and a value/)
    assert.ok(!stderr.includes(KEY))
  }
  const args = ['--fork', of, '--fork-header', `X-API-Key: ${KEY}`]
  const program = await startProgram('start', place.env, args)
  assert.equal(((await profile(program.hub)) as Json).messages.length, 1)
  const file = join(dir, 'people.fork')
  const client = { ROOKERY_OPS_URL: program.operations }
  const recorded = await rookery({ ...place.env, ...client }, ...'dev record-fork'.split(' '), file)
  assert.match(recorded.stdout, /^Recorded \d+ items of \d+ accounts in /, recorded.stderr)
  await program.stop()
  const said = program.output.stdout + program.output.stderr
  const kept = readFileSync(join(place.env.ROOKERY_DATA_DIR!, 'fork.json'), 'utf8')
  for (const text of [said, kept, readFileSync(file, 'utf8')]) assert.ok(!text.includes(KEY))

  let output = ''
  const onOutput = (text: string) => {
    output += text
  }
  const network = await startNetwork({ fork: { of, header: `x-api-key: ${KEY}` }, onOutput })
  try {
    assert.equal(((await profile(network.urls.hub)) as Json).messages.length, 1)
    await network.recordFork(`${file}.2`)
    const carol = (path: string) => readFileSync(path, 'utf8').match(/^.*Carol.*$/m)?.[0]
    assert.equal(carol(`${file}.2`), carol(file))
    assert.ok(!output.includes(KEY))
  } finally {
    await network.stop()
  }
  door.closeAllConnections()
  door.close()
  const alone = await startNetwork({ fork: file })
  try {
    assert.equal(((await profile(alone.urls.hub)) as Json).messages.length, 1)
    assert.equal((await alone.actAs(3)).fid, 3)
    await assert.rejects(alone.actAs(5), /404/)
  } finally {
    await alone.stop()
  }
})

test('a file that is no recorded fork is refused with its line', async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'rookery-fork-file-'))
  t.after(() => rmSync(dir, { recursive: true }))
  const file = join(dir, 'people.fork')
  const head = '{"format":"rookery-fork-1","network":"devnet"}'
  const item = '{"fid":3,"list":"casts","item":{}}'
  for (const [text, says] of [
    ['', /is empty/],
    ['[]', /is no recorded fork of this version/],
    ['{"format":"rookery-fork-2","network":"devnet"}', /is no recorded fork of this version/],
    [`${head}\n${item}\n{`, /line 3 is not readable/],
    [`${head}\n{"fid":3,"list":"passwords","item":{}}`, /line 2 is not readable/],
    [`${head}\n{"fid":3,"list":"casts","item":null}`, /line 2 is not readable/],
  ] as const) {
    writeFileSync(file, text)
    await assert.rejects(readForkFile(file), says)
  }
  writeFileSync(file, `${head}\n${item}\n`)
  assert.equal((await readForkFile(file)).items.length, 1)
  // What cannot be written leaves an earlier file as it was.
  const failed = writeForkFile(file, () => Promise.reject(new Error('no network')))
  await assert.rejects(failed, /no network/)
  assert.equal((await readForkFile(file)).items.length, 1)
})

test('files of forks that are not there, broken or folders are named', async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'rookery-fork-file-'))
  t.after(() => rmSync(dir, { recursive: true }))
  const isNamed = (path: string) => (error: Error) => error.message.includes(path)
  await assert.rejects(readForkFile(dir), isNamed(`${dir} is no file`))
  const missing = join(dir, 'none', 'people.fork')
  await assert.rejects(readForkFile(missing), isNamed(missing))
  const account = { network: 'devnet', items: [] }
  await assert.rejects(
    writeForkFile(missing, async () => account),
    isNamed(`${missing} cannot be written`),
  )
  for (const text of ['{"source":', '{"source":"x"}']) {
    writeFileSync(join(dir, 'fork.json'), text)
    const request = { source: missing, network: 'devnet', headers: {} }
    await assert.rejects(forkTerms(dir, request), isNamed(`${join(dir, 'fork.json')} is broken`))
  }
})
