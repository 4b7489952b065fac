// What is sent beside links: decisions of moderators and their answers, that reports wait, and a digest; how one click ends each of
// them, and what becomes of an address whose mails come back. The mail server is a real one, the clock is the test's.

import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { APP_API, unseenInAnyApp } from '../src/features/app-api/port.ts'
import { accountLanguageRows } from '../src/features/languages/tables/account-languages.ts'
import { MAILS, type Mails } from '../src/features/mail/port.ts'
import { MAX_REFUSALS } from '../src/features/mail/queue.ts'
import { REPORTS_EVERY_MS } from '../src/features/mail/reports-mail.ts'
import { MAIL_BACKOFF, MAIL_BOUNDS } from '../src/features/mail/sending.ts'
import {
  FIRST_CHOICES,
  type MailAddress,
  mailAddressRows,
} from '../src/features/mail/tables/addresses.ts'
import { mailRows } from '../src/features/mail/tables/mails.ts'
import { ANSWERED_AT_ONCE } from '../src/features/moderation/answering.ts'
import { MODERATORS } from '../src/features/moderation/port.ts'
import { resolveAll } from '../src/features/moderation/resolving.ts'
import { PUSHED_EVERY_MS } from '../src/features/moderation/telling/push-reports.ts'
import {
  answerRows,
  REASONS,
  type Report,
  reportRows,
  UNANSWERED,
} from '../src/features/moderation-records/port.ts'
import { pushRows } from '../src/features/push/tables/pushes.ts'
import { recoveryRows } from '../src/features/recovery/tables/recoveries.ts'
import { TOLD_EVERY_MS } from '../src/features/recovery/tell-operators.ts'
import { castRemove } from '../src/kernel/protocol/build.ts'
import { toHex } from '../src/kernel/protocol/codec/bytes.ts'
import { DAY_MS } from '../src/kernel/protocol/time.ts'
import { UserDataType } from '../src/kernel/protocol/wire/message_pb.js'
import type { Writer } from '../src/kernel/storage/storage.ts'
import { bytesOfHash, createNetwork, type Network, profile } from './app-api-support.ts'
import { assertSaid, type MailServer, sayingIn, startMailServer, written } from './mail-support.ts'
import { until } from './until.ts'
import { enginesOf, type TestAccount } from './world.ts'

const PUBLIC_URL = 'https://social.example'
const addressOf = (fid: number): string => `member${fid}@example.org`
const openReport: Omit<Report, 'id' | 'created_at' | 'fid' | 'reporter_fid'> = {
  ...{ cast_hash: null, mini_app: null, reason: 'rude', kind: null, rule: null },
  ...UNANSWERED,
}

