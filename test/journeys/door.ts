import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type BrowserWorld, PHONE } from './browser-world.ts'

const PASSWORD = 'correct horse battery'

/** How somebody comes in: what they are called, the name that is proposed, the rules. */
export function door(world: BrowserWorld): void {
  describe('the door', { concurrency: 1 }, () => {
    const { check, checkAll } = world

    it('who says what they are called is proposed a name, and offered others for a name that is taken', async () => {
      const page = await world.visitor({ viewport: PHONE })
      await page.goto(`${world.web}/join`)
      const name = page.getByLabel('Your name')
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
  })
}
