// Joining and signing in: with a wallet, with a passkey, with a password, after everything is lost, and the own account.

import { describe } from 'node:test'
import { enginesOf } from '../world.ts'
import { browserWorld } from './browser-world.ts'
import { joiningWithoutWallet } from './joining-without-wallet.ts'
import { newcomers } from './newcomers.ts'
import { ownAccount } from './own-account.ts'
import { recovery, WAIT_DAYS } from './recovery.ts'
import { story } from './story.ts'

for (const engine of enginesOf(import.meta.url)) {
  describe(`joining on ${engine}`, { concurrency: 1 }, () => {
    const world = browserWorld({
      engine,
      env: {
        ROOKERY_SIGNUP: 'invite',
        ROOKERY_MEMBER_INVITES: '2',
        ROOKERY_RECOVERY_DAYS: String(WAIT_DAYS),
      },
      host: 'localhost',
    })
    newcomers(world)
    joiningWithoutWallet(world)
    story(world)
    // They move the clock.
    recovery(world)
    ownAccount(world)
  })
}
