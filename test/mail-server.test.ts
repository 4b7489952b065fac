// The mail server that the operator sets up in the room: tried first, for who has the token alone, and in force at once everywhere.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { startApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { CHANGE_WAIT_MS } from '../src/features/mail/address-changes.ts'
import { newToken } from '../src/features/mail/links.ts'
import { MAILS } from '../src/features/mail/port.ts'
import { sealedMailServer } from '../src/features/mail/sealed-mail-server.ts'
import { FIRST_CHOICES, mailAddressRows } from '../src/features/mail/tables/addresses.ts'
import { mailRows } from '../src/features/mail/tables/mails.ts'
import { mailServerRows } from '../src/features/mail/tables/servers.ts'
import { recoveryRows } from '../src/features/recovery/tables/recoveries.ts'
import { createLogger } from '../src/kernel/http/logger.ts'
import { toHex } from '../src/kernel/protocol/codec/bytes.ts'
import { DAY_MS, HOUR_MS } from '../src/kernel/protocol/time.ts'
import type { Writer } from '../src/kernel/storage/storage.ts'
import { createNetwork, type Json, type Network } from './app-api-support.ts'
import { MAIL_FROM, MAIL_LOGIN, type MailServer, startMailServer, written } from './mail-support.ts'
import { until } from './until.ts'
import { appToken, enginesOf, type TestAccount } from './world.ts'

const PATH = '/app/mail'
const TO = 'owner@example.org'
const MEMBER = 'ada@example.org'

