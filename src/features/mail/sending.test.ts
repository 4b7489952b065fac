// The job that sends what waits, while there is no mail server and once there is one, over a real SMTP server.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import {
  MAIL_FROM,
  MAIL_LOGIN,
  startMailServer,
  waitingMail,
  written,
} from '../../../test/mail-support.ts'
import { openStore } from '../../../test/storage-support.ts'
import { ENGINES } from '../../../test/world.ts'
import { ENGLISH } from '../../kernel/base/languages/languages.ts'
import { translator } from '../../kernel/http/translator.ts'
import { MINUTE_MS, SECOND_MS } from '../../kernel/protocol/time.ts'
import type { Storage } from '../../kernel/storage/storage.ts'
import { MailServer } from './mail-server.ts'
import { mailOf } from './message.ts'
import { type MailOutcome, sendingJob } from './sending.ts'
import { mailRows } from './tables/mails.ts'
import { mailServerRows } from './tables/servers.ts'

const TO = 'ada@example.org'
/** The longest time between two looks for a mail server while there is none. */
const SOON_MS = 10 * SECOND_MS

for (const engine of ENGINES) {
  const start = async (t: TestContext) => {
    const storage = await openStore(t, engine)
    const state = { now: 1_000_000, reads: 0, outcomes: [] as MailOutcome[] }
    const of: Storage['of'] = (rows) => {
      state.reads++
      return storage.of(rows)
    }
    const write: Storage['write'] = (locks, work) => storage.write(locks, work)
    const server = new MailServer({
      given: undefined,
      publicUrl: 'https://social.example',
      storage: { of },
      secrets: { open: () => Buffer.from(MAIL_LOGIN.pass) },
    })
    const job = sendingJob({
      storage: { of, write },
      isOn: server.isOn,
      place: server.place,
      compose: async ({ id, address }, from) => {
        const say = translator(ENGLISH)
        const why = say('The operator has asked for it.')
        const about = { serverName: 'Club', publicUrl: 'https://social.example', why }
        const content = written({ subject: 'Hello', paragraphs: [] })
        return mailOf(content, { ...about, say, from, to: address, id, now: state.now })
      },
      hidden: async (address) => `hidden ${address}`,
      nowMs: () => state.now,
      count: (outcome) => state.outcomes.push(outcome),
      tellRefused: async () => {},
      log: { warn: () => {} },
    })
    /** Runs the job. Returns how often it has read, and after how many milliseconds it runs again. */
    const run = async () => {
      let next = job.everyMs
      state.reads = 0
      const { signal } = new AbortController()
      await job.run({
        signal,
        lease: undefined,
        repeatAfter: (ms) => {
          next = ms
        },
      })
      return { reads: state.reads, next }
    }
    const add = (expires_at: number) =>
      storage.write('all/mails', (tx) =>
        tx.of(mailRows).add([waitingMail({ address: TO, expires_at })]),
      )
    return { storage, state, job, run, add }
  }

  test(`without a mail server it is looked for one seldom, and what is too old is forgotten within a minute, on ${engine}`, async (t) => {
    const { storage, state, job, run, add } = await start(t)
    await run()
    await add(state.now)
    const { reads, next } = await run()
    assert.equal(reads, 1)
    assert.ok(next > job.everyMs && next <= SOON_MS, `it looks again after ${next} ms`)
    assert.equal(await storage.of(mailRows).waitingCount(10), 1)
    state.now += MINUTE_MS
    await run()
    assert.equal(await storage.of(mailRows).waitingCount(10), 0)
    assert.deepEqual(state.outcomes, ['expired'])
  })

  test(`what waits is sent with the first look after a mail server was set up, on ${engine}`, async (t) => {
    const { storage, state, job, run, add } = await start(t)
    const smtp = await startMailServer()
    try {
      await add(state.now + MINUTE_MS)
      await run()
      assert.equal(smtp.got.length, 0)
      await storage.write('hub', (tx) =>
        tx.of(mailServerRows).put({
          ...{ host: '127.0.0.1', port: smtp.port, login: MAIL_LOGIN.user },
          ...{ secret: new Uint8Array(1), sender: MAIL_FROM, changed_at: 1, changed_by: 'owner' },
          tls: 'none',
        }),
      )
      const { next } = await run()
      assert.equal(smtp.take(TO).length, 1)
      assert.equal(next, job.everyMs)
      assert.deepEqual(state.outcomes, ['sent'])
    } finally {
      await smtp.close()
    }
  })
}
