import { existsSync } from 'node:fs'
import { copyFile, mkdir, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { verifyStore } from '../hub/integrity-check.ts'
import {
  copyPostgres,
  copySqlite,
  describeFile,
  engineOf,
  readBack,
  SCHEMA,
} from '../storage/backup.ts'
import type { Storage, StorageSettings } from '../storage/storage.ts'
import { VERSION } from '../version.ts'
import { flush, type Manifest, writeManifest } from './manifest.ts'

/** The key that a registry without ROOKERY_REGISTRY_KEY keeps beside its data. */
export const KEY_FILE = 'registry.key'
export const DATABASE_FILE = 'rookery.sqlite'
/** The end of a directory's name until the backup in it is complete. */
export const PARTIAL = '.partial'
const OWNER_ONLY_DIRECTORY = 0o700

/** Plain data, so that it can be handed to a thread. */
export type BackupRequest = {
  readonly storage: StorageSettings
  /** Of messages, as their envelope numbers it. */
  readonly network: number
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
 * Copies a store in use and the key of the registry into a new directory, opens the copy and checks it. The
 * directory gets its name when all of that is done and on the disk.
 */
export async function makeBackup(request: BackupRequest, open: OpenStore): Promise<Manifest> {
  const { storage, directory, startedMs } = request
  if (existsSync(directory)) throw new Error(`${directory} exists already: name a new directory`)
  const begun = performance.now()
  const partial = directory + PARTIAL
  await rm(partial, { recursive: true, force: true })
  await mkdir(partial, { recursive: true, mode: OWNER_ONLY_DIRECTORY })
  try {
    const { names, verified } = storage.databaseUrl
      ? await copyRows(storage.databaseUrl, partial)
      : await copyFileOf(request, partial, open)
    if (await copyKey(storage.dataDir, partial)) names.push(KEY_FILE)
    const manifest: Manifest = {
      format: 1,
      version: VERSION,
      schema: SCHEMA,
      engine: engineOf(storage.databaseUrl),
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

async function copyRows(url: string, directory: string) {
  const tables = await copyPostgres(url, directory)
  let rows = 0
  for (const table of tables) rows += await readBack(directory, table)
  return {
    names: tables.map(({ name }) => name),
    verified: `${rows} rows of ${tables.length} tables, read in one snapshot, are as they should be.`,
  }
}

async function copyFileOf({ storage, network }: BackupRequest, directory: string, open: OpenStore) {
  const names = await copySqlite(join(storage.dataDir, DATABASE_FILE), directory)
  return { names, verified: await verifyDirectory({ storage, network, directory }, open) }
}

async function copyKey(from: string, to: string): Promise<boolean> {
  if (!existsSync(join(from, KEY_FILE))) return false
  await copyFile(join(from, KEY_FILE), join(to, KEY_FILE))
  return true
}

/** Opens the copy of an embedded store and rebuilds everything that can be rebuilt from its messages. */
export async function verifyDirectory(
  { storage, network, directory }: Pick<BackupRequest, 'storage' | 'network' | 'directory'>,
  open: OpenStore,
): Promise<string> {
  const copy = await open({ ...storage, databaseUrl: undefined, dataDir: directory, views: false })
  try {
    const report = await verifyStore(copy, { network })
    if (report.differences > 0) {
      throw new Error(
        `the copy has ${report.differences} differences: run rookery verify on the store`,
      )
    }
    return `${report.messages} messages, ${report.events} events and ${report.accounts} accounts are as they should be.`
  } finally {
    await copy.close()
    for (const name of await readdir(directory)) {
      if (/-(?:wal|shm)$/.test(name)) await rm(join(directory, name))
    }
  }
}
