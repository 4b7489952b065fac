// A test suite with Playwright: the browser opens the web client of a network of its own.
import { expect, test } from '@playwright/test'
import { castAdd, createNetwork, keySigner, signMessage } from 'rookery/client'
import { startNetwork } from 'rookery/testing'

let network
test.beforeAll(async () => {
  test.setTimeout(120_000)
  network = await startNetwork()
})
test.afterAll(() => network?.stop())

test('a cast that is published is on the page of its author', async ({ page }) => {
  const [author] = network.accounts
  const { hub } = createNetwork({ url: network.urls.web })
  const signer = await keySigner(author.appPrivateKey)
  const from = { fid: author.fid, network: 'devnet' }
  const { bytes } = await signMessage(castAdd({ text: 'Seen in a browser' }), from, signer)
  await hub.post('/v1/submitMessage', bytes)
  await page.goto(`${network.urls.web}/@${author.name}`)
  await expect(page.getByText('Seen in a browser')).toBeVisible()
})

test('an account writes in the web client', async ({ page }) => {
  const account = await network.createAccount()
  await page.goto(`${network.urls.web}/development`)
  await page.getByRole('button', { name: account.name, exact: true }).click()
  await page.getByRole('link', { name: 'Write' }).click() // there when the page acts as the account
  await page.getByRole('textbox', { name: 'Your post' }).fill('Typed in the page')
  await page.getByRole('button', { name: 'Post', exact: true }).click()
  await page.waitForURL('**/cast/0x*') // the page of the post: it is stored
  await page.goto(`${network.urls.web}/@${account.name}`)
  await expect(page.getByText('Typed in the page')).toBeVisible()
})
