// What the operator hides is hidden on every interface at once, in every process, and comes back as it was.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { type App, startApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { TASK_BATCH } from '../src/features/moderation/tasks.ts'
import { createLogger } from '../src/kernel/http/logger.ts'
import { verifyStore } from '../src/kernel/hub/jobs/integrity-check.ts'
import {
  castAdd,
  castRemove,
  type DataInit,
  linkAdd,
  linkCompactState,
  reactionAdd,
  userDataAdd,
} from '../src/kernel/protocol/build.ts'
import { encodeEnvelope, encodeList } from '../src/kernel/protocol/codec/envelope.ts'
import { accountDomains } from '../src/kernel/protocol/crypto/account-domains.ts'
import { accountDataTypedData, signTypedData } from '../src/kernel/protocol/crypto/eip712.ts'
import { addressOfPrivateKey } from '../src/kernel/protocol/crypto/secp256k1.ts'
import type { SignedMessage } from '../src/kernel/protocol/message.ts'
import { ReactionType, UserDataType } from '../src/kernel/protocol/wire/message_pb.js'
import { accepted, eventsAfter, hex, newestEventId, pathOf, post, refused } from './hub-support.ts'
import {
  type Answer,
  accountEvents,
  createWorld,
  enginesOf,
  type TestAccount,
  testAccount,
  type World,
} from './world.ts'

const URL = 'https://example.org/topic'
const SECRET = 'unwanted words'
const PAGE = 5
type Report = { reporterFid: number; fid: number; castHash: string | null; reason: string }

const DECISION = { reason: 'spam', actor: 'mod' }

