import { existsSync } from 'node:fs'
import { copyFile, mkdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Command } from 'commander'
import { type Config, readConfig } from '../../../config.ts'
import type { KeyedRows } from '../../../features/backups/keys.ts'
import type { Manifest } from '../../../features/backups/manifest.ts'
import { POSTGRES_BACKUPS } from '../../../features/backups/settings.ts'
import { networkName } from '../../../kernel/protocol/network-name.ts'
import type { Storage } from '../../../kernel/storage/storage.ts'
import { Failure } from '../../failure.ts'
import { printResult } from '../../output.ts'
import { checkData } from '../../stored-data.ts'

type Env = Readonly<Record<string, string | undefined>>
type JsonOption = { readonly json?: true }
type ForgetOption = { readonly forgetSecrets?: true }

const OWNER_ONLY_DIRECTORY = 0o700
/** The option of commands that refuse unreadable secrets. */
export const FORGET_SECRETS = [
  '--forget-secrets',
  'give up secrets that cannot be opened: signers are revoked, webhooks are off',
] as const

/** Adds `backup` and `restore`, which copy the store of the settings and put a copy back. */
export function addBackupCommands(program: Command, env: Env): void {
  program
    .command('backup <directory>')
    .summary('copy the embedded store while the server runs')
    .description(
      'Copies the store and the keys of ROOKERY_DATA_DIR into a new directory, opens the copy and checks it.\n' +
        'The server goes on; what it acknowledged before the command began is in the copy. The directory\n' +
        'appears when the backup is complete. It holds keys: keep it private. PostgreSQL is backed up with\n' +
        'pg_dump or pgBackRest (docs/postgresql.md).',
    )
    .addHelpText(
      'after',
      '\nExample:\n  ROOKERY_DATA_DIR=/srv/rookery rookery backup /var/backups/rookery-monday',
    )
    .action(async (directory: string, options: JsonOption) => {
      const manifest = await backUp(readConfig(env, 'development'), directory)
      const { sizeOf } = await import('../../../features/backups/manifest.ts')
      const { files, verified } = manifest
      const text = `${directory} holds the backup: ${files.length} files, ${sizeOf(manifest)} bytes. ${verified}`
      printResult(options, { directory, ...manifest }, text)
    })
  program
    .command('restore <directory>')
    .summary('put a backup in place')
    .description(
      'Checks a backup and puts it into ROOKERY_DATA_DIR, which must hold no store yet. Refuses a backup\n' +
        'that is incomplete or changed, one of another network, and one whose secrets or names need a key\n' +
        'that is neither in it nor in the settings. The server must not run.',
    )
    .option(...FORGET_SECRETS)
    .addHelpText(
      'after',
      '\nExample:\n  ROOKERY_NETWORK=mainnet ROOKERY_DATA_DIR=/srv/new rookery restore /var/backups/rookery-monday',
    )
    .action(async (directory: string, options: JsonOption & ForgetOption) => {
      const text = await restore(readConfig(env, 'development'), directory, options)
      printResult(options, { directory, text }, text)
    })
}

async function backUp(config: Config, directory: string): Promise<Manifest> {
  refusePostgres(config)
  await checkData(config)
  const { makeBackup } = await import('../../../features/backups/copy.ts')
  const { storageSettingsOf } = await import('../../../kernel/storage/from-config.ts')
  const { keySettingsOf } = await import('../../../features/backups/keys.ts')
  const { network, settingsHash } = config
  const keys = keySettingsOf(config)
  const storage = storageSettingsOf(config)
  const startedMs = Date.now()
  const { SCHEMA } = await import('../../../store.ts')
  const schema = SCHEMA.newest
  const request = { storage, schema, network, keys, settings: settingsHash, directory, startedMs }
  return makeBackup(request, await openerOf(config))
}

function refusePostgres({ databaseUrl }: Config): void {
  if (databaseUrl !== undefined) throw new Failure(`DATABASE_URL is set. ${POSTGRES_BACKUPS}`)
}

/** Opens copies of the embedded store as the program opens its own. */
async function openerOf(config: Config) {
  const { openStore } = await import('../../../app.ts')
  return ({ dataDir }: { readonly dataDir: string }) =>
    openStore({ ...config, dataDir, views: false })
}

async function restore(
  config: Config,
  directory: string,
  { forgetSecrets }: ForgetOption,
): Promise<string> {
  refusePostgres(config)
  const { readManifest } = await import('../../../features/backups/manifest.ts')
  const manifest = await readManifest(directory)
  const network = networkName(config.network)
  if (manifest.network !== network) {
    throw new Failure(
      `the backup is of the network ${manifest.network}, and the settings name ${network} (ROOKERY_NETWORK)`,
    )
  }
  if (manifest.engine !== 'sqlite') {
    throw new Failure(`the backup is of PostgreSQL: restore it with version ${manifest.version}`)
  }
  await checkFiles(directory, manifest)
  await checkKeyFiles(config, directory)
  await mkdir(config.dataDir, { recursive: true, mode: OWNER_ONLY_DIRECTORY })
  const outcome = await putFile({ config, directory, forgets: forgetSecrets === true })
  const differs =
    manifest.settings === config.settingsHash ? '' : ' Other settings than now were in use.'
  return `The backup of ${manifest.startedAt} is in place.${differs} ${outcome}`
}

