// "My account" in the web client, on a phone: invites, name, devices, data, the sealed copy, moving to a wallet, deletion.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { bookmarkRows } from '../../src/features/bookmarks/tables/bookmarks.ts'
import { createInvite } from '../../src/features/invites/invites.ts'
import { listRows } from '../../src/features/lists/tables/lists.ts'
import { mutedTermRows } from '../../src/features/mutes/tables/muted-terms.ts'
import { sealedKeyRows } from '../../src/features/sealed-keys/tables/sealed-keys.ts'
import { DAY_SECONDS } from '../../src/kernel/protocol/time.ts'
import type { Storage } from '../../src/kernel/storage/storage.ts'
import { filesOfZip } from '../archive-support.ts'
import { bytesOf, readQrCode } from '../browser.ts'
import { giveWallet, walletOf } from '../browser-wallet.ts'
import { until } from '../until.ts'
import { type BrowserWorld, browserWorld, DESKTOP, PHONE } from './browser-world.ts'

const PASSWORD = 'correct horse battery'

export function ownAccount(world: BrowserWorld): void {
  describe('the own account in the web client', { concurrency: 1 }, () => {
    const { check, checkAll } = world
    /** Another server, with a ledger of its own. */
    const elsewhere = browserWorld({ host: 'localhost' })
    const phone = () => world.visitor({ viewport: PHONE })
    const button = (page: Page, name: string | RegExp) =>
      page.locator('main').getByRole('button', { name })

    async function fillIn(page: Page, name: string): Promise<void> {
      await page.getByLabel('Your name').fill(name)
      await page.getByText(`${name} is free`).waitFor()
      await page.getByRole('radio', { name: /^Password/ }).check()
      await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD)
      await button(page, 'Create account').click()
      await button(page, 'Later: remind me').click()
      await page.waitForURL(`${world.web}/`)
    }

    async function join(page: Page, name: string): Promise<void> {
      const terms = { uses: 1, days: 1, label: '' }
      const { app } = world
      const { code } = await createInvite(app.storage, app.clock.now(), terms)
      await page.goto(`${world.web}/join?invite=${code}`)
      await fillIn(page, name)
    }

    async function openAccount(page: Page): Promise<void> {
      await page.goto(`${world.web}/account`)
      await button(page, 'Unlock').click()
      await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD)
      await button(page, 'Use the password').click()
      await page.getByText('Unlocked until you leave this page.').waitFor()
    }

    async function cast(page: Page, text: string): Promise<void> {
      await page.goto(`${world.web}/compose`)
      await page.getByRole('textbox', { name: 'Your post' }).fill(text)
      await page.getByRole('button', { name: 'Post', exact: true }).click()
    }

    async function checkBrought({ of }: Pick<Storage, 'of'>, fid: number): Promise<void> {
      const [terms, tags, lists] = await Promise.all([
        of(mutedTermRows).of(fid),
        of(listRows).tags(fid),
        of(listRows).lists(fid),
      ])
      assert.deepEqual(
        [terms.map(({ term }) => term), tags.map(({ tag }) => tag), lists.map(({ name }) => name)],
        [['spoiler'], ['Waders'], ['Bird folk']],
      )
    }

    const fidOf = (page: Page) => page.evaluate<number>('Number(localStorage["rookery.fid"])')

    it('a member makes an invite, hands on its link and its code, and who follows it reads who invites', async () => {
      const member = await phone()
      await world.actAs(member, 'raven')
      await member.goto(`${world.web}/account`)
      await button(member, 'Make an invite').click()
      await member.getByText('one person can join with it, until').waitFor()
      const link = await member.locator('.invite-link code').innerText()
      // Nothing that stays in its place covers the picture there.
      await member.setViewportSize(DESKTOP)
      const code = await readQrCode(member.getByRole('img', { name: 'The link as a QR code' }))
      assert.equal(code, link)
      await member.getByRole('heading', { name: 'Invite people' }).scrollIntoViewIfNeeded()
      await checkAll(member, 'account-invites')

      const guest = await phone()
      const path = new URL(link)
      await guest.goto(`${world.web}${path.pathname}${path.search}`)
      await guest.getByText('invites you.').waitFor()
      await guest.getByRole('main').getByRole('link', { name: 'Raven' }).waitFor()
      await checkAll(guest, 'join-invited')
      await fillIn(guest, 'bittern')
      const late = await phone()
      await late.goto(`${world.web}${path.pathname}${path.search}`)
      await late.getByText('the invite is unknown, used up or expired').waitFor()
      assert.equal(await late.getByLabel('Invite code').getAttribute('aria-invalid'), 'true')
      await check(late)

      await member.reload()
      await member.getByText('UsedMade').waitFor()
      await member.getByLabel('Who follows the link').uncheck()
      await button(member, 'Make an invite').click()
      const nameless = new URL(await member.locator('.invite-link code').innerText())
      await late.goto(`${world.web}${nameless.pathname}${nameless.search}`)
      await late.getByLabel('Your name').waitFor()
      assert.equal(await late.getByText('invites you').count(), 0)
      await button(member, 'Revoke').click()
      await member.getByText('The invite is revoked.').waitFor()
      await late.reload()
      await late.getByText('the invite is unknown, used up or expired').waitFor()
      await button(member, 'Make an invite').click()
      await member.getByText('You have made 2 invites in 30 days').waitFor()
    })

    it('a device that is removed cannot write any more, and everything is downloaded as one file', async () => {
      const page = await phone()
      await join(page, 'plover')
      await cast(page, 'About the tide')
      await page.waitForURL(/\/cast\/0x/)
      const second = await phone()
      await second.goto(`${world.web}/join/sign-in`)
      await second.getByLabel('Your name').fill('plover')
      await second.getByRole('textbox', { name: 'Password' }).fill(PASSWORD)
      await button(second, 'Use the password').click()
      await second.waitForURL(`${world.web}/`)

      await openAccount(page)
      await page.getByText(/up to three times on its first day/).waitFor()
      await check(page)
      const devices = page.locator('.held li', { hasText: 'A browser of yours' })
      await devices.getByRole('button', { name: 'Remove' }).click()
      await page.getByText('It cannot write for you any more.').waitFor()
      await devices.waitFor({ state: 'detached' })
      await cast(second, 'From a removed device')
      await second.getByText(/Nothing was sent\. This device is signed out/).waitFor()
      // Every screen says so, and leads back.
      await second.goto(world.web)
      await second.getByText('This device is signed out: its key was removed').waitFor()
      await checkAll(second, 'signed-out')
      await second.getByRole('link', { name: 'Sign in again' }).click()
      await second.getByLabel('Your name').fill('plover')
      await second.getByRole('textbox', { name: 'Password' }).fill(PASSWORD)
      await button(second, 'Use the password').click()
      await second.waitForURL(`${world.web}/`)
      await second.locator('main article').first().waitFor()
      assert.equal(await second.getByText('This device is signed out').count(), 0)

      const { storage } = world.app
      const own = await fidOf(page)
      await storage.write(`fid/${own}`, async (tx) => {
        await tx.of(mutedTermRows).add({ fid: own, kind: 'word', term: 'spoiler', muted_at: 1 })
        await tx.of(listRows).addTag({ fid: own, folded: 'waders', tag: 'Waders', followed_at: 1 })
        await tx
          .of(listRows)
          .putList({ fid: own, id: 'a'.repeat(16), name: 'Bird folk', made_at: 1 })
        const gone = { cast_hash: new Uint8Array(20).fill(7), author_fid: own, saved_at: 1 }
        await tx.of(bookmarkRows).add({ fid: own, ...gone })
      })
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        button(page, 'Download my data').click(),
      ])
      assert.match(download.suggestedFilename(), /^plover-\d{4}-\d\d-\d\d\.zip$/)
      const zip = await bytesOf(download)
      const files = await filesOfZip(new Blob([zip]))
      const data = JSON.parse(String(files.get('data.json')))
      assert.equal(data.account.fid, await fidOf(page))
      assert.deepEqual(
        data.posts.map(({ text }: { text: string }) => text),
        ['About the tide'],
      )
      assert.match(String(files.get('index.html')), /About the tide/)
      await check(page)

      // The same file brings back what is missing, and another account what is not bound to the first.
      await storage.write(`fid/${own}`, async (tx) => {
        await tx.of(mutedTermRows).remove({ fid: own, kind: 'word', term: 'spoiler' })
        await tx.of(listRows).removeTag(own, 'waders')
        await tx.of(bookmarkRows).remove(own, new Uint8Array(20).fill(7))
      })
      const other = await phone()
      await join(other, 'whimbrel')
      for (const reader of [page, other]) {
        await reader.goto(`${world.web}/settings`)
        await reader.getByRole('link', { name: /^Import my data/ }).click()
        await reader.getByLabel('Zip file').setInputFiles({
          name: 'not.zip',
          mimeType: 'application/zip',
          buffer: Buffer.from('no zip'),
        })
        await reader.getByText(/This is no zip of “Download my data”/).waitFor()
        await reader.getByLabel('Zip file').setInputFiles({
          name: 'plover.zip',
          mimeType: 'application/zip',
          buffer: Buffer.from(zip),
        })
        await reader.getByText('1 followed tag').waitFor()
        await checkAll(reader, reader === page ? 'import-own' : 'import-other')
        const messages = reader.getByText(/signed messages: posts/)
        assert.equal(await messages.count(), reader === page ? 1 : 0)
        await button(reader, 'Bring it here').click()
        await reader.getByText('The rest is here.').waitFor()
        await reader.getByText('1 could not be brought').click()
        await reader.getByText(/^The bookmark of 0x07070707…: /).waitFor()
        await checkAll(reader, 'import-done')
        await checkBrought(storage, await fidOf(reader))
      }
      assert.equal(await other.getByText('It is of another account').count(), 1)

      // The program of another server takes the same file, and nothing that is signed for an account of the first.
      const abroad = await elsewhere.visitor({ viewport: PHONE })
      await elsewhere.actAs(abroad, 'heron')
      await abroad.goto(`${elsewhere.web}/import`)
      const file = { name: 'plover.zip', mimeType: 'application/zip', buffer: Buffer.from(zip) }
      await abroad.getByLabel('Zip file').setInputFiles(file)
      await abroad.getByText('It is of another account').waitFor()
      assert.equal(await abroad.getByText(/signed messages: posts/).count(), 0)
      await button(abroad, 'Bring it here').click()
      await abroad.getByText('The rest is here.').waitFor()
      await checkBrought(elsewhere.app.storage, await elsewhere.fidOf('heron'))
      await elsewhere.check(abroad)
    })

    it('a sealed copy that is removed opens the account nowhere any more', async () => {
      const page = await phone()
      await join(page, 'dunlin')
      await openAccount(page)
      const fid = await fidOf(page)
      assert.equal((await world.app.storage.of(sealedKeyRows).ofFid(fid, 10)).length, 1)
      const ways = page.getByRole('region', { name: 'Ways to sign in on other devices' })
      await ways.getByRole('button', { name: 'Remove' }).click()
      await page.getByText('None: only your words or your wallet.').waitFor()
      assert.equal((await world.app.storage.of(sealedKeyRows).ofFid(fid, 10)).length, 0)
      const other = await phone()
      await other.goto(`${world.web}/join/sign-in`)
      await other.getByLabel('Your name').fill('dunlin')
      await other.getByRole('textbox', { name: 'Password' }).fill(PASSWORD)
      await button(other, 'Use the password').click()
      await other.locator('main [role=alert], main .notice').first().waitFor()
      assert.equal(new URL(other.url()).pathname, '/join/sign-in')
    })

    it('an account is moved to a wallet, and what it wrote is deleted for good', async () => {
      const owner = privateKeyToAccount(generatePrivateKey())
      const page = await phone()
      await giveWallet(page, walletOf(owner))
      await join(page, 'sanderling')
      await cast(page, 'Soon to be gone')
      await page.waitForURL(/\/cast\/0x/)
      const castUrl = page.url()
      const fid = await fidOf(page)
      await openAccount(page)
      const move = page.getByRole('region', { name: 'Move to a wallet' })
      await move.getByText('Choose a wallet').click()
      await move.getByRole('button', { name: 'Test Wallet' }).click()
      await check(page)
      await move.getByRole('button', { name: 'Move the account there' }).click()
      await page.getByText('From now on this wallet is your account').waitFor()
      const ids = await fetch(`${world.app.urls.accounts}/v1/idOf?address=${owner.address}`)
      assert.equal(((await ids.json()) as { fid: number }).fid, fid)

      // The wallet opens the account now.
      await page.goto(`${world.web}/account`)
      await button(page, 'Unlock').click()
      await page.getByText('A wallet', { exact: true }).click()
      await page.getByRole('button', { name: 'Test Wallet' }).click()
      await page.getByText('Unlocked until you leave this page.').waitFor()
      await button(page, 'Delete my account …').click()
      await button(page, 'Delete for good').click()
      await page.waitForURL(`${world.web}/`)
      const gone = await page.goto(castUrl)
      assert.equal(gone!.status(), 404)
      const feed = `${world.app.urls.app}/v2/farcaster/feed/user/casts?fid=${fid}`
      // Feeds are views, which follow the hub.
      await until(async () => {
        const response = await fetch(feed, { headers: { 'x-api-key': 'web' } })
        return ((await response.json()) as { casts: object[] }).casts.length === 0
      }, 'the feed of the account is empty')
      // A job ends the erasure.
      await until(
        async () => (await world.app.storage.of(sealedKeyRows).ofFid(fid, 10)).length === 0,
        'no sealed copy is left',
      )
    })

    // The last one, because it moves the clock.
    it('a name is changed after 28 days, of which the page speaks before', async () => {
      const page = await phone()
      await join(page, 'turnstone')
      await openAccount(page)
      const advance = async (advanceSeconds: number) => {
        const moved = await fetch(`${world.app.urls.operations}/dev/clock`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ advanceSeconds }),
        })
        assert.equal(moved.status, 200)
      }
      // The first day is over.
      await advance(DAY_SECONDS)
      await openAccount(page)
      await page.getByText(/You can change it from/).waitFor()
      assert.equal(await page.getByLabel('New name').count(), 0)
      await advance(27 * DAY_SECONDS + 60)
      await openAccount(page)
      await page.getByLabel('New name').fill('knot')
      await page.getByText('knot is free').waitFor()
      await check(page)
      await button(page, 'Change the name').click()
      await page.getByText('You are @knot now.').waitFor()
      await page.goto(`${world.web}/@knot`)
      await page.getByRole('link', { name: 'Edit profile' }).first().waitFor()
    })
  })
}
