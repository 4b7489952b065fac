// The archive of an account as its owner gets it.

import assert from 'node:assert/strict'
import { BlobReader, type FileEntry, Uint8ArrayWriter, ZipReader } from '@zip.js/zip.js'
import { toHex } from '../src/kernel/protocol/codec/bytes.ts'
import { accountDomains } from '../src/kernel/protocol/crypto/account-domains.ts'
import { accountDataTypedData, signTypedData } from '../src/kernel/protocol/crypto/eip712.ts'
import type { World } from './world.ts'

export type Owner = { readonly fid: number; readonly secret: Uint8Array }

// biome-ignore lint/suspicious/noExplicitAny: tests look into JSON as they find it
export type Asked = { readonly status: number; readonly body: any }

/** Asks for an archive as the owner of the account does. */
export async function askForArchive(
  { app, clock }: Pick<World, 'app' | 'clock'>,
  { fid, secret }: Owner,
  action = 'export',
): Promise<Asked> {
  const deadline = Math.floor(clock.now() / 1000) + 600
  const { idRegistry } = accountDomains(app.signingNetwork)
  const request = { action, fid, network: 'devnet', deadline }
  const signature = toHex(signTypedData(accountDataTypedData(request, idRegistry), secret))
  const response = await fetch(`${app.urls.accounts}/v1/archive`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ fid, deadline, signature }),
  })
  return { status: response.status, body: await response.json() }
}

/** The files of an archive by their names. */
export async function filesOfArchive(
  world: Pick<World, 'app' | 'clock'>,
  owner: Owner,
): Promise<Map<string, Buffer>> {
  const { status, body } = await askForArchive(world, owner)
  assert.equal(status, 200, JSON.stringify(body))
  const response = await fetch(`${world.app.urls.accounts}${body.path}`)
  assert.equal(response.status, 200)
  return filesOfZip(await response.blob())
}

export async function filesOfZip(zip: Blob): Promise<Map<string, Buffer>> {
  const reader = new ZipReader(new BlobReader(zip), { useWebWorkers: false, checkSignature: true })
  const files = new Map<string, Buffer>()
  for (const entry of await reader.getEntries()) {
    const bytes = await (entry as FileEntry).getData(new Uint8ArrayWriter())
    files.set(entry.filename, Buffer.from(bytes))
  }
  return files
}
