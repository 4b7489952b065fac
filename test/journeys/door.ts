import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type BrowserWorld, PHONE } from './browser-world.ts'

const PASSWORD = 'correct horse battery'

/** How somebody comes in: what they are called, the name that is proposed, the rules. */
export function door(world: BrowserWorld): void {
  describe('the door', { concurrency: 1 }, () => {
    const { check, checkAll } = world

    async function describeServer(texts: object): Promise<void> {
      const answer = await fetch(`${world.app.urls.operations}/server/texts`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ texts }),
      })
      assert.equal(answer.status, 200)
    }

    it('who says what they are called is proposed a name, and offered others for a name that is taken', async () => {
      const page = await world.visitor({ viewport: PHONE })
      await page.goto(`${world.web}/join`)
      const name = page.getByLabel('Your name')
      await page.getByLabel('Display name').fill('李小龙')
      await page.getByText('Choose one in the letters').waitFor()
      assert.equal(await name.inputValue(), '')
      await page.getByLabel('Display name').fill('Café Zoë')
      await page.getByText('cafe-zoe is free.').waitFor()
      // No name is proposed, and none of another display name is left.
      await page.getByLabel('Display name').fill('李小龙')
      await page.getByText('Choose one in the letters').waitFor()
      assert.equal(await name.inputValue(), '')
      await page.getByLabel('Display name').fill('Café Zoë')
      await page.getByText('cafe-zoe is free.').waitFor()
      assert.equal(await name.inputValue(), 'cafe-zoe')
      await name.fill('rook')
      await page.getByText('rook is taken').waitFor()
      await page.getByRole('button', { name: 'rook2' }).waitFor()
      await checkAll(page, 'door-names')
      await page.getByRole('button', { name: 'rook2' }).click()
      await page.getByText('rook2 is free.').waitFor()
      // What was typed is not replaced by another proposal.
      await page.getByLabel('Display name').fill('Zoë of the café')
      assert.equal(await name.inputValue(), 'rook2')
      await page.getByRole('radio', { name: /^Password/ }).check()
      await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD)
      await page.getByRole('button', { name: 'Create account' }).click()
      await page.getByRole('button', { name: 'Later: remind me' }).click()
      await page.goto(`${world.web}/@rook2`)
      await page.getByRole('heading', { name: 'Zoë of the café' }).waitFor()
      await check(page)

      // The first name can be changed on its day.
      await page.goto(`${world.web}/account`)
      await page.getByRole('button', { name: 'Unlock' }).click()
      await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD)
      await page.getByRole('button', { name: 'Use the password' }).click()
      await page.getByLabel('New name').fill('zoe')
      await page.getByText('zoe is free.').waitFor()
      await page.getByRole('button', { name: 'Change the name' }).click()
      await page.getByText('You are @zoe now.').waitFor()
      await page.context().close()
    })

    it('who joins agrees to the rules, and is asked again before writing when they have changed', async () => {
      await describeServer({ rules: '- Be **kind**', minimumAge: '16' })
      const page = await world.visitor({ viewport: PHONE })
      await page.goto(`${world.web}/join`)
      await page.getByLabel('Display name').fill('Wren')
      await page.getByText('wren is free.').waitFor()
      await page.getByRole('radio', { name: /^Password/ }).check()
      await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD)
      const create = page.getByRole('button', { name: 'Create account' })
      await page.getByLabel('I have read the rules').check()
      await create.click()
      await page.getByText('Tick this to go on, if it is so.').waitFor()
      await page.getByLabel('I am at least 16 years old').check()
      await checkAll(page, 'door-rules')
      await create.click()
      await page.getByRole('button', { name: 'Later: remind me' }).click()
      await page.goto(`${world.web}/compose`)
      await page.getByRole('textbox', { name: 'Your post' }).fill('By the rules')
      await page.getByRole('button', { name: 'Post', exact: true }).click()
      await page.waitForURL(/\/cast\/0x/)

      await describeServer({ rules: '- Be **kind**\n- Stay on topic' })
      await page.goto(world.web)
      await page.getByRole('link', { name: 'Read and agree' }).click()
      await page.getByText('Stay on topic').waitFor()
      await checkAll(page, 'door-asked')
      await page.goto(`${world.web}/compose`)
      await page.getByRole('textbox', { name: 'Your post' }).fill('By the new rules')
      const send = page.getByRole('button', { name: 'Post', exact: true })
      await page.getByLabel('I have read the rules').waitFor()
      assert.ok(await send.isDisabled(), 'the rules are not agreed to')
      await page.getByLabel('I have read the rules').check()
      await page.getByLabel('I am at least 16 years old').check()
      // The rules change once more between the reading and the pressing.
      await describeServer({ rules: '- Be **kind**\n- Stay on this topic' })
      await page.getByRole('button', { name: 'Agree' }).click()
      await page.getByText('The rules have just changed: read them again.').waitFor()
      await page.getByText('Stay on this topic').waitFor()
      await page.getByLabel('I have read the rules').check()
      await page.getByRole('button', { name: 'Agree' }).click()
      await page.getByLabel('I have read the rules').waitFor({ state: 'detached' })
      await send.click()
      await page.waitForURL(/\/cast\/0x/)
      await page.goto(world.web)
      await page.getByText('By the new rules').waitFor()
      assert.equal(await page.getByText('Read and agree').count(), 0)
      await describeServer({ rules: null, minimumAge: null })
      await page.context().close()
    })

    it('an announcement is above Home until it is put aside, and not after its last day', async () => {
      const [text, gone] = ['We are away on Sunday', 'This was last year']
      await describeServer({ announcement: text, announcementEnds: '2999-12-31' })
      const page = await world.visitor({ viewport: PHONE })
      await page.goto(world.web)
      await page.getByText(text).waitFor()
      await checkAll(page, 'door-announcement')
      await page.getByRole('button', { name: 'Put aside' }).click()
      await page.getByText(text).waitFor({ state: 'detached' })
      await page.reload()
      await page.locator('main article').first().waitFor()
      assert.equal(await page.getByText(text).count(), 0)
      await describeServer({ announcement: gone, announcementEnds: '2001-01-01' })
      await page.reload()
      await page.locator('main article').first().waitFor()
      assert.equal(await page.getByText(gone).count(), 0)
      await describeServer({ announcement: null, announcementEnds: null })
      await page.context().close()
    })
  })
}
