import { defineConfig } from '@playwright/test'

// The browser of `npx playwright install chromium`, unless another one is named.
const { CHROMIUM: executablePath } = process.env

export default defineConfig({
  use: { launchOptions: executablePath ? { executablePath, args: ['--no-sandbox'] } : {} },
})
