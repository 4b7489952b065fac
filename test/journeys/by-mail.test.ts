// A member who never heard of keys posts, gives an e-mail address, loses everything, and is back after seven days by a link in a
// mail, in Chromium on a phone. The mail server is a real one; the links are opened in browsers that know nothing of the member.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { createInvite } from '../../src/features/invites/invites.ts'
import { MAILS } from '../../src/features/mail/port.ts'
import { mailAddressRows } from '../../src/features/mail/tables/addresses.ts'
import { DAY_SECONDS } from '../../src/kernel/protocol/time.ts'
import {
  MAIL_FROM,
  MAIL_LOGIN,
  type MailServer,
  startMailServer,
  written,
} from '../mail-support.ts'
import { until } from '../until.ts'
import { enginesOf } from '../world.ts'
import { browserWorld, PHONE } from './browser-world.ts'

const PASSWORD = 'correct horse battery'
const ADDRESS = 'dipper@example.org'
const OTHER = 'ouzel@example.org'
const PUBLIC_URL = 'https://social.example'
const WAIT_DAYS = 7

for (const engine of enginesOf(import.meta.url)) {
  describe(`an account comes back by mail on ${engine}`, { concurrency: 1 }, () => {
    const env = {
      ROOKERY_SIGNUP: 'invite',
      ROOKERY_RECOVERY_DAYS: String(WAIT_DAYS),
      ROOKERY_PUBLIC_URL: PUBLIC_URL,
    }
    let server: MailServer
    before(async () => {
      server = await startMailServer()
    })
    after(() => server.close())
    const world = browserWorld({ engine, env, host: 'localhost' })

    /** The link of the next mail with this subject, on the host of this test. */
    const linkOf = async (subject: RegExp): Promise<string> =>
      here((await mailAbout(ADDRESS, subject)).links[0]!)
    const here = (link: string): string => link.replace(PUBLIC_URL, world.web)
    const mailAbout = (to: string, subject: RegExp) =>
      until(async () => {
        await world.app.jobs.run('send mails')
        return server.take(to).find((one) => subject.test(one.subject))
      }, `a mail to ${to} about ${subject}`)

    async function post(page: Page, text: string): Promise<void> {
      await page.goto(`${world.web}/compose`)
      await page.getByRole('textbox', { name: 'Your post' }).fill(text)
      await page.getByRole('button', { name: 'Post', exact: true }).click()
      await page.waitForURL(/\/cast\/0x/)
      await world.indexed()
    }

    async function join(page: Page): Promise<void> {
      const terms = { uses: 1, days: 1, label: '' }
      const { code } = await createInvite(world.app.storage, world.app.clock.now(), terms)
      await page.goto(`${world.web}/join?invite=${code}`)
      await page.getByLabel('Your name').fill('dipper')
      await page.getByText('dipper is free').waitFor()
      await page.getByRole('radio', { name: /^Password/ }).check()
      await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD)
      await page.getByRole('button', { name: 'Create account' }).click()
      await page.locator('.words li').nth(11).waitFor()
      await page.getByRole('button', { name: 'I have written them down' }).click()
      await page.getByRole('button', { name: 'Go on' }).click()
      await page.waitForURL(`${world.web}/`)
    }

    async function unlock(page: Page): Promise<void> {
      await page.getByRole('button', { name: 'Unlock' }).click()
      await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD)
      await page.getByRole('button', { name: 'Use the password' }).click()
    }

    it('the operator sets the mail server up in the room, is told what is wrong with it, and sends a test', async () => {
      const page = await world.visitor({ viewport: PHONE })
      await page.goto(`${world.app.urls.operations}/operator#settings`)
      await page.getByText('This server sends no e-mail yet.').waitFor()
      await page.getByLabel('Host', { exact: true }).fill('127.0.0.1')
      await page.getByLabel('Encryption').selectOption('none')
      const port = page.getByLabel('Port', { exact: true })
      assert.equal(await port.inputValue(), '25')
      await port.fill(String(server.port))
      await page.getByLabel('User name').fill(MAIL_LOGIN.user)
      await page.getByLabel('Password', { exact: true }).fill('not-the-password')
      await page.getByLabel('Sender address').fill(MAIL_FROM)
      const to = page.getByLabel('Send a test e-mail to').last()
      await to.fill('ada@example.org')
      const save = page.getByRole('button', { name: 'Save and send a test' })
      await save.click()
      // The refusal stands at its field.
      await page.getByRole('alert').getByText('does not accept the login').waitFor()
      const password = page.getByLabel('Password', { exact: true })
      assert.equal(await password.getAttribute('aria-invalid'), 'true')
      await world.checkAll(page, 'mail-server-refused')
      await password.fill(MAIL_LOGIN.pass)
      await save.click()
      await page.getByText(/has taken the mail: 250 .* look among the unwanted mails/).waitFor()
      await page.getByText(/^E-mails go out by 127\.0\.0\.1:\d+, from rookery@/).waitFor()
      await page.getByText('In force. Changed here by').waitFor()
      assert.equal(server.take('ada@example.org').length, 1)
      assert.ok(!(await page.content()).includes(MAIL_LOGIN.pass))
      const send = async () => {
        await page.getByLabel('Send a test e-mail to').first().fill('ada@example.org')
        await page.getByRole('button', { name: 'Send', exact: true }).click()
      }
      server.state.answer = () => 550
      await send()
      await page.getByText(/does not take the mail \(550 .*correct the sender/).waitFor()
      server.state.answer = () => undefined
      await page.getByText('Change the mail server').click()
      await page.getByText('A password is stored, and is not shown.').waitFor()
      await world.checkAll(page, 'mail-server')
      // Somebody else removes it while another one is tried: what was typed stays.
      server.state.answer = async () => {
        await fetch(`${world.app.urls.operations}/app/mail`, {
          method: 'DELETE',
          headers: { 'content-type': 'application/json' },
          body: '{}',
        })
        return undefined
      }
      await page.getByLabel('Sender address').fill('club@social.example')
      await to.fill('ada@example.org')
      await save.click()
      await page.getByText(/^The mail server was changed or removed meanwhile/).waitFor()
      await page.getByText('This server sends no e-mail yet.').waitFor()
      assert.equal(await page.getByLabel('Sender address').inputValue(), 'club@social.example')
      await world.checkAll(page, 'mail-server-changed')
      server.state.answer = () => undefined
      await page.getByLabel('Sender address').fill(MAIL_FROM)
      await password.fill(MAIL_LOGIN.pass)
      await save.click()
      await page.getByText('In force. Changed here by').waitFor()
      server.take('ada@example.org')
      // The page of the operator has an origin of its own.
      world.faults.splice(0)
      await page.context().close()
    })

    it('a member posts, confirms an address, loses everything, and comes back by a link after the waiting time', async () => {
      const owner = await world.visitor({ viewport: PHONE })
      await join(owner)
      await post(owner, 'Dipping in the stream')
      await owner.goto(`${world.web}/account`)
      await unlock(owner)
      await owner.getByLabel('Your e-mail address').fill(ADDRESS)
      await owner.getByRole('checkbox', { name: /brings the account back/ }).check()
      await owner.getByRole('button', { name: 'Send the link' }).click()
      await owner.getByText('A link is on its way').waitFor()
      await owner.getByText('waits for its link to be opened').waitFor()
      await world.checkAll(owner, 'mail-address')

      const reader = await world.visitor({ viewport: PHONE })
      const asked = await mailAbout(ADDRESS, /Confirm your e-mail/)
      assert.match(asked.text, /use this address for the account @dipper\./)
      await reader.goto(here(asked.links[0]!))
      await reader.getByRole('heading', { name: 'Confirm your address' }).waitFor()
      // Whose it is stands there before anything is confirmed.
      await reader.getByText('Account: dipper').or(reader.getByText('Account: @dipper')).waitFor()
      await reader.getByText(`Address: ${ADDRESS}`).waitFor()
      await world.checkAll(reader, 'mail-confirm')
      await reader.getByRole('button', { name: 'Confirm the address' }).click()
      await reader.getByText('This is the address of your account now.').waitFor()
      await world.checkAll(reader, 'mail-confirmed')
      await owner.reload()
      await unlock(owner)
      const address = owner.getByRole('paragraph').filter({ hasText: ADDRESS })
      await address.getByRole('button', { name: 'Remove it' }).waitFor()
      await owner.getByLabel('What moderators decide about you').uncheck()
      await owner.getByLabel('Digest').selectOption('Every week')
      await owner.getByRole('button', { name: 'Save what is sent' }).click()
      await owner.getByText('Saved.').waitFor()
      assert.equal(await owner.getByLabel('What moderators decide about you').isChecked(), false)
      await owner.getByRole('heading', { name: 'E-mail' }).scrollIntoViewIfNeeded()
      await world.checkAll(owner, 'mail-own')
      await owner.getByLabel('Another address').fill('Dipper@example.org')
      await owner.getByRole('button', { name: 'Send the link' }).click()
      await owner.getByText('This is your address already.').waitFor()

      // Another address waits until its owner, or who reads the present one, says otherwise; a stranger's mailbox is left alone.
      await owner.getByLabel('Another address').fill(OTHER)
      await owner.getByRole('button', { name: 'Send the link' }).click()
      await owner.getByText('waits for its link to be opened').waitFor()
      const { links } = await mailAbout(OTHER, /Confirm your e-mail/)
      const [confirm, notMe] = links.map(here)
      await reader.goto(confirm!)
      await reader.getByRole('button', { name: 'Confirm the address' }).click()
      await reader.getByText(/It takes the place of the present address on/).waitFor()
      await reader.goto(notMe!)
      await reader.getByRole('button', { name: 'Send me no more of these' }).waitFor()
      await world.checkAll(reader, 'mail-not-me')
      await reader.getByRole('button', { name: 'Send me no more of these' }).click()
      await reader.getByText('No more links are sent to your address for 90 days').waitFor()
      await reader.getByRole('button', { name: 'Allow them again' }).click()
      await reader.getByText('Links may be sent to your address again.').waitFor()
      await owner.reload()
      await unlock(owner)
      await owner.getByText(`${OTHER} takes its place on`).waitFor()
      await world.checkAll(owner, 'mail-change')
      await reader.goto(await linkOf(/is about to change/))
      await reader.getByText(`Address: ${ADDRESS}`).waitFor()
      await world.checkAll(reader, 'mail-stop-change')
      await reader.getByRole('button', { name: 'Stop it' }).click()
      await reader.getByText('Stopped. This stays the address of your account.').waitFor()

      // A digest has a link that ends it, for who is not signed in.
      await world.app.storage.write('all/mails', async (tx) => {
        const { fid } = (await tx.of(mailAddressRows).byAddress(ADDRESS))!
        const content = () => written({ subject: 'What is new', paragraphs: [] })
        return world.app.of(MAILS).tell(tx, { fid, kind: 'digest', content }, world.app.clock.now())
      })
      await reader.goto(await linkOf(/What is new/))
      await reader.getByRole('button', { name: 'End them' }).waitFor()
      await world.checkAll(reader, 'mail-unsubscribe')
      await reader.getByRole('button', { name: 'End them' }).click()
      await reader.getByText(/^Done\./).waitFor()
      await owner.reload()
      await unlock(owner)
      await owner.getByLabel('Digest').waitFor()
      assert.equal(await owner.getByLabel('Digest').inputValue(), 'off')

      // While the server sends no mail, a push leads to what stops a removal; nothing else is offered.
      const mailServer = `${world.app.urls.operations}/app/mail`
      const operate = async (method: 'PUT' | 'DELETE', body: object) => {
        const headers = { 'content-type': 'application/json' }
        const answer = await fetch(mailServer, { method, headers, body: JSON.stringify(body) })
        assert.equal(answer.status, 200, await answer.text())
      }
      await operate('DELETE', {})
      await owner.goto(`${world.web}/settings`)
      await owner.getByRole('link', { name: /^E-mail address/ }).click()
      await owner.getByRole('heading', { name: 'E-mail' }).waitFor()
      await unlock(owner)
      await address.getByRole('button', { name: 'Remove it' }).click()
      await owner.getByText(/^It is removed on/).waitFor()
      assert.equal(await owner.getByText('with the link that was sent there').count(), 0)
      assert.equal(await owner.getByRole('button', { name: 'Send the link' }).count(), 0)
      assert.equal(await owner.getByLabel('Digest').count(), 0)
      await world.checkAll(owner, 'mail-off')
      await owner.getByRole('button', { name: 'Keep the present address' }).click()
      await owner.getByText('The address stays.').waitFor()
      await address.getByRole('button', { name: 'Remove it' }).waitFor()
      // Settings of a browser that was told of no address lead to none.
      await owner.evaluate(`for (const key of Object.keys(localStorage))
        if (key.startsWith('rookery.mail.')) localStorage.removeItem(key)`)
      await owner.goto(`${world.web}/settings`)
      await owner.getByRole('link', { name: /^Recovery address/ }).waitFor()
      assert.equal(await owner.getByRole('link', { name: /^E-mail address/ }).count(), 0)
      await operate('PUT', {
        ...{ host: '127.0.0.1', port: server.port, tls: 'none', from: MAIL_FROM },
        ...{ user: MAIL_LOGIN.user, password: MAIL_LOGIN.pass, to: 'ada@example.org' },
      })

      // Nothing is left of the device.
      await owner.context().close()
      const back = await world.visitor({ viewport: PHONE })
      await back.goto(`${world.web}/join/recover`)
      await back.getByLabel('The name of your account').fill('dipper')
      await back.getByLabel('Your e-mail address').fill(ADDRESS)
      await world.checkAll(back, 'mail-lost')
      await back.getByRole('button', { name: 'Send the link' }).click()
      await back.getByText(/If this is the address of the account/).waitFor()
      const way = await linkOf(/Get your account back/)
      await back.goto(way)
      await back.locator('.words li').nth(11).waitFor()
      const words = (await back.locator('.words li').allInnerTexts()).join(' ')
      await back.getByRole('button', { name: 'I have written them down' }).click()
      // The words stay in the browser of who wants that, and nobody else's.
      const keep = back.getByRole('checkbox', { name: /^Keep them in this browser/ })
      assert.equal(await keep.isChecked(), false)
      await keep.check()
      await world.checkAll(back, 'mail-new-words')
      await back.getByRole('button', { name: 'Ask for my account' }).click()
      await back.getByText(/Your account moves to your new words on/).waitFor()
      await world.checkAll(back, 'mail-waiting')
      // The link is looked at before words are made: it counts once.
      const other = await world.visitor({ viewport: PHONE })
      await other.goto(way)
      await other.getByText('This link was used, or is more than an hour old.').waitFor()
      assert.equal(await other.locator('.words').count(), 0)
      await world.checkAll(other, 'mail-used-link')
      await other.context().close()
      // Who has closed the page finds the request where one signs in.
      await back.goto(`${world.web}/join/sign-in`)
      await back.getByText(/You have asked for @dipper on this device\. It waits until/).waitFor()
      await world.checkAll(back, 'mail-waiting-sign-in')

      const stop = await linkOf(/Somebody has asked for your account/)
      await reader.goto(stop)
      await reader.getByRole('button', { name: 'Stop it' }).waitFor()
      await world.checkAll(reader, 'mail-stop')

      const response = await fetch(`${world.app.urls.operations}/dev/clock`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ advanceSeconds: WAIT_DAYS * DAY_SECONDS }),
      })
      assert.equal(response.status, 200, await response.text())
      await world.app.jobs.run('recover accounts')
      await back.reload()
      await back.getByText('You have @dipper back').waitFor()
      await back.getByRole('button', { name: 'Forget it here' }).waitFor()
      await world.checkAll(back, 'mail-back')
      await back.getByRole('button', { name: 'Sign in', exact: true }).click()
      await back.waitForURL(/\/account\?recovered$/)
      await back.getByRole('link', { name: 'Remove the device that you have lost' }).waitFor()
      await world.checkAll(back, 'mail-recovered')
      await back.getByRole('main').getByText('@dipper').first().waitFor()
      // The page has forgotten the words too: who goes back finds nothing to sign in with.
      await back.goBack()
      await back.getByText('12 words').waitFor()
      assert.equal(await back.getByText('You have @dipper back').count(), 0)
      await back.goto(`${world.web}/@dipper`)
      await back.getByText('Dipping in the stream').waitFor()
      await world.check(back)
      // Who opens the link now stops nothing, and reads what is left to do.
      await reader.getByRole('button', { name: 'Stop it' }).click()
      await reader.getByText('It cannot be stopped any more').waitFor()
      await world.checkAll(reader, 'mail-stop-late')

      // The old password opens nothing and is not asked for. Words are read however they are typed, and what is wrong with them is
      // said by the place.
      await back.goto(`${world.web}/account?recovered`)
      await back.getByRole('button', { name: 'Unlock' }).click()
      const typed = back.getByLabel('Your recovery words')
      await typed.fill(words.replace(/^\w+/, 'xyzzy').toUpperCase())
      assert.equal(await back.getByRole('button', { name: 'Use the password' }).count(), 0)
      await back.getByRole('button', { name: 'Show the words' }).click()
      await back.getByRole('button', { name: 'Use the words' }).click()
      await back.getByText('Word 1 is none of those').waitFor()
      await world.checkAll(back, 'mail-typed-words')
      await typed.fill(words.split(' ').join('\n'))
      await back.getByRole('button', { name: 'Use the words' }).click()
      await back.getByText('Unlocked until you leave this page.').waitFor()
    })
  })
}