for (const engine of enginesOf(import.meta.url)) {
  describe(`the mail server of the room on ${engine}`, { concurrency: 1 }, () => {
    let net: Network
    let server: MailServer
    const log: string[] = []
    before(async () => {
      server = await startMailServer()
      net = await createNetwork(
        engine,
        [1, 2],
        {
          ROOKERY_PUBLIC_URL: 'https://social.example',
          ROOKERY_LOG_LEVEL: 'trace',
          ROOKERY_RECOVERY_DAYS: '7',
        },
        log,
      )
      const { storage } = net.world.app
      const custody = (await storage.accounts.custody(2))!.address
      const row = { fid: 2, address: MEMBER, custody, confirmed_at: 1, ...FIRST_CHOICES }
      await storage.write('all/mails', (tx) => tx.of(mailAddressRows).put(row))
    })
    after(async () => {
      await net?.world.close()
      await server.close()
    })
    const setUp = (more: object = {}) =>
      net.world.operate(PATH, {
        method: 'PUT',
        body: {
          ...{ host: '127.0.0.1', port: server.port, tls: 'none', from: MAIL_FROM, to: TO },
          ...{ user: MAIL_LOGIN.user, password: MAIL_LOGIN.pass, ...more },
        },
      })
    const end = () => net.world.operate(PATH, { method: 'DELETE', body: {} })
    const shown = async () => (await net.world.operate(PATH)).body
    const ofMember = async (
      path: string,
      body?: object,
    ): Promise<{ status: number; body: Json }> => {
      const response = await fetch(`${net.world.app.urls.accounts}/v1/mail${path}`, {
        headers: { 'content-type': 'application/json' },
        ...(body && { method: 'POST', body: JSON.stringify(body) }),
      })
      return { status: response.status, body: await response.json() }
    }
    const isOn = async () => (await ofMember('')).body.isOn
    /** Tells a member something; how many mails wait then. The server sends by itself what is due, at any time after it. */
    const tell = (meanwhile = async (_tx: Writer) => {}) => {
      const { app, clock } = net.world
      const content = () => written({ subject: 'Hello', paragraphs: [] })
      return app.storage.write('all/mails', async (tx) => {
        await app.of(MAILS).tell(tx, { fid: 2, content }, clock.now())
        await meanwhile(tx)
        return tx.of(mailRows).waitingCount(10)
      })
    }
    /** What an earlier mail server has refused for hours. */
    const putOff = async (tx: Writer) => {
      const [mail] = await tx.of(mailRows).due(net.world.clock.now(), 1)
      const due = net.world.clock.now() + HOUR_MS
      await tx.of(mailRows).put([{ id: mail!.id, attempts: 9, due }])
    }

    test('without a mail server nothing is sent, nothing waits, and what needs a mail is refused', async () => {
      assert.deepEqual(await shown(), {
        ...{ server: null, from: null, waiting: 0, oldestQueuedAt: null },
        ...{ isLocked: false, needsPublicUrl: false, setUp: null },
      })
      assert.deepEqual((await ofMember('')).body, { isOn: false, keepsAddresses: true })
      assert.equal(await tell(), 0)
      const asked = await ofMember('/recover', { fid: 2, address: MEMBER })
      assert.deepEqual([asked.status, asked.body.code], [400, 'not_supported'])
      const tried = await net.world.operate(`${PATH}/test`, { body: { to: TO } })
      assert.equal(tried.body.code, 'not_supported')
    })

    test('a mail server that does not work is refused with what is wrong, and nothing is stored', async () => {
      for (const [wrong, field, words] of [
        [{ password: 'not-the-password' }, 'password', /does not accept the login .*user and pass/],
        [{ password: '' }, 'password', /both be given, or neither/],
        [{ port: 1 }, 'host', /cannot be reached .*correct host and port;/],
        [{ host: 'Nobody_.invalid.', tls: 'starttls' }, 'host', /nobody_\.invalid cannot be found/],
        [{ host: '169.254.169.254', tls: 'starttls' }, 'host', /where no service may be/],
        [{ host: 'fd00:ec2::254', tls: 'starttls' }, 'host', /where no service may be/],
        [{ host: '2852039166', tls: 'starttls' }, 'host', /where no service may be/],
        [{ host: 'mail.example/x' }, 'host', /./],
        [{ host: '10.0.0.1' }, 'tls', /must be on this machine/],
        [{ tls: 'starttls' }, 'tls', /no TLS that can be trusted .*TLS from the start/],
        [{ from: 'nobody' }, 'from', /must be an e-mail address/],
        [{ to: 'nobody' }, 'to', /must be an e-mail address/],
        [{ user: 'ro\noke' }, 'user', /./],
      ] as const) {
        const { status, body } = await setUp(wrong)
        assert.deepEqual([status, body.field], [400, field], JSON.stringify([wrong, body]))
        assert.match(body.message, words)
        assert.doesNotMatch(JSON.stringify(body), /ROOKERY_|not-the-password/)
      }
      server.state.answer = () => 550
      const refused = await setUp()
      server.state.answer = () => undefined
      assert.deepEqual([refused.status, refused.body.field], [400, 'to'])
      server.state.answerSender = 553
      assert.equal((await setUp()).body.field, 'from')
      server.state.answerSender = undefined
      assert.equal(await isOn(), false)
      net.world.clock.advance(HOUR_MS)
    })

    test('one that works is in force at once, with a test that was sent, and its password is kept sealed', async () => {
      const { status, body } = await setUp({ actor: 'the owner', reason: 'asked for' })
      assert.equal(status, 200, JSON.stringify(body))
      assert.match(body.said, /^250 /)
      assert.match(server.take(TO)[0]!.text, /can send e-mail to you/)
      const { changedAt, ...stored } = (await shown()).setUp
      assert.ok(changedAt > 0)
      assert.deepEqual(stored, {
        ...{ host: '127.0.0.1', port: server.port, tls: 'none', user: MAIL_LOGIN.user },
        ...{ hasPassword: true, from: MAIL_FROM, changedBy: 'the owner' },
      })
      assert.equal(await isOn(), true)
      assert.equal((await ofMember('/recover', { fid: 2, address: MEMBER })).status, 200)
      assert.equal(await tell(), 1)
      await net.world.app.jobs.run('send mails')
      assert.equal(server.take(MEMBER).length, 1)
      assert.equal(server.got.length, 0)
      const { storage } = net.world.app
      const [sealed] = await sealedMailServer.read(storage, '', 10)
      assert.ok(!Buffer.from(sealed!.secret).includes(MAIL_LOGIN.pass))
      assert.deepEqual(await sealedMailServer.read(storage, sealed!.id, 10), [])
      const { entries } = (await net.world.operate('/moderation/log')).body.result
      const { actor, name, reason } = entries[0]
      assert.deepEqual([actor, name], ['the owner', 'mail server'])
      assert.equal(reason, 'set up: asked for')
      const told = JSON.stringify([await shown(), entries, log])
      for (const secret of [MAIL_LOGIN.pass, JSON.stringify(MAIL_LOGIN.pass).slice(1, -1)]) {
        assert.ok(!told.includes(secret))
      }
    })

    test('the password stays for the same host, port and user alone, and what is refused changes nothing', async () => {
      assert.equal((await setUp({ password: undefined, from: 'club@social.example' })).status, 200)
      const other = await startMailServer()
      try {
        const moved = await setUp({ password: undefined, port: other.port })
        assert.deepEqual([moved.status, moved.body.field], [400, 'password'])
        assert.equal((await setUp({ password: undefined, user: 'eve' })).status, 400)
        assert.equal(other.state.logins, 0)
      } finally {
        await other.close()
      }
      assert.equal((await setUp({ password: 'wrong' })).status, 400)
      assert.equal((await shown()).from, 'club@social.example')
      server.got.length = 0
      assert.equal(await tell(), 1)
      await net.world.app.jobs.run('send mails')
      assert.equal(server.got[0]!.from, 'club@social.example')
      server.got.length = 0
    })

    test('an account with the role operator sees where mails go, and changes nothing about it', async () => {
      const [first] = net.accounts as [TestAccount]
      const body = { role: 'operator', custody: toHex(first.custody), reason: 'x', actor: 'x' }
      const made = await net.world.operate('/moderation/staff/1/appoint', { body })
      assert.equal(made.status, 200)
      const exp = Math.floor(net.world.clock.now() / 1_000) + 60
      const token = appToken(first, { exp, aud: 'https://social.example/platform' })
      const ask = (method: 'GET' | 'PUT' | 'DELETE', body?: object) =>
        net.world.platform(`/v1${PATH}`, { method, token, ...(body && { body }) })
      const read = await ask('GET')
      assert.equal(read.status, 200, JSON.stringify(read.body))
      assert.equal(read.body.setUp.hasPassword, true)
      for (const method of ['PUT', 'DELETE'] as const) {
        const { status } = await ask(method, { host: '127.0.0.1', port: server.port, tls: 'none' })
        assert.ok([404, 405].includes(status), `${method} ${status}`)
      }
      assert.equal((await shown()).from, 'club@social.example')
    })

    test('another process takes it over at once', { skip: engine === 'sqlite' }, async () => {
      const second = await startApp({
        config: readConfig(net.world.env, 'development'),
        clock: net.world.clock,
        logger: createLogger({ level: 'fatal' }),
      })
      try {
        const there = async () =>
          ((await (await fetch(`${second.urls.accounts}/v1/mail`)).json()) as Json).isOn
        assert.equal(await there(), true)
        const headers = { 'content-type': 'application/json' }
        const body = JSON.stringify({ to: TO })
        const url = `${second.urls.operations}${PATH}/test`
        const test = await fetch(url, { method: 'POST', headers, body })
        assert.equal(((await test.json()) as Json).sent, true)
        assert.equal(server.take(TO).length, 1)
        await end()
        assert.equal(await there(), false)
        // The leader, which is this process, sends by itself soon after the other one has set it up.
        const place = { host: '127.0.0.1', port: server.port, tls: 'none', from: MAIL_FROM, to: TO }
        const login = { user: MAIL_LOGIN.user, password: MAIL_LOGIN.pass }
        const set = await fetch(`${second.urls.operations}${PATH}`, {
          method: 'PUT',
          headers,
          body: JSON.stringify({ ...place, ...login }),
        })
        assert.equal(set.status, 200, await set.text())
        assert.equal(await there(), true)
        server.got.length = 0
        assert.equal(await tell(), 1)
        await until(() => server.take(MEMBER).length === 1, 'the leader sends it')
      } finally {
        await second.stop()
      }
    })

    test('the environment wins over it, and locks it', async () => {
      const other = await startMailServer()
      try {
        await net.world.restart({ ROOKERY_SMTP_URL: other.url })
        const { isLocked, server: named } = await shown()
        assert.deepEqual([isLocked, named], [true, `127.0.0.1:${other.port}`])
        const { status, body } = await setUp()
        assert.deepEqual([status, body.code], [400, 'bad_request.conflict'])
        assert.match(body.message, /ROOKERY_SMTP_URL names the mail server/)
        await net.world.operate(`${PATH}/test`, { body: { to: TO } })
        assert.equal(other.take(TO).length, 1)
        await net.world.restart({ ROOKERY_SMTP_URL: '' })
        assert.equal((await shown()).server, `127.0.0.1:${server.port}`)
      } finally {
        await other.close()
      }
    })

    test('who removes it leaves no password, and what waits is sent by the next one or forgotten when it is too old', async () => {
      const { storage, jobs } = net.world.app
      server.got.length = 0
      assert.equal(await tell(putOff), 1)
      assert.equal((await end()).body.server, null)
      assert.equal(await storage.of(mailServerRows).get(), undefined)
      assert.deepEqual(await sealedMailServer.read(storage, '', 10), [])
      assert.deepEqual([(await shown()).waiting, await isOn()], [1, false])
      // It does not wait on.
      assert.equal((await setUp({ host: '127.0.0.1.' })).body.setUp.host, '127.0.0.1')
      await jobs.run('send mails')
      assert.equal(server.take(MEMBER).length, 1)
      assert.equal(await tell(putOff), 1)
      await end()
      net.world.clock.advance(DAY_MS)
      await jobs.run('send mails')
      assert.equal((await shown()).waiting, 0)
    })

    test('owners who could stop a change or a move are told of it when there is a mail server again', async () => {
      const { storage, jobs, of } = net.world.app
      const { clock } = net.world
      assert.equal((await setUp()).status, 200)
      await end()
      server.got.length = 0
      const [custody, now] = [(await storage.accounts.custody(2))!.address, clock.now()]
      const receiver = new Uint8Array(20).fill(9)
      const [due, link] = [now + DAY_MS, newToken()]
      await storage.write(['hub', 'all/mails', 'fid/2'], async (tx) => {
        const rows = tx.of(mailAddressRows)
        await rows.putChange({ fid: 2, address: 'next@example.org', custody, due })
        const way = { hash: link.hash, purpose: 'recover', address: MEMBER } as const
        await rows.addLink({ ...way, fid: 2, custody, expires_at: now + 2 * DAY_MS })
        const asked_at = Math.floor(now / 1_000)
        await tx.of(recoveryRows).put({
          ...{ receiver, fid: 2, signature: new Uint8Array(65), note: '', provider: '' },
          ...{ asked_at, due_at: asked_at + 7 * 86_400, deadline: asked_at + 99 * 86_400 },
          by_mail: 1,
        })
      })
      clock.advance(DAY_MS)
      await jobs.run('change mail addresses')
      // Nobody could be told of a recovery that begins now, which only who reads the mail stops.
      const look = await ofMember('/link', { token: link.token })
      assert.deepEqual([look.status, look.body.code], [400, 'not_supported'])
      await assert.rejects(
        storage.write(['hub', 'fid/2'], (tx) => of(MAILS).takeWayBack(tx, link.token, 2)),
        { code: 'not_supported' },
      )
      assert.equal((await setUp()).status, 200)
      await jobs.run('change mail addresses')
      await jobs.run('send mails')
      const subjects = server.take(MEMBER).map(({ subject }) => subject)
      assert.deepEqual(subjects.sort(), [
        'Somebody has asked for your account',
        'The e-mail address of your account is about to change',
      ])
      const rows = storage.of(mailAddressRows)
      assert.deepEqual(
        [(await rows.find(2))!.address, (await rows.change(2))!.due],
        [MEMBER, clock.now() + CHANGE_WAIT_MS],
      )
      assert.equal((await ofMember('/link', { token: link.token })).body.purpose, 'recover')
    })

    test('a mail server that was removed while another was tried does not come back', async () => {
      server.state.answer = async () => {
        await end()
        return undefined
      }
      const saved = await setUp()
      server.state.answer = () => undefined
      assert.deepEqual([saved.status, saved.body.code], [409, 'changed_meanwhile'])
      assert.equal(await isOn(), false)
    })

    test('a password whose key is lost is named, and given up alone', async () => {
      const { storage } = net.world.app
      assert.equal((await setUp()).status, 200)
      const secret = new Uint8Array(60)
      await storage.write('hub', async (tx) => {
        const { name: _, ...row } = (await tx.of(mailServerRows).get())!
        await tx.of(mailServerRows).put({ ...row, secret })
      })
      const { body } = await net.world.operate(`${PATH}/test`, { body: { to: TO } })
      assert.equal(body.sent, false)
      assert.match(body.said, /lost the key: enter the password of the mail server again/)
      assert.equal((await shown()).setUp.hasPassword, false)
      const kept = await setUp({ password: undefined })
      assert.deepEqual([kept.body.code, kept.body.field], ['unreadable_secret', 'password'])
      const ids = async () => (await sealedMailServer.read(storage, '', 10)).map(({ id }) => id)
      const lost = await ids()
      assert.equal((await setUp()).status, 200)
      await sealedMailServer.giveUp(storage, lost)
      assert.equal(await isOn(), true)
      await sealedMailServer.giveUp(storage, await ids())
      assert.equal(await isOn(), false)
    })

    test('twenty are tried in an hour, and links in mails need the address of the server', async () => {
      net.world.clock.advance(HOUR_MS)
      const statuses: number[] = []
      for (let i = 0; i < 21; i++) statuses.push((await setUp({ port: 1 })).status)
      assert.deepEqual([statuses.indexOf(429), statuses.at(-2)], [20, 400])
      await net.world.restart({ ROOKERY_PUBLIC_URL: '' })
      assert.equal((await shown()).needsPublicUrl, true)
      assert.deepEqual((await ofMember('')).body, { isOn: false, keepsAddresses: false })
      const { status, body } = await setUp()
      assert.equal(status, 400)
      assert.match(body.message, /set it on the machine first/)
    })
  })
}
