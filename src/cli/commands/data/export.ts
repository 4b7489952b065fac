import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { type Config, readConfig } from '../../../config.ts'
import type { Target } from '../../../features/exports/follow.ts'
import type { Endpoint } from '../../../features/exports/http.ts'
import { parseDatabaseUrl } from '../../../kernel/base/database-url.ts'
import { networkName } from '../../../kernel/protocol/network-name.ts'
import type { Storage } from '../../../kernel/storage/storage.ts'
import { fidListArgument, sinceArgument, wholeNumber } from '../../arguments.ts'
import { EXIT_FAILED, Failure } from '../../failure.ts'
import { note, printResult } from '../../output.ts'
import { countingBar, progressBar } from '../../progress.ts'
import { checkData } from '../../stored-data.ts'

type Env = Readonly<Record<string, string | undefined>>
type Options = {
  readonly format: 'parquet' | 'csv' | 'ndjson'
  readonly fids?: readonly number[]
  readonly since?: number | Date
  readonly follow?: true
  readonly every: number
  readonly partition: 'none' | 'month'
  readonly to?: string
  readonly position?: string
  readonly headers?: string
  readonly json?: true
}

/** The interval of `--follow`; each batch of files is a folder of its own. */
const SECONDS_BETWEEN_BATCHES = 60
const MAX_SECONDS_BETWEEN_BATCHES = 86_400

/** Adds `export`, which writes casts, reactions, links and users as tables. */
export function addExportCommand(program: Command, env: Env): void {
  const command = program
    .command('export')
    .summary('export casts, reactions, links and users as tables, while the server runs')
    .description(
      'Reads the store of the settings (ROOKERY_DATA_DIR or DATABASE_URL) without blocking its server, and writes\n' +
        'what is published into files of a new directory, into the schema rookery_export of a PostgreSQL, into a\n' +
        'file of SQLite, or sends it to an HTTP endpoint.\n' +
        'manifest.json is written last: a directory without it is not complete. --since continues an earlier\n' +
        'export with its lastEventId, and records what was removed. Tables and columns: docs/export.md.',
    )
    .argument('[directory]', 'directory to write; it must be new or empty')
    .addOption(
      program
        .createOption('--format <format>', 'of the files')
        .choices(['parquet', 'csv', 'ndjson'])
        .default('parquet'),
    )
    .option(
      '--fids <fids>',
      'only what these accounts wrote and own, such as 3,12',
      fidListArgument,
    )
    .option(
      '--since <event>',
      'only what changed after this event, or since a time such as 2026-01-31T12:00:00Z',
      sinceArgument,
    )
    .option(
      '--follow',
      'go on: everything once, and then what changes, in numbered folders of the directory or into --to',
    )
    .option(
      '--every <seconds>',
      'with --follow: between two batches',
      wholeNumber(1, MAX_SECONDS_BETWEEN_BATCHES),
      SECONDS_BETWEEN_BATCHES,
    )
    .addOption(
      program
        .createOption(
          '--partition <by>',
          'folders of the files of each table, such as casts/month=2026-01',
        )
        .choices(['none', 'month'])
        .default('none'),
    )
    .option(
      '--to <url>',
      'write in place of files into a PostgreSQL, postgres://user@host/name (PGPASSWORD has its password), a file of SQLite,\n' +
        'sqlite:/srv/tables.sqlite, or an HTTP endpoint, https://host/{table}, by POST of NDJSON',
    )
    .option(
      '--position <url>',
      'with --follow into an HTTP endpoint: answers a GET with the last event that it has',
    )
    .option(
      '--headers <file>',
      'with an HTTP endpoint: a file of headers, such as Authorization: Bearer …, a line each',
    )
    .option('--json', 'print the manifest as JSON')
    .addHelpText(
      'after',
      '\nExample:\n  ROOKERY_DATA_DIR=/srv/rookery rookery export /srv/tables --format parquet',
    )
    .action(async (directory: string | undefined, options: Options) => {
      checkOptions(command, options)
      const config = readConfig(env, 'development')
      if (options.follow) return followData(config, directory, options)
      const manifest = await exportData(config, directory, options)
      const counts = Object.entries(manifest.tables)
        .filter(([, { rows }]) => rows > 0)
        .map(([table, { rows }]) => `${rows} ${table}`)
      const text =
        `${counts.join(', ') || 'No rows'}. ` +
        `To continue later: rookery export … --since ${manifest.lastEventId}`
      printResult(options, manifest, text)
    })
  addVerifyExportCommand(command)
}

