// The owner of a server, who joins by the link of an invite with the role operator: the room opens at the front door, without the
// token and without a way to the machine.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { createInvite } from '../../src/features/invites/invites.ts'
import { staffRows } from '../../src/features/moderation/tables/staff.ts'
import { until } from '../until.ts'
import { browserWorld, PHONE } from './browser-world.ts'

const PASSWORD = 'correct horse battery'

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
    for (const step of ['Turn on the recovery', 'Have backups made', 'Make the first channel']) {
      await page.locator('.first-steps li', { hasText: step }).waitFor()
    }
    await page.getByText('Give yourself the role operator (done)').waitFor()
    await world.checkAll(page, 'owner-room')

    const screen = (name: string) =>
      page.getByRole('combobox', { name: 'Screen' }).selectOption(name)
    await screen('settings')
    await page.getByLabel('Who may join').selectOption('approval')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText(/Changed here by fid \d+ \(operator\)/).waitFor()
    await screen('face')
    await page.getByLabel('Rules').fill('- Be kind')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved.').waitFor()
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
