import { channelRows } from '../src/features/channels/tables/channels.ts'
import { mediaRows } from '../src/features/media/tables/media.ts'
import { miniAppRows } from '../src/features/mini-apps/tables/mini-apps.ts'
import { nameTransferRows } from '../src/features/registry/tables/name-transfers.ts'
// Members report, mute and appeal; accounts with a role decide. What a role may do ends with the role, in every process.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type App, startApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import type { Moderation } from '../src/features/moderation/moderation.ts'
import { Staff } from '../src/features/moderation/staff.ts'
import { appealRows } from '../src/features/moderation/tables/appeals.ts'
import { heldRows } from '../src/features/moderation/tables/held.ts'
import { moderationLogRows, reportRows } from '../src/features/moderation-records/port.ts'
import { fidTransferred, sealBlock } from '../src/kernel/accounts/events.ts'
import { createLogger } from '../src/kernel/http/logger.ts'
import { castAdd, castRemove } from '../src/kernel/protocol/build.ts'
import { fromHex } from '../src/kernel/protocol/codec/bytes.ts'
import { DAY_MS } from '../src/kernel/protocol/time.ts'
import type { Locks } from '../src/kernel/storage/locks.ts'
import { createNetwork, type Network } from './app-api-support.ts'
import { hex } from './hub-support.ts'
import { plainPng, uploadTo } from './media-support.ts'
import { registryClient } from './registry-support.ts'
import { until } from './until.ts'
import { appToken, enginesOf, type TestAccount } from './world.ts'

const DECISION = { reason: 'house rules', actor: 'the owner' }
const OWN = '/v2/farcaster/mute/own'

