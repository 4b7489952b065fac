// The owner of a server, who joins by the link of an invite with the role operator: the room opens at the front door, without the
// token and without a way to the machine.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { createInvite } from '../../src/features/invites/invites.ts'
import { staffRows } from '../../src/features/moderation/tables/staff.ts'
import { recoveryRows } from '../../src/features/recovery/tables/recoveries.ts'
import { serverTextRows } from '../../src/features/server-face/tables/server-texts.ts'
import { plainPng } from '../media-support.ts'
import { until } from '../until.ts'
import { browserWorld, PHONE } from './browser-world.ts'

const PASSWORD = 'correct horse battery'
const PICTURE = Buffer.from(plainPng(96, 96, [11, 93, 87, 255]))

describe('the owner at the front door', { concurrency: 1 }, () => {
  const world = browserWorld({ env: { ROOKERY_SIGNUP: 'invite' }, host: 'localhost' })
  const staff = async () => (await world.app.storage.of(staffRows).list()).map(({ role }) => role)

  async function join(page: Page, code: string, name: string, role: string): Promise<void> {
    await page.goto(`${world.web}/join?invite=${code}`)
    await page.getByText(`With this invite you become ${role}`).waitFor()
    await page.getByLabel('Your name').fill(name)
    await page.getByText(`${name} is free`).waitFor()
    await page.getByRole('radio', { name: /^Password/ }).check()
    await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.locator('.words li').nth(11).waitFor()
    await page.getByRole('button', { name: 'I have written them down' }).click()
    await page.getByRole('button', { name: 'Go on' }).click()
  }

  it('who has no account of an operator is led to sign in, and sees nothing of the room', async () => {
    const page = await world.visitor({ viewport: PHONE })
    await page.goto(`${world.web}/room`)
    await page.getByText('sign in first').waitFor()
    assert.equal(await page.getByRole('navigation').count(), 0)
    await page.context().close()
  })

  it('who joins by the first link is operator: says who may join, writes the rules and makes a moderator', async () => {
    const terms = { uses: 1, days: 1, label: '', role: 'operator' as const }
    const { code } = await createInvite(world.app.storage, world.app.clock.now(), terms)
    const page = await world.visitor({ viewport: PHONE })
    await join(page, code, 'bittern', 'the operator')
    // Who runs the server is led to what is to be done first.
    await page.waitForURL(`${world.web}/room`)
    await page.getByRole('heading', { name: 'First steps' }).waitFor()
    for (const step of ['Turn on the recovery', 'Have backups made']) {
      await page.locator('.first-steps li:not(.done)', { hasText: step }).waitFor()
    }
    await page.locator('.first-steps li.done', { hasText: 'Make the first channel' }).waitFor()
    await page.getByText('Give yourself the role operator (done)').waitFor()
    await world.checkAll(page, 'owner-room')

    const screen = (name: string) =>
      page.getByRole('combobox', { name: 'Screen' }).selectOption(name)
    await screen('settings')
    await page.getByLabel('Who may join').selectOption('approval')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Changed here by @bittern (operator)').waitFor()
    await screen('face')
    await page.getByLabel('Rules').fill('- Be kind')
    // What is typed survives another screen and a reload.
    await screen('invites')
    await page.getByRole('heading', { name: 'Invites' }).first().waitFor()
    await screen('face')
    await page.getByText('Not saved yet').waitFor()
    await page.reload()
    await page.getByText('Not saved yet').waitFor()
    assert.equal(await page.getByLabel('Rules').inputValue(), '- Be kind')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved.').waitFor()
    // A refusal stands at its field, in words.
    await page.getByLabel('Picture', { exact: true }).fill('http://pictures.example/a.png')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('It must be an https URL.').waitFor()
    const picture = page.getByLabel('Picture', { exact: true })
    assert.equal(await picture.getAttribute('aria-invalid'), 'true')
    await world.checkAll(page, 'owner-refused')
    await picture.fill('')
    // The picture is a file of the server, also from here.
    const file = { name: 'rook.png', mimeType: 'image/png', buffer: PICTURE }
    await page.getByLabel('Upload a picture').setInputFiles(file)
    await page.getByLabel('Upload another picture').waitFor()
    assert.match(await picture.inputValue(), /\/media\//)
    // The rules in another language, saved by itself; who reads in it sees both, and the name that has none.
    const language = page.getByLabel('Language of the texts')
    await language.selectOption('ar')
    const rules = page.locator('form', { has: page.getByLabel('Rules, in Arabic') })
    await rules.getByText('Not translated.').waitFor()
    await rules.getByLabel('Rules, in Arabic').fill('- كن لطيفًا')
    // What is typed waits while other languages are looked at.
    await language.selectOption('fr')
    await page.getByLabel('Rules, in French').fill('- Sois gentil')
    await language.selectOption('en')
    await page.getByLabel('Rules', { exact: true }).waitFor()
    await language.selectOption('fr')
    assert.equal(await page.getByLabel('Rules, in French').inputValue(), '- Sois gentil')
    await language.selectOption('ar')
    assert.equal(await rules.getByLabel('Rules, in Arabic').inputValue(), '- كن لطيفًا')
    await rules.getByRole('button', { name: 'Save' }).click()
    await rules.getByText('Saved.').waitFor()
    await page
      .getByRole('option', { name: /العربية.*, 1 text is missing/ })
      .waitFor({ state: 'attached' })
    await world.checkAll(page, 'owner-translations')
    const reader = await world.visitor({ viewport: PHONE, locale: 'ar' })
    await reader.goto(`${world.web}/rules`)
    await reader.locator('.markdown[lang=ar][dir=rtl]', { hasText: 'كن لطيفًا' }).waitFor()
    await reader.locator('main summary').click()
    await reader.locator('details .markdown[lang=en]', { hasText: 'Be kind' }).waitFor()
    await world.checkAll(reader, 'owner-translated-rules')
    await reader.context().close()
    // One that belongs to other rules is not shown until somebody says that it is still right.
    const { list } = world.app.storage.of(serverTextRows)
    const saved = (await list()).find(({ name }) => name === 'rules:ar')!
    const other = { ...saved, original: 'that of other rules' }
    await world.app.storage.write('hub', (tx) => tx.of(serverTextRows).put([other]))
    await page.reload()
    await language.selectOption('ar')
    await rules.getByText('was changed after this translation').waitFor()
    await rules.getByRole('button', { name: 'It is still right' }).click()
    await rules.getByText('Saved.').waitFor()
    await screen('invites')
    await page.getByLabel('For').selectOption('moderator')
    await page.getByRole('button', { name: 'Create invite' }).click()
    const invited = (await page.locator('.secret code').textContent())!
    await world.checkAll(page, 'owner-invite')

    const moderator = await world.visitor({ viewport: PHONE })
    const before = (await staff()).length
    await moderator.goto(`${world.web}/join?invite=${invited.split('invite=').at(-1)}`)
    await moderator.getByText('- Be kind').or(moderator.getByText('Be kind')).first().waitFor()
    await moderator.getByLabel('Your name').fill('dunlin')
    await moderator.getByText('dunlin is free').waitFor()
    await moderator.getByRole('radio', { name: /^Password/ }).check()
    await moderator.getByRole('textbox', { name: 'Password' }).fill(PASSWORD)
    await moderator.getByLabel('I have read the rules').check()
    await moderator.getByRole('button', { name: 'Create account' }).click()
    await moderator.locator('.words li').nth(11).waitFor()
    await until(async () => (await staff()).length === before + 1, 'the role of the second person')
    assert.ok((await staff()).includes('moderator'))
  })

  it('an operator by role makes no operators, and a moderator does not enter', async () => {
    const page = await world.visitor({ viewport: PHONE })
    const terms = { uses: 1, days: 1, label: '', role: 'moderator' as const }
    const { code } = await createInvite(world.app.storage, world.app.clock.now(), terms)
    const put = async (path: string, body: object) => {
      const headers = { 'content-type': 'application/json' }
      const url = world.app.urls.operations + path
      const answer = await fetch(url, { method: 'PUT', headers, body: JSON.stringify(body) })
      assert.equal(answer.status, 200)
    }
    await put('/server/settings/ROOKERY_SIGNUP', { value: 'invite' })
    await put('/server/texts', { texts: { rules: null } })
    await join(page, code, 'curlew', 'a moderator')
    await page.waitForURL(`${world.web}/`)
    await page.goto(`${world.web}/room`)
    await page.getByText('accounts with the role operator').waitFor()
    assert.equal(await page.getByRole('navigation').count(), 0)
  })

  it('the owner reads who asks for a lost account, with the command that decides, and erases an account for good', async () => {
    const terms = { uses: 1, days: 1, label: '', role: 'operator' as const }
    const { code } = await createInvite(world.app.storage, world.app.clock.now(), terms)
    const page = await world.visitor({ viewport: PHONE })
    const { storage, clock } = world.app
    const fid = await world.fidOf('rook')
    const asked_at = Math.floor(clock.now() / 1_000)
    const receiver = new Uint8Array(20).fill(0x5b)
    const asked = { deadline: asked_at, signature: new Uint8Array(65), provider: '', asked_at }
    await storage.write('hub', (tx) =>
      tx.of(recoveryRows).put({
        ...{ receiver, fid, note: 'It is me, from the club', ...asked },
        ...{ due_at: null, by_mail: 0 as const },
      }),
    )
    await join(page, code, 'godwit', 'the operator')
    await page.waitForURL(`${world.web}/room`)
    await page.getByRole('link', { name: 'Lost accounts', exact: true }).click()
    await page.getByText('It is me, from the club').waitFor()
    await page.getByText('@rook').waitFor()
    await page.getByText(/^rookery recovery start 0x5b.* --fid/).waitFor()
    assert.equal(await page.getByRole('button', { name: 'Start the move' }).count(), 0)
    await page.getByRole('option', { name: 'Recovery (1)' }).waitFor({ state: 'attached' })
    await world.checkAll(page, 'owner-lost-account')
    await storage.write('hub', (tx) => tx.of(recoveryRows).remove({ receiver, fid }))

    await page.getByRole('combobox', { name: 'Screen' }).selectOption('people')
    await page.getByLabel('Fid, name or custody address').fill('rook')
    await page.getByRole('button', { name: 'Search' }).click()
    await page.getByRole('button', { name: 'Erase @rook' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('This cannot be undone.').waitFor()
    await dialog.getByText(/Everything that @rook .*\d+ posts? of/).waitFor()
    await dialog.getByLabel('Reason').fill('Asked for it')
    const erase = dialog.getByRole('button', { name: 'Erase for good' })
    assert.equal(await erase.isDisabled(), true)
    await dialog.getByLabel('Type @rook to go on').fill('@rook')
    await world.checkAll(page, 'owner-erase')
    await erase.click()
    await dialog.waitFor({ state: 'detached' })
    const erased = async () => (await storage.moderation.account(fid))?.erased_before ?? 0
    await until(async () => (await erased()) > 0, 'the erasure')
    await page.context().close()
  })

  it('who follows a used invite where everybody may join reads that it makes nothing of them', async () => {
    const headers = { 'content-type': 'application/json' }
    const url = `${world.app.urls.operations}/server/settings/ROOKERY_SIGNUP`
    const body = JSON.stringify({ value: 'open' })
    assert.equal((await fetch(url, { method: 'PUT', headers, body })).status, 200)
    const page = await world.visitor({ viewport: PHONE })
    await page.goto(`${world.web}/join?invite=FirstCodeFirstCodeFirst2`)
    await page.getByText('Your invite does not count').waitFor()
    await world.checkAll(page, 'owner-used-invite')
    // The browser reports the refusal by itself.
    world.faults.splice(0)
  })
})
