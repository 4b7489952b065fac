import type { NetworkAccount, NetworkUrls } from './network-parts.ts'

// The web client of a network, in a browser that a test drives.

/** What a test needs of a page of Playwright. */
export type BrowserPage<Frame extends BrowserFrame> = {
  goto(url: string): Promise<unknown>
  getByPlaceholder(text: string): { fill(value: string): Promise<void> }
  getByRole(
    role: 'button',
    options: { name: string | RegExp; exact?: boolean; pressed?: boolean },
  ): { click(): Promise<void>; waitFor(): Promise<void> }
  frames(): Frame[]
}
export type BrowserFrame = { url(): string }

/** Returns when the web client acts as an account: its key is in the browser, as after a sign-in. */
export async function signIn(
  page: BrowserPage<BrowserFrame>,
  { name }: Pick<NetworkAccount, 'name'>,
  { web }: Pick<NetworkUrls, 'web'>,
): Promise<void> {
  await page.goto(`${web}/development`)
  await page.getByPlaceholder('Name or number').fill(name)
  await page.getByRole('button', { name, exact: true }).click()
  await page.getByRole('button', { name, exact: true, pressed: true }).waitFor()
}
