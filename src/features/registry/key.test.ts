import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { loadServerKey } from '../../kernel/base/server-key.ts'
import { openWholeStore } from '../../store.ts'
import { claimSigner, WrongSignerError } from './signer.ts'

const dir = mkdtempSync(join(tmpdir(), 'rookery-key-'))
after(() => rmSync(dir, { recursive: true }))

test('the key file is created once, is readable by its owner only, and is found again', () => {
  const file = join(dir, 'new', 'registry.key')
  const made = loadServerKey(file)
  assert.equal(made.isNew, true)
  assert.equal(statSync(file).mode & 0o777, 0o600)
  assert.deepEqual(readdirSync(join(dir, 'new')), ['registry.key'])
  assert.deepEqual(loadServerKey(file), { key: made.key, isNew: false })
  const other = loadServerKey(join(dir, 'other', 'registry.key'))
  assert.notDeepEqual(other.key, made.key)
})

test('a file without a key is refused by its name and not changed', () => {
  const file = join(dir, 'broken.key')
  for (const text of ['', '0x12', 'hello', `0x${'00'.repeat(32)}`, `0x${'ff'.repeat(32)}`]) {
    writeFileSync(file, text)
    assert.throws(() => loadServerKey(file), /broken\.key does not hold a private key/)
  }
})

test('a store keeps its signer until an operator changes it', async () => {
  const storage = await openWholeStore({ dataDir: join(dir, 'store'), network: 'test' })
  const [a, b] = [1, 2].map((byte) => new Uint8Array(20).fill(byte)) as [Uint8Array, Uint8Array]
  const fromFile = { mayChange: false }
  assert.deepEqual(await claimSigner(storage, a, fromFile), { before: undefined })
  assert.deepEqual(await claimSigner(storage, a, fromFile), { before: undefined })
  await assert.rejects(claimSigner(storage, b, fromFile), (error: Error) => {
    assert(error instanceof WrongSignerError)
    assert.match(error.message, /signed by 0x0101.*ROOKERY_REGISTRY_KEY/)
    return true
  })
  const { before } = await claimSigner(storage, b, { mayChange: true })
  assert.equal(before, `0x${'01'.repeat(20)}`)
  await claimSigner(storage, b, fromFile)
  await storage.close()
})
