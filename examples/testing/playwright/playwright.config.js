import { defineConfig } from '@playwright/test'

// The browser of `npx playwright install chromium`, unless another one is named.
const { CHROMIUM: executablePath } = process.env

export default defineConfig({
  expect: { timeout: 15_000 }, // a busy machine takes longer than the 5 seconds that Playwright gives
  use: { launchOptions: executablePath ? { executablePath, args: ['--no-sandbox'] } : {} },
})