type Restoring = {
  readonly config: Config
  readonly directory: string
  /** Whether unreadable secrets are given up. */
  readonly forgets: boolean
}

/** Throws a Failure unless the keys of the backup, of the data directory or of the settings are those of the rows. */
async function checkKeys(
  rows: KeyedRows,
  { config, directory, forgets }: Restoring,
): Promise<void> {
  const { findKeyFaults } = await import('../../../features/backups/keys.ts')
  const { secrets, names } = await findKeyFaults(rows, config, [directory, config.dataDir])
  const fault = forgets ? names : (secrets ?? names)
  if (fault !== undefined) throw new Failure(fault)
}

async function checkFiles(directory: string, manifest: Manifest): Promise<void> {
  const { describeFile } = await import('../../../kernel/storage/backup.ts')
  const { SCHEMA } = await import('../../../store.ts')
  if (manifest.schema > SCHEMA.newest) {
    throw new Failure(
      `the backup has schema ${manifest.schema}, and this program knows schemas up to ${SCHEMA.newest}: ` +
        `restore it with version ${manifest.version}`,
    )
  }
  for (const file of manifest.files) {
    if (file.name.includes('/')) throw new Failure(`${directory} names a file outside of itself`)
    const found = await describeFile(directory, file.name).catch(() => undefined)
    if (found?.sha256 === file.sha256) continue
    throw new Failure(`${join(directory, file.name)} is missing or was changed after the backup`)
  }
}

/** Throws a Failure when the data directory has other keys than the backup: they could not open its data. */
async function checkKeyFiles(config: Config, directory: string): Promise<void> {
  const { KEY_FILE_NAMES } = await import('../../../kernel/base/server-key.ts')
  for (const name of KEY_FILE_NAMES) {
    const target = join(config.dataDir, name)
    if (!existsSync(join(directory, name)) || !existsSync(target)) continue
    const [ours, theirs] = await Promise.all([
      readFile(target, 'utf8'),
      readFile(join(directory, name), 'utf8'),
    ])
    if (ours.trim() !== theirs.trim()) {
      throw new Failure(`${target} is another key than that of the backup: move it away first`)
    }
  }
}

async function putFile(restoring: Restoring): Promise<string> {
  const { config, directory } = restoring
  const [{ STORE_FILE }, copying, { copyKeys }, { flush }, { storageSettingsOf }] =
    await Promise.all([
      import('../../../kernel/storage/engines/sqlite.ts'),
      import('../../../features/backups/copy.ts'),
      import('../../../features/backups/keys.ts'),
      import('../../../kernel/base/flush.ts'),
      import('../../../kernel/storage/from-config.ts'),
    ])
  const target = join(config.dataDir, STORE_FILE)
  if (existsSync(target))
    throw new Failure(`${target} exists already: restore into an empty directory`)
  const stage = join(config.dataDir, 'restoring')
  await rm(stage, { recursive: true, force: true })
  await mkdir(stage, { mode: OWNER_ONLY_DIRECTORY })
  try {
    await copyFile(join(directory, STORE_FILE), join(stage, STORE_FILE))
    const request = { storage: storageSettingsOf(config), network: config.network }
    const open = await openerOf(config)
    const staged = { ...request, directory: stage }
    const { counts, checked } = await copying.verifyDirectory(staged, open, async (copy) => {
      await checkKeys(copy, restoring)
      return restoring.forgets ? forgetSecrets(copy, config, [directory, config.dataDir]) : ''
    })
    // First the keys: a server must not find the rows without them.
    await copyKeys(directory, config.dataDir)
    await flush(join(stage, STORE_FILE))
    await rename(join(stage, STORE_FILE), target)
    return copying.countsText(counts) + checked
  } finally {
    await rm(stage, { recursive: true, force: true })
  }
}

/** Gives up secrets that no key of the settings and of these directories opens. Returns a sentence about them. */
export async function forgetSecrets(
  storage: Storage,
  { signerSecret }: Config,
  directories: readonly string[],
): Promise<string> {
  const { findSealingKey, forgetUnreadable } = await import('../../../kernel/app-api/secrets.ts')
  const key = findSealingKey(signerSecret, directories)
  const forgotten = await forgetUnreadable({ storage, sealed: storage.schema!.sealed }, key)
  return ` ${forgotten} secrets that could not be opened were given up.`
}
