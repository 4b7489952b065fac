import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { copyFile, mkdir, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Command } from 'commander'
import { type Config, readConfig, SETTING_GROUPS } from '../config.ts'
import { networkName } from '../protocol/network-name.ts'
import type { BackupFile } from '../storage/backup.ts'
import { VERSION } from '../version.ts'
import { Failure } from './failure.ts'
import { print } from './output.ts'

type Env = Readonly<Record<string, string | undefined>>

/** What a backup says about itself. It is written last: a directory without it is half a backup. */
type Manifest = {
  readonly format: 1
  readonly version: string
  readonly schema: number
  readonly engine: 'sqlite' | 'postgres'
  readonly network: string
  readonly startedAt: string
  readonly finishedAt: string
  /** What was found when the copy was opened; only of SQLite. */
  readonly verified: string
  /** Hash of the settings, secrets included, to notice that a server is restored with others. */
  readonly settings: string
  readonly files: readonly BackupFile[]
}

const MANIFEST = 'manifest.json'
const KEY_FILE = 'registry.key'
const DATABASE_FILE = 'rookery.sqlite'
const OWNER_ONLY_DIRECTORY = 0o700

/** Adds `backup` and `restore`, which copy the store of the settings and put a copy back. */
export function addBackupCommands(program: Command, env: Env): void {
  program
    .command('backup <directory>')
    .summary('copy the store while the server runs')
    .description(
      'Copies the store of the settings (ROOKERY_DATA_DIR or DATABASE_URL) and the key of the registry into a\n' +
        'new directory, opens the copy and checks it. The server goes on; what it acknowledged before the\n' +
        'command began is in the copy. The directory appears when the backup is complete. It holds keys: keep\n' +
        'it private.',
    )
    .addHelpText(
      'after',
      '\nExample:\n  ROOKERY_DATA_DIR=/srv/rookery rookery backup /var/backups/rookery-monday',
    )
    .action(async (directory: string) => {
      const { files, verified } = await backUp(readConfig(env, 'development'), env, directory)
      const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
      print(`${directory} holds the backup: ${files.length} files, ${bytes} bytes. ${verified}`)
    })
  program
    .command('restore <directory>')
    .summary('put a backup in place')
    .description(
      'Checks a backup and puts it into the store of the settings, which has to be empty. Refuses a backup\n' +
        'that is incomplete or changed, and one of another network. The server must not run.',
    )
    .addHelpText(
      'after',
      '\nExample:\n  ROOKERY_NETWORK=mainnet ROOKERY_DATA_DIR=/srv/new rookery restore /var/backups/rookery-monday',
    )
    .action(async (directory: string) => {
      print(await restore(readConfig(env, 'development'), env, directory))
    })
}

async function backUp(config: Config, env: Env, directory: string): Promise<Manifest> {
  if (existsSync(directory)) throw new Failure(`${directory} exists already: name a new directory`)
  const source = join(config.dataDir, DATABASE_FILE)
  if (config.databaseUrl === undefined && !existsSync(source)) {
    throw new Failure(`there is no data in ${config.dataDir} (ROOKERY_DATA_DIR)`)
  }
  const { copyPostgres, copySqlite, describeFile, SCHEMA } = await import('../storage/backup.ts')
  const startedAt = new Date().toISOString()
  const partial = `${directory}.partial`
  await rm(partial, { recursive: true, force: true })
  await mkdir(partial, { recursive: true, mode: OWNER_ONLY_DIRECTORY })
  const names = config.databaseUrl
    ? await copyPostgres(config.databaseUrl, partial)
    : await copySqlite(source, partial)
  const key = join(config.dataDir, KEY_FILE)
  if (existsSync(key)) {
    await copyFile(key, join(partial, KEY_FILE))
    names.push(KEY_FILE)
  }
  const verified = config.databaseUrl
    ? 'Every row was read in one snapshot.'
    : await verifyDirectory(config, partial)
  const files = await Promise.all(names.map((name) => describeFile(partial, name)))
  const manifest: Manifest = {
    format: 1,
    version: VERSION,
    schema: SCHEMA,
    engine: config.databaseUrl ? 'postgres' : 'sqlite',
    network: networkName(config.network),
    startedAt,
    finishedAt: new Date().toISOString(),
    verified,
    settings: settingsHash(env),
    files,
  }
  await writeFlushed(join(partial, MANIFEST), JSON.stringify(manifest, undefined, 2))
  for (const name of names) await flush(join(partial, name))
  await rename(partial, directory)
  return manifest
}

/** Opens the copy of an embedded store and rebuilds everything that can be rebuilt from its messages. */
async function verifyDirectory(config: Config, dataDir: string): Promise<string> {
  const [{ openStore }, { verifyStore }] = await Promise.all([
    import('../app.ts'),
    import('../hub/integrity-check.ts'),
  ])
  const storage = await openStore({ ...config, databaseUrl: undefined, dataDir, views: false })
  try {
    const report = await verifyStore(storage, { network: config.network, onProgress: () => {} })
    if (report.differences > 0) {
      throw new Failure(
        `the copy has ${report.differences} differences: run rookery verify on the store`,
      )
    }
    return `${report.messages} messages, ${report.events} events and ${report.accounts} accounts are as they should be.`
  } finally {
    await storage.close()
    for (const name of await readdir(dataDir)) {
      if (/-(?:wal|shm)$/.test(name)) await rm(join(dataDir, name))
    }
  }
}