function addVerifyExportCommand(program: Command): void {
  program
    .command('verify')
    .summary('compare exported files with their manifest')
    .description(
      'Reads every file of a directory that rookery export wrote and compares it with manifest.json. Of several\n' +
        'directories, the first and those that --since wrote after it, also says whether they follow each other\n' +
        'without a gap. Exits with 1 when there are faults. It needs no settings and no server.',
    )
    .argument('<directories...>', 'in the order in which they were written')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExample:\n  rookery export verify /srv/tables')
    .action(async (directories: string[], _own: object, command: Command) => {
      // `export` has the option, too, and takes it wherever it stands.
      const options = command.optsWithGlobals<{ readonly json?: true }>()
      const { verifyExports } = await import('../../../features/exports/verify.ts')
      const result = await verifyExports(directories)
      const whole = `${result.files} files are as they were written, up to event ${result.lastEventId}.`
      printResult(options, result, result.faults.length > 0 ? result.faults.join('\n') : whole)
      if (result.faults.length > 0) process.exitCode = EXIT_FAILED
    })
}

type TargetKind = 'a directory' | 'PostgreSQL' | 'a file of SQLite' | 'an HTTP endpoint'

/** Options that not every export takes: only into `to`, and with or without --follow. */
const OPTIONS: Readonly<Record<string, { to?: TargetKind; follow?: boolean }>> = {
  format: { to: 'a directory' },
  partition: { to: 'a directory', follow: false },
  headers: { to: 'an HTTP endpoint' },
  position: { to: 'an HTTP endpoint', follow: true },
  since: { follow: false },
  every: { follow: true },
}

function kindOf(to: string | undefined): TargetKind {
  if (to === undefined) return 'a directory'
  if (/^https?:/.test(to)) return 'an HTTP endpoint'
  return to.startsWith('sqlite:') ? 'a file of SQLite' : 'PostgreSQL'
}

/** An option that does nothing is a mistake. */
function checkOptions(command: Command, { to, follow }: Options) {
  const kind = kindOf(to)
  for (const [name, only] of Object.entries(OPTIONS)) {
    if (command.getOptionValueSource(name) !== 'cli') continue
    if (only.to !== undefined && only.to !== kind) {
      throw new Failure(
        `--${name} is for ${only.to}, and this export goes into ${kind}: leave it out`,
      )
    }
    if (only.follow === undefined || only.follow === (follow === true)) continue
    const why = only.follow
      ? 'is for --follow'
      : 'does not go with --follow, which continues by itself'
    throw new Failure(`--${name} ${why}: leave it out`)
  }
}

/** Runs until a signal, and finishes the batch that it has begun. */
async function followData(config: Config, directory: string | undefined, options: Options) {
  const stop = new AbortController()
  const target = await targetOf(directory, options, stop.signal)
  await checkData(config)
  const { followExport } = await import('../../../features/exports/follow.ts')
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
  await withStore(config, (storage) =>
    followExport(storage, target, {
      network: networkName(config.network),
      fids: options.fids,
      everySeconds: options.every,
      stop: stop.signal,
      onBatch: ({ lastEventId }) => note(`Exported up to event ${lastEventId}.`),
      onFailure: note,
    }),
  )
}

/** Where the rows go: the directory, or what --to names. */
async function targetOf(
  directory: string | undefined,
  options: Options,
  stop?: AbortSignal,
): Promise<Target> {
  const { to, follow, format, partition } = options
  if ((directory === undefined) === (to === undefined)) {
    throw new Failure('name a directory, or a database or endpoint with --to')
  }
  const { directoryTarget, FolderTarget, httpTarget, postgresTarget, sqliteTarget } = await import(
    '../../../features/exports/follow.ts'
  )
  if (directory !== undefined) {
    return follow
      ? new FolderTarget(directory, format)
      : directoryTarget(directory, format, partition)
  }
  if (kindOf(to) === 'an HTTP endpoint') return httpTarget(await endpointOf(to!, options, stop))
  const [, file] = /^sqlite:(?:\/\/)?(.+)$/.exec(to!) ?? []
  return file === undefined ? postgresTarget(postgresOf(to!)) : sqliteTarget(file)
}

