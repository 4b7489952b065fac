import { channelRows } from '../src/features/channels/tables/channels.ts'
import { SCHEMA } from '../src/store.ts'
// After an erasure nothing of what an account wrote is in any file, table or queue, while the server still runs. On both
// engines; for the files of SQLite their bytes are looked at.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { NeynarAPIClient } from '@neynar/nodejs-sdk'
import pg from 'pg'
import { castAdd, castRemove, type DataInit, userDataAdd } from '../src/kernel/protocol/build.ts'
import { encodeList } from '../src/kernel/protocol/codec/envelope.ts'
import type { SignedMessage } from '../src/kernel/protocol/message.ts'
import { UserDataType } from '../src/kernel/protocol/wire/message_pb.js'
import type { Field } from '../src/kernel/storage/tables/table.ts'
import { sdk, type Writer, writersOf } from './app-writes-support.ts'
import { channelClient } from './channels-support.ts'
import { accepted, hex, post } from './hub-support.ts'
import { FILLER, insertRow, type Select, selectIn, word } from './stored-rows.ts'
import { until } from './until.ts'
import { type Receiver, startReceiver } from './webhook-support.ts'
import { createWorld, ENGINES, type TestAccount, type World } from './world.ts'

/** Enough that rows are moved between pages, and that the full-text index has several parts. */
const CASTS = 250
const ERASED_FID = 901
const OTHER_FID = 902
const DECISION = { reason: 'asked for', actor: 'test' }

/** How bytes may hold a word: as it is, in hex, and in base64 at any place. */
const formsOf = (text: string): string[] => [
  text,
  Buffer.from(text).toString('hex'),
  ...[0, 1, 2].map((shift) =>
    Buffer.from(' '.repeat(shift) + text)
      .toString('base64')
      .slice(shift === 0 ? 0 : 4, -4),
  ),
]

/** Where the words are: names of files, or of tables. */
type Found = (words: readonly string[]) => Promise<string[]>

const inFiles =
  (directory: string): Found =>
  async (words) =>
    readdirSync(directory, { recursive: true, encoding: 'utf8' }).flatMap((name) => {
      const bytes = contentOf(join(directory, name))
      return words.flatMap((text) =>
        formsOf(text).some((form) => bytes.includes(form)) ? [`${name}: ${text}`] : [],
      )
    })

function contentOf(path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (error) {
    // A directory, or a file that is gone.
    if (['EISDIR', 'ENOENT'].includes((error as NodeJS.ErrnoException).code!))
      return Buffer.alloc(0)
    throw error
  }
}

/** Every column of every row of every table, as text. */
const inTables =
  (url: string): Found =>
  async (words) => {
    const client = new pg.Client(url)
    await client.connect()
    try {
      const { rows } = await client.query(
        "select tablename as name from pg_tables where schemaname not in ('pg_catalog', 'information_schema')",
      )
      const found: string[] = []
      for (const { name } of rows) {
        const { rows: lines } = await client.query(`select t::text as line from "${name}" t`)
        const text = lines.map(({ line }) => line).join('\n')
        for (const one of words) {
          if (formsOf(one).some((form) => text.includes(form))) found.push(`${name}: ${one}`)
        }
      }
      return found
    } finally {
      await client.end()
    }
  }

const isErased = ({ erasure }: Field) =>
  erasure !== undefined && (typeof erasure === 'string' || 'by' in erasure)

/** A row of the account that is to be erased, with a mark in each column of words. */
function rowOf({ name, fields }: (typeof SCHEMA.tables)[number], marks: Map<string, string>) {
  const contentOfColumn = (column: string, field: Field) => {
    if (isErased(field)) return ERASED_FID
    if (field.type === 'fid') return OTHER_FID
    if (field.values) return field.values[0]!
    if (!field.words) return FILLER[field.type](name)
    const mark = word()
    marks.set(`${name}.${column}`, mark)
    return field.type === 'bytes' ? Buffer.from(mark) : JSON.stringify({ mark })
  }
  return Object.fromEntries(
    Object.entries(fields).map(([column, field]) => [column, contentOfColumn(column, field)]),
  )
}

