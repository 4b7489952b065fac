import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { type BrowserWorld, DESKTOP, PHONE } from './browser-world.ts'

const PASSWORD = 'correct horse battery'

/** People ask to join, and a moderator or the operator decides. */
export function lettingIn(world: BrowserWorld): void {
  describe('people who ask to join', { concurrency: 1 }, () => {
    const { check, checkAll } = world

    async function post(path: string, body: object): Promise<void> {
      const answer = await fetch(world.app.urls.operations + path, {
        method: path.startsWith('/server/') ? 'PUT' : 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      assert.equal(answer.status, 200, await answer.text())
    }

    async function ask(page: Page, display: string, reason: string): Promise<void> {
      await page.goto(`${world.web}/join`)
      await page.getByLabel('Display name').fill(display)
      await page.getByText(`${display.toLowerCase()} is free.`).waitFor()
      await page.getByRole('radio', { name: /^Password/ }).check()
      await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD)
      await page.getByLabel('I have read the rules').check()
      const send = page.getByRole('button', { name: 'Ask to join' })
      await send.click()
      await page.locator('textarea[aria-invalid=true]:focus').waitFor()
      await page.getByLabel('Why do you want to join?').fill(reason)
      await send.click()
      await page.getByText('A moderator reads it').waitFor()
    }

    it('who asks waits, is let in by a moderator, and writes', async () => {
      await post('/server/texts', { texts: { rules: '- Be **kind**' } })
      const page = await world.visitor({ viewport: PHONE })
      await ask(page, 'Bittern', 'I watch birds at the lake')
      await checkAll(page, 'door-waiting')

      const fid = await world.fidOf('raven')
      const custody = await world.custodyOf('raven')
      const decision = { actor: 'the owner', reason: 'knows everybody' }
      await post(`/moderation/staff/${fid}/appoint`, { custody, role: 'moderator', ...decision })
      const moderator = await world.visitor({ viewport: DESKTOP })
      await world.actAs(moderator, 'raven')
      await moderator.goto(`${world.web}/moderate`)
      await moderator.getByText('I watch birds at the lake').waitFor()
      await checkAll(moderator, 'door-queue')
      await moderator.getByLabel('Answer').fill('Welcome to the lake')
      await moderator.getByRole('button', { name: 'Let in' }).click()
      await moderator
        .getByRole('heading', { name: 'People who ask to join' })
        .waitFor({ state: 'detached' })
      await moderator.context().close()

      // The page was closed meanwhile.
      await page.goto(world.web)
      await page.goto(`${world.web}/join`)
      await page.getByText('You were let in').waitFor()
      await page.getByText('Welcome to the lake').waitFor()
      const create = page.getByRole('button', { name: 'Create account' })
      await page.getByLabel('I have read the rules').check()
      await page.getByRole('textbox', { name: 'Password' }).fill('not the password')
      await create.click()
      await page.getByText('The password is wrong.').waitFor()
      await checkAll(page, 'door-let-in')
      await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD)
      await create.click()
      await page.getByRole('button', { name: 'Later: remind me' }).click()
      await page.goto(`${world.web}/compose`)
      await page.getByRole('textbox', { name: 'Your post' }).fill('From the reeds')
      await page.getByRole('button', { name: 'Post', exact: true }).click()
      await page.waitForURL(/\/cast\/0x/)
      await page.getByRole('main').getByText('From the reeds').first().waitFor()
      await check(page)
      await page.context().close()
    })

    type Waiting = { readonly address: string; readonly called: string; readonly askedAt: number }
    async function queue(): Promise<readonly Waiting[]> {
      const answer = await fetch(`${world.app.urls.operations}/joining/requests`)
      return ((await answer.json()) as { requests: Waiting[] }).requests
    }

    async function letIn(display: string): Promise<void> {
      const { address, askedAt } = (await queue()).find(({ called }) => called === display)!
      const requests = [{ address, askedAt }]
      await post('/joining/requests/decide', { outcome: 'approved', requests })
    }

    it('an account that was registered before the page was closed is finished later', async () => {
      const page = await world.visitor({ viewport: PHONE })
      await ask(page, 'Curlew', 'I walk on mud')
      // Those who wait find the other ways, and may think better of it.
      await page.getByRole('link', { name: 'Use a wallet instead' }).waitFor()
      const back = page.getByRole('button', { name: 'Take it back' })
      await back.click()
      // A page that is left before the answer still knows the request.
      await back.waitFor({ state: 'detached' })
      await ask(page, 'Curlew', 'I walk on wet mud')
      await letIn('Curlew')
      await page.getByText('You were let in').waitFor()
      await page.getByRole('button', { name: 'Start over' }).waitFor()
      await page.getByLabel('I have read the rules').check()
      await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD)
      const { promise: registered, resolve } = Promise.withResolvers<void>()
      await page.route('**/accounts/v1/registerFor', async (route) => {
        await route.fetch()
        resolve()
      })
      await page.getByRole('button', { name: 'Create account' }).click()
      await registered
      await page.unroute('**/accounts/v1/registerFor')
      await page.reload()
      await page.getByText('Your account was registered before').waitFor()
      await checkAll(page, 'door-unfinished')
      await page.getByLabel('I have read the rules').check()
      await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD)
      await page.getByRole('button', { name: 'Create account' }).click()
      await page.getByRole('button', { name: 'Later: remind me' }).click()
      await page.goto(`${world.web}/@curlew`)
      await page.getByRole('heading', { name: 'Curlew', exact: true }).waitFor()
      await check(page)
      await page.context().close()
    })

    it('who waits and gets an invite joins with it at once', async () => {
      const page = await world.visitor({ viewport: PHONE })
      await ask(page, 'Dunlin', 'I fly in flocks')
      const made = await fetch(`${world.app.urls.operations}/accounts/invites`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ uses: 1, days: 1 }),
      })
      const { code } = (await made.json()) as { code: string }
      await page.goto(`${world.web}/join?invite=${code}`)
      await page.getByText('With your invite you need not wait').waitFor()
      await page.getByRole('button', { name: 'Do not use the invite' }).waitFor()
      await page.getByLabel('I have read the rules').check()
      await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD)
      await page.getByRole('button', { name: 'Create account' }).click()
      await page.getByRole('button', { name: 'Later: remind me' }).click()
      await page.goto(`${world.web}/@dunlin`)
      await page.getByRole('heading', { name: 'Dunlin', exact: true }).waitFor()
      assert.deepEqual(await queue(), [])
      await check(page)
      await page.context().close()
    })

    it('those who are not let in by the operator, at once, read why, and may ask once more', async () => {
      const page = await world.visitor({ viewport: PHONE })
      await ask(page, 'Cuckoo', 'To lay eggs')
      const other = await world.visitor({ viewport: PHONE })
      await ask(other, 'Cowbird', 'To lay eggs, too')
      const room = await world.visitor({ viewport: DESKTOP })
      await room.goto(`${world.app.urls.operations}/operator#joining`)
      await room.getByText('To lay eggs', { exact: true }).waitFor()
      await room.getByLabel('Cowbird').check()
      const decline = room.getByRole('button', { name: 'Decline 2 people' })
      assert.ok(await room.getByRole('button', { name: 'Decline', exact: true }).isDisabled())
      await room.getByLabel('Answer').fill('There is no nest for you here')
      await room.getByLabel('All 2').check()
      await decline.waitFor()
      assert.equal(await room.getByLabel('Answer').inputValue(), 'There is no nest for you here')
      await checkAll(room, 'room-joining')
      await room.getByLabel('Cuckoo').uncheck()
      await room.getByRole('button', { name: 'Decline', exact: true }).click()
      await room.getByText('To lay eggs, too').waitFor({ state: 'detached' })
      // Who is left is not chosen by that.
      assert.equal(await room.getByLabel('Cuckoo').isChecked(), false)
      assert.equal(await room.getByLabel('Answer').count(), 0)
      await room.getByLabel('Cuckoo').check()
      await room.getByLabel('Answer').fill('There is no nest for you here')
      await room.getByRole('button', { name: 'Decline', exact: true }).click()
      await room.getByText('Nobody waits').waitFor()
      // Pages of the operator are of another origin than the client.
      world.faults.splice(0)
      await room.context().close()
      await page.getByText('There is no nest for you here').waitFor()
      await check(page)
      await page.getByRole('button', { name: 'Forget it here' }).click()
      await page.getByLabel('Why do you want to join?').waitFor()
      await page.context().close()
      await other.getByText('There is no nest for you here').waitFor()
      await other.context().close()
    })

    it('who may join is changed while people stand at the door, and each reads what holds now', async () => {
      const setSignup = (value: string) => post('/server/settings/ROOKERY_SIGNUP', { value })
      await post('/server/texts', { texts: { rules: '- Be **kind**' } })
      await setSignup('open')
      const page = await world.visitor({ viewport: PHONE })
      await page.goto(`${world.web}/join`)
      await page.getByLabel('Display name').fill('Whimbrel')
      await page.getByText('whimbrel is free.').waitFor()
      assert.equal(await page.getByLabel('Why do you want to join?').count(), 0)
      await page.getByRole('radio', { name: /^Password/ }).check()
      await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD)
      await page.getByLabel('I have read the rules').check()
      // The form was opened while everybody could join.
      await setSignup('approval')
      await page.getByRole('button', { name: 'Create account' }).click()
      await page.getByLabel('Why do you want to join?').fill('I wade')
      await page.getByRole('button', { name: 'Ask to join' }).click()
      await page.getByText('A moderator reads it').waitFor()

      const room = await world.visitor({ viewport: DESKTOP })
      await room.goto(`${world.app.urls.operations}/operator#settings`)
      const joining = room.getByLabel('Who may join', { exact: true })
      const switches = room.locator('form', { has: joining })
      await joining.selectOption('invite')
      await switches.getByRole('button', { name: 'Save' }).click()
      await switches.getByText('1 person waits to be let in').waitFor()
      await checkAll(room, 'room-who-may-join')
      await switches.getByRole('button', { name: 'Change it' }).click()
      await switches.getByText('Changed here by the operator').waitFor()
      await page.getByText('Your request still waits').waitFor()
      await checkAll(page, 'door-invite-meanwhile')

      await room.getByRole('link', { name: 'Requests to join' }).click()
      await room.getByText('Whom you let in can join for 14 days').waitFor()
      await room.getByRole('button', { name: 'Let in' }).click()
      await room.getByText('Nobody waits').waitFor()
      await page.getByText('You were let in').waitFor()
      await setSignup('closed')
      await page.reload()
      await page.getByText('You can join if it takes people again before').waitFor()
      await checkAll(page, 'door-closed-meanwhile')
      const late = await world.visitor({ viewport: PHONE })
      await late.goto(`${world.web}/join`)
      await late.getByText('This server takes no new accounts').waitFor()
      await late.context().close()
      await setSignup('invite')
      await page.reload()
      await page.getByLabel('I have read the rules').check()
      await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD)
      await page.getByRole('button', { name: 'Create account' }).click()
      await page.getByRole('button', { name: 'Later: remind me' }).click()
      await page.goto(`${world.web}/@whimbrel`)
      await page.getByRole('heading', { name: 'Whimbrel', exact: true }).waitFor()
      world.faults.splice(0)
      await room.context().close()
      await page.context().close()
      await setSignup('approval')
    })
  })
}