for (const engine of enginesOf(import.meta.url)) {
  describe(`moderators and members on ${engine}`, { concurrency: 1 }, () => {
    let net: Network
    /** A second process on the same database; on SQLite the first one again. */
    let second: App
    const account = (fid: number) => net.accounts.find((one) => one.fid === fid)!
    /** 1: operator, 2 and 3: moderators, 4 and 5: members. */
    before(async () => {
      net = await createNetwork(engine, [1, 2, 3, 4, 5])
      second =
        engine === 'sqlite'
          ? net.world.app
          : await startApp({
              config: readConfig(net.world.env, 'development'),
              clock: net.world.clock,
              logger: createLogger({ level: 'fatal' }),
            })
    })
    after(async () => {
      if (second !== net.world.app) await second.stop()
      await net.world.close()
    })

    /** A token that names this server. */
    const tokenFor = (one: TestAccount, app = net.world.app, more: object = {}) =>
      appToken(one, {
        exp: Math.floor(net.world.clock.now() / 1_000) + 60,
        aud: app.urls.platform,
        ...more,
      })
    const as = async (
      fid: number,
      path: string,
      body?: object,
      { app = net.world.app, token = tokenFor(account(fid), app), method = '' } = {},
    ) => {
      const response = await fetch(app.urls.platform + path, {
        method: method || (body ? 'POST' : 'GET'),
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      })
      // biome-ignore lint/suspicious/noExplicitAny: tests look into JSON as they find it
      return { status: response.status, body: (await response.json()) as any }
    }
    /** A role for the person who has the account now. */
    const to = (fid: number, role = 'moderator') => ({ role, custody: hex(account(fid).custody) })
    const own = async (fid: number) => (await as(fid, '/v1/own-moderation')).body.result
    const operate = async (path: string, body: object) => {
      const answer = await net.world.operate(path, { body })
      assert.equal(answer.status, 200, JSON.stringify(answer.body))
      return answer.body
    }
    const mute = async (fid: number, body: object, method = 'POST', key = 'web') => {
      const response = await fetch(net.world.app.urls.app + OWN, {
        method,
        headers: {
          authorization: `Bearer ${net.world.token(account(fid))}`,
          'content-type': 'application/json',
          'x-api-key': key,
        },
        ...(method !== 'GET' && { body: JSON.stringify(body) }),
      })
      // biome-ignore lint/suspicious/noExplicitAny: tests look into JSON as they find it
      return { status: response.status, body: (await response.json()) as any }
    }

    test('only the token makes operators, operators make moderators, and the log names who did it', async () => {
      await operate('/moderation/staff/1/appoint', { ...DECISION, ...to(1, 'operator') })
      const made = await as(1, '/v1/moderation/staff/2/appoint', {
        reason: 'kind',
        ...to(2),
      })
      assert.deepEqual([made.status, made.body.role], [200, 'moderator'])
      const actor = { reason: 'kind', ...to(3), actor: 'somebody else' }
      assert.equal((await as(1, '/v1/moderation/staff/3/appoint', actor)).status, 200)
      const more = await as(1, '/v1/moderation/staff/4/appoint', {
        reason: 'kind',
        ...to(4, 'operator'),
      })
      assert.equal(more.status, 403)
      const { entries } = (await as(2, '/v1/moderation/log?limit=2')).body.result
      for (const { actor, action } of entries) {
        assert.deepEqual([actor, action], ['fid 1 (operator)', 'appoint'])
      }
    })

    test('a moderator may not do what only operators may, and nobody may without a role', async () => {
      const { hash } = await net.send(account(4), (origin) => castAdd(origin, 'hello'))
      const forbidden: [number, string, object?][] = [
        [2, '/v1/moderation/accounts/4/erase', { reason: 'x' }],
        [2, '/v1/moderation/accounts/4/messages'],
        [2, '/v1/moderation/names/user4/take', { reason: 'x', fid: 4 }],
        [2, '/v1/moderation/staff/4/appoint', { reason: 'x', ...to(4) }],
        [2, '/v1/moderation/staff/3/dismiss', { reason: 'x' }],
        [2, '/v1/moderation/accounts/1/suspend', { reason: 'x' }],
        [2, '/v1/moderation/accounts/2/suspend', { reason: 'x' }],
        [2, '/v1/moderation/accounts/3/suspend', { reason: 'x' }],
        [4, '/v1/moderation/reports'],
        [4, '/v1/moderation/log'],
        [4, `/v1/moderation/casts/${hex(hash)}/hide`, { reason: 'x' }],
      ]
      for (const [fid, path, body] of forbidden) {
        assert.equal((await as(fid, path, body)).status, 403, `${fid} ${path}`)
      }
      for (const path of ['/v1/server', '/v1/moderation/badges', '/v1/backups']) {
        assert.equal((await as(1, path)).status, 404, path)
      }
    })

    test('an operator by role reads who asks for a lost account, and decides nothing about it', async () => {
      assert.deepEqual((await as(1, '/v1/app/recoveries')).body.requests, [])
      assert.equal((await as(2, '/v1/app/recoveries')).status, 403)
      for (const what of ['start', 'refuse']) {
        const body = { fid: 4, askedAt: 1, reason: 'x' }
        const path = `/v1/app/recoveries/0x${'5b'.repeat(20)}/${what}`
        assert.equal((await as(1, path, body)).status, 404)
      }
    })

    test('an operator by role sees where e-mails go and sends a test, which no moderator does', async () => {
      const body = { to: 'ada@example.org' }
      assert.equal((await as(1, '/v1/app/mail')).body.server, null)
      assert.equal((await as(1, '/v1/app/mail/test', body)).body.code, 'not_supported')
      assert.equal((await as(2, '/v1/app/mail')).status, 403)
      assert.equal((await as(2, '/v1/app/mail/test', body)).status, 403)
    })

    test('an operator by role uploads the picture of the server, in the name of the account, and a moderator does not', async () => {
      const send = async (fid: number) => {
        const response = await fetch(`${net.world.app.urls.platform}/v1/server/picture`, {
          method: 'PUT',
          headers: {
            authorization: `Bearer ${tokenFor(account(fid))}`,
            'content-type': 'application/octet-stream',
          },
          body: plainPng(64, 64, [9, 99, 200, 255]) as Uint8Array<ArrayBuffer>,
        })
        // biome-ignore lint/suspicious/noExplicitAny: tests look into JSON as they find it
        return { status: response.status, body: (await response.json()) as any }
      }
      assert.equal((await send(2)).status, 403)
      const sent = await send(1)
      assert.equal(sent.status, 200, JSON.stringify(sent.body))
      assert.match(sent.body.texts.picture, /\/media\//)
      const [entry] = (await as(1, '/v1/moderation/log?limit=1')).body.result.entries
      assert.deepEqual(
        [entry.action, entry.name, entry.actor],
        ['describe', 'picture', 'fid 1 (operator)'],
      )
      const texts = { picture: null }
      assert.equal((await as(1, '/v1/server/texts', { texts }, { method: 'PUT' })).status, 200)
    })

    test('nobody decides about their own mini app, however its domain is written', async () => {
      const { storage } = net.world.app
      const fields = { author_fid: 2, name: 'Chess', state: 'listed', manifest: '{}' } as const
      await storage.write('all/mini-apps', (tx) =>
        tx.of(miniAppRows).insert({
          ...{ ...fields, domain: 'chess.example', category: null, noindex: 0, words: 'chess' },
          ...{ chains: '', association: null, fault: null },
          ...{ created_at: 0, looked_at: 0, good_at: 0 },
        }),
      )
      const path = '/v1/platform/removed-mini-apps'
      const entries = async () => {
        const { result } = (await as(3, '/v1/moderation/log')).body
        return result.entries.filter(({ name }: { name: string }) => name === 'chess.example')
      }
      for (const domain of ['chess.example', 'Chess.Example', 'https://chess.example/home']) {
        for (const method of ['POST', 'DELETE']) {
          const { status } = await as(2, path, { domain, reason: 'x' }, { method })
          assert.equal(status, 403, `${method} ${domain}`)
        }
        assert.equal((await as(1, path, { domain, reason: 'gambling' })).status, 200)
      }
      const [entry, ...more] = await entries()
      const done = [entry.action, entry.actor, entry.reason, more.length]
      assert.deepEqual(done, ['remove-app', 'fid 1 (operator)', 'gambling', 0])
    })

    test('a moderator removes no picture of the server, of an operator or of their own', async () => {
      const path = '/v1/moderation/files/remove'
      const remove = async (url: string) => (await as(2, path, { url, reason: 'x' })).status
      const url = async (fid: number) => {
        const picture = plainPng(8, 8, [fid, 0, 0, 255])
        return (await uploadTo(net.world, account(fid), picture)).body.result.url
      }
      const server = plainPng(8, 8, [0, 0, 9, 255])
      const face = await fetch(`${net.world.app.urls.operations}/server/picture`, {
        method: 'PUT',
        headers: { 'content-type': 'application/octet-stream' },
        body: server as Uint8Array<ArrayBuffer>,
      })
      assert.equal(face.status, 200)
      const { picture } = ((await face.json()) as { texts: { picture: string } }).texts
      for (const refused of [picture, await url(1), await url(2), await url(3)]) {
        assert.equal(await remove(refused), 403, refused)
      }
      assert.equal(await remove(await url(4)), 200)
    })

    test('the log names the account that exports another, from whichever page it begins', async () => {
      const path = '/v1/moderation/accounts/5/messages'
      const exports = async () => {
        const { result } = (await as(2, '/v1/moderation/log?fid=5')).body
        return result.entries
          .filter(({ action }: { action: string }) => action === 'export')
          .map(({ actor }: { actor: string }) => actor)
      }
      const token = encodeURIComponent(Buffer.from('0').toString('base64'))
      await as(1, `${path}?pageToken=${token}`)
      assert.deepEqual(await exports(), ['fid 1 (operator)'])
      assert.equal((await as(1, path)).status, 200)
      const byToken = await net.world.operate('/moderation/accounts/5/messages')
      assert.equal(byToken.status, 200)
      assert.deepEqual(await exports(), ['operator', 'fid 1 (operator)'])
    })

    test('an operator by role sees the list of people without reports about the own account, and invites no operators', async () => {
      await as(4, '/v1/reports', { fid: 1, reason: 'too strict' })
      const people = (await as(1, '/v1/people')).body.result.people as {
        fid: number
        openReports: number
      }[]
      assert.equal(people.find(({ fid }) => fid === 1)?.openReports, 0)
      const byToken = (await net.world.operate('/people')).body.result.people as typeof people
      assert.equal(byToken.find(({ fid }) => fid === 1)?.openReports, 1)
      for (const query of ['list=reported', 'order=reports']) {
        const fids = (await as(1, `/v1/people?${query}`)).body.result.people as typeof people
        assert.ok(!fids.some(({ fid }) => fid === 1), query)
      }
      assert.equal((await as(2, '/v1/people')).status, 403)
      const invite = { uses: 1, days: 7 }
      assert.equal(
        (await as(1, '/v1/accounts/invites', { ...invite, role: 'operator' })).status,
        403,
      )
      assert.equal(
        (await as(1, '/v1/accounts/invites', { ...invite, role: 'moderator' })).status,
        200,
      )
      assert.equal((await as(2, '/v1/accounts/invites', invite)).status, 403)
    })

    test('the log is filtered by who acted, about whom, what and when, as the operator and as a moderator', async () => {
      const from = Math.floor(net.world.clock.now() / 1_000) + 60
      net.world.clock.advance(60_000)
      assert.equal((await as(2, '/v1/moderation/accounts/5/limit', { reason: 'loud' })).status, 200)
      await operate('/moderation/accounts/5/unlimit', { reason: 'better' })
      await operate('/moderation/accounts/4/limit', { reason: 'loud' })
      await operate('/moderation/accounts/4/unlimit', { reason: 'better' })
      const done = async (query: string) => {
        const { status, body } = await as(3, `/v1/moderation/log?since=${from}&${query}`)
        assert.equal(status, 200, JSON.stringify(body))
        return body.result.entries.map((one: { action: string; fid: number }) => [
          one.action,
          one.fid,
        ])
      }
      assert.deepEqual(await done('actor=2'), [['limit', 5]])
      assert.deepEqual(await done('actor=operator&username=!4'), [
        ['unlimit', 4],
        ['limit', 4],
      ])
      assert.deepEqual(await done('action=limit,warn&limit=5'), [
        ['limit', 4],
        ['limit', 5],
      ])
      assert.deepEqual(await done(`until=${from}`), [])
      assert.deepEqual(await done('username=nobody-here'), [])
      for (const [query, field] of [
        ['action=limit,shout', 'action'],
        ['since=yesterday', 'since'],
        ['fid=0', 'fid'],
        ['fid=4&username=!4', 'username'],
      ] as const) {
        const refused = await as(3, `/v1/moderation/log?${query}`)
        assert.equal(refused.status, 400, query)
        assert.ok(JSON.stringify(refused.body).includes(field), JSON.stringify(refused.body))
      }
      assert.equal((await as(4, '/v1/moderation/log?actor=2')).status, 403)
    })

    test('a token of a moderator that names no server or another one is refused', async () => {
      for (const aud of [undefined, 'https://other.example']) {
        const token = tokenFor(account(2), net.world.app, { aud })
        const { status } = await as(2, '/v1/moderation/reports', undefined, { token })
        assert.equal(status, 401)
      }
    })

    test('in production a key that another app asked for may not moderate', async () => {
      const { storage, clock } = net.world.app
      const request = {} as Parameters<Staff['memberOf']>[0]
      const { fid, key } = account(2)
      const log = createLogger({ level: 'fatal' })
      const options = { storage, clock, log, moderation: {} as Moderation }
      const callerOf = async () => ({ fid, by: 'app_key' as const, key })
      const strict = new Staff({ ...options, mode: 'production', callerOf })
      await assert.rejects(strict.memberOf(request, 'moderator'), /keys of other apps/)
      const custody = async () => ({ fid, by: 'custody' as const, key: account(2).custody })
      const byWallet = new Staff({ ...options, mode: 'production', callerOf: custody })
      assert.equal((await byWallet.memberOf(request, 'moderator')).role, 'moderator')
    })

    test('a report is answered to who reported, and the author reads why a cast is hidden and appeals', async () => {
      const { hash } = await net.send(account(5), (origin) => castAdd(origin, 'an unkind word'))
      const castHash = hex(hash)
      const reported = await as(4, '/v1/reports', { castHash, reason: 'insult' })
      const { id } = reported.body.result
      const open = (await as(2, '/v1/moderation/reports')).body.result.reports
      assert.deepEqual([open.at(-1).id, open.at(-1).reason], [id, 'insult'])
      const reason = 'Insults are not allowed here'
      assert.equal((await as(2, `/v1/moderation/casts/${castHash}/hide`, { reason })).status, 200)
      const done = await as(2, `/v1/moderation/reports/${id}/resolve`, { reason: 'It is hidden' })
      assert.equal(done.status, 200)
      const resolvePath = `/v1/moderation/reports/${id}/resolve`
      const same = await as(2, resolvePath, { reason: 'It is hidden' })
      assert.deepEqual(same, done)
      const entries = (await as(2, '/v1/moderation/log?fid=5')).body.result.entries
      const resolved = entries.filter(({ action }: { action: string }) => action === 'resolve')
      assert.deepEqual(
        resolved.map(({ actor, reason }: { actor: string; reason: string }) => [actor, reason]),
        [['fid 2 (moderator)', 'It is hidden']],
      )

      const [report] = (await own(4)).reports
      assert.deepEqual([report.state, report.answer], ['resolved', 'It is hidden'])
      const { decisions, reports } = await own(5)
      assert.deepEqual(reports, [])
      const [hidden] = decisions
      assert.deepEqual(
        [hidden.action, hidden.castHash, hidden.castText, hidden.reason],
        ['hide', castHash, 'an unkind word', reason],
      )
      assert.doesNotMatch(JSON.stringify(await own(5)), /fid 2|moderator/)

      const strange = await as(4, '/v1/appeals', { decision: hidden.id, text: 'not mine' })
      assert.equal(strange.status, 404)
      const text = 'It was a quotation'
      const sent = await as(5, '/v1/appeals', { decision: hidden.id, text })
      const again = await as(5, '/v1/appeals', { decision: hidden.id, text: 'once more' })
      assert.equal(again.body.result.appeal.id, sent.body.result.appeal.id)
      const [appeal] = (await as(3, '/v1/moderation/appeals')).body.result.appeals
      assert.deepEqual([appeal.text, appeal.castText, appeal.fid], [text, 'an unkind word', 5])
      assert.deepEqual(
        [appeal.decided.action, appeal.decided.reason, appeal.decided.actor],
        ['hide', reason, 'fid 2 (moderator)'],
      )
      assert.deepEqual(
        [appeal.hidden, appeal.mayAnswer, appeal.earlier[0].action, appeal.earlier[1].id],
        [true, true, 'resolve', hidden.id],
      )
      const [ofOwn] = (await as(2, '/v1/moderation/appeals')).body.result.appeals
      assert.equal(ofOwn.mayAnswer, false)
      const waits = async (fid: number) => (await as(fid, '/v1/own-standing')).body.result.waiting
      assert.equal((await waits(3)) - (await waits(2)), 1)
      const path = `/v1/moderation/appeals/${appeal.id}/answer`
      const answered = await as(3, path, { outcome: 'reversed', reason: 'You are right' })
      assert.equal(answered.status, 200)
      assert.equal((await net.world.get(`/v1/castById?fid=5&hash=${castHash}`)).status, 200)
      const [told] = (await own(5)).appeals
      assert.deepEqual([told.outcome, told.answer], ['reversed', 'You are right'])
      assert.equal(told.answeredBy, undefined)
    })

    test('what several people report is one case, and one act decides it and answers all of them', async () => {
      const { hash } = await net.send(account(4), (origin) => castAdd(origin, 'buy my boats'))
      const castHash = hex(hash)
      for (const fid of [1, 5]) {
        const sent = await as(fid, '/v1/reports', { castHash, reason: `spam, says ${fid}` })
        assert.equal(sent.status, 200)
      }
      const about = await as(5, '/v1/reports', { fid: 4, reason: 'sells boats' })
      const casesOf = async (fid: number) => {
        const { cases } = (await as(fid, '/v1/moderation/cases')).body.result
        // biome-ignore lint/suspicious/noExplicitAny: tests look into JSON as they find it
        return cases.filter((one: any) => one.fid === 4)
      }
      const waiting = async (fid: number) => (await as(fid, '/v1/own-standing')).body.result.waiting
      const before = await waiting(2)
      const [ofCast, ofAccount] = await casesOf(2)
      assert.equal(ofCast.castText, 'buy my boats')
      assert.deepEqual([ofCast.castHash, ofCast.reportCount, ofCast.hidden], [castHash, 2, false])
      assert.deepEqual(
        ofCast.reports.map((one: { reporterFid: number }) => one.reporterFid),
        [1, 5],
      )
      assert.deepEqual([ofAccount.castHash, ofAccount.reportCount], [null, 1])

      const decide = (fid: number, id: number, body: object) =>
        as(fid, `/v1/moderation/cases/${id}/decide`, body)
      const wrong = await decide(2, ofAccount.id, { act: 'hide', reason: 'x' })
      assert.deepEqual([wrong.status, wrong.body.field], [400, 'act'])
      assert.equal((await decide(5, ofCast.id, { act: 'hide', reason: 'x' })).status, 403)
      assert.equal((await decide(2, 999_999, { act: 'hide', reason: 'x' })).status, 404)
      const act = { act: 'hide', rule: 'No trade', reason: 'It sells' }
      const done = await decide(2, ofCast.id, act)
      assert.equal(done.status, 200, JSON.stringify(done.body))
      assert.deepEqual(
        // biome-ignore lint/suspicious/noExplicitAny: tests look into JSON as they find it
        done.body.answered.map((one: any) => [one.reporterFid, one.state]),
        [
          [1, 'resolved'],
          [5, 'resolved'],
        ],
      )
      assert.equal((await own(5)).reports[1].answer, 'Rule “No trade”: It sells')
      assert.equal((await own(4)).decisions[0].reason, 'Rule “No trade”: It sells')
      assert.equal(await waiting(2), before - 1)
      const [, told] = (await own(5)).reports
      assert.deepEqual([told.act, told.reversedAt], ['hide', null])
      // The same once more changes nothing, and another decision comes too late.
      assert.equal((await decide(2, ofCast.id, act)).status, 200)
      assert.equal((await decide(3, ofCast.id, { act: 'leave', reason: 'fine' })).status, 409)

      // Whoever reports it again makes a new case, which a suspension answers with the one about the account.
      const again = await as(1, '/v1/reports', { castHash, reason: 'it is back' })
      assert.notEqual(again.status, 500)
      const [still] = await casesOf(3)
      assert.deepEqual([still.id, still.earlier[0].action], [ofAccount.id, 'hide'])
      const suspended = await decide(3, still.id, { act: 'suspend', reason: 'enough' })
      assert.equal(suspended.status, 200)
      assert.deepEqual(await casesOf(3), [])
      assert.equal((await own(4)).suspended, true)
      assert.equal((await as(4, '/v1/own-standing')).body.result.suspended, true)
      assert.equal(about.status, 200)
      await operate('/moderation/accounts/4/restore', DECISION)
    })

    test('what a moderator takes back is told to who reported it, and a report that left all as it was is known to the next one', async () => {
      const { hash } = await net.send(account(5), (origin) => castAdd(origin, 'rent my boats'))
      const castHash = hex(hash)
      const reported = async (fid: number) => {
        const { body } = await as(fid, '/v1/reports', { castHash, reason: 'spam again' })
        return body.result.id
      }
      const decide = async (id: number, act: string, reason: string) =>
        assert.equal(
          (await as(2, `/v1/moderation/cases/${id}/decide`, { act, reason })).status,
          200,
        )
      /** When it was taken back, as who reported it reads. */
      const reversedAt = async (fid: number) => (await own(fid)).reports[0].reversedAt
      await decide(await reported(4), 'leave', 'it is allowed')
      const id = await reported(1)
      const { cases } = (await as(3, '/v1/moderation/cases')).body.result
      // biome-ignore lint/suspicious/noExplicitAny: tests look into JSON as they find it
      const { earlier } = cases.find((one: any) => one.castHash === castHash)
      assert.deepEqual([earlier[0].action, earlier[0].reason], ['resolve', 'it is allowed'])
      await decide(id, 'hide', 'it is not')
      assert.equal(await reversedAt(1), null)
      const path = `/v1/moderation/casts/${castHash}/unhide`
      assert.equal((await as(3, path, { reason: 'it is, after all' })).status, 200)
      assert.equal(typeof (await reversedAt(1)), 'number')
      assert.equal(await reversedAt(4), null)
    })

    test('of one decision about several cases an account is warned once, and each report is answered', async () => {
      const reason = 'please fewer boats'
      const warnings = async () =>
        // biome-ignore lint/suspicious/noExplicitAny: tests look into JSON as they find it
        (await own(4)).decisions.filter((one: any) => one.reason === reason).length
      for (const [text, count, once] of [
        ['red boats', 1, true],
        ['blue boats', 1, true],
        ['green boats', 2, false],
      ] as const) {
        const { hash } = await net.send(account(4), (origin) => castAdd(origin, text))
        const sent = await as(5, '/v1/reports', { castHash: hex(hash), reason: 'spam' })
        const path = `/v1/moderation/cases/${sent.body.result.id}/decide`
        assert.equal((await as(2, path, { act: 'warn', reason, once })).status, 200)
        assert.equal(await warnings(), count, text)
        assert.equal((await own(5)).reports[0].act, 'warn')
        net.world.clock.advance(2_000)
      }
      // Who decides next reads of the two warnings, and of no answer that left all as it was.
      await as(5, '/v1/reports', { fid: 4, reason: 'boats' })
      const { cases } = (await as(3, '/v1/moderation/cases')).body.result
      // biome-ignore lint/suspicious/noExplicitAny: tests look into JSON as they find it
      const { id, earlier } = cases.find((one: any) => one.fid === 4)
      assert.deepEqual(
        // biome-ignore lint/suspicious/noExplicitAny: tests look into JSON as they find it
        earlier.filter((one: any) => one.reason === reason).map((one: any) => one.action),
        ['warn', 'warn'],
      )
      const leave = { act: 'leave', reason: 'nothing new' }
      assert.equal((await as(2, `/v1/moderation/cases/${id}/decide`, leave)).status, 200)
      // Who reported what the first of the warnings was about reads that it was taken back, and nobody else.
      const reversed = async () =>
        // biome-ignore lint/suspicious/noExplicitAny: tests look into JSON as they find it
        (await own(5)).reports.slice(1, 4).map((one: any) => one.reversedAt !== null)
      assert.deepEqual(await reversed(), [false, false, false])
      const takeBack = async (at: number) => {
        // biome-ignore lint/suspicious/noExplicitAny: tests look into JSON as they find it
        const said = (await own(4)).decisions.filter((one: any) => one.action === 'warn')
        const { id, castHash } = said[at]
        // As the answer to an appeal does.
        await net.world.app.storage.write('hub', (tx) =>
          tx.of(moderationLogRows).add({
            ...{ action: 'unwarn', fid: 4, cast_hash: fromHex(castHash)!, name: String(id) },
            ...{ ...DECISION, at: Math.floor(net.world.clock.now() / 1_000) },
          }),
        )
      }
      await takeBack(1)
      assert.deepEqual(await reversed(), [false, true, true])
      await takeBack(0)
      assert.deepEqual(await reversed(), [true, true, true])
      // What was taken back warns nobody: the account is warned anew.
      const { hash } = await net.send(account(4), (origin) => castAdd(origin, 'grey boats'))
      const sent = await as(5, '/v1/reports', { castHash: hex(hash), reason: 'spam' })
      const path = `/v1/moderation/cases/${sent.body.result.id}/decide`
      assert.equal((await as(2, path, { act: 'warn', reason, once: true })).status, 200)
      assert.equal(await warnings(), 3)
      assert.equal((await own(5)).reports[0].reversedAt, null)
    })

    test('of one limit for several cases of an account no later answer reads as one that left all as it was', async () => {
      const reason = 'nothing but boats'
      for (const text of ['white boats', 'black boats']) {
        const { hash } = await net.send(account(4), (origin) => castAdd(origin, text))
        const sent = await as(5, '/v1/reports', { castHash: hex(hash), reason: 'spam' })
        const path = `/v1/moderation/cases/${sent.body.result.id}/decide`
        const answer = await as(2, path, { act: 'limit', reason })
        assert.equal(answer.status, 200)
        // What stands so already is nothing to undo.
        assert.equal(answer.body.changed, text === 'white boats')
        // Once more, since the answer was lost perhaps, it can be undone as well.
        const again = await as(2, path, { act: 'limit', reason })
        assert.equal(again.body.changed, text === 'white boats')
        net.world.clock.advance(2_000)
      }
      const sent = await as(5, '/v1/reports', { fid: 4, reason: 'boats' })
      const { cases } = (await as(3, '/v1/moderation/cases')).body.result
      // biome-ignore lint/suspicious/noExplicitAny: tests look into JSON as they find it
      const { earlier } = cases.find((one: any) => one.fid === 4)
      assert.deepEqual(
        // biome-ignore lint/suspicious/noExplicitAny: tests look into JSON as they find it
        earlier.filter((one: any) => one.reason === reason).map((one: any) => one.action),
        ['limit'],
      )
      const path = `/v1/moderation/cases/${sent.body.result.id}/decide`
      const leave = { act: 'leave', reason: 'nothing new' }
      assert.equal((await as(2, path, leave)).status, 200)
      await operate('/moderation/accounts/4/unlimit', DECISION)
    })

    test('of two moderators who resolve a report at once one decides, and the other is told who did', async () => {
      const { id } = (await as(5, '/v1/reports', { fid: 4, reason: 'spam' })).body.result
      const path = `/v1/moderation/reports/${id}/resolve`
      const answers = await Promise.all([
        as(2, path, { reason: 'no case' }),
        as(3, path, { reason: 'will be suspended' }, { app: second }),
      ])
      const winner = answers[0].status === 200 ? 2 : 3
      const [won, lost] = winner === 2 ? answers : answers.toReversed()
      assert.deepEqual([won!.status, lost!.status], [200, 409])
      assert.equal(lost!.body.code, 'changed_meanwhile')
      const text = `report ${id} was resolved already, by fid ${winner} (moderator)`
      assert.ok(JSON.stringify(lost!.body).includes(text), JSON.stringify(lost!.body))
      assert.equal((await own(5)).reports[0].answer, won!.body.resolution.split(': ')[1])
    })

    test('who has a role sees no report about themselves: in no list, page, count or log, and not by its number', async () => {
      const reasonFor = (fid: number) => `words about ${fid}`
      const ids = new Map<number, number>()
      /** Open and answered reports, and answers of the team, as an account reads them; 0: as the token does. */
      const numbersFor = async (fid: number) => {
        const path = '/moderation/statistics'
        const { body } = fid === 0 ? await net.world.operate(path) : await as(fid, `/v1${path}`)
        const { reports, answered, team } = body.result
        return [reports.open, answered, team.resolve ?? 0]
      }
      const READERS = [0, 1, 2, 3]
      const numbers = async () => Promise.all(READERS.map(numbersFor))
      const grown = async (before: number[][]) =>
        (await numbers()).map((of, reader) => of.map((n, i) => n - before[reader]![i]!))
      const unreported = await numbers()
      for (const fid of [2, 1, 3]) {
        const { body } = await as(5, '/v1/reports', { fid, reason: reasonFor(fid) })
        ids.set(fid, body.result.id)
      }
      const { hash } = await net.send(account(2), (origin) => castAdd(origin, 'of a moderator'))
      await as(4, '/v1/reports', { castHash: hex(hash), reason: reasonFor(2) })
      /** Every page of the list, one report at a time. */
      const seenBy = async (fid: number, state: string) => {
        const seen: { fid: number }[] = []
        for (let cursor = ''; ; ) {
          const more = cursor && `&cursor=${encodeURIComponent(cursor)}`
          const { body } = await as(fid, `/v1/moderation/reports?limit=1&state=${state}${more}`)
          assert.ok(body.result, JSON.stringify(body))
          seen.push(...body.result.reports)
          if (!body.next) return seen.map((one) => one.fid)
          cursor = body.next.cursor
        }
      }
      const subjects = async (fid: number, state = 'open') =>
        [1, 2, 3]
          .filter((of) => ids.has(of))
          .map(async (of) => (await seenBy(fid, state)).includes(of))
      assert.deepEqual(await Promise.all(await subjects(1)), [false, true, true])
      assert.deepEqual(await Promise.all(await subjects(2)), [true, false, true])
      assert.deepEqual(await Promise.all(await subjects(3)), [true, true, false])
      // Four are open: each reads those about others.
      const opened = [4, 3, 2, 3].map((open) => [open, 0, 0])
      assert.deepEqual(await grown(unreported), opened)
      /** Every page of the queue, one case at a time. */
      const casesOf = async (fid: number) => {
        const seen: { fid: number; taken: { fid: number } | null }[] = []
        for (let cursor = ''; ; ) {
          const more = cursor && `&cursor=${encodeURIComponent(cursor)}`
          const { body } = await as(fid, `/v1/moderation/cases?limit=1${more}`)
          assert.ok(body.result, JSON.stringify(body))
          seen.push(...body.result.cases)
          if (!body.next) return seen
          cursor = body.next.cursor
        }
      }
      const about = async (reader: number, fid: number) =>
        (await casesOf(reader)).filter((one) => one.fid === fid)
      for (const fid of [1, 2, 3]) {
        assert.deepEqual(await about(fid, fid), [])
        for (const other of [1, 2, 3].filter((one) => one !== fid)) {
          assert.equal((await about(other, fid)).length, fid === 2 ? 2 : 1, `${fid} by ${other}`)
        }
      }
      const caseOf = (id: number) => `/v1/moderation/cases/${id}`
      assert.equal((await as(1, `${caseOf(ids.get(2)!)}/take`, {})).status, 200)
      const act = { act: 'leave', reason: 'no case' }
      for (const [call, body, method] of [
        ['decide', act, 'POST'],
        ['take', {}, 'POST'],
        ['take', { word: 'mine' }, 'POST'],
        ['take', undefined, 'DELETE'],
      ] as const) {
        // As if it did not exist.
        const [own, unknown] = await Promise.all(
          [ids.get(2)!, 999_999].map((id) => as(2, `${caseOf(id)}/${call}`, body, { method })),
        )
        const say = ({ status, body }: Awaited<ReturnType<typeof as>>) =>
          [status, body.code, body.errors[0].message].join().replaceAll(/\d+/g, 'N')
        assert.equal(own!.status, 404, `${method} ${call}`)
        assert.equal(say(own!), say(unknown!))
      }
      assert.ok((await about(3, 2)).some(({ taken }) => taken?.fid === 1))
      const byToken = (await net.world.operate('/moderation/reports')).body.result.reports
      for (const fid of [1, 2, 3]) {
        assert.ok(byToken.some((one: { fid: number }) => one.fid === fid))
      }
      const path = `/v1/moderation/reports/${ids.get(2)}/resolve`
      assert.equal((await as(2, path, { reason: 'no case' })).status, 404)
      assert.equal((await as(1, path, { reason: 'we have talked' })).status, 200)
      assert.deepEqual(await Promise.all(await subjects(2, 'resolved')), [false, false, false])
      const resolved = [
        [3, 1, 1],
        [2, 1, 1],
        [2, 0, 0],
        [2, 1, 1],
      ]
      assert.deepEqual(await grown(unreported), resolved)
      const logOf = async (fid: number) =>
        JSON.stringify((await as(fid, '/v1/moderation/log')).body.result.entries)
      assert.doesNotMatch(await logOf(2), /we have talked/)
      assert.match(await logOf(3), /we have talked/)
      assert.doesNotMatch(JSON.stringify((await as(2, '/v1/moderation/log?fid=2')).body), /talked/)
      for (const fid of [1, 3]) {
        await operate(`/moderation/reports/${ids.get(fid)}/resolve`, DECISION)
      }
    })

    test('a role ends in the transaction that moves its account, for keys that it still has, and the log says so', async () => {
      const { world } = net
      const block = { chainId: 10, blockNumber: 5_000, timestamp: 1_800_000_000 }
      const receiver = new Uint8Array(20).fill(3)
      const move = sealBlock([fidTransferred(3, account(3).custody, receiver)], block)
      const roleOf = async () => (await own(3)).role
      assert.equal(await roleOf(), 'moderator')
      await world.app.ledger!.importEvents(move)
      assert.equal(await roleOf(), null)
      for (const app of [world.app, second]) {
        const { status } = await as(3, '/v1/moderation/reports', undefined, { app })
        assert.equal(status, 403)
      }
      const { entries } = (await as(1, '/v1/moderation/log?fid=3')).body.result
      const { action, actor, reason } = entries[0]
      assert.deepEqual([action, actor], ['dismiss', 'server'])
      assert.match(reason, /another custody address/)
      const again = { ...DECISION, ...to(3) }
      const refused = await world.operate('/moderation/staff/3/appoint', { body: again })
      assert.deepEqual(
        [refused.status, refused.body.code, refused.body.field],
        [409, 'changed_meanwhile', 'custody'],
      )
      assert.equal(await roleOf(), null)
      await operate('/moderation/staff/3/appoint', { ...again, custody: hex(receiver) })
    })

    test('a suspended member is told why, may appeal, and can do nothing else', async () => {
      const reason = 'three warnings'
      assert.equal((await as(2, '/v1/moderation/accounts/5/suspend', { reason })).status, 200)
      const standing = (await as(5, '/v1/own-standing')).body.result
      assert.deepEqual([standing.suspended, standing.suspendedUntil], [true, null])
      const { suspended, decisions } = await own(5)
      assert.deepEqual([suspended, decisions[0].reason], [true, reason])
      // Everybody reads why the profile is not there, and moderators read whose it is.
      const screen = '/v2/farcaster/screen/person?username=!5&list=casts'
      const shown = await fetch(net.world.app.urls.app + screen, {
        headers: { 'x-api-key': 'web' },
      })
      assert.equal(shown.status, 404)
      assert.match(await shown.text(), /this account is suspended on this server/)
      const { people } = (await as(2, '/v1/moderation/people?fids=5,2,777777')).body
      assert.deepEqual(
        people.map((one: { fid: number; role: string | null }) => [one.fid, one.role]),
        [
          [5, null],
          [2, 'moderator'],
        ],
      )
      const found = await as(2, '/v1/moderation/people?username=!5')
      assert.deepEqual([found.body.people.length, found.body.people[0].fid], [1, 5])
      assert.deepEqual((await as(2, '/v1/moderation/people?username=nobody')).body.people, [])
      assert.equal((await as(4, '/v1/moderation/people?fids=5')).status, 403)
      assert.equal((await as(5, '/v1/reports', { fid: 4, reason: 'x' })).status, 403)
      assert.equal((await mute(5, { fid: 4 })).status, 403)
      const { status } = await as(5, '/v1/appeals', { decision: decisions[0].id, text: 'sorry' })
      assert.equal(status, 200)
      const { appeals } = (await as(3, '/v1/moderation/appeals')).body.result
      const path = `/v1/moderation/appeals/${appeals[0].id}/answer`
      await as(3, path, { outcome: 'reversed', reason: 'Welcome back' })
      assert.equal((await own(5)).suspended, false)
    })

    test('appeals are bounded in a day and in all', async () => {
      const { storage } = net.world.app
      for (let i = 0; i < 6; i++) {
        const sent = await net.send(account(5), (origin) => castAdd(origin, `cast ${i}`))
        await operate(`/moderation/casts/${hex(sent.hash)}/hide`, DECISION)
      }
      const hidden = (await own(5)).decisions.filter(
        ({ action, reason }: { action: string; reason: string }) =>
          action === 'hide' && reason === DECISION.reason,
      )
      const statuses = []
      for (const { id } of hidden) {
        statuses.push((await as(5, '/v1/appeals', { decision: id, text: 'please' })).status)
      }
      // Two of the day were sent before.
      assert.deepEqual(statuses, [200, 200, 200, 429, 429, 429])
      assert.equal(await storage.of(appealRows).count('open'), 3)
      const long = { decision: 1, text: 'x'.repeat(1_001) }
      assert.equal((await as(5, '/v1/appeals', long)).status, 400)
      assert.equal((await as(5, '/v1/appeals', { decision: 1, text: ' \n' })).status, 400)
    })

    test('of two moderators who answer an appeal at once one decides, and the other gets a conflict', async () => {
      const { storage } = net.world.app
      const { hash } = await net.send(account(4), (origin) => castAdd(origin, 'twice judged'))
      await operate(`/moderation/casts/${hex(hash)}/hide`, DECISION)
      const [{ id: decision }] = (await own(4)).decisions
      const { appeal } = (await as(4, '/v1/appeals', { decision, text: 'why?' })).body.result
      const path = `/v1/moderation/appeals/${appeal.id}/answer`
      const upheld = { outcome: 'upheld', reason: 'It stays away' }
      const reversed = { outcome: 'reversed', reason: 'It was fine' }
      const [first, other] = await Promise.all([
        as(2, path, upheld),
        as(3, path, reversed, { app: second }),
      ])
      assert.deepEqual([first.status, other.status].sort(), [200, 409])
      const isUpheld = first.status === 200
      const refused = isUpheld ? other : first
      assert.equal(refused.body.code, 'changed_meanwhile')
      assert.match(JSON.stringify(refused.body), /answered already, by fid/)
      const [told] = (await own(4)).appeals
      assert.equal(told.answer, isUpheld ? upheld.reason : reversed.reason)
      assert.equal((await storage.moderation.hiddenCast(hash)) !== undefined, isUpheld)
      const entries = (await storage.of(moderationLogRows).list({ fid: 4 }, 1e9, 50)).map(
        (one) => one.action,
      )
      assert.equal(entries.filter((action) => action === 'answer').length, 1)
      assert.equal(entries.includes('unhide'), !isUpheld)
      // Who lost the answer may send theirs again.
      const [winner, same] = isUpheld ? [2, upheld] : [3, reversed]
      assert.equal((await as(winner, path, same)).status, 200)
      assert.equal((await as(winner, path, { ...same, reason: 'changed' })).status, 409)
    })

    test('who decided answers no appeal against that, also with a new role, and somebody else does', async () => {
      const { hash } = await net.send(account(4), (origin) => castAdd(origin, 'judged once'))
      const why = { reason: 'x' }
      assert.equal((await as(2, `/v1/moderation/casts/${hex(hash)}/hide`, why)).status, 200)
      const [{ id: decision }] = (await own(4)).decisions
      const { appeal } = (await as(4, '/v1/appeals', { decision, text: 'why?' })).body.result
      const path = `/v1/moderation/appeals/${appeal.id}/answer`
      const answer = { outcome: 'upheld', reason: 'I was right' }
      for (const role of ['moderator', 'operator']) {
        await operate('/moderation/staff/2/appoint', { ...DECISION, ...to(2, role) })
        const refused = await as(2, path, answer)
        assert.equal(refused.status, 403)
        assert.match(JSON.stringify(refused.body), /against your own decision/)
      }
      await operate('/moderation/staff/2/appoint', { ...DECISION, ...to(2) })
      assert.equal((await as(3, path, answer)).status, 200)
    })

    test('a warning is appealed and taken back once, which its account and who reported it read', async () => {
      const { hash } = await net.send(account(4), (origin) => castAdd(origin, 'rude or not'))
      await as(5, '/v1/reports', { castHash: hex(hash), reason: 'rude' })
      const { cases } = (await as(2, '/v1/moderation/cases')).body.result
      // biome-ignore lint/suspicious/noExplicitAny: tests look into JSON as they find it
      const { id } = cases.find((one: any) => one.castHash === hex(hash))
      const act = { act: 'warn', reason: 'Be kind to geese' }
      assert.equal((await as(2, `/v1/moderation/cases/${id}/decide`, act)).status, 200)
      const [warned] = (await own(4)).decisions
      assert.deepEqual([warned.action, warned.reason], ['warn', act.reason])
      const asked = { decision: warned.id, text: 'I was kind' }
      const { appeal } = (await as(4, '/v1/appeals', asked)).body.result
      assert.equal(appeal.action, 'warn')
      const path = `/v1/moderation/appeals/${appeal.id}/answer`
      const answer = { outcome: 'reversed', reason: 'So you were' }
      for (let i = 0; i < 2; i++) assert.equal((await as(3, path, answer)).status, 200)
      const [taken, before] = (await own(4)).decisions
      assert.deepEqual(
        [taken.action, taken.name, taken.reason, before.id],
        ['unwarn', String(warned.id), answer.reason, warned.id],
      )
      const [report] = (await own(5)).reports
      assert.deepEqual([report.act, typeof report.reversedAt], ['warn', 'number'])
      // The log is searched for words.
      const found = await as(2, '/v1/moderation/log?words=GEESE%20kind')
      assert.deepEqual(
        found.body.result.entries.map(({ action }: { action: string }) => action),
        ['resolve', 'warn'],
      )
      assert.equal(found.body.result.searchedSince, undefined)
      const many = await as(2, '/v1/moderation/log?words=a%20b%20c%20d')
      assert.deepEqual([many.status, many.body.field], [400, 'words'])
      // What was taken back is appealed no more.
      const hide = { reason: 'not kind' }
      await operate(`/moderation/casts/${hex(hash)}/hide`, hide)
      const [hidden] = (await own(4)).decisions
      await operate(`/moderation/casts/${hex(hash)}/unhide`, hide)
      const late = await as(4, '/v1/appeals', { decision: hidden.id, text: 'why?' })
      assert.deepEqual(
        [late.status, late.body.code, late.body.field],
        [409, 'changed_meanwhile', 'decision'],
      )
    })

    test('a moderator takes a warning back without an appeal, of nobody with the same role and never the own one', async () => {
      const { hash } = await net.send(account(4), (origin) => castAdd(origin, 'plain words'))
      const warn = async (by: number, reporter: number, about: object) => {
        const made = await as(reporter, '/v1/reports', { ...about, reason: 'rude' })
        const path = `/v1/moderation/cases/${made.body.result.id}/decide`
        const { status, body } = await as(by, path, { act: 'warn', reason: 'mind your words' })
        assert.deepEqual([status, body.changed], [200, true])
        return body.entry as number
      }
      const unwarn = async (by: number, id: number) =>
        (await as(by, `/v1/moderation/warnings/${id}/unwarn`, { reason: 'they were kind' })).status
      const ofMember = await warn(2, 1, { castHash: hex(hash) })
      assert.equal(await unwarn(4, ofMember), 403)
      for (let i = 0; i < 2; i++) assert.equal(await unwarn(3, ofMember), 200)
      const [taken, before] = (await own(4)).decisions
      assert.deepEqual(
        [taken.action, taken.name, taken.reason, before.id],
        ['unwarn', String(ofMember), 'they were kind', ofMember],
      )
      assert.equal(typeof (await own(1)).reports[0].reversedAt, 'number')
      const { entries } = (await as(1, '/v1/moderation/log?limit=1')).body.result
      assert.deepEqual([entries[0].action, entries[0].actor], ['unwarn', 'fid 3 (moderator)'])
      const bare = await as(3, `/v1/moderation/warnings/${ofMember}/unwarn`, {})
      assert.equal(bare.status, 400)

      const ofModerator = await warn(1, 4, { fid: 3 })
      for (const by of [2, 3]) assert.equal(await unwarn(by, ofModerator), 403)
      assert.equal(await unwarn(1, ofModerator), 200)
      // No other entry is a warning, and nobody learns which are about reports of them.
      const [answer] = await net.world.app.storage
        .of(moderationLogRows)
        .list({ fid: 3, actions: ['resolve'] }, Number.MAX_SAFE_INTEGER, 1)
      for (const id of [answer!.id, 1_000_000]) assert.equal(await unwarn(3, id), 404)
    })

    test('what takes a name or removes a file is in the log even if its process dies right afterwards', async (t) => {
      const { storage } = net.world.app
      const name = 'shortlived'
      const registry = registryClient(net.world)
      assert.equal((await registry.register(await registry.person(7), name)).status, 200)
      const picture = plainPng(8, 8, [1, 2, 3, 255])
      for (const fid of [4, 5]) await uploadTo(net.world, account(fid), picture)
      const { url } = (await uploadTo(net.world, account(4), picture)).body.result
      const { write } = storage
      const dieAfter = (lock: string) => {
        let isDead = false
        return t.mock.method(storage, 'write', async (locks: Locks, work: never) => {
          if (isDead) throw new Error('killed')
          const result = await write.call(storage, locks, work)
          if (locks.includes(lock as never)) isDead = true
          return result
        }).mock
      }
      const actions = async (fid: number) =>
        (await storage.of(moderationLogRows).list({ fid }, 1e9, 5)).map(({ action, actor }) => [
          action,
          actor,
        ])

      const afterName = dieAfter('registry')
      const take = `/moderation/names/${name}/take`
      const held = await net.world.operate(take, { body: { ...DECISION, fid: 7 } })
      assert.equal(held.status, 200)
      afterName.restore()
      assert.equal((await storage.of(nameTransferRows).latestOf(name))!.to_fid, 0)
      assert.deepEqual((await actions(7))[0], ['take-name', DECISION.actor])

      const afterFile = dieAfter('all/media')
      await net.world.operate('/moderation/files/remove', { body: { url, ...DECISION } })
      afterFile.restore()
      for (const fid of [4, 5]) {
        assert.deepEqual(await storage.of(mediaRows).uploadsOf(fid, undefined, 1), [])
        assert.deepEqual((await actions(fid))[0], ['remove-file', DECISION.actor])
      }
    })

    test('an erasure removes what an account wrote in its reports, and what others wrote about it', async () => {
      const { storage } = net.world.app
      const [erased] = await net.world.accounts([6])
      const report = async (by: TestAccount, fid: number) => {
        const body = { fid, reason: 'he said: to be forgotten' }
        const answer = await net.world.platform('/v1/reports', { body, token: tokenFor(by) })
        assert.equal(answer.status, 200, JSON.stringify(answer.body))
        return Number(answer.body.result.id)
      }
      const ids = [await report(erased!, 4), await report(account(4), 6)]
      const kept = await report(account(4), 3)
      await operate('/moderation/accounts/6/erase', DECISION)
      await until(async () => (await storage.moderation.nextTask()) === undefined)
      const reasons = await Promise.all(
        [...ids, kept].map(async (id) => (await storage.of(reportRows).find(id))!.reason),
      )
      assert.deepEqual(reasons, ['', '', 'he said: to be forgotten'])
    })

    test('a role that is taken away ends at once in every process', async () => {
      assert.equal((await as(3, '/v1/moderation/reports', undefined, { app: second })).status, 200)
      await operate('/moderation/staff/3/dismiss', DECISION)
      for (const app of [second, net.world.app]) {
        assert.equal((await as(3, '/v1/moderation/reports', undefined, { app })).status, 403)
      }
      await operate('/moderation/accounts/2/suspend', DECISION)
      assert.equal((await as(2, '/v1/moderation/reports', undefined, { app: second })).status, 403)
      await operate('/moderation/accounts/2/restore', DECISION)
    })

    test('muted accounts, channels and words are in no feed, search or notice of any app, and are nobody else’s business', async () => {
      await as(1, '/fc/channels', { channelId: 'pets' })
      const inChannel = await net.cast(account(2), {
        text: 'a cat',
        parent: {
          case: 'parentUrl',
          value: (await net.world.app.storage.of(channelRows).byId('pets'))!.url,
        },
      })
      const spoiler = await net.cast(account(2), {
        text: 'The Éclair dies in the end @',
        mentions: [4n],
        mentionsPositions: [28],
      })
      const plain = await net.cast(account(2), { text: 'eclairs are good' })
      const other = await net.cast(account(3), { text: 'from somebody' })
      await net.indexed()
      const shown = async (path: string, query: Record<string, string>, key?: string) => {
        const { body } = await net.get(path, query, key)
        const casts =
          body.casts ??
          body.result?.casts ??
          body.notifications.map((one: { cast: object }) => one.cast)
        return casts.map(({ hash }: { hash: string }) => hash)
      }
      const feed = {
        feed_type: 'filter',
        filter_type: 'fids',
        fids: '2,3',
        viewer_fid: '4',
        limit: '50',
      }
      const all = [other, plain, spoiler, inChannel]
      const seen = async (viewer: string, key?: string) =>
        (await shown('/feed', { ...feed, viewer_fid: viewer }, key)).filter((hash: string) =>
          all.includes(hash),
        )
      assert.deepEqual(await seen('4'), all)
      const words = await mute(4, { word: '  ECLAIR ' })
      assert.equal(words.status, 200, JSON.stringify(words.body))
      await mute(4, { channel_id: 'pets' })
      await mute(4, { fid: 3 })
      for (const key of ['web', 'development']) assert.deepEqual(await seen('4', key), [plain])
      assert.deepEqual(await seen('5'), all)
      const found = await shown('/cast/search', { q: 'eclair', viewer_fid: '4' })
      assert.ok(!found.includes(spoiler))
      const notices = await shown('/notifications', { fid: '4' })
      assert.ok(!notices.includes(spoiler))
      // Who opens it sees it.
      const opened = await net.get('/cast', { identifier: spoiler, type: 'hash', viewer_fid: '4' })
      assert.equal(opened.body.cast.hash, spoiler)
      const channel = await shown('/feed/channels', { channel_ids: 'pets', viewer_fid: '4' })
      assert.deepEqual(channel, [inChannel])

      const list = (await mute(4, {}, 'GET')).body
      assert.deepEqual(
        [
          list.mutes.map(({ muted }: { muted: { fid: number } }) => muted.fid),
          list.channels[0].id,
          list.words[0].word,
        ],
        [[3], 'pets', 'eclair'],
      )
      assert.deepEqual((await mute(5, {}, 'GET')).body.words, [])
      assert.equal((await net.get('/mute/own', {}, 'web')).status, 401)
      for (const body of [
        { word: 'éclair' },
        { word: 'eclair' },
        { channel_id: 'pets' },
        { fid: 3 },
      ]) {
        assert.equal((await mute(4, body, 'DELETE')).status, 200)
      }
      assert.deepEqual(await seen('4'), all)
    })

    test('mutes are bounded and refused with the name of the field', async () => {
      const refused: [object, string][] = [
        [{}, ''],
        [{ fid: 3, word: 'x' }, ''],
        [{ fid: 4 }, 'fid'],
        [{ fid: 99 }, 'fid'],
        [{ channel_id: 'nowhere' }, 'channel_id'],
        [{ word: ' .,- ' }, 'word'],
        [{ word: 'x'.repeat(101) }, 'word'],
      ]
      for (const [body, field] of refused) {
        const answer = await mute(4, body)
        assert.equal(answer.status, 400, JSON.stringify(body))
        if (field) assert.match(JSON.stringify(answer.body), new RegExp(`"?${field}\\b`))
      }
      for (let i = 0; i < 200; i++) assert.equal((await mute(4, { word: `word${i}` })).status, 200)
      assert.equal((await mute(4, { word: 'one more' })).status, 400)
      assert.equal((await mute(4, { word: 'word7' })).status, 200)
      assert.equal((await mute(4, {}, 'GET')).body.words.length, 200)
    })

    test('a limited account is found by its followers alone, in searches, trends and notifications, until that is undone', async () => {
      const [two, four] = [account(2), account(4)]
      const castOfFour = await net.cast(four, {
        ...{ text: 'limitless ', mentions: [5n], mentionsPositions: [10] },
      })
      await net.follow(two, 4)
      for (const fid of [1, 2, 3]) await net.like(account(fid), 4, castOfFour)
      await net.indexed()
      const seenBy = async (fid: number) => {
        const viewer_fid = String(fid)
        const casts = (await net.get('/cast/search', { q: 'limitless', viewer_fid })).body.result
        const users = (await net.get('/user/search', { q: 'user4', viewer_fid })).body.result
        return [casts.casts.length, users.users.length]
      }
      const notices = async (fid: number) =>
        (await net.get('/notifications', { fid: String(fid) })).body.notifications.filter(
          // biome-ignore lint/suspicious/noExplicitAny: tests look into JSON as they find it
          ({ cast }: any) => cast?.hash === castOfFour,
        ).length
      const before = await seenBy(5)
      assert.deepEqual([before[0], await notices(5)], [1, 1])
      const trending = async (fid: number) => {
        await net.world.app.jobs.run('rank casts')
        const { casts } = (await net.get('/feed/trending', { viewer_fid: String(fid) })).body
        // biome-ignore lint/suspicious/noExplicitAny: tests look into JSON as they find it
        return casts.some(({ hash }: any) => hash === castOfFour)
      }
      assert.equal(await trending(5), true)
      const limit = (verb: string) =>
        as(1, `/v1/moderation/accounts/4/${verb}`, { reason: 'advertises' })
      const limited = await limit('limit')
      assert.deepEqual([limited.status, limited.body.limited], [200, true])
      assert.equal((await limit('limit')).status, 200)
      assert.deepEqual(await seenBy(5), [0, 0])
      assert.deepEqual([await trending(5), await trending(2)], [false, true])
      assert.equal(await notices(5), 0)
      assert.deepEqual(await seenBy(2), before)
      assert.deepEqual(await seenBy(4), before)
      const opened = await net.get('/cast', { identifier: castOfFour, type: 'hash' })
      assert.equal(opened.status, 200)
      const mine = await own(4)
      assert.deepEqual([mine.limited, mine.decisions[0].action], [true, 'limit'])
      assert.equal((await own(4)).decisions[1]?.action === 'limit', false, 'twice is once')
      // The member appeals, and who answers takes it back.
      const appeal = await as(4, '/v1/appeals', { decision: mine.decisions[0].id, text: 'why?' })
      const { id } = appeal.body.result.appeal
      const answered = await as(2, `/v1/moderation/appeals/${id}/answer`, {
        outcome: 'reversed',
        reason: 'sorry',
      })
      assert.equal(answered.status, 200, JSON.stringify(answered.body))
      assert.deepEqual(await seenBy(5), before)
      assert.equal(await notices(5), 1)
      assert.equal((await limit('unlimit')).body.limited, false)
    })

    test('a limited account is recommended to its followers alone: in trends of channels, for you, suggestions and discovery', async () => {
      const place = (await net.world.app.storage.of(channelRows).byId('pets'))!.url
      const parent = { case: 'parentUrl', value: place } as const
      const hash = await net.cast(account(4), { text: 'a dog', parent })
      await net.follow(account(2), 4)
      await net.follow(account(5), 2)
      for (const fid of [1, 2, 3]) await net.like(account(fid), 4, hash)
      await net.indexed()
      /** Where the cast or its author is found: of this user for one who reads. */
      const foundBy = async (viewer_fid: string) => {
        const read = async (path: string, query: Record<string, string>) => {
          const { status, body } = await net.get(path, { viewer_fid, ...query })
          assert.equal(status, 200, JSON.stringify(body))
          // biome-ignore lint/suspicious/noExplicitAny: tests look into JSON as they find it
          const isIt = (one: any) => one.hash === hash || one.fid === 4
          return [...(body.casts ?? []), ...(body.users ?? [])].some(isIt)
        }
        return {
          inChannel: await read('/feed/trending', { channel_id: 'pets' }),
          atPlace: await read('/feed/trending', { parent_url: place, time_window: '7d' }),
          forYou: await read('/feed/for_you', { fid: '5' }),
          suggested: await read('/following/suggested', { fid: '5' }),
          discovered: await read('/screen/discover', {}),
        }
      }
      const everywhere = {
        ...{ inChannel: true, atPlace: true, forYou: true, suggested: true, discovered: true },
      }
      const nowhere = {
        ...{ inChannel: false, atPlace: false, forYou: false, suggested: false, discovered: false },
      }
      assert.deepEqual(await foundBy('5'), everywhere)
      const limit = (verb: string) =>
        as(1, `/v1/moderation/accounts/4/${verb}`, { reason: 'advertises' })
      assert.equal((await limit('limit')).status, 200)
      assert.deepEqual(await foundBy('5'), nowhere)
      // Who follows it is not told to follow it, and finds it in the rest as before.
      const { discovered, ...byFollower } = await foundBy('2')
      const { discovered: _, ...all } = everywhere
      assert.deepEqual([discovered, byFollower], [false, all])
      assert.equal((await limit('unlimit')).status, 200)
      assert.deepEqual(await foundBy('5'), everywhere)
    })

    test('notes about an account with a role are in no case that the same role reads', async () => {
      await operate('/moderation/staff/5/appoint', { ...DECISION, ...to(5) })
      const kept = await as(1, '/v1/moderation/accounts/2/notes', { text: 'answers slowly' })
      assert.equal(kept.status, 200)
      const report = await as(4, '/v1/reports', { fid: 2, reason: 'slow' })
      const notesIn = ({ result }: { result: { cases: { fid: number; notes: object[] }[] } }) =>
        result.cases.find(({ fid }) => fid === 2)!.notes
      const path = '/moderation/cases'
      assert.deepEqual(notesIn((await as(1, `/v1${path}`)).body), [kept.body])
      assert.deepEqual(notesIn((await net.world.operate(path, {})).body), [kept.body])
      assert.deepEqual(notesIn((await as(5, `/v1${path}`)).body), [])
      const decided = { act: 'leave', reason: 'fine' }
      await as(1, `/v1/moderation/cases/${report.body.result.id}/decide`, decided)
      await operate('/moderation/staff/5/dismiss', DECISION)
    })

    test('a case that a moderator has taken is shown as theirs, is taken over with a word, and is free again after a while', async () => {
      const sent = await as(5, '/v1/reports', { fid: 4, reason: 'boats again' })
      const { id } = sent.body.result
      const path = `/v1/moderation/cases/${id}/take`
      const takenBy = async (reader: number) => {
        const { cases } = (await as(reader, '/v1/moderation/cases')).body.result
        // biome-ignore lint/suspicious/noExplicitAny: tests look into JSON as they find it
        return cases.find((one: any) => one.fid === 4 && one.castHash === null).taken
      }
      assert.equal(await takenBy(1), null)
      const now = Math.floor(net.world.clock.now() / 1_000)
      const first = await as(2, path, { word: 'nobody reads it' })
      assert.equal(first.status, 200, JSON.stringify(first.body))
      const taken = {
        ...{ actor: 'fid 2 (moderator)', fid: 2, since: now, until: now + 900 },
        word: 'nobody reads it',
      }
      assert.deepEqual(await takenBy(1), taken)
      assert.equal((await as(5, path, {})).status, 403)
      const refused = await as(1, path, {})
      assert.deepEqual([refused.status, refused.body.field], [409, 'word'])
      assert.match(JSON.stringify(refused.body), /taken by fid 2/)
      // Only who has it gives it back.
      await as(1, path, undefined, { method: 'DELETE' })
      assert.equal((await takenBy(2)).fid, 2)
      net.world.clock.advance(600_000)
      assert.equal((await as(2, path, {})).body.until, now + 600 + 900)
      assert.equal((await as(1, path, { word: 'I know them' })).status, 200)
      assert.deepEqual([(await takenBy(2)).fid, (await takenBy(2)).word], [1, 'I know them'])
      net.world.clock.advance(900_000)
      assert.equal(await takenBy(2), null)
      assert.equal((await as(2, path, {})).status, 200)
      assert.equal((await as(2, path, undefined, { method: 'DELETE' })).status, 200)
      assert.equal(await takenBy(1), null)
      // Who has not taken it may decide all the same; afterwards there is nothing to take.
      await as(2, path, {})
      const decided = { act: 'warn', reason: 'No boats, please' }
      const answer = await as(1, `/v1/moderation/cases/${id}/decide`, decided)
      assert.equal(answer.status, 200, JSON.stringify(answer.body))
      const late = await as(2, path, {})
      assert.deepEqual([late.status, late.body.code], [409, 'changed_meanwhile'])
      assert.equal((await as(2, '/v1/moderation/cases/999999/take', {})).status, 404)
      const { decisions, limited, suspended } = await own(4)
      assert.deepEqual([decisions[0].action, decisions[0].reason], ['warn', 'No boats, please'])
      assert.deepEqual([limited, suspended], [false, false])
    })

    test('a poll that a reported cast carries is removed in the act that answers its reports', async () => {
      const question = { question: 'Boats?', answers: ['Yes', 'No'], seconds: 3_600 }
      const token = net.world.token(account(4))
      const made = await net.world.platform('/fc/polls', { body: question, token })
      assert.equal(made.status, 200, JSON.stringify(made.body))
      const { poll } = made.body.result as { poll: { id: string; url: string } }
      const hash = await net.cast(account(4), {
        text: 'vote',
        embeds: [{ embed: { case: 'url', value: poll.url } }],
      })
      const plain = await net.cast(account(4), { text: 'no poll' })
      const report = async (castHash: string) =>
        (await as(5, '/v1/reports', { castHash, reason: 'a bad poll' })).body.result.id
      const [id, other] = [await report(hash), await report(plain)]
      const { cases } = (await as(2, '/v1/moderation/cases')).body.result
      const hasPoll = (one: number) =>
        cases.find((found: { id: number }) => found.id === one).hasPoll
      assert.deepEqual([hasPoll(id), hasPoll(other)], [true, false])
      const act = { act: 'remove-poll', reason: 'It is about boats' }
      const refused = await as(2, `/v1/moderation/cases/${other}/decide`, act)
      assert.deepEqual([refused.status, refused.body.field], [400, 'act'])
      const decided = await as(2, `/v1/moderation/cases/${id}/decide`, act)
      assert.equal(decided.status, 200, JSON.stringify(decided.body))
      assert.equal((await net.world.platform(`/fc/poll?id=${poll.id}`)).status, 404)
      const [told] = (await own(4)).decisions
      assert.deepEqual([told.action, told.name, told.reason], ['remove-poll', poll.id, act.reason])
      assert.deepEqual(await as(2, `/v1/moderation/cases/${id}/decide`, act), {
        status: 200,
        body: { answered: [decided.body.answered[0]], count: 1, changed: false },
      })
      await as(2, `/v1/moderation/cases/${other}/decide`, { act: 'leave', reason: 'fine' })
    })

    test('a cast with a word or a domain of the list waits for a moderator, who shows it or keeps it hidden', async () => {
      const path = '/v1/moderation/held-terms'
      for (const [kind, term] of [
        ['word', ' ,. '],
        ['word', 'a b c d e f g h i'],
        ['domain', 'no domain'],
      ]) {
        const { status, body } = await as(2, path, { kind, term })
        assert.deepEqual([status, body.field], [400, 'term'])
      }
      assert.equal((await as(5, path, { kind: 'word', term: 'x' })).status, 403)
      await net.cast(account(4), { text: 'Cheap boats of preview' })
      // What accounts with a role write is never held.
      await net.cast(account(2), { text: 'Cheap boats of preview, says a moderator' })
      const look = (fid: number, term: string) =>
        as(fid, `${path}/preview?${new URLSearchParams({ kind: 'word', term })}`)
      const looked = (await look(2, 'boats of  PREVIEW')).body
      assert.deepEqual(
        [looked.term, looked.found, looked.ownAddress, looked.examples[0].text],
        ['boats of preview', 1, false, 'Cheap boats of preview'],
      )
      assert.ok(looked.casts >= 1)
      assert.equal((await look(2, 'no such words')).body.found, 0)
      assert.deepEqual([(await look(2, ' ,')).status, (await look(5, 'x')).status], [400, 403])
      const words = await as(2, path, { kind: 'word', term: ' Cheap   BOATS ' })
      assert.equal(words.status, 200, JSON.stringify(words.body))
      assert.equal(words.body.term, 'cheap boats')
      const domain = await as(2, path, { kind: 'domain', term: 'https://Bücher.example/x' })
      assert.equal(domain.body.term, 'xn--bcher-kva.example')
      assert.equal(
        (await as(2, path, { kind: 'word', term: 'cheap boats' })).body.addedAt > 0,
        true,
      )

      const isRead = async (hash: string) => {
        const { status } = await net.world.get(`/v1/castById?fid=4&hash=${hash}`)
        return status === 200
      }
      const caseOf = (hash: string) =>
        until(async () => {
          const { cases } = (await as(2, '/v1/moderation/cases')).body.result
          return cases.find((one: { castHash: string }) => one.castHash === hash)
        })
      const embeds = [
        { embed: { case: 'url' as const, value: 'https://www.bücher.example/offer?x=1' } },
      ]
      const fine = await net.cast(account(4), { text: 'boats are cheap' })
      assert.equal(await isRead(fine), true)
      const held = await net.cast(account(4), { text: 'See: ch\u200beap,\nBóats!' })
      const linked = await net.cast(account(4), { text: 'look', embeds })
      const named = await net.cast(account(4), { text: 'look at bücher.example' })
      assert.deepEqual(
        [await isRead(held), await isRead(linked), await isRead(named)],
        [false, false, false],
      )
      const found = await caseOf(held)
      assert.deepEqual([found.held, found.castText], [true, 'See: ch\u200beap,\nBóats!'])
      assert.deepEqual(
        found.reports.map((one: { reporterFid: number; reason: string }) => [
          one.reporterFid,
          one.reason,
        ]),
        [[0, 'Held for “cheap boats”']],
      )
      const told = (await own(4)).decisions.find(
        (one: { castHash: string }) => one.castHash === held,
      )
      assert.deepEqual(
        [told.action, told.reason],
        ['hold', 'Nobody else sees it before a moderator has looked at it.'],
      )
      const decide = async (hash: string, act: string) => {
        const { id } = await caseOf(hash)
        const reason = `we ${act}`
        const { status } = await as(2, `/v1/moderation/cases/${id}/decide`, { act, reason })
        assert.equal(status, 200)
      }
      await decide(held, 'leave')
      await decide(linked, 'hide')
      await decide(named, 'warn')
      assert.deepEqual(
        [await isRead(held), await isRead(linked), await isRead(named)],
        [true, false, true],
      )
      const decided = (await own(4)).decisions.filter(
        (one: { castHash: string }) => one.castHash === linked,
      )
      assert.deepEqual(
        decided.map(({ action, reason }: { action: string; reason: string }) => [action, reason]),
        [
          ['hide', 'we hide'],
          ['hold', told.reason],
        ],
      )
      const { terms } = (await as(2, path)).body
      assert.equal(terms.length, 2)
      for (const { kind, term } of terms) {
        const gone = await as(2, path, { kind, term }, { method: 'DELETE' })
        assert.equal(gone.status, 200)
      }
      assert.equal(await isRead(await net.cast(account(4), { text: 'cheap boats' })), true)
      const { entries } = (await as(2, '/v1/moderation/log?limit=100')).body.result
      const changes = entries.filter(({ action }: { action: string }) =>
        action.endsWith('list-term'),
      )
      assert.deepEqual(
        changes.map(({ action, name, actor }: Record<string, string>) => [action, name, actor]),
        [
          ['unlist-term', 'word “cheap boats”', 'fid 2 (moderator)'],
          ['unlist-term', 'domain “xn--bcher-kva.example”', 'fid 2 (moderator)'],
          ['list-term', 'domain “xn--bcher-kva.example”', 'fid 2 (moderator)'],
          ['list-term', 'word “cheap boats”', 'fid 2 (moderator)'],
        ],
      )
    })

    describe('casts that wait for a moderator', () => {
      const path = '/v1/moderation/held-terms'
      const isRead = async (hash: string, fid = 5) =>
        (await net.world.get(`/v1/castById?fid=${fid}&hash=${hash}`)).status === 200
      // biome-ignore lint/suspicious/noExplicitAny: tests look into JSON as they find it
      type Found = any
      const casesOf = async (fid: number): Promise<Found[]> => {
        const { cases } = (await as(1, '/v1/moderation/cases?limit=50')).body.result
        return cases.filter((one: Found) => one.fid === fid && one.held)
      }
      const waiting = (fid: number, count: number) =>
        until(async () => {
          const cases = await casesOf(fid)
          return cases.length === count ? cases : undefined
        })
      const caseOf = (hash: string) =>
        until(async () => (await casesOf(5)).find(({ castHash }) => castHash === hash))
      const decide = async ({ id }: Found, body: object) => {
        const { status } = await as(1, `/v1/moderation/cases/${id}/decide`, {
          reason: 'looked at',
          ...body,
        })
        assert.equal(status, 200)
      }
      const heldCast = (text: string, more: object = {}) =>
        net.cast(account(5), { text: `dear ferrets ${text}`, ...more })
      before(async () => {
        const { status } = await as(1, path, { kind: 'word', term: 'ferrets' })
        assert.equal(status, 200)
      })
      after(() => as(1, path, { kind: 'word', term: 'ferrets' }, { method: 'DELETE' }))

      test('of one account twenty are in the queue; the others come when those are decided, and none is left out', async () => {
        const hashes: string[] = []
        for (let i = 0; i < 22; i++) hashes.push(await heldCast(`${i}`))
        const first = await waiting(5, 20)
        assert.deepEqual(new Set(first.map(({ moreHeld }) => moreHeld)), new Set([2]))
        const holds = (await own(5)).decisions.filter((one: Found) => one.action === 'hold')
        assert.equal(holds.length, 20, 'who waits for the queue is told when it is in it')
        for (const one of first) await decide(one, { act: 'leave' })
        for (const one of await waiting(5, 2)) {
          assert.equal(one.moreHeld, 0)
          await decide(one, { act: 'leave' })
        }
        assert.deepEqual(
          new Set(await Promise.all(hashes.map((hash) => isRead(hash)))),
          new Set([true]),
        )
      })

      test('a held cast is shown when its report is resolved', async () => {
        const hash = await heldCast('resolved')
        const { id } = await caseOf(hash)
        await operate(`/moderation/reports/${id}/resolve`, { reason: 'fine' })
        assert.equal(await isRead(hash), true)
        assert.equal(
          (await net.world.app.storage.of(heldRows).cast(fromHex(hash)!)) === undefined,
          true,
        )
      })

      test('a remove by somebody else deletes no held cast and puts it into the queue no second time', async () => {
        const hash = await heldCast('by another')
        const found = await caseOf(hash)
        for (const fid of [4, 3]) {
          await net.send(account(fid), (origin) => castRemove(origin, fromHex(hash)!))
        }
        const { storage } = net.world.app
        const [held] = await storage.of(heldRows).castsAmong([fromHex(hash)!])
        assert.equal(held?.state, 'queued')
        assert.equal(await storage.of(reportRows).openBy(0), 1)
        await decide(found, { act: 'leave' })
        assert.equal(await isRead(hash), true)
      })

      test('hiding one by its hash is the decision about it', async () => {
        const hash = await heldCast('by its hash')
        const { id } = await caseOf(hash)
        await operate(`/moderation/casts/${hash}/hide`, DECISION)
        assert.equal(await isRead(hash), false)
        const report = await net.world.app.storage.of(reportRows).find(id)
        assert.deepEqual([report?.state, report?.answer], ['resolved', DECISION.reason])
        const [newest] = (await own(5)).decisions
        assert.deepEqual([newest.action, newest.castHash], ['hide', hash])
      })

      test('an appeal that takes the hold back answers the report of the server, too', async () => {
        // Appeals are counted by the day.
        net.world.clock.advance(DAY_MS)
        const hash = await heldCast('appealed')
        const { id } = await caseOf(hash)
        const [{ id: decision }] = (await own(5)).decisions
        const sent = await as(5, '/v1/appeals', { decision, text: 'They are dear to me' })
        assert.equal(sent.status, 200, JSON.stringify(sent.body))
        const answer = { outcome: 'reversed', reason: 'so they are' }
        await operate(`/moderation/appeals/${sent.body.result.appeal.id}/answer`, answer)
        assert.equal(await isRead(hash), true)
        const report = await net.world.app.storage.of(reportRows).find(id)
        assert.deepEqual([report?.state, report?.answer], ['resolved', 'so they are'])
        assert.deepEqual(await casesOf(5), [])
      })

      test('what accounts with a role write is not held', async () => {
        assert.equal(await isRead(await net.cast(account(2), { text: 'dear ferrets' }), 2), true)
      })

      test('an address without a scheme and one that a cast answers are held as others are', async () => {
        await as(1, path, { kind: 'domain', term: 'spam.example' })
        const hashes = []
        const embeds = [{ embed: { case: 'url' as const, value: 'spam.example./x' } }]
        hashes.push(await net.cast(account(5), { text: 'x', embeds }))
        const parent = { case: 'parentUrl' as const, value: 'https://ok.spam.example/room' }
        hashes.push(await net.cast(account(5), { text: 'y', parent }))
        const prose = await net.cast(account(5), { text: 'I like spam. example given' })
        for (const hash of hashes) {
          assert.equal(await isRead(hash), false)
          await decide(await caseOf(hash), { act: 'hide' })
        }
        assert.equal(await isRead(prose), true)
        await as(1, path, { kind: 'domain', term: 'spam.example' }, { method: 'DELETE' })
      })

      test('a suspension decides about all of the account: its author may appeal each', async () => {
        const hashes = [await heldCast('one'), await heldCast('two'), await heldCast('three')]
        const [first] = await waiting(5, 3)
        await decide(first, { act: 'suspend', days: 1 })
        const hidden = (await own(5)).decisions.filter(
          (one: Found) => one.action === 'hide' && hashes.includes(one.castHash),
        )
        assert.deepEqual(hidden.map((one: Found) => one.castHash).sort(), hashes.toSorted())
        for (const hash of hashes) {
          assert.equal(await net.world.app.storage.of(heldRows).cast(fromHex(hash)!), undefined)
        }
        await operate('/moderation/accounts/5/restore', DECISION)
        assert.deepEqual(await casesOf(5), [])
      })

      test('the case of a held cast has the addresses that it carries or answers and the casts that it quotes', async () => {
        const quoted = { fid: 4n, hash: fromHex(await net.cast(account(4), { text: 'quoted' }))! }
        const hash = await heldCast('look', {
          embeds: [
            { embed: { case: 'url', value: 'https://ok.example/offer' } },
            { embed: { case: 'castId', value: quoted } },
          ],
          parent: { case: 'parentUrl', value: 'https://ok.example/room' },
        })
        const found = await caseOf(hash)
        assert.deepEqual(found.castUrls, ['https://ok.example/offer', 'https://ok.example/room'])
        assert.deepEqual(found.castQuotes, [{ fid: 4, hash: hex(quoted.hash) }])
        await decide(found, { act: 'hide' })
      })

      test('an earlier decision stays in the case and can be appealed, however many casts waited since', async () => {
        const decision = { reason: 'an earlier offence' }
        await operate('/moderation/accounts/5/limit', decision)
        await operate('/moderation/accounts/5/unlimit', decision)
        const { storage } = net.world.app
        const at = Math.floor(net.world.clock.now() / 1_000)
        await storage.write('hub', async (tx) => {
          for (let i = 0; i < 250; i++) {
            const entry = { at, actor: 'server', action: 'hold', fid: 5, name: null } as const
            await tx.of(moderationLogRows).add({ ...entry, cast_hash: null, reason: 'waits' })
          }
        })
        const found = await caseOf(await heldCast('once more'))
        const actions = (entries: Found[]) => entries.map(({ action }) => action)
        assert.equal(actions(found.earlier).includes('limit'), true)
        assert.equal(actions((await own(5)).decisions).includes('limit'), true)
        await decide(found, { act: 'hide' })
      })

      test('a cast whose poll has a word of the list is held, whatever the cast says', async () => {
        const token = net.world.token(account(5))
        const pollOf = async (question: string) => {
          const body = { question, answers: ['Yes', 'No'], seconds: 3_600 }
          const made = await net.world.platform('/fc/polls', { body, token })
          return (made.body.result as { poll: { url: string } }).poll.url
        }
        const castWith = async (question: string) => {
          const embeds = [{ embed: { case: 'url' as const, value: await pollOf(question) } }]
          return net.cast(account(5), { text: `vote ${question.length}`, embeds })
        }
        assert.equal(await isRead(await castWith('Dogs or cats?')), true)
        const hash = await castWith('Which Ferrets?')
        assert.equal(await isRead(hash), false)
        const found = await caseOf(hash)
        assert.deepEqual([found.hasPoll, found.reports[0].kind], [true, 'held'])
        await decide(found, { act: 'leave' })
        assert.equal(await isRead(hash), true)
        // Addresses that this server reads as the same one.
        const url = await pollOf('More Ferrets?')
        const escaped = url.replace(/.$/, (last) => `%${last.charCodeAt(0).toString(16)}`)
        const others = [
          `${url}/`,
          escaped,
          url.replace('/polls', '/%70olls'),
          `${url}?view=results`,
        ]
        for (const value of others) {
          assert.equal((await fetch(value)).status, 200, value)
          const embeds = [{ embed: { case: 'url' as const, value } }]
          const carrier = await net.cast(account(5), { text: `vote ${value.length}`, embeds })
          assert.equal(await isRead(carrier), false, value)
          const one = await caseOf(carrier)
          assert.equal(one.hasPoll, true, value)
          await decide(one, { act: 'hide' })
        }
      })

      /** The notices of an account about a cast, with their times in Unix milliseconds. */
      const noticesOf = async (fid: number, hash: string): Promise<number[]> => {
        await net.indexed()
        const { notifications } = (await net.get('/notifications', { fid: `${fid}` })).body
        return notifications
          .filter(({ cast }: Found) => cast?.hash === hash)
          .map((one: Found) => Date.parse(one.most_recent_timestamp))
      }

      test('a mention in a cast that waited is a new notice when it is shown, once, and goes with the cast', async () => {
        const mention = { mentions: [3n], mentionsPositions: [0] }
        const hash = await heldCast('are here', mention)
        const found = await caseOf(hash)
        assert.deepEqual(await noticesOf(3, hash), [])
        net.world.clock.advance(2 * 3_600_000)
        const shownAt = net.world.clock.now()
        await decide(found, { act: 'leave' })
        const [at, ...more] = await noticesOf(3, hash)
        assert.deepEqual(more, [])
        assert.ok(at! >= shownAt - 1_000, `${at} is before ${shownAt}`)
        await net.send(account(5), (origin) => castRemove(origin, fromHex(hash)!))
        assert.deepEqual(await noticesOf(3, hash), [])
        assert.equal(await net.world.app.storage.of(reportRows).openBy(0), 0)
      })

      test('a cast that is decided to be shown while its author is suspended is told when the author is restored', async () => {
        const mention = { mentions: [3n], mentionsPositions: [0] }
        const hash = await heldCast('wait', mention)
        const found = await caseOf(hash)
        const verb = (word: string) =>
          operate(`/moderation/accounts/5/${word}`, { reason: 'a while' })
        await verb('suspend')
        net.world.clock.advance(3_600_000)
        await decide(found, { act: 'leave' })
        const isHeld = async () =>
          (await net.world.app.storage.of(heldRows).castsAmong([fromHex(hash)!])).map(
            ({ state }) => state,
          )
        assert.deepEqual(await isHeld(), ['shown'])
        assert.equal(await isRead(hash), false)
        net.world.clock.advance(3_600_000)
        const restoredAt = net.world.clock.now()
        await verb('restore')
        await until(async () => (await isHeld()).length === 0)
        assert.equal(await isRead(hash), true)
        const [at, ...more] = await noticesOf(3, hash)
        assert.deepEqual(more, [])
        assert.ok(at! >= restoredAt - 1_000)
      })

      test('one that its author deletes leaves the queue', async () => {
        const { hash } = await net.send(account(5), (origin) => castAdd(origin, 'ferrets gone'))
        const { id } = await caseOf(hex(hash))
        await net.send(account(5), (origin) => castRemove(origin, hash))
        await waiting(5, 0)
        const report = await net.world.app.storage.of(reportRows).find(id)
        assert.equal(report?.answer, 'Its author has deleted it.')
      })
    })

    test('a report says of which kind it is or which rule was broken, the queue is filtered by it, and statistics count it', async () => {
      const { hash } = await net.send(account(4), (origin) => castAdd(origin, 'a kind of report'))
      const about = { castHash: hex(hash), reason: 'look' }
      for (const [body, field] of [
        [{ kind: 'held' }, 'kind'],
        [{ kind: 'rule', rule: ' ' }, 'rule'],
      ] as const) {
        const refused = await as(5, '/v1/reports', { ...about, ...body })
        assert.equal(refused.status, 400, JSON.stringify(body))
        assert.match(refused.body.field, new RegExp(field))
      }
      const before = (await as(1, '/v1/moderation/statistics')).body.result
      const made = await as(5, '/v1/reports', { ...about, rule: 'Be kind' })
      assert.equal(made.status, 200, JSON.stringify(made.body))
      const casesOf = async (kind: string) =>
        (await as(2, `/v1/moderation/cases?kind=${kind}`)).body.result.cases.map(
          ({ id }: { id: number }) => id,
        )
      assert.deepEqual(await casesOf('rule'), [made.body.result.id])
      const [found] = (await as(2, '/v1/moderation/cases?kind=rule')).body.result.cases
      assert.deepEqual(found.kinds, [{ kind: 'rule', count: 1 }])
      assert.deepEqual(await casesOf('violence'), [])
      assert.equal((await as(2, '/v1/moderation/cases?kind=tulips')).status, 400)
      const decided = await as(2, `/v1/moderation/cases/${made.body.result.id}/decide`, {
        ...{ act: 'warn', reason: 'be kind' },
      })
      const [{ kind, rule }] = decided.body.answered
      assert.deepEqual([kind, rule], ['rule', 'Be kind'])
      const after = (await as(1, '/v1/moderation/statistics')).body.result
      const grown = (of: (one: typeof after) => number) => of(after) - of(before)
      assert.deepEqual(
        [
          grown(({ answered }) => answered),
          grown(({ reports }) => reports.upheld),
          grown(({ acts }) => acts.warn ?? 0),
          grown(({ weeks }) => weeks.at(-1).reports.rule ?? 0),
          grown(({ team }) => team.warn ?? 0),
        ],
        [1, 1, 1, 1, 1],
      )
      assert.equal(after.weeks.length, 26)
      assert.equal(typeof after.medianSeconds, 'number')
      // Who has the role operator sees who decided, a moderator the team and the own decisions.
      const actors = (one: typeof after) =>
        one.moderators.map(({ actor }: { actor: string }) => actor)
      assert.ok(actors(after).includes('fid 2 (moderator)'))
      assert.ok(actors(after).includes('fid 1 (operator)'))
      const own = (await as(2, '/v1/moderation/statistics')).body.result
      assert.deepEqual(actors(own), ['fid 2 (moderator)'])
      assert.equal(own.team.warn, after.team.warn)
      assert.equal((await as(4, '/v1/moderation/statistics')).status, 403)
      assert.equal((await net.world.operate('/moderation/statistics')).status, 200)
    })

    test('moderators keep notes about an account, which stand beside its reports and which the account never sees', async () => {
      const path = '/v1/moderation/accounts/4/notes'
      const kept = await as(2, path, { text: ' asked to stop ', actor: 'somebody else' })
      assert.deepEqual(
        [kept.status, kept.body.author, kept.body.text],
        [200, 'fid 2 (moderator)', 'asked to stop'],
      )
      await as(5, '/v1/reports', { fid: 4, reason: 'noted' })
      const { cases } = (await as(1, '/v1/moderation/cases')).body.result
      // biome-ignore lint/suspicious/noExplicitAny: tests look into JSON as they find it
      const found = cases.find(({ fid }: any) => fid === 4)
      assert.deepEqual(found.notes, [kept.body])
      assert.equal((await as(4, path)).status, 403)
      assert.equal((await as(2, '/v1/moderation/accounts/2/notes')).status, 403, 'about oneself')
      assert.equal((await as(2, '/v1/moderation/accounts/99/notes', { text: 'x' })).status, 404)
      assert.equal((await as(2, path, { text: '  ' })).status, 400)
      for (let i = 0; i < 50; i++) assert.equal((await as(1, path, { text: `${i}` })).status, 200)
      const { notes } = (await as(2, path)).body
      assert.deepEqual([notes.length, notes[0].text, notes.at(-1).text], [50, '49', '0'])
      const gone = await as(1, `${path}/${notes[0].id}`, undefined, { method: 'DELETE' })
      assert.equal(gone.status, 200)
      assert.equal((await as(2, path)).body.notes.length, 49)
      const { id } = found
      await as(2, `/v1/moderation/cases/${id}/decide`, { act: 'leave', reason: 'fine' })
    })

    test('a suspension for some days ends by itself, one that is set anew or undone does not come back', async () => {
      const { clock, app } = net.world
      const path = '/v1/moderation/accounts/5/suspend'
      const refused = await as(2, path, { reason: 'rude', days: 366 })
      assert.deepEqual([refused.status, refused.body.field], [400, 'days'])
      const now = () => Math.floor(clock.now() / 1_000)
      const begun = await as(2, path, { reason: 'rude', days: 1 })
      assert.equal(begun.body.suspendedUntil, now() + 86_400)
      assert.equal((await own(5)).suspendedUntil, begun.body.suspendedUntil)
      assert.match((await own(5)).decisions[0].name, /^until 20\d\d-\d\d-\d\d \d\d:\d\d UTC$/)
      clock.advance(86_399_000)
      await app.jobs.run('end suspensions')
      assert.equal((await own(5)).suspended, true)
      clock.advance(1_000)
      await app.jobs.run('end suspensions')
      const [ended] = (await own(5)).decisions
      assert.deepEqual(
        [(await own(5)).suspended, ended.action, ended.reason],
        [false, 'restore', 'The time of the suspension is over.'],
      )
      // A new end counts, and so does none.
      await as(2, path, { reason: 'rude', days: 1 })
      const longer = await as(2, path, { reason: 'ruder', days: 2 })
      assert.equal(longer.body.suspendedUntil, now() + 2 * 86_400)
      const forGood = await as(2, path, { reason: 'enough' })
      assert.deepEqual([forGood.body.suspended, forGood.body.suspendedUntil], [true, null])
      clock.advance(3 * 86_400_000)
      await app.jobs.run('end suspensions')
      assert.equal((await own(5)).suspended, true)
      await as(2, '/v1/moderation/accounts/5/restore', { reason: 'fine' })
      // By the queue, with the report.
      const report = await as(4, '/v1/reports', { fid: 5, reason: 'again' })
      const decide = `/v1/moderation/cases/${report.body.result.id}/decide`
      const wrong = await as(2, decide, { act: 'limit', days: 3, reason: 'x' })
      assert.deepEqual([wrong.status, wrong.body.field], [400, 'days'])
      assert.equal((await as(2, decide, { act: 'suspend', days: 3, reason: 'x' })).status, 200)
      assert.equal((await own(5)).suspendedUntil, now() + 3 * 86_400)
      await as(2, '/v1/moderation/accounts/5/restore', { reason: 'fine' })
      assert.deepEqual([(await own(5)).suspended, (await own(5)).suspendedUntil], [false, null])
    })
  })
}