for (const engine of ENGINES) {
  describe(`erasing an account (${engine})`, { concurrency: 1 }, () => {
    let world: World
    let client: NeynarAPIClient
    let erased: Writer
    let other: Writer
    let receiver: Receiver
    let found: Found
    let select: Select

    before(async () => {
      world = await createWorld({ engine, env: { ROOKERY_VIEWS: 'on' } })
      found =
        engine === 'sqlite'
          ? inFiles(world.env.ROOKERY_DATA_DIR!)
          : inTables(world.env.DATABASE_URL!)
      select = selectIn(world, engine)
      client = sdk(world)
      const writers = writersOf(world)
      const app = await writers.registry.person(900)
      erased = await writers.writer(client, app, ERASED_FID)
      other = await writers.writer(client, app, OTHER_FID)
      receiver = await startReceiver()
      receiver.state.isDown = true
      await client.publishWebhook({
        name: 'late',
        url: receiver.url,
        subscription: { 'cast.created': {}, 'cast.deleted': {}, 'user.updated': {} },
      })
    })
    after(async () => {
      receiver.close()
      await world.close()
    })

    const send = async (account: TestAccount, ...inits: DataInit[]): Promise<SignedMessage[]> => {
      const messages = inits.map((init) => world.sign(account, init))
      accepted(await post(world, '/v1/submitBulkMessages', encodeList(messages)))
      return messages
    }
    const operate = async (path: string) => accepted(await world.operate(path, { body: DECISION }))
    const finished = async () => {
      const { moderation } = world.app.storage
      await until(
        async () => !(await moderation.nextTask()) && (await moderation.erasedTasks()).length === 0,
        'the erasure is finished',
      )
    }
    /** Once the first delivery has succeeded all others are due, and a clock that ran on would cut the turns short. */
    const up = async () => {
      const { length } = receiver.accepted
      receiver.state.isDown = false
      await until(() => {
        world.clock.advance(1_000)
        return receiver.accepted.length > length
      }, 'the receiver is up')
    }
    const search = async (q: string) =>
      (await client.searchCasts({ q })).result.casts.map(({ text }) => text)

    it('an erasure leaves none of the words in any file, table, index, log, queue or report', async () => {
      const words = Array.from({ length: CASTS }, word)
      const [removed, bio, earlierBio, name, place, embed, once] = Array.from({ length: 7 }, word)
      const kept = word()
      // Casts of two accounts by turns, so that their rows share pages.
      for (let at = 0; at < CASTS; at += 10) {
        const messages = words
          .slice(at, at + 10)
          .flatMap((text) => [
            world.sign(erased.app, castAdd(world.origin(erased.app), `${text} by the one`)),
            world.sign(other.app, castAdd(world.origin(other.app), `${word()} by the other`)),
          ])
        accepted(await post(world, '/v1/submitBulkMessages', encodeList(messages)))
      }
      const [gone] = await send(erased.app, castAdd(world.origin(erased.app), removed!))
      const url = `https://example.org/${place}`
      const [topic] = await send(
        erased.app,
        castAdd(world.origin(erased.app), {
          text: words[0]!,
          embeds: [{ embed: { case: 'url', value: `https://example.org/${embed}` } }],
          parent: { case: 'parentUrl', value: url },
        }),
      )
      const data = (type: UserDataType, text: string) =>
        userDataAdd(world.origin(erased.app), type, text)
      await send(erased.app, data(UserDataType.USER_DATA_TYPE_BIO, earlierBio!))
      world.clock.advance(1_000)
      await send(erased.app, castRemove(world.origin(erased.app), gone!.hash))
      await send(
        erased.app,
        data(UserDataType.USER_DATA_TYPE_BIO, bio!),
        data(UserDataType.USER_DATA_TYPE_DISPLAY, name!),
      )
      await client.publishCast({ signerUuid: erased.signerUuid, text: once!, idem: 'only-once' })
      await send(other.app, castAdd(world.origin(other.app), kept))
      const reason = `it says ${words[1]}`
      const reported = await world.platform('/v1/reports', {
        body: { castHash: hex(topic!.hash), reason },
        token: world.token(other.app),
      })
      accepted(reported)
      await until(async () => (await search(kept)).length === 1, 'the views have all casts')
      assert.deepEqual((await search(words[7]!)).length, 1)
      await until(() => receiver.got.length > 0, 'a delivery was tried')

      const all = [...words, removed, bio, earlierBio, name, embed, once].map((text) => text!)
      const before = await found([...all, place!])
      for (const text of [...all, place!]) {
        assert.ok(
          before.some((where) => where.endsWith(text)),
          `${text} is stored before`,
        )
      }

      await operate(`/moderation/accounts/${erased.fid}/erase`)
      await finished()
      assert.deepEqual(await found(all), [])
      // What a message points at stays in its event, which expires after three days. Nowhere else.
      const events = engine === 'sqlite' ? /^rookery\.sqlite:/ : /^event:/
      for (const where of await found([place!])) assert.match(where, events)
      assert.equal((await found([kept])).length > 0, true, 'what others wrote stays')

      assert.deepEqual(await search(words[7]!), [])
      assert.deepEqual(await search(kept), [kept])
      const { body } = await world.get(`/v1/castsByFid?fid=${erased.fid}`)
      assert.deepEqual(body.messages, [])
    })

    it('an erasure does to every table what its columns declare, and leaves none of its words', async () => {
      const marks = new Map<string, string>()
      const filled = SCHEMA.tables.filter(({ fields }) => Object.values(fields).some(isErased))
      for (const table of filled) await insertRow(select, table.name, rowOf(table, marks))
      const words = [...marks.values()]
      assert.ok(words.length > 30, 'many columns hold words')
      const stored = (await found(words)).join()
      for (const [column, mark] of marks) assert.ok(stored.includes(mark), `${column} is filled`)

      world.clock.advance(1_000)
      await operate(`/moderation/accounts/${erased.fid}/erase`)
      await finished()
      assert.deepEqual(await found(words), [])
      for (const { name, fields } of filled) {
        for (const [column, field] of Object.entries(fields)) {
          if (!isErased(field) || field.erasure === 'empty') continue
          const rows = await select(`select * from ${name} where ${column} = ${erased.fid}`)
          assert.deepEqual(rows, [], `${name}.${column}`)
        }
      }
      const channel = await world.app.storage.of(channelRows).byId('x-channel')
      assert.equal(channel!.name, 'x-channel', 'a channel stays for the casts of others')
    })

    it('a channel without its words is so in every list that was read before', async () => {
      const channels = channelClient(world)
      const description = word()
      await channels.create(erased.app, 'described', { description })
      const lists = async () =>
        JSON.stringify([
          await channels.result('/v2/all-channels'),
          await client.lookupChannel({ id: 'described' }),
          await client.searchChannels({ q: 'described' }),
        ])
      assert.equal((await lists()).split(description).length, 4)
      world.clock.advance(1_000)
      await operate(`/moderation/accounts/${erased.fid}/erase`)
      await finished()
      const now = await lists()
      assert.ok(now.includes('described') && !now.includes(description), now)
    })

    it('an erased account may write again, and its new casts are found and delivered', async () => {
      world.clock.advance(1_000)
      const text = word()
      await send(erased.app, castAdd(world.origin(erased.app), text))
      await until(async () => (await search(text)).length === 1, 'the new cast is found')
      await up()
      await until(
        () => receiver.accepted.some((body) => body.includes(text)),
        'the new cast is delivered',
      )
    })

    it('a webhook that failed is not told later what was hidden, erased or removed meanwhile, and that what it knew is gone', async () => {
      const [tried, hidden, gone, removed, erasedText, stays] = Array.from({ length: 6 }, word)
      const [told, mentioning] = [word(), word()]
      world.clock.advance(1_000)
      const [known, toldLater] = await send(
        erased.app,
        castAdd(world.origin(erased.app), told),
        castAdd(world.origin(erased.app), {
          text: mentioning,
          parent: { case: 'parentUrl', value: `https://example.org/${word()}` },
        }),
      )
      await until(
        () => receiver.accepted.some((body) => body.includes(mentioning)),
        'the receiver knows two casts of the account',
      )
      receiver.state.isDown = true
      world.clock.advance(1_000)
      const publish = async (by: TestAccount, text: string) =>
        (await send(by, castAdd(world.origin(by), text)))[0]!
      // The others wait behind this one, which is tried again and again.
      await publish(other.app, tried!)
      await send(erased.app, castRemove(world.origin(erased.app), toldLater!.hash))
      const first = await publish(other.app, hidden!)
      const second = await publish(other.app, removed!)
      const never = await publish(erased.app, erasedText!)
      const third = await publish(other.app, gone!)
      await until(
        () => receiver.got.some(({ body }) => body.includes(tried!)),
        'a delivery was tried',
      )
      world.clock.advance(1_000)
      await operate(`/moderation/casts/${hex(first.hash)}/hide`)
      await send(other.app, castRemove(world.origin(other.app), second.hash))
      // Removed by its author, and then hidden: the event of the removal has the text.
      await operate(`/moderation/casts/${hex(third.hash)}/hide`)
      await send(other.app, castRemove(world.origin(other.app), third.hash))
      await operate(`/moderation/accounts/${erased.fid}/erase`)
      await finished()
      await publish(other.app, stays!)
      await up()
      await until(
        () => receiver.accepted.some((body) => body.includes(stays!)),
        'what came last is delivered',
      )
      const bodies = receiver.accepted.map((body) => JSON.parse(body))
      const texts = (type: string) =>
        bodies.filter((body) => body.type === type).map(({ data }) => data.text)
      for (const text of [hidden, gone, removed, erasedText]) {
        assert.equal(texts('cast.created').includes(text), false)
      }
      for (const text of [hidden, gone, removed, erasedText]) {
        assert.equal(receiver.accepted.join().includes(text!), false)
      }
      // The receiver was never sent these casts, so their removal would tell of casts that it does not know.
      const deleted = bodies.filter(({ type }) => type === 'cast.deleted').map(({ data }) => data)
      const of = ({ hash }: SignedMessage) => deleted.filter((data) => data.hash === hex(hash))
      for (const message of [first, second, third, never]) assert.deepEqual(of(message), [])
      // It is told of the others by hash alone, whether their author or the erasure removed them.
      for (const message of [known!, toldLater!]) {
        const found = of(message).map((data) => [data.text, data.parent_url, data.author.fid])
        assert.deepEqual(found, [['', null, erased.fid]])
      }
    })
  })
}