async function restore(config: Config, env: Env, directory: string): Promise<string> {
  const manifest = await readManifest(directory)
  const network = networkName(config.network)
  if (manifest.network !== network) {
    throw new Failure(
      `the backup is of the network ${manifest.network}, and the settings name ${network} (ROOKERY_NETWORK)`,
    )
  }
  const engine = config.databaseUrl ? 'postgres' : 'sqlite'
  if (manifest.engine !== engine) {
    throw new Failure(`the backup is of ${manifest.engine}, and the settings name ${engine}`)
  }
  await checkFiles(directory, manifest)
  await checkKey(config, directory, manifest)
  await mkdir(config.dataDir, { recursive: true, mode: OWNER_ONLY_DIRECTORY })
  const outcome = config.databaseUrl
    ? await putRows(config, config.databaseUrl, directory, manifest)
    : await putFile(config, directory)
  if (manifest.files.some(({ name }) => name === KEY_FILE)) {
    const target = join(config.dataDir, KEY_FILE)
    if (!existsSync(target)) await copyFile(join(directory, KEY_FILE), target)
  }
  const differs =
    manifest.settings === settingsHash(env) ? '' : ' Other settings than now were in use.'
  return `The backup of ${manifest.startedAt} is in place.${differs} ${outcome}`
}

async function readManifest(directory: string): Promise<Manifest> {
  const text = await readFile(join(directory, MANIFEST), 'utf8').catch(() => undefined)
  if (text === undefined) {
    throw new Failure(`${directory} is no complete backup: it has no ${MANIFEST}`)
  }
  const manifest = JSON.parse(text) as Manifest
  if (manifest.format !== 1) throw new Failure(`${directory} has a format that is not known here`)
  return manifest
}

async function checkFiles(directory: string, manifest: Manifest): Promise<void> {
  const { describeFile, SCHEMA } = await import('../storage/backup.ts')
  if (manifest.schema > SCHEMA || (manifest.engine === 'postgres' && manifest.schema < SCHEMA)) {
    throw new Failure(
      `the backup has schema ${manifest.schema}, and this program restores schema ${SCHEMA}: ` +
        `restore it with version ${manifest.version}, and upgrade then`,
    )
  }
  for (const file of manifest.files) {
    if (file.name.includes('/')) throw new Failure(`${directory} names a file outside of itself`)
    const found = await describeFile(directory, file.name).catch(() => undefined)
    if (found?.sha256 === file.sha256) continue
    throw new Failure(`${join(directory, file.name)} is missing or was changed after the backup`)
  }
}

/** Names of the store are signed with one key: another one in the data directory would be refused later. */
async function checkKey(config: Config, directory: string, { files }: Manifest): Promise<void> {
  const target = join(config.dataDir, KEY_FILE)
  if (!files.some(({ name }) => name === KEY_FILE) || !existsSync(target)) return
  const [ours, theirs] = await Promise.all([
    readFile(target, 'utf8'),
    readFile(join(directory, KEY_FILE), 'utf8'),
  ])
  if (ours.trim() !== theirs.trim()) {
    throw new Failure(`${target} is another key than that of the backup: move it away first`)
  }
}

async function putFile(config: Config, directory: string): Promise<string> {
  const target = join(config.dataDir, DATABASE_FILE)
  if (existsSync(target))
    throw new Failure(`${target} exists already: restore into an empty directory`)
  const stage = join(config.dataDir, 'restoring')
  await rm(stage, { recursive: true, force: true })
  await mkdir(stage, { mode: OWNER_ONLY_DIRECTORY })
  try {
    await copyFile(join(directory, DATABASE_FILE), join(stage, DATABASE_FILE))
    const verified = await verifyDirectory(config, stage)
    await flush(join(stage, DATABASE_FILE))
    await rename(join(stage, DATABASE_FILE), target)
    return verified
  } finally {
    await rm(stage, { recursive: true, force: true })
  }
}

async function putRows(
  config: Config,
  url: string,
  directory: string,
  manifest: Manifest,
): Promise<string> {
  const { holdsData, restorePostgres } = await import('../storage/backup.ts')
  const [{ openStore }, { verifyStore }] = await Promise.all([
    import('../app.ts'),
    import('../hub/integrity-check.ts'),
  ])
  // Creates the tables; views are built when the server starts.
  await (await openStore({ ...config, views: false })).close()
  if (await holdsData(url)) {
    throw new Failure('the database holds a store already: restore into an empty database')
  }
  await restorePostgres(url, directory)
  const storage = await openStore({ ...config, views: false })
  try {
    const report = await verifyStore(storage, { network: config.network, onProgress: () => {} })
    if (report.differences === 0) return `${report.messages} messages are as they should be.`
    throw new Failure(
      `the store that was restored from ${manifest.startedAt} has ${report.differences} differences`,
    )
  } finally {
    await storage.close()
  }
}

/** Hash of what the environment says about the server, in one order. */
function settingsHash(env: Env): string {
  const variables = SETTING_GROUPS.flatMap(({ settings }) => Object.values(settings))
  const given = variables
    .map(({ variable }) => variable)
    // The place of the data is another one on purpose.
    .filter((name) => env[name] && !/^ROOKERY_DATA_DIR$|^DATABASE_/.test(name))
    .sort()
  const text = given.map((name) => `${name}=${env[name]}\n`).join('')
  return createHash('sha256').update(text).digest('hex')
}

async function writeFlushed(path: string, text: string): Promise<void> {
  await writeFile(path, `${text}\n`, { mode: 0o600, flush: true })
}

async function flush(path: string): Promise<void> {
  const file = await open(path, 'r+')
  await file.sync()
  await file.close()
}