for (const engine of enginesOf(import.meta.url)) {
  describe(`notices by mail on ${engine}`, { concurrency: 1 }, () => {
    let net: Network
    let server: MailServer
    const account = (fid: number): TestAccount => net.accounts.find((one) => one.fid === fid)!
    before(async () => {
      server = await startMailServer()
      net = await createNetwork(engine, [2, 3, 4, 5, 6, 7, 8], {
        ROOKERY_SMTP_URL: server.url,
        ROOKERY_PUBLIC_URL: PUBLIC_URL,
      })
      for (const fid of [2, 3, 4, 5, 6]) await putAddress(fid)
    })
    // The server also sends by itself: what a test left waiting is sent and forgotten before the next one begins.
    beforeEach(async () => {
      await run('send mails')
      server.got.length = 0
    })
    after(async () => {
      await net.world.close()
      await server.close()
    })

    const rows = () => net.world.app.storage.of(mailAddressRows)
    async function putAddress(fid: number, choices: Partial<MailAddress> = {}): Promise<void> {
      const { storage } = net.world.app
      const custody = (await storage.accounts.custody(fid))!.address
      const confirmed_at = net.world.clock.now()
      const row = { fid, address: addressOf(fid), custody, confirmed_at, ...FIRST_CHOICES }
      await storage.write('all/mails', (tx) => tx.of(mailAddressRows).put({ ...row, ...choices }))
    }
    const contentOf = (subject: string) => () => written({ subject, paragraphs: [] })
    const tellByMail = (tx: Writer, told: Parameters<Mails['tell']>[1]) =>
      net.world.app.of(MAILS).tell(tx, told, net.world.clock.now())
    const run = (job: string) => net.world.app.jobs.run(job)
    /** The mails that an account has got since it was last looked. */
    const mailsTo = async (fid: number) => {
      await run('send mails')
      return server.take(addressOf(fid))
    }
    const subjectsTo = async (fid: number) => (await mailsTo(fid)).map(({ subject }) => subject)
    const ONE_CLICK: [string, string] = ['List-Unsubscribe', 'One-Click']
    /** As a form in one encoding or the other, as mail programs send it. */
    const post = (
      path: string,
      body: URLSearchParams | FormData | Blob | null = new URLSearchParams([ONE_CLICK]),
    ) => fetch(net.world.app.urls.accounts + path, { method: 'POST', body })
    const parts = (...fields: (readonly [string, string | Blob])[]) => {
      const form = new FormData()
      for (const [name, value] of fields) form.append(name, value)
      return form
    }
    const report = async (reporter: number, fid: number, laterMs = 1_000) => {
      const body = { fid, reason: 'rude' }
      const token = net.world.token(account(reporter))
      const answer = await net.world.platform('/v1/reports', { body, token })
      assert.equal(answer.status, 200, JSON.stringify(answer.body))
      net.world.clock.advance(laterMs)
    }
    const operate = async (path: string, body: object = { reason: 'Be <b>kind</b>' }) => {
      const answer = await net.world.operate(path, { body })
      assert.equal(answer.status, 200, JSON.stringify(answer.body))
      return answer.body
    }

    const operateRead = async (path: string) => (await net.world.operate(path)).body

    test('members are told what moderators decide about them and answer to their reports, in one mail each', async () => {
      await report(3, 2)
      await report(4, 2)
      const { result } = (await net.world.operate('/moderation/reports')).body
      await operate(`/moderation/cases/${result.reports[0].id}/decide`, {
        ...{ act: 'suspend', days: 3, reason: 'Be <b>kind</b>' },
      })
      const [told, ...more] = await mailsTo(2)
      assert.deepEqual([told!.subject, more], ['Your account is suspended', []])
      assert.match(told!.text, /A moderator says: Be <b>kind<\/b>/)
      assert.match(told!.html, /Be &lt;b&gt;kind&lt;\/b&gt;/)
      assert.equal(told!.links[0], `${PUBLIC_URL}/moderation`)
      for (const fid of [3, 4])
        assert.deepEqual(await subjectsTo(fid), ['Your report was answered'])
      await operate('/moderation/accounts/2/restore')
      assert.deepEqual(await subjectsTo(2), ['Your account is not suspended any more'])
      // Everything else that is taken back is told as well, by hand or after an appeal.
      const hash = await net.cast(account(2), { text: 'A joke' })
      await operate(`/moderation/casts/${hash}/hide`)
      await operate(`/moderation/casts/${hash}/unhide`)
      await operate('/moderation/accounts/2/limit')
      assert.deepEqual((await subjectsTo(2)).toSorted(), [
        'Something that you wrote is hidden',
        'Something that you wrote is shown again',
        'Your account is limited',
      ])
      const [limit] = (await operateRead('/moderation/log')).result.entries
      const token = net.world.token(account(2))
      const appeal = { body: { decision: limit.id, text: 'I did nothing' }, token }
      assert.equal((await net.world.platform('/v1/appeals', appeal)).status, 200)
      const [{ id }] = (await operateRead('/moderation/appeals')).result.appeals
      await operate(`/moderation/appeals/${id}/answer`, { outcome: 'reversed', reason: 'Sorry' })
      // One mail: both would have the same reason.
      assert.deepEqual(await subjectsTo(2), ['Your account is not limited any more'])
      // One whose limit is ended by hand is answered with that, in the same mail.
      await operate('/moderation/accounts/2/limit')
      const [again] = (await operateRead('/moderation/log')).result.entries
      const second = { body: { decision: again.id, text: 'Once more' }, token }
      assert.equal((await net.world.platform('/v1/appeals', second)).status, 200)
      await subjectsTo(2)
      await operate('/moderation/accounts/2/unlimit', { reason: 'Yes' })
      assert.deepEqual((await operateRead('/moderation/appeals')).result.appeals, [])
      assert.deepEqual(await subjectsTo(2), ['Your account is not limited any more'])
      // Who has no address, or wants none of these, gets nothing.
      await putAddress(3, { decisions: 0 })
      for (const fid of [3, 7]) {
        await operate(`/moderation/accounts/${fid}/limit`)
        await operate(`/moderation/accounts/${fid}/unlimit`)
      }
      await run('send mails')
      assert.deepEqual(server.got, [])
      await putAddress(3)
    })

    test('a decision that answers hundreds of reports lets others write between, tells each reporter once, and is finished after a crash', async () => {
      const { storage } = net.world.app
      const at = Math.floor(net.world.clock.now() / 1_000)
      const reporters = Array.from({ length: 10 * ANSWERED_AT_ONCE }, (_, i) => 1_000 + i)
      const addReports = (fid: number) =>
        storage.write('all/reports', async (tx) => {
          const ids: number[] = []
          for (const reporter_fid of reporters) {
            const { id } = await tx
              .of(reportRows)
              .add({ ...openReport, created_at: at, fid, reporter_fid })
            ids.push(id)
          }
          return ids
        })
      const openAbout = async (fid: number) =>
        (await storage.of(reportRows).list({ state: 'open' }, 0, 3 * reporters.length)).filter(
          (one) => one.fid === fid,
        ).length
      const told = await net.world.accounts(reporters.slice(0, 3 * ANSWERED_AT_ONCE))
      await storage.write('all/mails', async (tx) => {
        for (const { fid, custody } of told) {
          const row = { fid, address: addressOf(fid), custody, confirmed_at: at, ...FIRST_CHOICES }
          await tx.of(mailAddressRows).put(row)
        }
      })
      // Nothing is sent before it is counted.
      server.state.answer = () => 451
      const [id] = await addReports(8)
      const path = `/moderation/cases/${id}/decide`
      const decided = net.world.operate(path, { body: { act: 'warn', reason: 'Enough' } })
      await until(async () => (await openAbout(8)) < reporters.length)
      const left = await storage.write(['hub', 'all/reports'], async (tx) => {
        await tx.of(reportRows).add({ ...openReport, created_at: at, fid: 8, reporter_fid: 7 })
        return tx.of(reportRows).count('open')
      })
      assert.ok(left > ANSWERED_AT_ONCE, `${left} were not answered when another wrote`)
      // Whoever decided does not wait for all of it.
      const { status, body } = await decided
      assert.equal(status, 200, JSON.stringify(body))
      assert.equal(body.answered.length, ANSWERED_AT_ONCE + 1)
      assert.equal(body.count, reporters.length)
      await run('answer reports')
      // What was reported meanwhile waits for a decision of its own.
      assert.equal(await openAbout(8), 1)
      for (const { fid } of told)
        assert.equal(await storage.of(mailRows).waitingOf(fid, 'decisions'), 1, `fid ${fid}`)
      const [other] = await addReports(7)
      const twice = told[0]!.fid
      await storage.write(['all/reports', 'all/mails'], async (tx) => {
        for (const { fid } of told) await tx.of(mailRows).removeOf(fid, addressOf(fid))
        // The first step has answered one report of an account that has sent another one.
        const first = (await tx.of(reportRows).find(other!))!
        assert.equal(first.reporter_fid, twice)
        const decision = 1_000_000
        const by = { act: 'warn', actor: 'operator', reason: 'Enough', decision } as const
        await resolveAll(tx, [first], by, at)
        const again = { ...openReport, created_at: at, fid: 7, reporter_fid: twice }
        await tx.of(reportRows).add(again)
        const up_to = await tx.of(reportRows).newestId()
        const about = { report_id: other!, fid: 7, cast_hash: null, mini_app: null, up_to }
        await tx.of(answerRows).add({ ...about, ...by })
      })
      await run('answer reports')
      assert.equal(await openAbout(7), 0)
      assert.equal(await storage.of(answerRows).next(0), undefined)
      for (const { fid } of told) {
        const mails = await storage.of(mailRows).waitingOf(fid, 'decisions')
        assert.equal(mails, fid === twice ? 0 : 1, `fid ${fid}`)
      }
      await storage.write('all/mails', async (tx) => {
        for (const { fid } of told) await tx.of(mailRows).removeOf(fid, addressOf(fid))
        const last = await tx.of(reportRows).list({ state: 'open' }, 0, 10)
        await resolveAll(tx, last, { actor: 'operator', reason: 'Enough' }, at)
      })
      server.state.answer = () => undefined
      server.got.length = 0
    })

    test('one click of a mail program ends one kind of mail and nothing else, without a login', async () => {
      await operate('/moderation/accounts/2/limit')
      const [mail] = await mailsTo(2)
      const url = mail!.headers['list-unsubscribe']!.slice(1, -1)
      assert.equal(mail!.headers['list-unsubscribe-post'], 'List-Unsubscribe=One-Click')
      assert.ok(url.startsWith(`${PUBLIC_URL}/accounts/v1/mail/unsubscribe/`), url)
      assert.match(mail!.links[1]!, /^https:\/\/social\.example\/mail#unsubscribe=/)
      const path = url.slice(`${PUBLIC_URL}/accounts`.length)
      assert.ok(mail!.links[1]!.endsWith(path.slice(path.lastIndexOf('/') + 1)))
      // A program that only opens the link gets the page with a button, and changes nothing.
      const opened = await fetch(net.world.app.urls.accounts + path, { redirect: 'manual' })
      assert.deepEqual([opened.status, opened.headers.get('location')], [302, mail!.links[1]])
      // Nor does whoever posts anything else there: the answer says what to send.
      for (const [body, status, said] of [
        [null, 400, /not a form/],
        [new URLSearchParams(), 400, /List-Unsubscribe is missing/],
        [new URLSearchParams([['List-Unsubscribe', 'one-click']]), 400, /must be \\"One-Click\\"/],
        [new URLSearchParams([ONE_CLICK, ONE_CLICK]), 400, /given more than once/],
        [parts(['List-Unsubscribe', new Blob(['One-Click'])]), 400, /must not be a file/],
        [new URLSearchParams([ONE_CLICK, ['x', 'x'.repeat(5_000)]]), 413, /too large/],
        [new Blob(['{}'], { type: 'application/json' }), 415, /x-www-form-urlencoded or multipart/],
      ] as const) {
        const refused = await post(path, body)
        assert.equal(refused.status, status, String(said))
        assert.match(await refused.text(), said)
      }
      assert.equal((await rows().find(2))!.decisions, 1)
      // Neither another kind nor another account, nor what is no token at all.
      const forged = [path.replace('decisions', 'digest'), path.replace('/2.', '/4.'), `${path}x`]
      for (const one of forged) assert.ok([200, 404].includes((await post(one)).status))
      assert.equal((await post('/v1/mail/unsubscribe/x')).status, 404)
      const kept = [await rows().find(2), await rows().find(4)]
      assert.deepEqual(
        kept.map((row) => row!.decisions),
        [1, 1],
      )
      // No other call takes the token.
      const token = path.slice(path.lastIndexOf('/') + 1)
      for (const call of ['link', 'confirm', 'not-me', 'change']) {
        const body = JSON.stringify({ token, isRefused: true, how: 'now' })
        const headers = { 'content-type': 'application/json' }
        const at = `${net.world.app.urls.accounts}/v1/mail/${call}`
        assert.ok((await fetch(at, { method: 'POST', headers, body })).status >= 400, call)
      }
      for (let once = 0; once < 2; once++) assert.equal((await post(path)).status, 200)
      const { decisions, reports, address } = (await rows().find(2))!
      assert.deepEqual([decisions, reports, address], [0, 1, addressOf(2)])
      await operate('/moderation/accounts/2/unlimit')
      assert.deepEqual(await subjectsTo(2), [])
      // What touches the account comes all the same.
      await net.world.app.storage.write('all/mails', (tx) =>
        tellByMail(tx, { fid: 2, content: contentOf('x') }),
      )
      const [security] = await mailsTo(2)
      assert.equal(security!.headers['list-unsubscribe'], undefined)
      await putAddress(2)
    })

    test('moderators get one mail for all reports of an hour, and none before something new has come', async () => {
      // Until there are two: the job also runs by itself.
      for (const fid of [5, 6]) await putAddress(fid, { reports: 0 })
      for (const fid of [5, 6]) {
        const custody = toHex((await rows().find(fid))!.custody)
        const appointment = { role: 'moderator', reason: 'known', custody }
        await operate(`/moderation/staff/${fid}/appoint`, appointment)
      }
      await run('send mails')
      server.got.length = 0
      await report(3, 4)
      await report(3, 8)
      for (const fid of [5, 6]) await putAddress(fid)
      await run('mail reports')
      assert.deepEqual(await subjectsTo(5), ['2 reports wait for you'])
      assert.deepEqual(await subjectsTo(6), ['2 reports wait for you'])
      await report(4, 3)
      await report(4, 8)
      await run('mail reports')
      assert.deepEqual(await subjectsTo(5), [])
      await putAddress(6, { reports: 0 })
      net.world.clock.advance(REPORTS_EVERY_MS)
      await run('mail reports')
      // What two people report is one case.
      assert.deepEqual(await subjectsTo(5), ['3 reports wait for you'])
      assert.deepEqual(await subjectsTo(6), [])
      net.world.clock.advance(REPORTS_EVERY_MS)
      await run('mail reports')
      assert.deepEqual(await subjectsTo(5), [])
      // Nobody is told of reports about themselves.
      await report(3, 5)
      await run('mail reports')
      assert.deepEqual(await subjectsTo(5), [])
    })

    test('operators are told by push and mail that somebody asks for a lost account, once in an hour and only of something new', async () => {
      const { storage } = net.world.app
      for (const [fid, role] of [
        [5, 'operator'],
        [6, 'moderator'],
      ] as const) {
        await putAddress(fid)
        const custody = toHex((await rows().find(fid))!.custody)
        await operate(`/moderation/staff/${fid}/appoint`, { role, reason: 'known', custody })
      }
      await storage.write('all/mails', async (tx) => {
        for (const fid of [5, 6]) await tx.of(mailRows).removeOf(fid, addressOf(fid))
      })
      await run('send mails')
      server.got.length = 0
      const pushed = async (fid: number) =>
        [...(await storage.quotas.used('pushes', [`${fid}/account`]))].length
      const device = {
        ...{ id: 'of the operator', fid: 5, signer: new Uint8Array(32), kinds: '', name: 'Phone' },
        ...{ endpoint: 'https://push.example/1', public_key: new Uint8Array(65), failures: 0 },
        ...{ secret: new Uint8Array(16), created_at: 0, pushed_at: null },
      }
      await storage.write('fid/5', (tx) => tx.of(pushRows).putDevices([device]))
      const ask = (fid: number) =>
        storage.write('hub', (tx) =>
          tx.of(recoveryRows).put({
            ...{ receiver: new Uint8Array(20).fill(fid), fid, signature: new Uint8Array(65) },
            ...{ deadline: 9e9, note: 'Press https://evil.example', provider: '', due_at: null },
            ...{ by_mail: 0, asked_at: Math.floor(net.world.clock.now() / 1_000) },
          }),
        )
      await ask(2)
      await run('tell of lost accounts')
      const [mail, ...more] = await mailsTo(5)
      assert.deepEqual([mail!.subject, more], ['Somebody asks for a lost account', []])
      assert.equal(mail!.links[0], `${PUBLIC_URL}/room#recovery`)
      // Strangers choose what a request says.
      assert.doesNotMatch(mail!.text, /evil/)
      assert.ok(mail!.headers['list-unsubscribe'])
      assert.deepEqual([await pushed(5), await pushed(6)], [1, 0])
      net.world.clock.advance(2_000)
      await ask(3)
      await run('tell of lost accounts')
      assert.deepEqual(await subjectsTo(5), [])
      net.world.clock.advance(TOLD_EVERY_MS)
      await run('tell of lost accounts')
      assert.deepEqual(await subjectsTo(5), ['2 people ask for lost accounts'])
      net.world.clock.advance(TOLD_EVERY_MS)
      await run('tell of lost accounts')
      assert.deepEqual(await subjectsTo(5), [])
      assert.deepEqual(await subjectsTo(6), [])
      await storage.write('hub', (tx) => tx.of(recoveryRows).removeOf([2, 3]))
    })

    test('who moderates gets one push for all reports of some minutes, none of reports about themselves and none without something new', async () => {
      const { storage } = net.world.app
      // The operator of the test before, and a moderator.
      const staff = [5, 6]
      const devicesOf = (round: number) =>
        staff.map((fid) => ({
          ...{ id: `${round} of moderator ${fid}`, fid, signer: new Uint8Array(32), kinds: '' },
          ...{ name: '', endpoint: `https://push.example/${fid}`, public_key: new Uint8Array(65) },
          ...{ secret: new Uint8Array(16), created_at: 0, pushed_at: null, failures: 0 },
        }))
      let round = 0
      const forget = (tx: Writer) =>
        tx.of(pushRows).removeDevices(devicesOf(round).map(({ id }) => id))
      const usedBy = async (fid: number) =>
        JSON.stringify(await storage.quotas.used('pushes', [`${fid}/account`]))
      const used = () => Promise.all(staff.map(usedBy))
      let last = await used()
      /**
       * Who was told since the last call. The server also sends pushes by itself, and removes these devices, which have no keys: each
       * call adds new ones, which no earlier push names.
       */
      const told = async () => {
        await storage.write(['fid/5', 'fid/6', 'all/pushes'], async (tx) => {
          await forget(tx)
          round++
          await tx.of(pushRows).putDevices(devicesOf(round))
        })
        await run('push reports')
        const [before, after] = [last, await used()]
        last = after
        return staff.filter((_, at) => before[at] !== after[at])
      }
      await told()
      net.world.clock.advance(PUSHED_EVERY_MS)
      await report(7, 8)
      assert.deepEqual(await told(), staff)
      await report(8, 7)
      await report(8, 4)
      assert.deepEqual(await told(), [], 'the last one was just now')
      net.world.clock.advance(PUSHED_EVERY_MS)
      assert.deepEqual(await told(), staff)
      net.world.clock.advance(PUSHED_EVERY_MS)
      assert.deepEqual(await told(), [], 'nothing has come')
      await report(7, 6)
      assert.deepEqual(await told(), [5], 'it is about the moderator')
      net.world.clock.advance(PUSHED_EVERY_MS)
      await report(8, 2, 0)
      const atOnce = await told()
      net.world.clock.advance(PUSHED_EVERY_MS)
      const later = await told()
      net.world.clock.advance(PUSHED_EVERY_MS)
      assert.deepEqual([...atOnce, ...later, ...(await told())], staff, 'of this second, once')
      await operate('/moderation/accounts/6/suspend')
      await report(8, 3)
      assert.deepEqual(await told(), [5], 'the moderator is suspended')
      await operate('/moderation/accounts/6/restore')
      await storage.write(['fid/5', 'fid/6', 'all/pushes'], forget)
    })

    test('a digest has the posts of followed people that were most talked about and what is new, and nothing of what is gone when it is sent', async () => {
      const { clock } = net.world
      await net.follow(account(4), 2)
      await net.follow(account(4), 3)
      await net.cast(account(2), { text: 'Long ago' })
      clock.advance(8 * DAY_MS)
      await profile(net, account(2), UserDataType.USER_DATA_TYPE_DISPLAY, '<i>Ada</i>')
      const quiet = await net.cast(account(2), { text: 'A quiet <script>alert(1)</script> one' })
      const loud = await net.cast(account(3), { text: 'A loud one' })
      const gone = await net.cast(account(3), { text: 'Gone before it is sent' })
      await net.cast(account(5), { text: 'Of nobody whom they follow' })
      await net.like(account(2), 3, loud)
      await net.like(account(2), 4, await net.cast(account(4), { text: 'Own' }))
      await net.indexed()
      // It waits until what was written is gone: the queue is also sent by itself.
      server.state.answer = () => 451
      const at = clock.now()
      await putAddress(4, { digest: 'weekly', digest_due: at })
      await putAddress(5, { digest: 'off', digest_due: null })
      await run('mail digests')
      // What a run of the queue has begun ends before the server takes mails again.
      await run('send mails')
      assert.equal(await net.world.app.storage.of(mailRows).waitingOf(4, 'digest'), 1)
      await net.send(account(3), (origin) => castRemove(origin, bytesOfHash(gone)))
      await net.indexed()
      server.state.answer = () => undefined
      clock.advance(MAIL_BACKOFF.firstMs)
      const [mail, ...more] = await mailsTo(4)
      assert.deepEqual(more, [])
      assert.equal(mail!.subject, 'You have 1 new notification')
      assert.ok(mail!.text.indexOf('A loud one') < mail!.text.indexOf('A quiet'), mail!.text)
      assert.deepEqual(
        mail!.links.slice(0, 2),
        [loud, quiet].map((hash) => `${PUBLIC_URL}/cast/${hash}`),
      )
      assert.doesNotMatch(mail!.text, /Long ago|Gone before|Of nobody|: Own/)
      assert.match(mail!.html, /&lt;i&gt;Ada&lt;\/i&gt;/)
      assert.match(mail!.html, /A quiet &lt;script&gt;/)
      assert.doesNotMatch(mail!.html, /<img|<script|<i>/)
      assert.ok(mail!.headers['list-unsubscribe']!.includes('/unsubscribe/4.digest.'))
      // The next one comes after a week, and only if there is something new.
      assert.equal((await rows().find(4))!.digest_due, at + 7 * DAY_MS)
      await run('mail digests')
      assert.deepEqual(await subjectsTo(4), [])
      // One click ends it.
      const url = mail!.headers['list-unsubscribe']!.slice(1, -1)
      const asParts = parts(ONE_CLICK)
      assert.equal((await post(url.slice(`${PUBLIC_URL}/accounts`.length), asParts)).status, 200)
      const { digest, digest_due, decisions } = (await rows().find(4))!
      assert.deepEqual([digest, digest_due, decisions], ['off', null, 1])
    })

    test('a digest of which nothing is left when it is sent is not sent', async () => {
      const { storage } = net.world.app
      const content = { subject: 'From people', paragraphs: [], posts: [`0x${'ab'.repeat(28)}`] }
      const tell = (more: object = {}) =>
        storage.write('all/mails', (tx) =>
          tellByMail(tx, {
            ...{ fid: 4, kind: 'digest' },
            content: () => written({ ...content, ...more }),
          }),
        )
      await putAddress(4, { digest: 'weekly', digest_due: Number.MAX_SAFE_INTEGER })
      await tell()
      await tell({ paragraphs: ['You have 1 new notification.'] })
      const [mail, ...more] = await mailsTo(4)
      assert.deepEqual(more, [])
      assert.match(mail!.text, /You have 1 new notification/)
      assert.doesNotMatch(mail!.text, /What people you follow/)
      assert.equal(await storage.of(mailRows).waitingOf(4, 'digest'), 0)
    })

    test('what an owner acts on goes before all that waits, and other mails use up nothing of its bounds', async () => {
      const { storage } = net.world.app
      const now = net.world.clock.now()
      const tell = (tx: Writer, subject: string, kind: 'veto' | 'security') =>
        tellByMail(tx, { fid: 6, kind, content: contentOf(subject) })
      const { account } = MAIL_BOUNDS
      // What waits is read in the same transaction: the queue is also sent by itself.
      const waiting = await storage.write('all/mails', async (tx) => {
        for (let i = 0; i < 2 * account.hour; i++)
          await tell(tx, `flood ${i % (account.hour + 5)}`, 'security')
        return tx.of(mailRows).waitingOf(6, 'security')
      })
      assert.equal(waiting, account.hour + 5)
      assert.equal((await subjectsTo(6)).length, account.hour)
      const [first] = await storage.write('all/mails', async (tx) => {
        await tell(tx, 'stop it', 'veto')
        return tx.of(mailRows).due(now, 1)
      })
      assert.equal(first!.kind, 'veto')
      assert.deepEqual(await subjectsTo(6), ['stop it'])
      await storage.write('all/mails', (tx) => tx.of(mailRows).removeOf(6, addressOf(6)))
    })

    test('an address whose mails come back on five days gets nothing more but links and, once in a day, what concerns security, until one was taken', async () => {
      const { storage } = net.world.app
      server.state.answer = (to) => (to === addressOf(3) ? 550 : undefined)
      const tell = (fid: number) =>
        storage.write('all/mails', (tx) => tellByMail(tx, { fid, content: contentOf('x') }))
      for (let i = 1; i <= MAX_REFUSALS; i++) {
        await tell(3)
        await tell(2)
        await run('send mails')
        assert.equal((await rows().find(3))!.refusals, i)
        // Another one of the same day does not count.
        await tell(3)
        await run('send mails')
        assert.equal((await rows().find(3))!.refusals, i)
        net.world.clock.advance(DAY_MS)
      }
      assert.equal((await mailsTo(2)).length, MAX_REFUSALS)
      server.state.answer = () => undefined
      await storage.write('all/mails', (tx) =>
        tellByMail(tx, { fid: 3, kind: 'decisions', content: contentOf('y') }),
      )
      assert.deepEqual(await subjectsTo(3), [])
      // A security notice comes a day after the last refusal, however many refusals there were.
      const stopped = { fid: 3, refused_at: net.world.clock.now(), refusals: 2 * MAX_REFUSALS }
      await storage.write('all/mails', (tx) => tx.of(mailAddressRows).noteRefused(stopped))
      await tell(3)
      assert.deepEqual(await subjectsTo(3), [])
      net.world.clock.advance(DAY_MS - 30_000)
      assert.deepEqual(await subjectsTo(3), ['x'])
      await storage.write('all/mails', (tx) => tx.of(mailAddressRows).noteRefused(stopped))
      // A link that its owner has asked for is sent; once it is taken the address counts again.
      await storage.write('all/mails', (tx) =>
        tx.of(mailRows).add([
          {
            ...{ id: 'link', fid: 3, address: addressOf(3), kind: 'link', attempts: 0 },
            content: JSON.stringify({ subject: 'A link', paragraphs: [] }),
            ...{ due: 0, queued_at: 0, expires_at: Number.MAX_SAFE_INTEGER },
          },
        ]),
      )
      assert.deepEqual(await subjectsTo(3), ['A link'])
      const { refusals, refused_at } = (await rows().find(3))!
      assert.deepEqual([refusals, refused_at], [0, null])
    })

    test('decisions, reports and digests are in the language of the account, with the words that end them, in German and in Arabic', async () => {
      const { storage } = net.world.app
      const speak = (fid: number, language: string) =>
        storage.write(`fid/${fid}`, (tx) =>
          tx.of(accountLanguageRows).put({ fid, language, is_chosen: 1, changed_at: 0 }),
        )
      for (const fid of [2, 4, 5]) await putAddress(fid)
      await run('send mails')
      server.got.length = 0
      for (const [i, code] of ['de', 'ar'].entries()) {
        const say = sayingIn(code)
        const end = say('Send me no more of these')
        for (const fid of [2, 4, 5]) await speak(fid, code)
        await operate('/moderation/accounts/2/limit')
        assertSaid((await mailsTo(2))[0]!, say, [
          say('Your account is limited'),
          say('A moderator says: {reason}', { reason: 'Be <b>kind</b>' }),
          say('Read it, and what you can do'),
          say('You get this because an account there has this address.'),
          end,
        ])
        // A reason that is offered to moderators, in whichever language they read it, is told in that of the account.
        const reason = `Rule “Be kind”: ${REASONS.limit[1]}`
        await operate('/moderation/accounts/2/unlimit', { reason })
        assertSaid((await mailsTo(2))[0]!, say, [
          say('Your account is not limited any more'),
          say('A moderator says: {reason}', {
            reason: say('Rule “{rule}”: {reason}', {
              rule: 'Be kind',
              reason: say('The account mostly advertises. It is shown to its followers only.'),
            }),
          }),
          say('Read it, and what you can do'),
          say('You get this because an account there has this address.'),
          end,
        ])

        net.world.clock.advance(REPORTS_EVERY_MS)
        await report(3 + i, 8)
        await run('mail reports')
        const { cases: count } = await net.world.app.of(MODERATORS).waiting(storage, 5)
        assertSaid((await mailsTo(5))[0]!, say, [
          say('{count, plural, one {A report waits for you} other {# reports wait for you}}', {
            count,
          }),
          say('Look at them'),
          say('You get this because you moderate there.'),
          end,
        ])

        await net.cast(account(3), { text: 'ツバメ' })
        await net.like(account(2), 4, await net.cast(account(4), { text: 'Own' }))
        await net.indexed()
        const digest_due = net.world.clock.now()
        await putAddress(4, { digest: 'weekly', digest_due })
        await run('mail digests')
        const [mail] = await mailsTo(4)
        const { count: news } = await unseenInAnyApp(net.world.app.of(APP_API), 4)
        // But for what people wrote.
        const text = mail!.text.split('\n\n').filter((one) => !one.includes('/cast/'))
        assertSaid({ ...mail!, text: text.join('\n\n') }, say, [
          say(
            '{count, plural, one {You have # new notification} other {You have # new notifications}}',
            { count: news },
          ),
          say('What people you follow wrote since you looked last:'),
          say('You get this because you have asked for it.'),
          end,
        ])
        assert.match(mail!.html, /<p dir="auto">ツバメ<\/p>/)
      }
    })
  })
}
