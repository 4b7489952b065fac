// Who holds an account is told of each key that a message adds, by mail and on devices: every browser after the first gets one.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { accountLanguageRows } from '../src/features/languages/tables/account-languages.ts'
import { FIRST_CHOICES, mailAddressRows } from '../src/features/mail/tables/addresses.ts'
import { pushRows } from '../src/features/push/tables/pushes.ts'
import { toHex } from '../src/kernel/protocol/codec/bytes.ts'
import { HOUR_MS } from '../src/kernel/protocol/time.ts'
import { KEYS_START_MS, keyAdd, keyOf, nextMinute, owner } from './gasless-keys-support.ts'
import { accepted, bytes } from './hub-support.ts'
import { indexed } from './indexed.ts'
import { assertSaid, type MailServer, sayingIn, startMailServer } from './mail-support.ts'
import { createWorld, enginesOf, type TestAccount, type World } from './world.ts'

const PUBLIC_URL = 'https://social.example'
const addressOf = (fid: number): string => `member${fid}@example.org`

for (const engine of enginesOf(import.meta.url)) {
  describe(`mails about new keys on ${engine}`, { concurrency: 1 }, () => {
    let world: World
    let server: MailServer
    before(async () => {
      server = await startMailServer()
      const env = {
        ROOKERY_VIEWS: 'on',
        ROOKERY_SMTP_URL: server.url,
        ROOKERY_PUBLIC_URL: PUBLIC_URL,
      }
      world = await createWorld({ engine, startMs: KEYS_START_MS, env })
    })
    after(async () => {
      await world.close()
      await server.close()
    })

    /** What the confirmed address of an account and its one device are told. */
    const told = async (fid: number) => {
      await indexed(world.app)
      for (const job of ['tell of new keys', 'send mails']) await world.app.jobs.run(job)
      const { storage } = world.app
      const waiting = await storage.of(pushRows).waiting([`device of ${fid}`])
      const mails = server.take(addressOf(fid))
      return { mails, pushes: waiting.get(`device of ${fid}`) ?? 0 }
    }
    async function reach({ fid, key: signer }: TestAccount) {
      const { storage } = world.app
      const custody = (await storage.accounts.custody(fid))!.address
      const confirmed_at = world.clock.now()
      const row = { fid, address: addressOf(fid), custody, confirmed_at, ...FIRST_CHOICES }
      await storage.write('all/mails', async (tx) => {
        await tx.of(mailAddressRows).put(row)
        // Nobody answers there, so what is told waits.
        const device = { endpoint: 'https://127.0.0.1:1/x', public_key: bytes(65, 4), kinds: '' }
        const more = { secret: bytes(16, 5), name: 'Phone', failures: 0, created_at: 0 }
        const id = `device of ${fid}`
        await tx.of(pushRows).putDevices([{ id, fid, signer, pushed_at: null, ...device, ...more }])
      })
    }

    test('each key that a message adds is told once, to whom an address or a device belongs, also after a restart', async () => {
      const [user, other] = [await owner(world, 11), await owner(world, 12)]
      await reach(user)
      accepted(await world.submit(await keyAdd(world, user, keyOf(1))))
      accepted(await world.submit(await keyAdd(world, other, keyOf(2))))
      const first = await told(11)
      const [mail, ...more] = first.mails
      assert.deepEqual(
        [mail!.subject, more, first.pushes],
        ['A new device or app may write for you', [], 1],
      )
      assert.ok(mail!.text.includes(toHex(keyOf(1).key)), mail!.text)
      assert.equal(mail!.links[0], `${PUBLIC_URL}/account`)
      assert.deepEqual(await told(12), { mails: [], pushes: 0 })
      nextMinute(world)
      accepted(await world.submit(await keyAdd(world, user, keyOf(3), { nonce: 2 })))
      await world.restart()
      const { mails, pushes } = await told(11)
      assert.equal(pushes, 2)
      assert.deepEqual(
        mails.map(({ text }) => text.includes(toHex(keyOf(3).key))),
        [true],
      )
      await world.restart()
      assert.deepEqual((await told(11)).mails, [])
    })

    test('devices and the address are told in the language of the account', async () => {
      for (const [i, code] of ['de', 'ar'].entries()) {
        const [fid, say] = [14 + i, sayingIn(code)]
        const user = await owner(world, fid)
        await reach(user)
        const { storage, clock } = world.app
        await storage.write(`fid/${fid}`, (tx) =>
          tx.of(accountLanguageRows).put({ fid, language: code, is_chosen: 1, changed_at: 0 }),
        )
        accepted(await world.submit(await keyAdd(world, user, keyOf(10 + i))))
        const { mails } = await told(fid)
        const title = say('A new device or app may write for you')
        const body = say(
          'It has the key {key}. If that was not you, remove it under “My account”, Devices and apps.',
          { key: toHex(keyOf(10 + i).key) },
        )
        assertSaid(mails[0]!, say, [title, body, say('My account')])
        const pushes = await storage.of(pushRows).firstDue(clock.now(), 100)
        const push = JSON.parse(pushes.find((one) => one.fid === fid)!.payload)
        assert.equal(push.title, title)
        assert.ok(body.startsWith(push.body.replace(/…$/, '')), push.body)
      }
    })

    test('a key that was added long before it could be told is no news', async () => {
      const user = await owner(world, 13)
      await reach(user)
      const late = await keyAdd(world, user, keyOf(4), { deadline: 0xff_ff_ff_ff })
      world.clock.advance(2 * HOUR_MS)
      accepted(await world.submit(late))
      assert.deepEqual((await told(13)).mails, [])
    })
  })
}
