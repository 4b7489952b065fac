import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openWholeStore } from '../../store.ts'
import { Apps } from './apps.ts'

/** Apps of a real store, whose data may be said to be others, and whose reads may be held. */
async function started(t: TestContext) {
  const dataDir = mkdtempSync(join(tmpdir(), 'rookery-apps-'))
  const stored = await openWholeStore({ dataDir, network: 'devnet' })
  t.after(async () => {
    await stored.close()
    rmSync(dataDir, { recursive: true })
  })
  const held = { resets: 0, version: Promise.resolve(), app: Promise.resolve() }
  const reads: typeof stored.apps = {
    ...stored.apps,
    version: () => held.version.then(() => stored.apps.version()),
    app: async (uuid) => {
      const found = await stored.apps.app(uuid)
      await held.app
      return found
    },
  }
  const storage = { ...stored, apps: reads, resets: () => held.resets }
  const apps = new Apps({ storage, mode: 'production', now: () => 1 })
  const { key } = await apps.create({ name: 'birds', fid: 1 })
  const revoke = () =>
    stored.write('all/apps', async (tx) => {
      const [stored] = await tx.apps.keys()
      await tx.apps.putKey({ ...stored!, revoked_at: 1 })
    })
  return { apps, key, held, revoke, headers: { 'x-api-key': key } }
}

const REFUSED = /is not known, or was revoked/

test('a key of data that were replaced is refused to all who come while the new ones are read', async (t) => {
  const { apps, held, revoke, headers } = await started(t)
  assert.equal((await apps.identify(headers)).app.name, 'birds')
  await revoke()
  const { promise, resolve } = Promise.withResolvers<void>()
  Object.assign(held, { resets: 1, version: promise })
  const both = [apps.identify(headers), apps.identify(headers)]
  const outcomes = both.map((one) => assert.rejects(one, REFUSED))
  await outcomes[1]
  resolve()
  await outcomes[0]
})

test('a key that was read before the data were replaced is not remembered', async (t) => {
  const { apps, held, revoke, headers } = await started(t)
  const { promise, resolve } = Promise.withResolvers<void>()
  held.app = promise
  const early = apps.identify(headers)
  await apps.identify({ 'x-api-key': 'another' }).catch(() => undefined)
  await revoke()
  held.resets = 1
  await assert.rejects(apps.identify(headers), REFUSED)
  resolve()
  await early
  await assert.rejects(apps.identify(headers), REFUSED)
})
