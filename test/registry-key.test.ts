// The key that signs names, as it is made and kept in production.

import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { startApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { createLogger } from '../src/kernel/http/logger.ts'
import { createDatabase } from './postgres.ts'

const PORTS = {
  ROOKERY_NETWORK: 'devnet',
  ROOKERY_PUBLIC_URL: 'http://127.0.0.1:2290',
  ROOKERY_HOST: '127.0.0.1',
  ROOKERY_HUB_PORT: '0',
  ROOKERY_GRPC_PORT: '0',
  ROOKERY_REGISTRY_PORT: '0',
  ROOKERY_PLATFORM_PORT: '0',
  ROOKERY_ACCOUNTS_PORT: '0',
  ROOKERY_WEB_PORT: '0',
  ROOKERY_APP_PORT: '0',
  ROOKERY_OPS_PORT: '0',
  ROOKERY_SIGNER_SECRET: `0x${'5e'.repeat(32)}`,
}

function newDir(t: TestContext): string {
  const dir = mkdtempSync(join(tmpdir(), 'rookery-signer-'))
  t.after(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

/** Starts a production server, asks who signs, stops it; with what it logged. */
async function signerOf(env: Record<string, string>) {
  let log = ''
  const destination = new Writable({
    write(chunk, _encoding, done) {
      log += chunk
      done()
    },
  })
  const config = readConfig({ ...PORTS, ...env }, 'production')
  const app = await startApp({ config, logger: createLogger({ level: 'info', destination }) })
  const answer = await fetch(`${app.urls.registry}/signer`)
  const { signer } = (await answer.json()) as { signer: string }
  await app.stop()
  return { signer, log }
}

test('a production server makes its key on the first start and keeps it', async (t) => {
  const dir = newDir(t)
  const first = await signerOf({ ROOKERY_DATA_DIR: dir })
  assert.match(first.log, new RegExp(first.signer, 'i'))
  assert.match(first.log, /made a key to sign names with/)
  assert.equal(statSync(join(dir, 'registry.key')).mode & 0o777, 0o600)
  const second = await signerOf({ ROOKERY_DATA_DIR: dir })
  assert.equal(second.signer, first.signer)
  assert.doesNotMatch(second.log, /made a key/)
  const other = await signerOf({ ROOKERY_DATA_DIR: newDir(t) })
  assert.notEqual(other.signer, first.signer)
})

test('servers on one store sign with one key, whichever the settings say', async (t) => {
  const database = await createDatabase()
  t.after(() => database.drop())
  const [here, there] = [newDir(t), newDir(t)]
  const first = await signerOf({ DATABASE_URL: database.url, ROOKERY_DATA_DIR: here })
  const elsewhere = { DATABASE_URL: database.url, ROOKERY_DATA_DIR: there }
  await assert.rejects(signerOf(elsewhere), (error: Error) => {
    assert.match(error.message, new RegExp(first.signer, 'i'))
    assert.match(error.message, /ROOKERY_REGISTRY_KEY/)
    return true
  })
  const key = `0x${'42'.repeat(32)}`
  const named = await signerOf({ ...elsewhere, ROOKERY_REGISTRY_KEY: key })
  assert.notEqual(named.signer, first.signer)
  assert.match(named.log, /another signer from now on/)
  // Four digits alone may be a port or a time.
  assert.doesNotMatch(named.log, /(?:42){8}/)
})

test('a server whose key is gone is refused and makes no new one', async (t) => {
  const dir = newDir(t)
  const { signer } = await signerOf({ ROOKERY_DATA_DIR: dir })
  const file = join(dir, 'registry.key')
  rmSync(file)
  await assert.rejects(signerOf({ ROOKERY_DATA_DIR: dir }), (error: Error) => {
    assert.match(error.message, new RegExp(signer, 'i'))
    assert.match(error.message, /registry\.key.*ROOKERY_REGISTRY_KEY/)
    return true
  })
  assert.equal(existsSync(file), false)
})
