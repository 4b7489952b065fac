import { existsSync } from 'node:fs'
import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { flush } from '../../kernel/base/flush.ts'
import { KEY_FILES } from '../../kernel/base/server-key.ts'
import { VERSION } from '../../kernel/base/version.ts'
import { verifyStore } from '../../kernel/hub/jobs/integrity-check.ts'
import { isTestKey } from '../../kernel/protocol/crypto/test-keys.ts'
import { describeFile } from '../../kernel/storage/backup.ts'
import { copySqlite } from '../../kernel/storage/engines/sqlite-copy.ts'
import type { Storage, StorageSettings } from '../../kernel/storage/storage.ts'
import { copyKeys, findKeyFaults, type KeyedRows, type KeySettings } from './keys.ts'
import { type Manifest, writeManifest } from './manifest.ts'

/** The end of a directory's name until the backup in it is complete. */
export const PARTIAL = '.partial'
const OWNER_ONLY_DIRECTORY = 0o700

/** Plain data, so that it can be handed to a thread. */
export type BackupRequest = {
  readonly storage: StorageSettings
  /** The number of the last migration. */
  readonly schema: number
  /** Of messages, as their envelope numbers it. */
  readonly network: number
  readonly keys: KeySettings
  /** Hash of the settings in use. */
  readonly settings: string
  /** Where the backup appears when it is complete. */
  readonly directory: string
  /** Unix ms of now, which dates the backup. */
  readonly startedMs: number
}

/** Opens a store; only the program and its threads may. */
export type OpenStore = (settings: StorageSettings) => Promise<Storage> | Storage

/**
 * Copies an embedded store in use and the keys beside it into a new directory, opens the copy and checks it. The directory gets its name when all of that is done and on the disk.
 */
export async function makeBackup(request: BackupRequest, open: OpenStore): Promise<Manifest> {
  const { storage, directory, startedMs } = request
  if (existsSync(directory)) throw new Error(`${directory} exists already: name a new directory`)
  const begun = performance.now()
  const partial = directory + PARTIAL
  await rm(partial, { recursive: true, force: true })
  await mkdir(partial, { recursive: true, mode: OWNER_ONLY_DIRECTORY })
  try {
    const names = [await copySqlite(storage.dataDir, partial)]
    const copied = { storage, network: request.network, directory: partial }
    const verified = await verifyDirectory(copied, open, (copy) => aboutKeys(copy, request))
    names.push(...(await copyKeys(storage.dataDir, partial)))
    const manifest: Manifest = {
      format: 1,
      version: VERSION,
      schema: request.schema,
      engine: 'sqlite',
      network: storage.network,
      startedAt: new Date(startedMs).toISOString(),
      finishedAt: new Date(startedMs + performance.now() - begun).toISOString(),
      verified,
      settings: request.settings,
      files: await Promise.all(names.map((name) => describeFile(partial, name))),
    }
    for (const name of names) await flush(join(partial, name))
    await writeManifest(partial, manifest)
    await rename(partial, directory)
    await flush(dirname(directory))
    return manifest
  } catch (error) {
    await rm(partial, { recursive: true, force: true })
    throw error
  }
}

/** Says which keys the backup needs and lacks. It is made in spite of that: everything else in it is worth having. */
async function aboutKeys(rows: KeyedRows, { storage, keys }: BackupRequest): Promise<string> {
  const { signer, registry } = KEY_FILES
  const missing = [
    ...(keys.signerSecret ? [signer.variable] : []),
    ...(keys.registryKey && !isTestKey(keys.registryKey) ? [registry.variable] : []),
  ]
  const kept = missing.length > 0 ? [`Keep ${missing.join(' and ')} beside it.`] : []
  const { secrets, names } = await findKeyFaults(rows, keys, [storage.dataDir])
  return [...kept, secrets, names].map((text) => (text === undefined ? '' : ` ${text}`)).join('')
}

/**
 * Opens the copy of an embedded store and rebuilds everything that can be rebuilt from its messages. What `check` finds
 * is said too.
 */
export async function verifyDirectory(
  { storage, network, directory }: Pick<BackupRequest, 'storage' | 'network' | 'directory'>,
  open: OpenStore,
  check: (copy: Storage) => Promise<string>,
): Promise<string> {
  const copy = await open({ ...storage, dataDir: directory, views: false })
  try {
    const report = await verifyStore(copy, { network })
    if (report.differences > 0) {
      throw new Error(
        `the copy has ${report.differences} differences: run rookery verify on the store`,
      )
    }
    return `${report.messages} messages, ${report.events} events and ${report.accounts} accounts are as they should be.${await check(copy)}`
  } finally {
    await copy.close()
    for (const name of await readdir(directory)) {
      if (/-(?:wal|shm)$/.test(name)) await rm(join(directory, name))
    }
  }
}