for (const engine of enginesOf(import.meta.url)) {
  describe(`moderation on ${engine}`, { concurrency: 1 }, () => {
    let world: World
    /** A second process on the same database; on SQLite the first one again. */
    let second: App
    let good: TestAccount
    let bad: TestAccount
    let target: SignedMessage
    let unwanted: SignedMessage

    before(async () => {
      world = await createWorld({ engine })
      ;[good, bad] = (await world.accounts([1, 2])) as [TestAccount, TestAccount]
      second =
        engine === 'sqlite'
          ? world.app
          : await startApp({
              config: readConfig(world.env, 'development'),
              clock: world.clock,
              logger: createLogger({ level: 'fatal' }),
            })
      target = await send(good, castAdd(world.origin(good), 'a thread'))
      for (let i = 0; i < PAGE + 2; i++) {
        for (const author of [good, bad]) {
          const sent = await send(author, reply(author, `${textOf(author)} ${i}`))
          if (author === bad) unwanted = sent
        }
      }
      for (const author of [good, bad]) await sendOthers(author)
      await call(good, 'POST', '/fc/channels', { channelId: 'topic' })
      for (const author of [good, bad]) {
        await call(author, 'POST', '/fc/channel-follows', { channelId: 'topic' })
        await call(author, 'POST', '/fc/blocked-users', { blockFid: author === good ? 2 : 1 })
      }
      await call(good, 'POST', '/fc/channel-invites', {
        channelId: 'topic',
        inviteFid: 2,
        role: 'member',
      })
    })
    after(async () => {
      if (second !== world.app) await second.stop()
      await world.close()
    })

    const textOf = (author: TestAccount) => (author === bad ? SECRET : 'kind words')
    const reply = (author: TestAccount, text: string) =>
      castAdd(world.origin(author), {
        text,
        mentions: [1n, 2n],
        mentionsPositions: [0, 0],
        parent: { case: 'parentCastId', value: { fid: 1n, hash: target.hash } },
      })
    const send = async (author: TestAccount, init: DataInit) => {
      const message = world.sign(author, init)
      accepted(await world.submit(message))
      return message
    }
    const call = async (
      account: TestAccount,
      method: 'POST' | 'DELETE',
      path: string,
      body: object,
    ) => {
      const answer = await world.platform(path, { method, body, token: world.token(account) })
      assert.equal(answer.status, 200, JSON.stringify(answer.body))
    }
    const sendOthers = async (author: TestAccount) => {
      const origin = world.origin(author)
      const text = textOf(author)
      await send(author, castAdd(origin, { text, parent: { case: 'parentUrl', value: URL } }))
      await send(author, reactionAdd(origin, ReactionType.LIKE, { fid: 1, hash: target.hash }))
      await send(author, reactionAdd(origin, ReactionType.LIKE, { url: URL }))
      await send(author, linkAdd(origin, 'follow', author === good ? 2 : 1))
      await send(author, linkAdd(origin, 'friend', 1))
      await send(author, linkCompactState(origin, 'friend', [1]))
      await send(author, userDataAdd(origin, UserDataType.USER_DATA_TYPE_BIO, text))
      await send(author, userDataAdd(origin, UserDataType.USER_DATA_TYPE_DISPLAY, text))
    }
    const operate = async (path: string, app: App = world.app) => {
      const response = await fetch(app.urls.operations + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(DECISION),
      })
      // biome-ignore lint/suspicious/noExplicitAny: tests look into JSON as they find it
      const body: any = await response.json()
      assert.equal(response.status, 200, JSON.stringify(body))
      return body
    }
    const tasksDone = async () => {
      while (await world.app.storage.moderation.nextTask()) await world.app.jobs.run('moderation')
    }

    /** Every public read in which something of an account may appear. */
    const reads = (): [interfaceName: 'hub' | 'platform', path: string][] => {
      const hash = hex(target.hash)
      const parent = { fid: 1, hash }
      const paged = { pageSize: PAGE }
      const hub = (path: string, params: object) =>
        ['hub', pathOf(path, params as Record<string, string | number>)] as ['hub', string]
      return [
        hub('/v1/castById', { fid: 2, hash: hex(unwanted.hash) }),
        hub('/v1/castsByFid', { fid: 2, ...paged }),
        hub('/v1/castsByFid', { fid: 2, include_removes: true, reverse: true }),
        hub('/v1/castsByParent', { ...parent, ...paged }),
        hub('/v1/castsByParent', { ...parent, reverse: true, ...paged }),
        hub('/v1/castsByParent', { url: URL }),
        hub('/v1/castsByMention', { fid: 1, ...paged }),
        hub('/v1/castsByMention', { fid: 2, reverse: true, ...paged }),
        hub('/v1/reactionById', {
          fid: 2,
          reaction_type: 1,
          target_fid: 1,
          target_hash: hash,
        }),
        hub('/v1/reactionsByFid', { fid: 2 }),
        hub('/v1/reactionsByCast', { target_fid: 1, target_hash: hash }),
        hub('/v1/reactionsByTarget', { url: URL, reaction_type: 1 }),
        hub('/v1/linkById', { fid: 2, target_fid: 1, link_type: 'follow' }),
        hub('/v1/linksByFid', { fid: 2, link_type: 'follow' }),
        hub('/v1/linksByTargetFid', { target_fid: 1 }),
        hub('/v1/linksByTargetFid', { target_fid: 1, link_type: 'follow' }),
        hub('/v1/userDataByFid', { fid: 2 }),
        hub('/v1/userDataByFid', { fid: 2, user_data_type: 3 }),
        hub('/v1/verificationsByFid', { fid: 2 }),
        hub('/v1/userNameProofsByFid', { fid: 2 }),
        hub('/v1/eventById', { event_id: eventIds.unwanted }),
        ['platform', '/v1/channel-followers?channelId=topic'],
        ['platform', '/v1/user-following-channels?fid=2'],
        ['platform', '/v1/user-channel?channelId=topic&fid=2'],
        ['platform', '/fc/channel-members?channelId=topic'],
        ['platform', '/fc/channel-invites?channelId=topic'],
        ['platform', '/v1/blocked-users'],
        ['platform', '/fc/blocked-users?blockerFid=2'],
        ['platform', '/v2/power-badge-users'],
      ]
    }
    const eventIds = { unwanted: 0, newest: 0 }
    const everything = async (app: App) =>
      Promise.all(
        reads().map(async ([name, path]) => {
          const response = await fetch(app.urls[name] + path)
          // biome-ignore lint/suspicious/noExplicitAny: tests look into JSON as they find it
          const body: any = await response.json()
          if (response.status !== 200) return { path, status: response.status, body: '' }
          return { path, status: 200, body }
        }),
      )

    test('a suspended account is hidden from every read of every process and comes back unchanged', async () => {
      const events = await world.app.storage.events.list(0, 1_000)
      eventIds.unwanted = events.find(
        ({ merged }) => merged && hex(merged.hash) === hex(unwanted.hash),
      )!.id
      eventIds.newest = await newestEventId(world)
      await operateMark()
      const before = await everything(second)
      const eventsBefore = await eventsUpTo(eventIds.newest)
      assert.ok(JSON.stringify(before).includes(SECRET))

      const account = await operate('/moderation/accounts/2/suspend')
      assert.deepEqual(account, {
        ...{ fid: 2, suspended: true, suspendedUntil: null, limited: false },
        ...{ erasing: false, erasedBefore: 0 },
      })

      const during = await everything(second)
      assert.doesNotMatch(JSON.stringify(during), new RegExp(SECRET))
      for (const { path, status, body } of during) {
        if (path.startsWith('/v1/eventById')) continue
        if (/ById|user_data_type/.test(path)) assert.equal(status, 404, path)
        else assert.equal(status, 200, path)
        for (const message of body.messages ?? []) assert.equal(message.data.fid, 1, path)
        assert.doesNotMatch(JSON.stringify(body), /"(fid|blockerFid|invitedFid)":2\b/, path)
        if (path.startsWith('/v1/blocked')) assert.equal(body.result.blockedUsers.length, 1)
      }
      const full = during.filter(({ path }) => /ByParent.*pageSize|ByMention/.test(path))
      assert.ok(full.length >= 4)
      for (const { path, body } of full) {
        assert.equal(body.messages.length, PAGE, `${path} is a full page`)
        assert.notEqual(body.nextPageToken, '', `${path} has another page`)
      }
      assert.doesNotMatch(JSON.stringify(await eventsUpTo(eventIds.newest)), new RegExp(SECRET))

      await operate('/moderation/accounts/2/restore', second)
      assert.deepEqual(await everything(world.app), before)
      assert.deepEqual(await everything(second), before)
      assert.deepEqual(await eventsUpTo(eventIds.newest), eventsBefore)
    })

    const operateMark = async () => {
      const body = { kind: 'add', reason: 'known' }
      for (const fid of [1, 2]) {
        const { status } = await world.operate(`/platform/badges/marks/${fid}`, {
          method: 'PUT',
          body,
        })
        assert.equal(status, 200)
      }
    }
    const eventsUpTo = async (id: number) =>
      (await eventsAfter(world, 0)).filter((event) => event.id <= id)

    test('followers are told of each hidden and each restored message, in batches', async () => {
      const stored = await world.app.storage.messages.usage([2])
      const count = stored.reduce((sum, one) => sum + one.count, 0)
      const before = await newestEventId(world)
      await operate('/moderation/accounts/2/suspend')
      await tasksDone()
      const hidden = await eventsAfter(world, before)
      assert.equal(hidden.length, count)
      assert.ok(hidden.every(({ type }) => type === 'REVOKE_MESSAGE'))
      assert.doesNotMatch(JSON.stringify(hidden), new RegExp(SECRET))
      const revoked = hidden.map((event) => event.revokeMessageBody.message.hash)
      assert.equal(new Set(revoked).size, count)

      const middle = await newestEventId(world)
      await operate('/moderation/accounts/2/restore')
      await tasksDone()
      const shown = await eventsAfter(world, middle)
      assert.ok(shown.every(({ type }) => type === 'MERGE_MESSAGE'))
      const merged = shown.map((event) => event.mergeMessageBody.message.hash)
      assert.deepEqual([...merged].sort(), [...revoked].sort())
      assert.ok(JSON.stringify(shown).includes(SECRET))
    })

    test('a suspended account can neither send messages nor change the platform, in any process', async () => {
      const message = world.sign(bad, castAdd(world.origin(bad), 'one more'))
      const removal = world.sign(bad, castRemove(world.origin(bad), unwanted.hash))
      await operate('/moderation/accounts/2/suspend', second)
      const refusal = { status: 403, code: 'unauthorized.suspended', says: /suspended fid 2/ }
      refused(await world.submit(message), refusal)
      refused(await world.submit(removal), refusal)
      const verdict = accepted(await world.validate(message))
      assert.deepEqual([verdict.valid, verdict.errCode], [false, 'unauthorized.suspended'])
      const { status } = await world.platform('/fc/blocked-users', {
        body: { blockFid: 1 },
        token: world.token(bad),
      })
      assert.equal(status, 403)
      await operate('/moderation/accounts/2/restore')
      accepted(await world.submit(message))
    })

    test('a hidden cast is the only thing that its author misses', async () => {
      const lists = [
        pathOf('/v1/castsByFid', { fid: 2 }),
        pathOf('/v1/castsByParent', { fid: 1, hash: hex(target.hash) }),
        pathOf('/v1/castsByMention', { fid: 1 }),
      ]
      const hash = hex(unwanted.hash)
      const hashes = async () =>
        Promise.all(
          lists.map(async (path) =>
            accepted(await world.get(path)).messages.map((one: { hash: string }) => one.hash),
          ),
        )
      const before = await hashes()
      const newest = await newestEventId(world)
      await operate(`/moderation/casts/${hash}/hide`)
      const without = before.map((list) => list.filter((one: string) => one !== hash))
      assert.deepEqual(await hashes(), without)
      assert.equal((await world.get(pathOf('/v1/castById', { fid: 2, hash }))).status, 404)
      // Suspending and restoring its author does not show it.
      await operate('/moderation/accounts/2/suspend')
      await operate('/moderation/accounts/2/restore')
      await tasksDone()
      assert.deepEqual(await hashes(), without)
      const merged = (await eventsAfter(world, newest)).filter(
        (event) => event.mergeMessageBody?.message.hash === hash,
      )
      assert.deepEqual(merged, [])
      await operate(`/moderation/casts/${hash}/unhide`, second)
      assert.deepEqual(await hashes(), before)
      const last = (await eventsAfter(world, newest)).at(-1)!
      assert.deepEqual([last.type, last.mergeMessageBody.message.hash], ['MERGE_MESSAGE', hash])
    })

    test('an account owner has messages exported and erased for good, while suspended too', async () => {
      const secret = randomBytes(32)
      const owner = { ...testAccount(9), custody: addressOfPrivateKey(secret) }
      const seconds = Math.floor(world.clock.now() / 1000)
      await world.app.ledger!.importEvents(accountEvents(owner, seconds, 10))
      const sent: SignedMessage[] = []
      const text = 'to be forgotten'
      for (let i = 0; i < TASK_BATCH + 2; i++) {
        sent.push(world.sign(owner, castAdd(world.origin(owner), `${text} ${i}`)))
      }
      const bio = UserDataType.USER_DATA_TYPE_BIO
      sent.push(world.sign(owner, userDataAdd(world.origin(owner), bio, text)))
      for (let at = 0; at < sent.length; at += 250) {
        accepted(await post(world, '/v1/submitBulkMessages', encodeList(sent.slice(at, at + 250))))
      }
      // Its event keeps the replaced message, which has to be erased there too.
      world.clock.advance(1_000)
      const later = world.sign(owner, userDataAdd(world.origin(owner), bio, `${text} later`))
      accepted(await world.submit(later))
      await operate('/moderation/accounts/9/suspend')

      const ask = async (
        action: 'export' | 'erase',
        more: object = {},
        deadline = seconds + 60,
      ) => {
        const domain = world.app.signingNetwork
        const request = { action, fid: 9, network: 'devnet', deadline }
        const { idRegistry } = accountDomains(domain)
        const signature = hex(signTypedData(accountDataTypedData(request, idRegistry), secret))
        const response = await fetch(`${second.urls.accounts}/v1/${action}-messages`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ fid: 9, deadline, signature, ...more }),
        })
        // biome-ignore lint/suspicious/noExplicitAny: tests look into JSON as they find it
        return { status: response.status, body: (await response.json()) as any }
      }
      const exported: string[] = []
      for (let pageToken: string | undefined; pageToken !== ''; ) {
        const page = accepted((await ask('export', { pageToken })) as Answer)
        exported.push(...page.messages)
        pageToken = page.nextPageToken
      }
      const kept = [...sent.slice(0, -1), later]
      const bytesOf = (message: SignedMessage) =>
        Buffer.from(encodeEnvelope(message)).toString('base64')
      assert.deepEqual(exported.sort(), kept.map(bytesOf).sort())

      assert.equal((await ask('erase', { fid: 1 })).body.code, 'InvalidSignature')
      assert.equal((await ask('erase', { deadline: seconds - 1 })).body.code, 'SignatureExpired')
      const far = await ask('erase', {}, seconds + 2 * 86_400)
      assert.deepEqual([far.status, far.body.field], [400, 'deadline'])

      const before = await newestEventId(world)
      const begun = accepted((await ask('erase')) as Answer)
      assert.equal(begun.erasing || begun.erasedBefore > 0, true)
      await tasksDone()
      const account = await world.app.storage.moderation.account(9)
      assert.deepEqual([account!.erasing, account!.suspended, account!.hidden], [0, 1, 1])
      assert.equal(accepted((await ask('erase')) as Answer).erasing, false, 'a repeat does nothing')
      await operate('/moderation/accounts/9/restore')

      const usage = await world.app.storage.messages.usage([9])
      assert.equal(
        usage.reduce((sum, { count }) => sum + count, 0),
        0,
      )
      const told: string[] = []
      for (let from = 0, next = -1; next !== from; ) {
        if (next >= 0) from = next
        const page = accepted(await world.get(pathOf('/v1/events', { from_event_id: from })))
        assert.doesNotMatch(JSON.stringify(page), new RegExp(text))
        for (const event of page.events) {
          if (event.id > before && event.revokeMessageBody) {
            told.push(event.revokeMessageBody.message.hash)
          }
        }
        next = page.nextPageEventId
      }
      const hashes = kept.map(({ hash }) => hex(hash))
      assert.deepEqual([...new Set(told)].sort(), hashes.sort())
      const report = await verifyStore(world.app.storage, { network: 3 })
      assert.deepEqual(report.examples, [])

      refused(await world.submit(sent[0]!), { code: 'bad_request.erased', says: /were erased/ })
      world.clock.advance(1_000)
      accepted(await world.submit(world.sign(owner, castAdd(world.origin(owner), 'a new start'))))

      // Each reads the whole log, so an account asks for it a few times a day.
      const statuses: number[] = []
      for (const more of [61, 62, 63]) {
        statuses.push((await ask('erase', {}, seconds + more)).status)
        await tasksDone()
      }
      assert.deepEqual(statuses, [200, 200, 429])
    })

    test('reports of users wait in a queue until the operator resolves them', async () => {
      const report = (author: TestAccount, body: object) =>
        world.platform('/v1/reports', { body, token: world.token(author) })
      const castHash = hex(unwanted.hash)
      const first = accepted(await report(good, { castHash, reason: 'rude' }))
      const again = accepted(await report(good, { castHash, reason: 'very rude' }))
      assert.deepEqual(again, first)
      accepted(await report(good, { fid: 2, reason: 'a bot' }))
      assert.equal((await report(good, { reason: 'nothing' })).status, 400)
      assert.equal((await report(good, { fid: 777, reason: 'nobody' })).status, 404)
      for (const rule of ['Be kind\nor else', 'Be \u202edink', 'Be \u0007kind', 'Be \ud800kind']) {
        const { status, body } = await report(good, { fid: 2, reason: 'x', rule })
        assert.deepEqual([status, body.field], [400, 'rule'], JSON.stringify(rule))
      }
      assert.equal(
        (await world.platform('/v1/reports', { body: { fid: 2, reason: 'x' } })).status,
        401,
      )

      const list = async (query = '') =>
        accepted(await world.operate(`/moderation/reports${query}`)).result.reports
      const open = await list()
      assert.deepEqual(
        open.map((one: Report) => [one.reporterFid, one.fid, one.castHash, one.reason]),
        [
          [1, 2, castHash, 'rude'],
          [1, 2, null, 'a bot'],
        ],
      )
      const page = accepted(await world.operate('/moderation/reports?limit=1'))
      assert.deepEqual(await list(`?cursor=${page.next.cursor}`), open.slice(1))
      const resolved = await operate(`/moderation/reports/${open[0].id}/resolve`)
      assert.deepEqual([resolved.state, resolved.resolution], ['resolved', 'mod: spam'])
      assert.deepEqual(await list(), open.slice(1))
      assert.deepEqual(await list('?state=resolved'), [resolved])
      const [entry] = accepted(await world.operate('/moderation/log?limit=1')).result.entries
      assert.deepEqual([entry.action, entry.actor, entry.castHash], ['resolve', 'mod', castHash])
    })

    test('a user can send twenty reports in a day and not one more', async () => {
      const [reporter] = await world.accounts([300], {})
      await world.accounts(Array.from({ length: 21 }, (_, i) => 301 + i))
      const report = (fid: number) =>
        world.platform('/v1/reports', {
          body: { fid, reason: 'spam' },
          token: world.token(reporter!),
        })
      for (let i = 0; i < 20; i++) accepted(await report(301 + i))
      assert.equal((await report(321)).status, 429)
      world.clock.advance(24 * 3_600_000 + 1_000)
      accepted(await report(321))
    })

    test('metrics count decisions, reports and suspended accounts', async () => {
      const text = await (await fetch(`${world.app.urls.operations}/metrics`)).text()
      assert.match(text, /rookery_moderation_actions_total\{action="suspend"\} [1-9]/)
      assert.match(text, /rookery_moderation_reports\{state="open"\} [1-9]/)
      assert.match(text, /rookery_moderation_suspended_accounts 0/)
    })

    test('deciding twice changes nothing, and unknown subjects are refused', async () => {
      const newest = await newestEventId(world)
      await operate('/moderation/accounts/1/restore')
      await operate(`/moderation/casts/${hex(unwanted.hash)}/unhide`)
      assert.equal(await newestEventId(world), newest)
      for (const path of [
        '/moderation/accounts/77/suspend',
        `/moderation/casts/0x${'00'.repeat(20)}/hide`,
      ]) {
        const { status, body } = await world.operate(path, { body: DECISION })
        assert.deepEqual([status, body.code], [404, 'not_found'], path)
      }
      const empty = await world.operate('/moderation/accounts/1/suspend', { body: { reason: '' } })
      assert.equal(empty.status, 400)
    })
  })
}
