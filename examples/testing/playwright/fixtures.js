// Each worker has a network of its own, and each test finds it as it was in the beginning.
import { test as base } from '@playwright/test'
import { startNetwork } from 'rookery/testing'

export const test = base.extend({
  world: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads here which fixtures are used
    async ({}, use) => {
      const network = await startNetwork()
      await use({ network, begin: await network.snapshot() })
      await network.stop()
    },
    { scope: 'worker', timeout: 120_000 },
  ],
  network: async ({ world: { network, begin } }, use) => {
    await network.revert(begin) // faults end, too
    await use(network)
  },
})
