import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openStore } from '../../../test/storage-support.ts'
import { ENGINES } from '../../../test/world.ts'
import type { Sql } from '../../kernel/storage/engines/sql.ts'
import { rowsOf } from '../../kernel/storage/rows.ts'
import { pushNotice } from '../push/push-notice.ts'
import { PUSH_WAITING, pushRows } from '../push/tables/pushes.ts'
import { AddressChanges, CHANGE_WAIT_MS, changeLocks } from './address-changes.ts'
import { mailAddressRows } from './tables/addresses.ts'

const FID = 7
const CUSTODY = new Uint8Array(20).fill(1)
const [OLD, NEXT] = ['old@example.org', 'next@example.org']
/** What waits for devices, in the order of its texts. */
const titles = (sql: Sql) => async () =>
  (await PUSH_WAITING.select(sql, '', [])).map(({ payload }) => JSON.parse(payload).title).sort()
const titleRows = rowsOf(titles, ({ sql }) => titles(sql))

for (const engine of ENGINES) {
  test(`devices are told when an address is added, about to change, kept, changed and removed, and choices stay with the account, on ${engine}`, async (t) => {
    const storage = await openStore(t, engine)
    let now = 1_000_000
    const changes = new AddressChanges({
      storage,
      publicUrl: 'https://social.example',
      page: (what, token) => `https://social.example/mail#${what}=${token}`,
      pushes: () => ({
        notify: pushNotice,
        announce: async () => {},
        fidsWithDevices: async () => new Set(),
      }),
      nowMs: () => now,
    })
    const run = () =>
      changes.job.run({
        signal: new AbortController().signal,
        lease: undefined,
        repeatAfter: () => {},
      })
    const rows = storage.of(mailAddressRows)
    const begin = (address: string | null) =>
      storage.write(changeLocks(FID), async (tx) => {
        const present = (await tx.of(mailAddressRows).find(FID))!
        return changes.begin(tx, present, address)
      })
    await storage.write(changeLocks(FID), async (tx) => {
      await tx.accounts.putCustodies([
        {
          ...{ fid: FID, address: CUSTODY, block_number: 1, log_index: 0 },
          ...{ recovery: new Uint8Array(20), recovery_block: -1, recovery_log: 0 },
        },
      ])
      await tx.of(pushRows).putDevices([
        {
          ...{ id: 'phone', fid: FID, signer: new Uint8Array(32), name: 'phone', kinds: '' },
          ...{ endpoint: 'https://push.example/x', public_key: new Uint8Array(65) },
          ...{ secret: new Uint8Array(16), failures: 0, created_at: 0, pushed_at: null },
        },
      ])
      await changes.addFirst(tx, { fid: FID, address: OLD, custody: CUSTODY })
      await tx.of(mailAddressRows).choose(FID, { reports: 0, digest: 'weekly', digest_due: 5 })
    })
    const due = await begin(null)
    now += 1
    // Asked once more, the wait does not begin anew and nobody is told twice.
    assert.equal(await begin(null), due)
    await storage.write(changeLocks(FID), (tx) => changes.keep(tx, FID))
    now = due
    await run()
    assert.equal((await rows.find(FID))!.address, OLD)

    now = (await begin(NEXT)) - 1
    await run()
    assert.equal((await rows.find(FID))!.address, OLD)
    now += 1
    await run()
    const { address, reports, digest, digest_due } = (await rows.find(FID))!
    assert.deepEqual([address, reports, digest, digest_due], [NEXT, 0, 'weekly', 5])

    // An address that was confirmed for another account meanwhile is not taken from it.
    await begin(OLD)
    await storage.write(changeLocks(8), (tx) =>
      changes.addFirst(tx, { fid: 8, address: OLD, custody: CUSTODY }),
    )
    now += CHANGE_WAIT_MS
    await run()
    assert.equal((await rows.find(FID))!.address, NEXT)

    now = await begin(null)
    await run()
    assert.equal(await rows.find(FID), undefined)
    assert.deepEqual(await rows.changesDue(now, 10), [])
    const about = 'The e-mail address of your account is about to change'
    assert.deepEqual(await storage.of(titleRows)(), [
      ...[about, about, about, about],
      'The e-mail address of your account stays',
      'Your account has an e-mail address now',
      'Your account has another e-mail address now',
      'Your account has no e-mail address any more',
    ])
  })
}
