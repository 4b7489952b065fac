// A test suite with Playwright: the browser opens the web client of a network of its own.
import { expect } from '@playwright/test'
import { castAdd, createNetwork, keySigner, networkTime, signMessage } from 'rookery/client'
import { test } from './fixtures.js'

test('a cast that is published is on the page of its author', async ({ page, network }) => {
  const [author] = network.accounts
  const { hub } = createNetwork({ url: network.urls.web })
  const signer = await keySigner(author.appPrivateKey)
  const timestamp = networkTime((await network.now()) * 1000) // also right after `advance`
  const from = { fid: author.fid, network: 'devnet', timestamp }
  const { bytes } = await signMessage(castAdd({ text: 'Seen in a browser' }), from, signer)
  await hub.post('/v1/submitMessage', bytes)
  await page.goto(`${network.urls.web}/@${author.name}`)
  await expect(page.getByText('Seen in a browser')).toBeVisible()
})

test('an account writes in the web client', async ({ page, network }) => {
  const [, account] = network.accounts
  await network.signIn(page, account)
  await page.getByRole('link', { name: 'Write' }).click()
  await page.getByRole('textbox', { name: 'Your post' }).fill('Typed in the page')
  await page.getByRole('button', { name: 'Post', exact: true }).click()
  await page.waitForURL('**/cast/0x*') // the page of the post: it is stored
  await page.goto(`${network.urls.web}/@${account.name}`)
  await expect(page.getByText('Typed in the page')).toBeVisible()
})
