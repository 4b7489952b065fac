import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openWholeStore } from '../../../store.ts'
import type { Storage } from '../storage.ts'
import { claimMode, WrongModeError } from './data-mode.ts'

async function newStore(t: TestContext): Promise<Storage> {
  const dataDir = mkdtempSync(join(tmpdir(), 'rookery-mode-'))
  const storage = await openWholeStore({ dataDir, network: 'devnet' })
  t.after(async () => {
    await storage.close()
    rmSync(dataDir, { recursive: true, force: true })
  })
  return storage
}

const addAccount = (storage: Storage) =>
  storage.write('hub', (tx) =>
    tx.accounts.putCustodies([
      {
        fid: 1,
        address: new Uint8Array(20).fill(1),
        block_number: 1,
        log_index: 0,
        recovery: new Uint8Array(20),
        recovery_block: -1,
        recovery_log: -1,
      },
    ]),
  )

test('the first start marks the data with its mode, and the other mode is refused', async (t) => {
  for (const [mode, other] of [
    ['production', 'development'],
    ['development', 'production'],
  ] as const) {
    const storage = await newStore(t)
    await claimMode(storage, mode)
    await claimMode(storage, mode)
    await assert.rejects(claimMode(storage, other), WrongModeError)
  }
})

test('unmarked data with development accounts are refused in production', async (t) => {
  const storage = await newStore(t)
  await storage.write('hub', (tx) => tx.cursors.put('dev-accounts', '10'))
  await assert.rejects(claimMode(storage, 'production'), WrongModeError)
})

test('unmarked data with other accounts stay unmarked in development', async (t) => {
  const storage = await newStore(t)
  await addAccount(storage)
  await claimMode(storage, 'development')
  await claimMode(storage, 'production')
  await assert.rejects(claimMode(storage, 'development'), WrongModeError)
})
