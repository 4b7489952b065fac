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
import { type Found, type Manifest, writeManifest } from './manifest.ts'

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
    const { counts, checked } = await verifyDirectory(copied, open, (copy) =>
      aboutKeys(copy, request),
    )
    const { keep, faults } = checked
    names.push(...(await copyKeys(storage.dataDir, partial)))
    const manifest: Manifest = {
      format: 1,
      version: VERSION,
      schema: request.schema,
      engine: 'sqlite',
      network: storage.network,
      startedAt: new Date(startedMs).toISOString(),
      finishedAt: new Date(startedMs + performance.now() - begun).toISOString(),
      verified: [countsText(counts), keepText(keep), ...faults].filter(Boolean).join(' '),
      found: { ...counts, ...checked },
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

/** Which keys the backup needs and lacks. It is made in spite of that: everything else in it is worth having. */
async function aboutKeys(
  rows: KeyedRows,
  { storage, keys }: BackupRequest,
): Promise<Pick<Found, 'keep' | 'faults'>> {
  const { signer, registry } = KEY_FILES
  const keep = [
    ...(keys.signerSecret ? [signer.variable] : []),
    ...(keys.registryKey && !isTestKey(keys.registryKey) ? [registry.variable] : []),
  ]
  const { secrets, names } = await findKeyFaults(rows, keys, [storage.dataDir])
  return { keep, faults: [secrets, names].filter((text) => text !== undefined) }
}

const keepText = (keep: readonly string[]): string =>
  keep.length > 0 ? `Keep ${keep.join(' and ')} beside it.` : ''

type Counts = Pick<Found, 'messages' | 'events' | 'accounts'>

export const countsText = ({ messages, events, accounts }: Counts): string =>
  `${messages} messages, ${events} events and ${accounts} accounts are as they should be.`

/**
 * Opens the copy of an embedded store and rebuilds everything that can be rebuilt from its messages. What `check` finds
 * is answered too.
 */
export async function verifyDirectory<T>(
  { storage, network, directory }: Pick<BackupRequest, 'storage' | 'network' | 'directory'>,
  open: OpenStore,
  check: (copy: Storage) => Promise<T>,
): Promise<{ counts: Counts; checked: T }> {
  const copy = await open({ ...storage, dataDir: directory, views: false })
  try {
    const { differences, messages, events, accounts } = await verifyStore(copy, { network })
    if (differences > 0) {
      throw new Error(`the copy has ${differences} differences: run rookery verify on the store`)
    }
    return { counts: { messages, events, accounts }, checked: await check(copy) }
  } finally {
    await copy.close()
    for (const name of await readdir(directory)) {
      if (/-(?:wal|shm)$/.test(name)) await rm(join(directory, name))
    }
  }
}