async function endpointOf(
  url: string,
  { position, headers }: Options,
  stop: AbortSignal | undefined,
): Promise<Endpoint> {
  for (const [name, text] of Object.entries({ to: url, position })) {
    if (text === undefined) continue
    if (!URL.canParse(text)) throw new Failure(`--${name} must be like https://host/path`)
    const { username, password } = new URL(text)
    if (username === '' && password === '') continue
    throw new Failure(
      `a user or password in --${name} can be read by every user of this machine: remove it there and write a header into the file of --headers`,
    )
  }
  const lines = headers === undefined ? '' : await readHeaders(headers)
  return {
    ...{ url, position, headers: headersOf(lines), onFailure: note },
    ...(stop && { stop }),
  }
}

const readHeaders = (file: string): Promise<string> =>
  readFile(file, 'utf8').catch(({ code }: NodeJS.ErrnoException) => {
    throw new Failure(`the file of --headers, ${file}, cannot be read (${code})`)
  })

/** They say how a body is sent, and are written by the program. */
const FRAMING =
  /^(connection|content-length|expect|host|keep-alive|te|trailer|transfer-encoding|upgrade)$/i

function headersOf(text: string): Record<string, string> {
  const lines = text.split('\n').map((line) => line.trim())
  const headers = lines.flatMap((line, i) => {
    if (line === '') return []
    const [, name, value] = /^([\w-]+): *(\S.*)$/.exec(line) ?? []
    const place = `line ${i + 1} of --headers`
    if (name === undefined) throw new Failure(`${place} must be like Authorization: Bearer …`)
    if (FRAMING.test(name))
      throw new Failure(`${place} sets ${name}, which is not yours to set: remove it`)
    // What it has may be secret, and is not printed.
    if (!VALUE.test(value!))
      throw new Failure(`the value in ${place} must be ASCII: encode what is not`)
    return [[name.toLowerCase(), value!]]
  })
  return Object.fromEntries(headers)
}
const VALUE = /^[\t\x20-\x7e]*$/

async function withStore<T>(config: Config, work: (storage: Storage) => Promise<T>): Promise<T> {
  const [{ joinStore }, { ExportRefused }] = await Promise.all([
    import('../../../app.ts'),
    import('../../../features/exports/export.ts'),
  ])
  const storage = joinStore(config)
  try {
    return await work(storage)
  } catch (error) {
    if (error instanceof ExportRefused) throw new Failure(error.message)
    throw error
  } finally {
    await storage.close()
  }
}

async function exportData(config: Config, directory: string | undefined, options: Options) {
  const target = await targetOf(directory, options)
  await checkData(config)
  return withStore(config, (storage) => exportOnce(config, storage, target, options))
}

async function exportOnce(config: Config, storage: Storage, target: Target, options: Options) {
  const { fids } = options
  const { checkExport, eventBefore, runExport } = await import(
    '../../../features/exports/export.ts'
  )
  const counted = countingBar('rows')
  const measured = progressBar('Exporting rows')
  try {
    const since =
      options.since instanceof Date
        ? await eventBefore(storage, options.since, Date.now())
        : options.since
    await checkExport(storage, since)
    const sink = await target.open(since)
    const network = networkName(config.network)
    const manifest = await runExport(storage, sink, {
      network,
      fids,
      since,
      onProgress: (rows, total) => (total === undefined ? counted : measured).update(rows, total),
    })
    await target.keep(manifest)
    return manifest
  } finally {
    counted.stop()
    measured.stop()
  }
}

/** The URL to connect to. Every user of a machine can read the arguments of its programs. */
function postgresOf(to: string): string {
  const [host, ...others] = hostsOf(to)
  if (others.length > 0) throw new Failure('--to must have one host')
  const { password, searchParams } = new URL(host!)
  if (password === '' && !searchParams.has('password')) return host!
  throw new Failure(
    'a password in --to can be read by every user of this machine: remove it there and set PGPASSWORD',
  )
}

function hostsOf(to: string): readonly string[] {
  try {
    return parseDatabaseUrl(to).hosts
  } catch {
    throw new Failure(
      '--to must be like postgres://user@host:5432/name, sqlite:/srv/tables.sqlite or https://host/{table}',
    )
  }
}
