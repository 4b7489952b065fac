// The queue of e-mail: what is stored is sent once, what cannot be sent now is sent later, and nobody gets more than the bounds say.
// The mail server is a real one.

import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after, before, describe, test } from 'node:test'
import { type App, startApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { SAY_TO_ACCOUNTS } from '../src/features/languages/port.ts'
import { MAX_WAITING, MailQueue } from '../src/features/mail/queue.ts'
import { CLAIM_MS, MAIL_BACKOFF, MAIL_BOUNDS } from '../src/features/mail/sending.ts'
import { mailRows, type WaitingMail } from '../src/features/mail/tables/mails.ts'
import { createLogger } from '../src/kernel/http/logger.ts'
import { DAY_MS, HOUR_MS } from '../src/kernel/protocol/time.ts'
import { indexed } from './indexed.ts'
import {
  assertSaid,
  MAIL_FROM,
  type MailServer,
  sayingIn,
  startMailServer,
  startSilentServer,
  waitingMail,
  written,
} from './mail-support.ts'
import { startCommands } from './program.ts'
import { until } from './until.ts'
import { createWorld, enginesOf, type World } from './world.ts'

for (const engine of enginesOf(import.meta.url)) {
  describe(`the queue of e-mail on ${engine}`, { concurrency: 1 }, () => {
    let world: World
    let server: MailServer
    const logLines: string[] = []
    before(async () => {
      server = await startMailServer()
      world = await createWorld({
        engine,
        logLines,
        env: {
          ROOKERY_VIEWS: 'on',
          ROOKERY_SMTP_URL: server.url,
          ROOKERY_PUBLIC_URL: 'https://social.example',
          ROOKERY_SERVER_NAME: 'Birds',
          ROOKERY_LOG_LEVEL: 'trace',
        },
      })
      await indexed(world.app)
    })
    after(async () => {
      await world.close()
      await server.close()
    })

    const add = (given: Partial<WaitingMail> = {}) => {
      const now = world.clock.now()
      const mail = waitingMail({ due: now, queued_at: now, expires_at: now + DAY_MS, ...given })
      return world.app.storage.write('all/mails', async (tx) => {
        await tx.of(mailRows).add([mail])
        return mail
      })
    }
    const send = (app = world.app) => app.jobs.run('send mails')
    const waiting = () => world.app.storage.of(mailRows).waitingCount(1_000)
    const metric = async (name: string): Promise<number> => {
      const text = await (await fetch(`${world.app.urls.operations}/metrics`)).text()
      return Number(
        text
          .split('\n')
          .find((line) => line.startsWith(`${name} `))
          ?.split(' ')[1],
      )
    }

    test('a mail that waits is sent once, in the name of the server', async () => {
      await add()
      assert.equal(await waiting(), 1)
      assert.equal(await metric('rookery_mails_waiting'), 1)
      world.clock.advance(5_000)
      assert.equal(await metric('rookery_mail_queue_age_seconds'), 5)
      await send()
      await send()
      const [{ subject, headers, text }, ...more] = server.take('ada@example.org') as [never]
      assert.deepEqual(more, [])
      assert.equal(subject, 'Hello')
      assert.match((headers as { from: string }).from, /Birds.*<rookery@social\.example>/)
      assert.match(text, /One\.\n\nTwo\.\n\n-- \nBirds, https:\/\/social\.example\./)
      assert.equal(await waiting(), 0)
      assert.equal(await metric('rookery_mails_total{outcome="sent"}'), 1)
      assert.equal(await metric('rookery_mail_queue_age_seconds'), 0)
    })

    test('a mail that the server refuses for now is sent again later, one that it refuses for good is given up', async () => {
      server.state.answer = (to) => (to === 'bob@example.org' ? 550 : 451)
      await add({ address: 'bob@example.org' })
      await add()
      await send()
      assert.deepEqual(server.got, [])
      assert.equal(await waiting(), 1)
      assert.equal(await metric('rookery_mails_total{outcome="refused"}'), 1)
      server.state.answer = () => undefined
      // Not before its time.
      await send()
      assert.deepEqual(server.got, [])
      world.clock.advance(MAIL_BACKOFF.firstMs)
      await send()
      assert.equal(server.take('ada@example.org').length, 1)
      assert.equal(await waiting(), 0)
    })

    test('a mail that was not taken for a day is given up', async () => {
      server.state.answer = () => 451
      await add()
      for (let hours = 0; hours <= 24; hours++) {
        await send()
        world.clock.advance(HOUR_MS)
      }
      await send()
      assert.equal(await waiting(), 0)
      assert.equal(await metric('rookery_mails_total{outcome="expired"}'), 1)
      server.state.answer = () => undefined
      assert.deepEqual(server.got, [])
    })

    test('what one address gets in an hour is bounded, and the rest comes later', async () => {
      const { hour } = MAIL_BOUNDS.address
      const address = 'flood@example.org'
      for (let i = 0; i < hour + 3; i++) await add({ address })
      await add({ address: 'calm@example.org' })
      await send()
      assert.equal(server.take(address).length, hour)
      assert.equal(server.take('calm@example.org').length, 1)
      world.clock.advance(HOUR_MS)
      await send()
      assert.equal(server.take(address).length, 3)
    })

    test('what waits for one account is bounded', async () => {
      const { storage, clock } = { storage: world.app.storage, clock: world.clock }
      const queue = new MailQueue(world.app.of(SAY_TO_ACCOUNTS), async () => true)
      const mail = {
        fid: 77,
        address: 'full@example.org',
        content: () => written({ subject: 'x', paragraphs: [] }),
      }
      await storage.write('all/mails', async (tx) => {
        for (let i = 0; i <= MAX_WAITING; i++) {
          await queue.add(tx, { ...mail, kind: 'link' }, clock.now())
        }
        await queue.add(tx, { ...mail, kind: 'security' }, clock.now())
      })
      assert.equal(await waiting(), MAX_WAITING + 1)
      await send()
      world.clock.advance(DAY_MS)
      await send()
      server.take('full@example.org')
    })

    test('mails wait for a server that cannot be used, and are sent when the program starts again', async () => {
      await add({ address: 'late@example.org' })
      await server.close()
      await send()
      assert.equal(await waiting(), 1)
      assert.ok(logLines.some((line) => line.includes('mails cannot be sent')))
      world.clock.advance(MAIL_BACKOFF.maxMs)
      await world.stop()
      server = await startMailServer({ port: server.port })
      await world.restart()
      await send()
      await send()
      assert.equal(server.take('late@example.org').length, 1)
    })

    test('a server that refuses the sender loses no mail and blames no receiver', async () => {
      for (let i = 0; i < 12; i++) await add({ address: `from${i}@example.org` })
      server.state.answerSender = 550
      await send()
      assert.equal(await waiting(), 12)
      server.state.answerSender = undefined
      world.clock.advance(MAIL_BACKOFF.firstMs)
      await send()
      assert.equal(server.got.splice(0).length, 12)
      assert.equal(await waiting(), 0)
    })

    test('what concerns the security of an account is always stored, once while it waits, and kept while it is worth telling', async () => {
      const [address, now] = ['week@example.org', world.clock.now()]
      const queue = new MailQueue(world.app.of(SAY_TO_ACCOUNTS), async () => true)
      const mailOf = (subject: string) => {
        const content = () => written({ subject, paragraphs: [] })
        return { fid: 79, address, kind: 'security', content } as const
      }
      await world.app.storage.write('all/mails', async (tx) => {
        for (let i = 0; i <= MAX_WAITING; i++) await queue.add(tx, mailOf(`${i}`), now)
        await queue.add(tx, { ...mailOf('a week'), expiresAt: now + 7 * DAY_MS }, now)
        await queue.add(tx, mailOf('a week'), now)
      })
      assert.equal(await waiting(), MAX_WAITING + 2)
      world.clock.advance(6 * DAY_MS)
      await send()
      await send()
      assert.equal(server.take(address).length, 1)
      assert.equal(await waiting(), 0)
    })

    test('a mail that cannot be written keeps no other from being sent', async () => {
      await add({ content: 'no JSON', address: 'odd@example.org' })
      await add({ address: 'good@example.org' })
      await send()
      assert.equal(server.take('good@example.org').length, 1)
      assert.equal(await waiting(), 1)
      world.clock.advance(DAY_MS)
      await send()
      assert.equal(await waiting(), 0)
    })

    test('the log says why a mail is refused, without the address', async () => {
      server.state.answer = () => 550
      await add({ address: 'nobody@example.org' })
      await send()
      server.state.answer = () => undefined
      assert.ok(logLines.some((line) => line.includes('no to <***>')))
    })

    test('after an outage of many hours everything that waited is sent at once', async () => {
      const address = 'outage@example.org'
      const { hour } = MAIL_BOUNDS.address
      for (let i = 0; i < hour; i++) await add({ address, fid: 78 })
      await server.close()
      for (let hours = 0; hours < 12; hours++) {
        await send()
        world.clock.advance(HOUR_MS)
      }
      server = await startMailServer({ port: server.port })
      // The program also tries by itself: what it was trying meanwhile is due an hour later.
      let rounds = 0
      await until(async () => {
        rounds++
        world.clock.advance(HOUR_MS)
        await send()
        return (await waiting()) === 0
      }, 'everything is sent')
      assert.ok(rounds <= 6, `it took ${rounds} hours: the bounds counted what was not sent`)
      assert.equal(server.take(address).length, hour)
    })

    test('a server that falls silent holds no mail for longer than its time, and none is lost when the program stops', async () => {
      const silent = await startSilentServer('220 mail.example ESMTP\r\n')
      await world.restart({ ROOKERY_SMTP_URL: `smtp://127.0.0.1:${silent.port}?from=${MAIL_FROM}` })
      await add({ address: 'silent@example.org' })
      const sending = send().catch(() => {})
      await until(() => silent.sockets.size > 0, 'the server has a connection')
      // Once, because its time is that of the clock. A connection that is silent for half a minute has another fault.
      if (engine === 'sqlite') {
        const { body } = await world.operate('/app/mail/test', { body: { to: 'eve@example.org' } })
        assert.equal(body.sent, false)
        assert.match(body.said, /cannot be reached \(it takes too long\)/)
      }
      await world.restart({ ROOKERY_SMTP_URL: server.url })
      await sending
      await silent.close()
      // A process that was killed would have kept it until its claim ends.
      world.clock.advance(CLAIM_MS)
      await send()
      assert.equal(server.take('silent@example.org').length, 1)
      assert.equal(await waiting(), 0)
    })

    test('of several processes one sends each mail', { skip: engine === 'sqlite' }, async () => {
      const config = readConfig(world.env, 'development')
      const second: App = await startApp({
        config,
        clock: world.clock,
        logger: createLogger({ level: 'fatal' }),
      })
      try {
        for (let i = 0; i < 12; i++) await add({ address: `many${i}@example.org` })
        await Promise.all([send(), send(second), send(), send(second)])
        assert.equal(await waiting(), 0)
        for (let i = 0; i < 12; i++) assert.equal(server.take(`many${i}@example.org`).length, 1)
      } finally {
        await second.stop()
      }
    })

    test('the operator sends a test mail and reads what the server says', async () => {
      const { body: status } = await world.operate('/app/mail')
      assert.deepEqual(status, {
        ...{ server: `127.0.0.1:${server.port}`, from: MAIL_FROM },
        ...{ waiting: 0, oldestQueuedAt: null },
        ...{ isLocked: true, needsPublicUrl: false, setUp: null },
      })
      const test = (to: string) => world.operate('/app/mail/test', { body: { to } })
      const { body: taken } = await test('Eve@Example.org')
      assert.deepEqual([taken.sent, taken.server], [true, status.server])
      assert.match(taken.said, /^250 /)
      assert.match(server.take('eve@example.org')[0]!.text, /can send e-mail to you/)
      for (const code of ['de', 'ar']) {
        const headers = { 'accept-language': code }
        await world.operate('/app/mail/test', { body: { to: 'eve@example.org' }, headers })
        const say = sayingIn(code)
        assertSaid(server.take('eve@example.org')[0]!, say, [
          say('A test of the e-mail of this server'),
          say('This server can send e-mail to you.'),
          say('The operator has asked for it.'),
        ])
      }
      const bad = await test('eve')
      assert.deepEqual([bad.status, bad.body.field], [400, 'to'])
      server.state.answer = () => 550
      const refused = await test('eve@example.org')
      server.state.answer = () => undefined
      assert.deepEqual([refused.status, refused.body.sent], [200, false])
      assert.match(refused.body.said, /does not take the mail .*correct from=/)
    })

    test('the command line sends a test mail and says how many wait', async () => {
      const commands = startCommands()
      const command = async (...args: string[]) => {
        const at = ['--operations', world.app.urls.operations]
        const { code, stdout, stderr } = await commands.run(world.env, ...args, ...at)
        return code === 0 ? stdout : stderr
      }
      try {
        const [status, sending] = ['mail status', 'mail test'].map((path) => path.split(' '))
        assert.match(await command(...status!), /^by 127\.0\.0\.1:\d+ from rookery@.*, 0 waiting$/m)
        assert.match(await command(...sending!, 'eve@example.org'), /has taken the mail/)
        assert.equal(server.take('eve@example.org').length, 1)
        assert.match(await command(...sending!, 'eve'), /to must be an e-mail address/)
        server.state.answer = () => 550
        assert.match(await command(...sending!, 'eve@example.org'), /does not take the mail/)
        const at = ['--operations', world.app.urls.operations, '--json']
        const failed = await commands.run(world.env, ...sending!, 'eve@example.org', ...at)
        assert.deepEqual([failed.code, JSON.parse(failed.stdout).sent], [1, false])
        server.state.answer = () => undefined
      } finally {
        await commands.stop()
      }
    })

    test('twenty test mails go out in an hour, from wherever operators ask for them', async () => {
      world.clock.advance(HOUR_MS)
      const testFrom = (localAddress: string) =>
        new Promise<number | undefined>((resolve, reject) => {
          const headers = { 'content-type': 'application/json' }
          const options = { method: 'POST', localAddress, headers }
          const asked = request(`${world.app.urls.operations}/app/mail/test`, options, (answer) => {
            answer.resume()
            resolve(answer.statusCode)
          })
          asked.on('error', reject).end(JSON.stringify({ to: 'eve@example.org' }))
        })
      for (let i = 0; i < 20; i++) assert.equal(await testFrom('127.0.0.1'), 200)
      assert.deepEqual([await testFrom('127.0.0.1'), await testFrom('127.1.0.1')], [429, 429])
      assert.equal(server.take('eve@example.org').length, 20)
      world.clock.advance(HOUR_MS)
      assert.equal(await testFrom('127.1.0.1'), 200)
    })

    test('nothing of the login and no address is in the log', () => {
      assert.ok(logLines.length > 0)
      const text = logLines.join('')
      assert.doesNotMatch(text, /p@ss\/word|p%40ss|@example\.org/)
    })
  })
}
